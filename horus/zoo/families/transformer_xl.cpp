// SPDX-License-Identifier: Apache-2.0
// Transformer-XL (Dai et al. 2019, arXiv:1901.02860), the base model of NVIDIA/DeepLearningExamples
// on WikiText-103: each layer also attends to the hidden states of the segment before, and knows
// places by relative distance. Of the adaptive softmax the head alone is computed, which scores the
// most frequent words and the clusters of the others: how many targets lie in a cluster is up to
// the data. Layer names as in MemTransformerLM.

#include <cmath>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kVocabulary = 267735;
constexpr std::int64_t kFrequent = 19997;  // Words that the head of the softmax scores.
constexpr std::int64_t kClusters = 3;
constexpr std::int64_t kDepth = 16;
constexpr std::int64_t kHeads = 8;
constexpr std::int64_t kWidth = 512;
constexpr std::int64_t kInner = 2048;
constexpr std::int64_t kSequence = 192;
constexpr std::int64_t kMemory = 192;
constexpr std::int64_t kSequenceMax = 8192;
constexpr double kDropout = 0.1;
constexpr double kEpsilon = 1e-5;

/// What all layers share.
struct Context {
  Value places;         ///< Sinusoids of the distances, (keys, width): once for the whole batch.
  Value content_bias;   ///< Added to the query that meets keys, (heads, 1, width of a head).
  Value distance_bias;  ///< Added to the query that meets distances, likewise.
  Value mask;           ///< No token sees a later one, (query, key).
};

/// Row i of (batch, heads, query, key) moved by i to the left: a column of zeros before it, and
/// the axes read in another order.
Value shift_rows(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t rows = x.shape[2];
  const std::int64_t columns = x.shape[3];
  const Value pads = b.integers({0, 0, 0, 1, 0, 0, 0, 0});
  Value y = b.add({.name = name + ".pad", .op_type = "Pad", .inputs = {x.name, pads.name}},
                  {kBatch, kHeads, rows, columns + 1});
  y = shaped(b, name + ".turn", y, {kBatch, kHeads, columns + 1, rows});
  y = slice(b, name + ".drop", y, 2, 1, columns + 1);
  return shaped(b, name, y, x.shape);
}

/// Scores by content plus scores by distance.
Value scores_of(Builder& b, const std::string& name, const HeadTriple& heads,
                const Context& context) {
  const Value content_query =
      binary(b, name + ".rw_head_q", "Add", heads.query, context.content_bias);
  const Value content =
      matmul(b, name + ".AC", content_query, swap_last(b, name + ".key", heads.key));
  const Value distances = linear(b, name + ".r_net", context.places, kWidth, Bias::None);
  const Value by_head = part_heads(b, name + ".r_head_k", distances, kHeads);
  const Value distance_query =
      binary(b, name + ".rr_head_q", "Add", heads.query, context.distance_bias);
  const Value wide =
      matmul(b, name + ".BD", distance_query, swap_last(b, name + ".r_head_k.swap", by_head));
  return binary(b, name + ".sum", "Add", content, shift_rows(b, name + ".rel_shift", wide));
}

Value relative_attention(Builder& b, const std::string& name, const Value& x, const Value& memory,
                         const Context& context) {
  const Value all = concat(b, name + ".cat", std::vector<Value>{memory, x}, 1);
  const std::int64_t keys = all.shape[1];
  const Value projected = linear(b, name + ".qkv_net", all, 3 * kWidth, Bias::None);
  const std::vector<Value> parts = split_last(b, name + ".split", projected, 3);
  const Value query = slice(b, name + ".q", parts[0], 1, keys - x.shape[1], keys);
  HeadTriple heads;
  heads.query = part_heads(b, name + ".w_head_q", query, kHeads);
  heads.key = part_heads(b, name + ".w_head_k", parts[1], kHeads);
  heads.value = part_heads(b, name + ".w_head_v", parts[2], kHeads);
  Value weights = scores_of(b, name, heads, context);
  const double scale = 1 / std::sqrt(static_cast<double>(kWidth / kHeads));
  weights = binary(b, name + ".scale", "Mul", weights, b.number(scale));
  weights = softmax(b, name + ".softmax", binary(b, name + ".mask", "Add", weights, context.mask));
  Value y = unite_heads(b, name + ".unite", matmul(b, name + ".context", weights, heads.value));
  y = dropout(b, name + ".drop", linear(b, name + ".o_net", y, kWidth, Bias::None), kDropout);
  return layer_norm(b, name + ".layer_norm", binary(b, name + ".add", "Add", x, y), kEpsilon);
}

