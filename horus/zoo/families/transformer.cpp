// SPDX-License-Identifier: Apache-2.0
// The Transformer for translation (Vaswani et al. 2017, arXiv:1706.03762), base and big, trained
// with teacher forcing: the source and the shifted target come in, scores of the next tokens come
// out. As in the paper one weight matrix serves both embeddings and the output layer, and attention
// projections have no bias. Source and target have the same length here.

#include <cmath>

#include "horus/zoo/attention_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kBytePairs = 37000;  // Shared by both languages of WMT 2014.
// Of Multi30k the words that occur more than five times, English or German alike: about as many.
constexpr std::int64_t kCommonWords = 3000;
constexpr std::int64_t kDepth = 6;
constexpr std::int64_t kSequenceMax = 8192;
constexpr double kEpsilon = 1e-6;

/// A row of table 3 in the paper.
struct Plan {
  std::int64_t heads{};
  std::int64_t width{};
  std::int64_t inner{};
  double dropout{};
  std::int64_t vocabulary{kBytePairs};
};

constexpr Plan kBase{8, 512, 2048, 0.1};
constexpr Plan kBig{16, 1024, 4096, 0.3};
constexpr Plan kMulti30k{8, 512, 2048, 0.1, kCommonWords};

struct Masks {
  Value source;  ///< Padding of the source.
  Value causal;  ///< No target token sees a later one.
};

/// Embedding, scaled as in section 3.4 of the paper, plus sinusoids that are not trained.
Value embed(Builder& b, const std::string& name, const Value& table, const Value& ids,
            const Value& sinusoids, double rate) {
  Value x = embedding(b, name + ".embed", table, ids);
  const double scale = std::sqrt(static_cast<double>(table.shape.back()));
  x = binary(b, name + ".scale", "Mul", x, b.number(scale));
  return dropout(b, name + ".dropout", binary(b, name + ".add", "Add", x, sinusoids), rate);
}

/// Residual sum and LayerNorm around a sublayer.
Value close(Builder& b, const std::string& name, const Value& x, const Value& residual,
            double rate) {
  const Value y = dropout(b, name + ".dropout", x, rate);
  return layer_norm(b, name + ".norm", binary(b, name + ".add", "Add", residual, y), kEpsilon);
}

Value attend(Builder& b, const std::string& name, const Value& x, const Value& memory,
             const Value& mask, const Plan& plan) {
  const Projections projections = project_apart(
      b, {.query = name + ".q_proj", .key = name + ".k_proj", .value = name + ".v_proj"}, x, memory,
      Bias::None);
  const Value y = attention(b, name, projections, {.heads = plan.heads, .mask = mask});
  return close(b, name, linear(b, name + ".out_proj", y, plan.width, Bias::None), x, plan.dropout);
}

Value think(Builder& b, const std::string& name, const Value& x, const Plan& plan) {
  const Value y = feed_forward(b, x,
                               {.expand = name + ".fc1",
                                .activation = name + ".relu",
                                .contract = name + ".fc2",
                                .inner = plan.inner,
                                .activate = relu});
  return close(b, name, y, x, plan.dropout);
}

Value encoder(Builder& b, Value x, const Masks& masks, const Plan& plan) {
  for (std::int64_t layer = 0; layer < kDepth; ++layer) {
    const std::string name = "encoder.layers." + std::to_string(layer);
    x = attend(b, name + ".self_attn", x, x, masks.source, plan);
    x = think(b, name + ".ffn", x, plan);
  }
  return x;
}

Value decoder(Builder& b, Value x, const Value& memory, const Masks& masks, const Plan& plan) {
  for (std::int64_t layer = 0; layer < kDepth; ++layer) {
    const std::string name = "decoder.layers." + std::to_string(layer);
    x = attend(b, name + ".self_attn", x, x, masks.causal, plan);
    x = attend(b, name + ".encoder_attn", x, memory, masks.source, plan);
    x = think(b, name + ".ffn", x, plan);
  }
  return x;
}

void build_transformer(Builder& b, const Plan& plan, std::int64_t sequence) {
  const Shape shape{kBatch, sequence};
  const Value source = b.input("source_ids", shape, ElementType::Int64);
  const Value target = b.input("target_ids", shape, ElementType::Int64);
  const Value keep = b.input("source_mask", shape, ElementType::Int64);
  const Value table = b.parameter("shared.weight", {plan.vocabulary, plan.width});
  const Value sinusoids = b.buffer("sinusoids", {1, sequence, plan.width});
  Masks masks{.source = padding_mask(b, "source_padding", keep), .causal = {}};
  masks.causal = b.buffer("causal_mask", {sequence, sequence});
  const auto embedded = [&](const std::string& name, const Value& ids) {
    return embed(b, name, table, ids, sinusoids, plan.dropout);
  };
  const Value memory = encoder(b, embedded("encoder", source), masks, plan);
  const Value x = decoder(b, embedded("decoder", target), memory, masks, plan);
  b.output(tied_linear(b, "generator", x, table));
}

Entry transformer(std::string name, const std::string& what, const Plan& plan,
                  std::vector<std::string> aliases) {
  return {.architecture = {.name = std::move(name),
                           .description =
                               what + ", translation, tied embeddings and output layer, " +
                               std::to_string(plan.vocabulary) + " tokens (arXiv:1706.03762)",
                           .input = "64 source and 64 target tokens",
                           .default_batch = 64,
                           .default_sequence = 64},
          .sequence_max = kSequenceMax,
          .aliases = std::move(aliases),
          .build = [plan](Builder& b, const Sizes& sizes) {
            build_transformer(b, plan, sizes.sequence);
          }};
}

}  // namespace

std::vector<Entry> transformer_family() {
  return {transformer("transformer", "Transformer base", kBase, {"transformer-base"}),
          transformer("transformer-big", "Transformer big", kBig, {}),
          transformer("transformer-multi30k", "Transformer base for Multi30k", kMulti30k, {})};
}

}  // namespace horus::zoo
