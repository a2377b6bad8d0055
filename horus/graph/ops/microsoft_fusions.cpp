// SPDX-License-Identifier: Apache-2.0
// Layers and pieces of layers that ONNX Runtime's optimizers fuse (domain com.microsoft), by its
// docs/ContribOperators.md.

#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

/// (N, H, W, C) as (N, C, H, W), or back.
Shape channels_second(const Shape& shape) {
  Shape moved = shape;
  if (shape.size() > 2) {
    moved[1] = shape.back();
    for (std::size_t i = 2; i < shape.size(); ++i) moved[i] = shape[i - 1];
  }
  return moved;
}

Shape channels_last(const Shape& shape) {
  Shape moved = shape;
  if (shape.size() > 2) {
    for (std::size_t i = 1; i + 1 < shape.size(); ++i) moved[i] = shape[i + 1];
    moved.back() = shape[1];
  }
  return moved;
}

}  // namespace

Result<Facts> infer_nhwc_convolution(const NodeView& node) {
  Fact data = node.input(0);
  data.shape = channels_second(data.shape);
  HORUS_TRY(Facts facts, infer_as(infer_convolution,
                                  NodeView{node.node(), node.opset(), {&data, &node.input(1)}}));
  facts[0].shape = channels_last(facts[0].shape);
  return facts;
}

void cost_nhwc_convolution(const CostView& node, CostSheet& sheet) {
  if (node.result_size() == 0) return;
  const double groups = static_cast<double>(node.integer("group", 1));
  const GemmShape gemm =
      convolution_gemm(node.shape(1), channels_second(node.result().shape), groups);
  sheet.work.gemm = gemm;
  cost_product(node, sheet, gemm.m * gemm.n * gemm.k * gemm.groups);
}

/// BiasSplitGelu (data, bias): the first half of the features times the gelu of the second.
Result<Facts> infer_split_gelu(const NodeView& node) {
  Shape shape = node.shape(0);
  if (shape.empty() || shape.back() % 2 != 0) {
    return refuse(fmt::format("{} does not split into halves", text_of(shape)));
  }
  shape.back() /= 2;
  return one(node.input(0).type, std::move(shape));
}

/// SkipLayerNormalization (input, skip, weight, bias, bias of the sum) and its kin: the normalized
/// sum, mean, deviation, and the sum itself.
Result<Facts> infer_skip_norm(const NodeView& node) {
  const Shape& data = node.shape(0);
  if (data.empty()) return refuse("features are needed, found a scalar");
  HORUS_TRY_DONE(broadcast(data, node.shape(1)));
  Shape statistics = data;
  statistics.back() = 1;
  Facts facts = one(node.input(0).type, data);
  facts.push_back({.type = ElementType::Float32, .shape = statistics});
  facts.push_back({.type = ElementType::Float32, .shape = std::move(statistics)});
  facts.push_back({.type = node.input(0).type, .shape = data});
  return facts;
}

/// SkipGroupNorm (data, weight, bias, skip, bias of the sum), channels last: result and sum.
Result<Facts> infer_skip_group_norm(const NodeView& node) {
  Facts facts = one(node.input(0).type, node.shape(0));
  facts.push_back({.type = node.input(0).type, .shape = node.shape(0)});
  return facts;
}

/// EmbedLayerNormalization (ids, segments, words, positions, segment table, weight, bias, mask).
Result<Facts> infer_embed_norm(const NodeView& node) {
  const Shape& ids = node.shape(0);
  const Shape& words = node.shape(2);
  if (ids.size() != 2 || words.size() != 2) {
    return refuse(
        fmt::format("ids {} and words {} must have two axes", text_of(ids), text_of(words)));
  }
  const Shape sum{ids[0], ids[1], words[1]};
  Facts facts = one(node.input(2).type, sum);
  facts.push_back({.type = ElementType::Int32, .shape = {ids[0]}});
  facts.push_back({.type = node.input(2).type, .shape = sum});
  return facts;
}

/// BiasDropout (data, bias, residual, ratio, training) and BitmaskDropout.
Result<Facts> infer_bias_dropout(const NodeView& node) {
  Facts facts = one(node.input(0).type, node.shape(0));
  facts.push_back({.type = ElementType::Bool, .shape = node.shape(0)});
  return facts;
}

Result<Facts> infer_bitmask_dropout(const NodeView& node) {
  constexpr std::int64_t kBits = 32;
  Facts facts = one(node.input(0).type, node.shape(0));
  facts.push_back(
      {.type = ElementType::Uint32, .shape = {(elements(node.shape(0)) + kBits - 1) / kBits}});
  return facts;
}

Result<Facts> infer_expand_dims(const NodeView& node) {
  const auto axis = node.contents(1);
  if (!axis || axis->size() != 1) return refuse("the axis depends on data, so it is unknown");
  Shape shape = node.shape(0);
  HORUS_TRY(const std::size_t place, axis_index(axis->front(), shape.size() + 1));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(place), 1);
  return one(node.input(0).type, std::move(shape));
}

/// QLinearAdd, QLinearMul (A, scale, zero, B, scale, zero, ...).
Result<Facts> infer_qlinear_binary(const NodeView& node) {
  HORUS_TRY(Shape shape, broadcast(node.shape(0), node.shape(3)));
  return one(node.input(0).type, std::move(shape));
}

/// QLinearConcat (scale, zero, then tensor, scale, zero for each part).
Result<Facts> infer_qlinear_concat(const NodeView& node) {
  constexpr std::size_t kFirst = 2;
  constexpr std::size_t kStride = 3;
  std::vector<const Fact*> parts;
  for (std::size_t i = kFirst; i < node.input_count(); i += kStride) {
    if (!node.has_input(i)) return refuse(fmt::format("input {} is missing", i));
    parts.push_back(&node.input(i));
  }
  return infer_as(infer_concat, NodeView{node.node(), node.opset(), std::move(parts)});
}

Result<Facts> infer_qlinear_global_pool(const NodeView& node) {
  if (node.integer("channels_last", 0) == 0) return infer_global_pool(node);
  Shape shape = node.shape(0);
  if (shape.size() < 3) return refuse("samples, space and channels are needed");
  for (std::size_t i = 1; i + 1 < shape.size(); ++i) shape[i] = 1;
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_qlinear_pool(const NodeView& node) {
  if (node.integer("channels_last", 0) == 0) return infer_pool(node);
  Fact data = node.input(0);
  data.shape = channels_second(data.shape);
  HORUS_TRY(Facts facts, infer_as(infer_pool, NodeView{node.node(), node.opset(), {&data}}));
  facts[0].shape = channels_last(facts[0].shape);
  return facts;
}

}  // namespace horus::graph
