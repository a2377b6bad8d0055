// SPDX-License-Identifier: Apache-2.0
// Recurrent language models: the word models of pytorch/examples (word_language_model) on
// WikiText-2 (Merity et al. 2017, arXiv:1609.07843), output layer not tied. Its defaults, the same
// with a GRU, and the medium and large sizes of its README.

#include <array>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/language_entry.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/recurrent_layer.hpp"

namespace horus::zoo {
namespace {

struct Plan {
  Cell cell{Cell::Lstm};
  std::int64_t width{};  ///< Of the embedding and of each layer.
  double dropout{};
};

constexpr std::int64_t kVocabulary = 33278;
constexpr std::int64_t kLayers = 2;
constexpr std::int64_t kSequence = 35;
constexpr std::int64_t kSequenceMax = 8192;

void build_language_model(Builder& b, const Plan& plan, std::int64_t sequence) {
  const Value ids = b.input("input_ids", {kBatch, sequence}, ElementType::Int64);
  const Value by_time = transpose(b, "by_time", ids, {1, 0});
  const Value table = b.parameter("encoder.weight", {kVocabulary, plan.width});
  Value x = embedding(b, "encoder", table, by_time);
  for (std::int64_t layer = 0; layer < kLayers; ++layer) {
    const std::string number = std::to_string(layer);
    x = dropout(b, "drop." + number, x, plan.dropout);
    x = recurrent(b, "rnn.l" + number, x, {.cell = plan.cell, .hidden = plan.width});
  }
  x = linear(b, "decoder", dropout(b, "drop", x, plan.dropout), kVocabulary);
  b.output(unary(b, "log_softmax", "LogSoftmax", x, {{"axis", std::int64_t{-1}}}));
}

}  // namespace

std::vector<Entry> lstm_lm_family() {
  const auto rows = std::to_array<LanguageModel<Plan>>({
      {"gru-lm", "GRU language model, 2 x 200", {Cell::Gru, 200, 0.2}, 20, {"gru"}},
      {"lstm-lm", "LSTM language model, 2 x 200", {Cell::Lstm, 200, 0.2}, 20, {"lstm", "lm"}},
      {"lstm-lm-medium", "LSTM language model, 2 x 650", {Cell::Lstm, 650, 0.5}, 20, {}},
      {"lstm-lm-large", "LSTM language model, 2 x 1500", {Cell::Lstm, 1500, 0.65}, 20, {}},
  });
  return language_entries<Plan>(rows,
                                {.about = ", WikiText-2 (pytorch/examples word_language_model)",
                                 .input = "35 tokens",
                                 .sequence = kSequence,
                                 .sequence_max = kSequenceMax,
                                 .build = build_language_model});
}

}  // namespace horus::zoo
