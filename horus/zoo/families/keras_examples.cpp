// SPDX-License-Identifier: Apache-2.0
// Two small networks of the code examples on keras.io, which measured data sets train:
//   keras-text          "Using pre-trained word embeddings": convolutions over GloVe vectors that
//                       are not trained, 20 Newsgroups
//   keras-time-series   "Timeseries classification with a Transformer model", FordA

#include "horus/zoo/attention_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

/// Convolution of kernel 5 over the words, not padded.
Value conv_relu(Builder& b, const std::string& name, const Value& x) {
  const Value y = conv(b, name, x, {.channels = 128, .kernel = {5}, .bias = Bias::Trained});
  return relu(b, name + ".relu", y);
}

Value dense_relu(Builder& b, const std::string& name, const Value& x) {
  return relu(b, name + ".relu", linear(b, name, x, 128));
}

void build_text(Builder& b, const Sizes&) {
  constexpr std::int64_t kLength = 200;
  constexpr std::int64_t kWords = 20002;  // The most frequent 20,000, padding and unknown.
  constexpr std::int64_t kVector = 100;
  constexpr std::int64_t kGroups = 20;
  const Value ids = b.input("input_ids", {kBatch, kLength}, ElementType::Int64);
  Value x = embedding(b, "embedding", b.buffer("embedding.weight", {kWords, kVector}), ids);
  x = transpose(b, "channels_first", x, {0, 2, 1});
  for (const char* name : {"conv1d", "conv1d_1"}) {
    x = conv_relu(b, name, x);
    x = max_pool(b, std::string{name} + ".pool", x, {.kernel = {5}, .stride = {5}});
  }
  x = conv_relu(b, "conv1d_2", x);
  x = b.add({.name = "global_max_pooling1d", .op_type = "GlobalMaxPool", .inputs = {x.name}},
            {kBatch, x.shape[1], 1});
  x = dropout(b, "dropout", dense_relu(b, "dense", flatten(b, "flatten", x)), 0.5);
  b.output(softmax(b, "softmax", linear(b, "dense_1", x, kGroups)));
}

/// Attention of 4 heads of 256 over a width of 1, and a feed-forward pair of inner width 4. The
/// convolutions of kernel 1 are linear layers.
Value series_block(Builder& b, const std::string& name, const Value& x) {
  constexpr std::int64_t kHeads = 4;
  constexpr std::int64_t kHeadWidth = 256;
  constexpr double kDropout = 0.25;
  constexpr double kEpsilon = 1e-6;
  const std::int64_t width = x.shape.back();
  Projections projections;
  projections.query = linear(b, name + ".query", x, kHeads * kHeadWidth);
  projections.key = linear(b, name + ".key", x, kHeads * kHeadWidth);
  projections.value = linear(b, name + ".value", x, kHeads * kHeadWidth);
  Value y = attention(b, name + ".attention", projections,
                      {.heads = kHeads, .dropout = kDropout, .mask = {}});
  y = dropout(b, name + ".dropout", linear(b, name + ".output", y, width), kDropout);
  const Value middle =
      binary(b, name + ".add", "Add", layer_norm(b, name + ".norm", y, kEpsilon), x);
  y = relu(b, name + ".relu", linear(b, name + ".conv1d", middle, 4));
  y = linear(b, name + ".conv1d_1", dropout(b, name + ".dropout_1", y, kDropout), width);
  return binary(b, name + ".add_1", "Add", layer_norm(b, name + ".norm_1", y, kEpsilon), middle);
}

void build_time_series(Builder& b, const Sizes&) {
  constexpr std::int64_t kSteps = 500;
  Value x = b.input("series", {kBatch, kSteps, 1});
  for (int block = 0; block < 4; ++block) x = series_block(b, "block." + std::to_string(block), x);
  x = mean_over(b, "pooling", x, 2);
  x = dropout(b, "dropout", dense_relu(b, "dense", x), 0.4);
  b.output(softmax(b, "softmax", linear(b, "dense_1", x, 2)));
}

}  // namespace

std::vector<Entry> keras_examples_family() {
  Entry text{.architecture = {.name = "keras-text",
                              .description = "Text classification over fixed GloVe vectors, 20 "
                                             "Newsgroups (keras.io examples)",
                              .input = "200 words",
                              .default_batch = 128},
             .aliases = {},
             .build = build_text};
  Entry series{.architecture = {.name = "keras-time-series",
                                .description = "Transformer that classifies time series, FordA "
                                               "(keras.io examples)",
                                .input = "500 steps",
                                .default_batch = 64},
               .aliases = {},
               .build = build_time_series};
  return {std::move(text), std::move(series)};
}

}  // namespace horus::zoo
