// SPDX-License-Identifier: Apache-2.0
// T5 (Raffel et al. 2020, arXiv:1910.10683), version 1.0, trained with teacher forcing: source and
// shifted target come in, scores of the next tokens come out. One table serves both embeddings and
// the output layer, no layer has a bias, and places are known only by relative distance. Layer
// names as in Hugging Face's T5ForConditionalGeneration. Source and target have the same length
// here.

#include <array>
#include <cmath>

#include "horus/zoo/attention_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/language_entry.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

struct Plan {
  std::int64_t depth{};  ///< Of the encoder, and again of the decoder.
  std::int64_t heads{};
  std::int64_t width{};  ///< Also heads times the 64 of one head.
  std::int64_t inner{};
};

constexpr std::int64_t kVocabulary = 32128;
constexpr std::int64_t kBuckets = 32;  // Of relative distances.
constexpr std::int64_t kSequence = 512;
constexpr std::int64_t kSequenceMax = 8192;
constexpr double kDropout = 0.1;
constexpr double kEpsilon = 1e-6;

/// One number for each head and relative distance, as (1, heads, query, key), plus `mask`.
Value position_bias(Builder& b, const std::string& name, const Plan& plan, std::int64_t sequence,
                    const Value& mask) {
  const Value table = b.parameter(name + ".weight", {kBuckets, plan.heads});
  const Value buckets = b.buffer(name + ".buckets", {sequence, sequence}, ElementType::Int64);
  const Value values =
      transpose(b, name + ".transpose", embedding(b, name, table, buckets), {2, 0, 1});
  const Value axis = b.integers({0});
  const Value bias = b.add(
      {.name = name + ".unsqueeze", .op_type = "Unsqueeze", .inputs = {values.name, axis.name}},
      {1, plan.heads, sequence, sequence});
  return binary(b, name + ".add", "Add", bias, mask);
}

/// x + dropout(attention(norm(x))), scores not scaled.
Value attend(Builder& b, const std::string& name, const Value& x,
             const std::optional<Value>& memory, const Plan& plan, const Value& mask) {
  const std::string self = name + (memory ? ".EncDecAttention" : ".SelfAttention");
  const Value normal = rms_norm(b, name + ".layer_norm", x, kEpsilon);
  const Projections projections =
      project_apart(b, {.query = self + ".q", .key = self + ".k", .value = self + ".v"}, normal,
                    memory.value_or(normal), Bias::None);
  Value y = attention(b, self, projections,
                      {.heads = plan.heads, .dropout = kDropout, .mask = mask, .scale = 1});
  y = linear(b, self + ".o", y, plan.width, Bias::None);
  return binary(b, name + ".add", "Add", x, dropout(b, name + ".dropout", y, kDropout));
}

Value think(Builder& b, const std::string& name, const Value& x, const Plan& plan) {
  Value y = rms_norm(b, name + ".layer_norm", x, kEpsilon);
  y = linear(b, name + ".DenseReluDense.wi", y, plan.inner, Bias::None);
  y = relu(b, name + ".DenseReluDense.act", y);
  y = dropout(b, name + ".DenseReluDense.dropout", y, kDropout);
  y = linear(b, name + ".DenseReluDense.wo", y, plan.width, Bias::None);
  return binary(b, name + ".add", "Add", x, dropout(b, name + ".dropout", y, kDropout));
}

Value close(Builder& b, const std::string& name, const Value& x) {
  return dropout(b, name + ".dropout", rms_norm(b, name + ".final_layer_norm", x, kEpsilon),
                 kDropout);
}

Value encoder(Builder& b, Value x, const Plan& plan, const Value& padding) {
  const Value bias = position_bias(b, "encoder.relative_attention_bias", plan, x.shape[1], padding);
  for (std::int64_t layer = 0; layer < plan.depth; ++layer) {
    const std::string name = "encoder.block." + std::to_string(layer) + ".layer.";
    x = attend(b, name + "0", x, std::nullopt, plan, bias);
    x = think(b, name + "1", x, plan);
  }
  return close(b, "encoder", x);
}

Value decoder(Builder& b, Value x, const Value& memory, const Plan& plan, const Value& padding) {
  const Value causal = b.buffer("causal_mask", {x.shape[1], x.shape[1]});
  const Value bias = position_bias(b, "decoder.relative_attention_bias", plan, x.shape[1], causal);
  for (std::int64_t layer = 0; layer < plan.depth; ++layer) {
    const std::string name = "decoder.block." + std::to_string(layer) + ".layer.";
    x = attend(b, name + "0", x, std::nullopt, plan, bias);
    x = attend(b, name + "1", x, memory, plan, padding);
    x = think(b, name + "2", x, plan);
  }
  return close(b, "decoder", x);
}

void build_t5(Builder& b, const Plan& plan, std::int64_t sequence) {
  const Shape shape{kBatch, sequence};
  const Value source = b.input("input_ids", shape, ElementType::Int64);
  const Value keep = b.input("attention_mask", shape, ElementType::Int64);
  const Value target = b.input("decoder_input_ids", shape, ElementType::Int64);
  const Value table = b.parameter("shared.weight", {kVocabulary, plan.width});
  const Value padding = padding_mask(b, "padding", keep);
  const auto embed = [&](const std::string& name, const Value& ids) {
    return dropout(b, name + ".dropout", embedding(b, name, table, ids), kDropout);
  };
  const Value memory = encoder(b, embed("encoder.embed_tokens", source), plan, padding);
  Value x = decoder(b, embed("decoder.embed_tokens", target), memory, plan, padding);
  const double scale = 1 / std::sqrt(static_cast<double>(plan.width));
  x = binary(b, "scale", "Mul", x, b.number(scale));
  b.output(tied_linear(b, "lm_head", x, table));
}

}  // namespace

std::vector<Entry> t5_family() {
  // Section 3.7 of the paper.
  const auto rows = std::to_array<LanguageModel<Plan>>({
      {"t5-small", "T5-small", {6, 8, 512, 2048}, 8, {"t5"}},
      {"t5-base", "T5-base", {12, 12, 768, 3072}, 4, {}},
      {"t5-large", "T5-large", {24, 16, 1024, 4096}, 1, {}},
  });
  return language_entries<Plan>(
      rows, {.about = ", text to text, version 1.0 with tied embeddings (arXiv:1910.10683)",
             .input = "512 source and 512 target tokens",
             .sequence = kSequence,
             .sequence_max = kSequenceMax,
             .build = build_t5});
}

}  // namespace horus::zoo
