// SPDX-License-Identifier: Apache-2.0
// XLNet (Yang et al. 2019, arXiv:1906.08237): the content stream alone, without memory of earlier
// segments, as it is fine-tuned. Attention knows places by relative distance (Dai et al. 2019,
// arXiv:1901.02860): the scores are the sum of a content, a position and a segment part. Layer
// names and parameters as in Hugging Face's XLNetModel.

#include <array>
#include <cmath>

#include "horus/zoo/attention_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/language_entry.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

struct Plan {
  std::int64_t depth{};
  std::int64_t heads{};
  std::int64_t width{};
};

constexpr std::int64_t kVocabulary = 32000;
constexpr std::int64_t kSequence = 128;
constexpr std::int64_t kSequenceMax = 8192;
constexpr std::int64_t kSegments = 2;     // Same segment, other segment.
constexpr std::int64_t kFeedForward = 4;  // Times the width.
constexpr double kEpsilon = 1e-12;
constexpr double kDropout = 0.1;

/// What all layers share.
struct Context {
  Plan plan;
  Value places;    ///< Sinusoids of the relative distances, (batch, 2 tokens, width).
  Value segments;  ///< One-hot same or other, (batch, query, 2, key).
  Value mask;      ///< Of the padding, (batch, 1, 1, key).
};

Value unsqueeze(Builder& b, const std::string& name, const Value& x, std::int64_t axis) {
  const Value axes = b.integers({axis});
  Shape shape = x.shape;
  shape.insert(shape.begin() + axis, 1);
  return b.add({.name = name, .op_type = "Unsqueeze", .inputs = {x.name, axes.name}}, shape,
               x.type);
}

/// For each pair of tokens 1 0 if they are of one segment, 0 1 otherwise.
Value segment_pairs(Builder& b, const Value& segments) {
  const std::int64_t tokens = segments.shape[1];
  const Value rows = unsqueeze(b, "seg_mat.rows", segments, 2);
  const Value columns = unsqueeze(b, "seg_mat.columns", segments, 1);
  const Shape pairs{kBatch, tokens, tokens};
  const Value equal =
      b.add({.name = "seg_mat.equal", .op_type = "Equal", .inputs = {rows.name, columns.name}},
            pairs, ElementType::Bool);
  const Value same =
      b.add({.name = "seg_mat.same",
             .op_type = "Cast",
             .inputs = {equal.name},
             .attributes = {{"to", static_cast<std::int64_t>(ElementType::Float32)}}},
            pairs);
  const Value other = binary(b, "seg_mat.other", "Sub", b.number(1), same);
  const Value first = unsqueeze(b, "seg_mat.same.axis", same, 2);
  const Value second = unsqueeze(b, "seg_mat.other.axis", other, 2);
  return concat(b, "seg_mat", std::vector<Value>{first, second}, 2);
}

/// (batch, rows, width) to (batch, heads, width / heads, rows).
Value transposed_heads(Builder& b, const std::string& name, const Value& x, std::int64_t heads) {
  return swap_last(b, name + ".swap", part_heads(b, name, x, heads));
}

/// The query of all heads plus a trained offset, (batch, heads, tokens, width of a head).
Value offset_query(Builder& b, const std::string& name, const Value& query, std::int64_t heads) {
  const Value offset = b.parameter(name, {query.shape.back()});
  return part_heads(b, name + ".heads", binary(b, name + ".add", "Add", query, offset), heads);
}

/// Row i of (batch, heads, t, 2 t) holds the scores of distances t to -t + 1. Shifting it by i
/// leaves column j with that of distance i - j: a reshape, a slice and a reshape.
Value shift_to_keys(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t heads = x.shape[1];
  const std::int64_t tokens = x.shape[2];
  Value y = reshape(b, name + ".reshape", x, {0, 0, 2 * tokens, tokens},
                    {kBatch, heads, 2 * tokens, tokens});
  y = slice(b, name + ".drop", y, 2, 1, 2 * tokens);
  y = reshape(b, name + ".back", y, {0, 0, tokens, 2 * tokens - 1},
              {kBatch, heads, tokens, 2 * tokens - 1});
  return slice(b, name, y, 3, 0, tokens);
}

/// The part of the scores that depends on whether two tokens are of one segment.
Value segment_scores(Builder& b, const std::string& name, const Value& query,
                     const Context& context) {
  const std::int64_t heads = context.plan.heads;
  const std::int64_t width = context.plan.width / heads;
  const Value by_head = offset_query(b, name + ".r_s_bias", query, heads);
  const Value table = b.parameter(name + ".seg_embed", {heads, width, kSegments});
  const Value values = matmul(b, name + ".ef", by_head, unsqueeze(b, name + ".ef.axis", table, 0));
  const Value by_query = transpose(b, name + ".ef.rows", values, {0, 2, 1, 3});
  const Value scores = matmul(b, name + ".ef.pairs", by_query, context.segments);
  return transpose(b, name + ".ef.heads", scores, {0, 2, 1, 3});
}