Value think(Builder& b, const std::string& name, const Value& x) {
  Value y = relu(b, name + ".CoreNet.1", linear(b, name + ".CoreNet.0", x, kInner));
  y = linear(b, name + ".CoreNet.3", dropout(b, name + ".CoreNet.2", y, kDropout), kWidth);
  y = dropout(b, name + ".CoreNet.4", y, kDropout);
  return layer_norm(b, name + ".layer_norm", binary(b, name + ".add", "Add", x, y), kEpsilon);
}

/// Scores of the frequent words, by the rows of the embedding, and of the clusters, by their own.
Value head_of_softmax(Builder& b, const Value& x, const Value& table) {
  const Value bias = b.parameter("crit.out_layers.0.bias", {kVocabulary});
  const Value rows = slice(b, "crit.frequent", table, 0, 0, kFrequent);
  const Value row_bias = slice(b, "crit.frequent_bias", bias, 0, 0, kFrequent);
  const Value clusters = b.parameter("crit.cluster_weight", {kClusters, kWidth});
  const Value cluster_bias = b.parameter("crit.cluster_bias", {kClusters});
  const Value weight = concat(b, "crit.weight", std::vector<Value>{rows, clusters}, 0);
  const Value offset = concat(b, "crit.offset", std::vector<Value>{row_bias, cluster_bias}, 0);
  const Value scores = binary(b, "crit.add", "Add", tied_linear(b, "crit.head", x, weight), offset);
  return unary(b, "crit.log_softmax", "LogSoftmax", scores, {{"axis", std::int64_t{-1}}});
}

void build_transformer_xl(Builder& b, const Sizes& sizes) {
  const std::int64_t keys = kMemory + sizes.sequence;
  const Value ids = b.input("input_ids", {kBatch, sizes.sequence}, ElementType::Int64);
  const Value table = b.parameter("word_emb.weight", {kVocabulary, kWidth});
  const Value words = embedding(b, "word_emb", table, ids);
  const double scale = std::sqrt(static_cast<double>(kWidth));
  Value x = binary(b, "word_emb.scale", "Mul", words, b.number(scale));
  x = dropout(b, "drop", x, kDropout);
  const Shape per_head{kHeads, 1, kWidth / kHeads};
  Context context;
  context.places = dropout(b, "pos_emb.drop", b.buffer("pos_emb", {keys, kWidth}), kDropout);
  context.content_bias = b.parameter("r_w_bias", per_head);
  context.distance_bias = b.parameter("r_r_bias", per_head);
  context.mask = b.buffer("dec_attn_mask", {sizes.sequence, keys});
  for (std::int64_t layer = 0; layer < kDepth; ++layer) {
    const std::string number = std::to_string(layer);
    const Value memory = b.input("mems." + number, {kBatch, kMemory, kWidth});
    x = relative_attention(b, "layers." + number + ".dec_attn", x, memory, context);
    x = think(b, "layers." + number + ".pos_ff", x);
  }
  b.output(head_of_softmax(b, dropout(b, "drop_out", x, kDropout), table));
}

}  // namespace

std::vector<Entry> transformer_xl_family() {
  return {{.architecture = {.name = "transformer-xl",
                            .description = "Transformer-XL base, WikiText-103, head of the "
                                           "adaptive softmax (arXiv:1901.02860, "
                                           "NVIDIA/DeepLearningExamples)",
                            .input = "192 tokens, 192 remembered",
                            .default_batch = 8,
                            .default_sequence = kSequence},
           .sequence_max = kSequenceMax,
           .aliases = {"transformer-xl-base"},
           .build = build_transformer_xl}};
}

}  // namespace horus::zoo
