// SPDX-License-Identifier: Apache-2.0
// LSTM language model: the two-layer word model of pytorch/examples (word_language_model, its
// default sizes) on WikiText-2 (Merity et al. 2017, arXiv:1609.07843), output layer not tied.

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kVocabulary = 33278;
constexpr std::int64_t kEmbedding = 200;
constexpr std::int64_t kHidden = 200;
constexpr std::int64_t kLayers = 2;
constexpr std::int64_t kSequence = 35;
constexpr std::int64_t kSequenceMax = 8192;
constexpr double kDropout = 0.2;

void build_lstm_lm(Builder& b, const Sizes& sizes) {
  const Value ids = b.input("input_ids", {kBatch, sizes.sequence}, ElementType::Int64);
  const Value by_time = transpose(b, "by_time", ids, {1, 0});
  const Value table = b.parameter("encoder.weight", {kVocabulary, kEmbedding});
  Value x = embedding(b, "encoder", table, by_time);
  for (std::int64_t layer = 0; layer < kLayers; ++layer) {
    const std::string number = std::to_string(layer);
    x = lstm(b, "rnn.l" + number, dropout(b, "drop." + number, x, kDropout), kHidden);
  }
  x = linear(b, "decoder", dropout(b, "drop", x, kDropout), kVocabulary);
  b.output(unary(b, "log_softmax", "LogSoftmax", x, {{"axis", std::int64_t{-1}}}));
}

}  // namespace

std::vector<Entry> lstm_lm_family() {
  return {{.architecture = {.name = "lstm-lm",
                            .description = "LSTM language model, 2 x 200, WikiText-2 "
                                           "(pytorch/examples word_language_model)",
                            .input = "35 tokens",
                            .default_batch = 20,
                            .default_sequence = kSequence},
           .sequence_max = kSequenceMax,
           .aliases = {"lstm"},
           .build = build_lstm_lm}};
}

}  // namespace horus::zoo