Value scores_of(Builder& b, const std::string& name, const Projections& projections,
                const Context& context) {
  const std::int64_t heads = context.plan.heads;
  const Value key = transposed_heads(b, name + ".key", projections.key, heads);
  const Value content =
      matmul(b, name + ".ac", offset_query(b, name + ".r_w_bias", projections.query, heads), key);
  const Value distances = linear(b, name + ".r", context.places, context.plan.width, Bias::None);
  const Value place = transposed_heads(b, name + ".place", distances, heads);
  const Value wide =
      matmul(b, name + ".bd", offset_query(b, name + ".r_r_bias", projections.query, heads), place);
  const Value shifted = shift_to_keys(b, name + ".rel_shift", wide);
  const Value segment = segment_scores(b, name, projections.query, context);
  const Value sum = binary(b, name + ".sum", "Add", content, shifted);
  return binary(b, name + ".sum_1", "Add", sum, segment);
}

Value relative_attention(Builder& b, const std::string& name, const Value& x,
                         const Context& context) {
  const Plan& plan = context.plan;
  const Projections projections = project_apart(
      b, {.query = name + ".q", .key = name + ".k", .value = name + ".v"}, x, x, Bias::None);
  Value weights = scores_of(b, name, projections, context);
  const double scale = 1 / std::sqrt(static_cast<double>(plan.width / plan.heads));
  weights = binary(b, name + ".scale", "Mul", weights, b.number(scale));
  weights = softmax(b, name + ".softmax", binary(b, name + ".mask", "Add", weights, context.mask));
  weights = dropout(b, name + ".attn_dropout", weights, kDropout);
  const Value value = part_heads(b, name + ".value", projections.value, plan.heads);
  Value y = unite_heads(b, name + ".context.unite", matmul(b, name + ".context", weights, value));
  y = dropout(b, name + ".dropout", linear(b, name + ".o", y, plan.width, Bias::None), kDropout);
  return layer_norm(b, name + ".layer_norm", binary(b, name + ".add", "Add", y, x), kEpsilon);
}

Value think(Builder& b, const std::string& name, const Value& x, std::int64_t width) {
  Value y = gelu(b, name + ".gelu", linear(b, name + ".layer_1", x, kFeedForward * width));
  y = linear(b, name + ".layer_2", dropout(b, name + ".dropout_1", y, kDropout), width);
  y = dropout(b, name + ".dropout_2", y, kDropout);
  return layer_norm(b, name + ".layer_norm", binary(b, name + ".add", "Add", y, x), kEpsilon);
}

void build_xlnet(Builder& b, const Plan& plan, std::int64_t sequence) {
  const Shape shape{kBatch, sequence};
  const Value ids = b.input("input_ids", shape, ElementType::Int64);
  const Value keep = b.input("attention_mask", shape, ElementType::Int64);
  const Value segments = b.input("token_type_ids", shape, ElementType::Int64);
  // Stands for masked places in the second stream of pretraining; here no node reads it.
  b.parameter("mask_emb", {1, 1, plan.width});
  const Value words = embedding(
      b, "word_embedding", b.parameter("word_embedding.weight", {kVocabulary, plan.width}), ids);
  Value x = dropout(b, "dropout", words, kDropout);
  Context context{.plan = plan, .places = {}, .segments = {}, .mask = {}};
  // Computed once and expanded, so that every layer projects them once for each sample.
  const Value sinusoids = b.buffer("sinusoids", {1, 2 * sequence, plan.width});
  context.places =
      dropout(b, "pos_emb.dropout", repeat_for_batch(b, "pos_emb", sinusoids, ids), kDropout);
  context.segments = segment_pairs(b, segments);
  context.mask = padding_mask(b, "attn_mask", keep);
  for (std::int64_t layer = 0; layer < plan.depth; ++layer) {
    const std::string name = "layer." + std::to_string(layer);
    x = relative_attention(b, name + ".rel_attn", x, context);
    x = think(b, name + ".ff", x, plan.width);
  }
  b.output(dropout(b, "final_dropout", x, kDropout));
}

}  // namespace

std::vector<Entry> xlnet_family() {
  const auto rows = std::to_array<LanguageModel<Plan>>({
      {"xlnet-base", "XLNet-base", {12, 12, 768}, 8, {"xlnet", "xlnet-base-cased"}},
      {"xlnet-large", "XLNet-large", {24, 16, 1024}, 4, {"xlnet-large-cased"}},
  });
  return language_entries<Plan>(
      rows, {.about = " cased, one stream without memory or task head (arXiv:1906.08237)",
             .input = "128 tokens",
             .sequence = kSequence,
             .sequence_max = kSequenceMax,
             .build = build_xlnet});
}

}  // namespace horus::zoo
