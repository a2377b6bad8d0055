// SPDX-License-Identifier: Apache-2.0
// The Transformer for translation (Vaswani et al. 2017, arXiv:1706.03762), base model, trained with
// teacher forcing: the source and the shifted target come in, scores of the next tokens come out.
// As in the paper one weight matrix serves both embeddings and the output layer, and attention
// projections have no bias. Source and target have the same length here.

#include <cmath>

#include "horus/zoo/attention_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kVocabulary = 37000;  // Shared byte pairs of WMT 2014 English-German.
constexpr std::int64_t kDepth = 6;
constexpr std::int64_t kHeads = 8;
constexpr std::int64_t kWidth = 512;
constexpr std::int64_t kInner = 2048;
constexpr std::int64_t kSequenceMax = 8192;
constexpr double kDropout = 0.1;
constexpr double kEpsilon = 1e-6;

struct Masks {
  Value source;  ///< Padding of the source.
  Value causal;  ///< No target token sees a later one.
};

/// Embedding, scaled as in section 3.4 of the paper, plus sinusoids that are not trained.
Value embed(Builder& b, const std::string& name, const Value& table, const Value& ids,
            const Value& sinusoids) {
  Value x = embedding(b, name + ".embed", table, ids);
  x = binary(b, name + ".scale", "Mul", x, b.number(std::sqrt(static_cast<double>(kWidth))));
  return dropout(b, name + ".dropout", binary(b, name + ".add", "Add", x, sinusoids), kDropout);
}

/// Residual sum and LayerNorm around a sublayer.
Value close(Builder& b, const std::string& name, const Value& x, const Value& residual) {
  const Value y = dropout(b, name + ".dropout", x, kDropout);
  return layer_norm(b, name + ".norm", binary(b, name + ".add", "Add", residual, y), kEpsilon);
}

Value attend(Builder& b, const std::string& name, const Value& x, const Value& memory,
             const Value& mask) {
  const Projections projections = project_apart(
      b, {.query = name + ".q_proj", .key = name + ".k_proj", .value = name + ".v_proj"}, x, memory,
      Bias::None);
  const Value y = attention(b, name, projections, {.heads = kHeads, .mask = mask});
  return close(b, name, linear(b, name + ".out_proj", y, kWidth, Bias::None), x);
}

Value think(Builder& b, const std::string& name, const Value& x) {
  const Value y = feed_forward(b, x,
                               {.expand = name + ".fc1",
                                .activation = name + ".relu",
                                .contract = name + ".fc2",
                                .inner = kInner,
                                .activate = relu});
  return close(b, name, y, x);
}

Value encoder(Builder& b, Value x, const Masks& masks) {
  for (std::int64_t layer = 0; layer < kDepth; ++layer) {
    const std::string name = "encoder.layers." + std::to_string(layer);
    x = attend(b, name + ".self_attn", x, x, masks.source);
    x = think(b, name + ".ffn", x);
  }
  return x;
}

Value decoder(Builder& b, Value x, const Value& memory, const Masks& masks) {
  for (std::int64_t layer = 0; layer < kDepth; ++layer) {
    const std::string name = "decoder.layers." + std::to_string(layer);
    x = attend(b, name + ".self_attn", x, x, masks.causal);
    x = attend(b, name + ".encoder_attn", x, memory, masks.source);
    x = think(b, name + ".ffn", x);
  }
  return x;
}

void build_transformer(Builder& b, const Sizes& sizes) {
  const std::int64_t sequence = sizes.sequence;
  const Shape shape{kBatch, sequence};
  const Value source = b.input("source_ids", shape, ElementType::Int64);
  const Value target = b.input("target_ids", shape, ElementType::Int64);
  const Value keep = b.input("source_mask", shape, ElementType::Int64);
  const Value table = b.parameter("shared.weight", {kVocabulary, kWidth});
  const Value sinusoids = b.buffer("sinusoids", {1, sequence, kWidth});
  Masks masks{.source = padding_mask(b, "source_padding", keep), .causal = {}};
  masks.causal = b.buffer("causal_mask", {sequence, sequence});
  const Value memory = encoder(b, embed(b, "encoder", table, source, sinusoids), masks);
  const Value x = decoder(b, embed(b, "decoder", table, target, sinusoids), memory, masks);
  b.output(tied_linear(b, "generator", x, table));
}

}  // namespace

std::vector<Entry> transformer_family() {
  return {{.architecture = {.name = "transformer",
                            .description = "Transformer base, translation, tied embeddings and "
                                           "output layer, 37000 tokens (arXiv:1706.03762)",
                            .input = "64 source and 64 target tokens",
                            .default_batch = 64,
                            .default_sequence = 64},
           .sequence_max = kSequenceMax,
           .aliases = {"transformer-base"},
           .build = build_transformer}};
}

}  // namespace horus::zoo
