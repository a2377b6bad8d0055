// SPDX-License-Identifier: Apache-2.0
// Between floating-point and integer codes, per tensor, per axis or per block.

#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

/// The scale is one number, one per entry of the axis, or one per block of the axis (version 21).
Result<Done> check_scale(const NodeView& node) {
  const Shape& data = node.shape(0);
  const Shape& scale = node.shape(1);
  const bool is_whole = elements(scale) == 1;
  const bool is_per_axis = scale.size() == 1;
  if (is_whole || is_per_axis || scale.size() == data.size()) return Done{};
  return refuse(
      fmt::format("scale {} is none of one number, one per entry of an axis, one per "
                  "block of {}",
                  text_of(scale), text_of(data)));
}

}  // namespace

Result<Facts> infer_quantize(const NodeView& node) {
  HORUS_TRY_DONE(check_scale(node));
  const ElementType zero = node.has_input(2) ? node.input(2).type : ElementType::Uint8;
  const ElementType type = type_attribute(node, "output_dtype", ElementType::Undefined);
  return one(type == ElementType::Undefined ? zero : type, node.shape(0));
}

Result<Facts> infer_dequantize(const NodeView& node) {
  HORUS_TRY_DONE(check_scale(node));
  // From version 19 on the result has the type of the scale; before, that was always float32.
  const ElementType type = type_attribute(node, "output_dtype", ElementType::Undefined);
  return one(type == ElementType::Undefined ? node.input(1).type : type, node.shape(0));
}

Result<Facts> infer_dynamic_quantize(const NodeView& node) {
  Facts facts = one(ElementType::Uint8, node.shape(0));
  facts.push_back({.type = ElementType::Float32, .shape = {}});
  facts.push_back({.type = ElementType::Uint8, .shape = {}});
  return facts;
}

}  // namespace horus::graph
