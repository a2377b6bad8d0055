// SPDX-License-Identifier: Apache-2.0
// Sequences of tensors and optional values. An optional that holds a value is that value.

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

Facts sequence_of(ElementType type, std::vector<Shape> shapes) {
  Facts facts;
  facts.push_back({.type = type, .shape = {}, .contents = {}, .sequence = std::move(shapes)});
  return facts;
}

Result<std::vector<Shape>> sequence_input(const NodeView& node) {
  if (!node.input(0).sequence) return refuse("input 0 is a tensor, expected a sequence of tensors");
  return *node.input(0).sequence;
}

/// Position `i` gives, in [0, length); `fallback` where it is left out.
Result<std::size_t> place_in(const NodeView& node, std::size_t i, std::int64_t length,
                             std::int64_t fallback) {
  std::int64_t place = fallback;
  if (node.has_input(i)) {
    const auto given = node.contents(i);
    if (!given || given->size() != 1) return refuse("the position depends on data");
    place = given->front();
  }
  if (place < -length || place >= length) {
    return refuse(fmt::format("position {} is outside a sequence of {}", place, length));
  }
  return static_cast<std::size_t>(place < 0 ? place + length : place);
}

std::int64_t length_of(const std::vector<Shape>& shapes) {
  return static_cast<std::int64_t>(shapes.size());
}

/// Sizes of the parts of a SplitToSequence along an axis of `size`.
Result<std::vector<std::int64_t>> part_sizes(const NodeView& node, std::int64_t size) {
  std::int64_t piece = 1;
  if (node.has_input(1)) {
    auto given = node.contents(1);
    if (!given) return refuse("the split depends on data, so it is unknown");
    if (!node.shape(1).empty()) return *std::move(given);
    piece = given->front();
  }
  if (piece < 1 || size / piece > static_cast<std::int64_t>(kMaxSequence)) {
    return refuse(fmt::format("{} does not split into parts of {}", size, piece));
  }
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(size / piece), piece);
  if (size % piece != 0) sizes.push_back(size % piece);
  return sizes;
}

}  // namespace

Result<Facts> infer_sequence_construct(const NodeView& node) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!node.has_input(i)) return refuse(fmt::format("input {} is left out", i));
    shapes.push_back(node.shape(i));
  }
  return sequence_of(node.input(0).type, std::move(shapes));
}

Result<Facts> infer_sequence_empty(const NodeView& node) {
  return sequence_of(type_attribute(node, "dtype", ElementType::Float32), {});
}

Result<Facts> infer_sequence_insert(const NodeView& node) {
  HORUS_TRY(auto shapes, sequence_input(node));
  if (shapes.size() >= kMaxSequence) return refuse("the sequence is beyond all bounds");
  const std::int64_t length = length_of(shapes);
  // Inserting behind the last tensor is the default.
  HORUS_TRY(const std::size_t place, place_in(node, 2, length + 1, length));
  shapes.insert(shapes.begin() + static_cast<std::ptrdiff_t>(place), node.shape(1));
  return sequence_of(node.input(1).type, std::move(shapes));
}

Result<Facts> infer_sequence_erase(const NodeView& node) {
  HORUS_TRY(auto shapes, sequence_input(node));
  HORUS_TRY(const std::size_t place, place_in(node, 1, length_of(shapes), -1));
  shapes.erase(shapes.begin() + static_cast<std::ptrdiff_t>(place));
  return sequence_of(node.input(0).type, std::move(shapes));
}

Result<Facts> infer_sequence_at(const NodeView& node) {
  HORUS_TRY(const auto shapes, sequence_input(node));
  const bool are_alike =
      std::ranges::adjacent_find(shapes, std::ranges::not_equal_to{}) == shapes.end();
  if (are_alike && !shapes.empty()) return one(node.input(0).type, shapes.front());
  HORUS_TRY(const std::size_t place, place_in(node, 1, length_of(shapes), 0));
  return one(node.input(0).type, shapes[place]);
}

Result<Facts> infer_sequence_length(const NodeView& node) {
  HORUS_TRY(const auto shapes, sequence_input(node));
  Facts facts = one(ElementType::Int64, {});
  facts[0].contents = std::vector<std::int64_t>{length_of(shapes)};
  return facts;
}

Result<Facts> infer_split_to_sequence(const NodeView& node) {
  const Shape& data = node.shape(0);
  HORUS_TRY(const std::size_t axis, axis_index(node.integer("axis", 0), data.size()));
  HORUS_TRY(const auto sizes, part_sizes(node, data[axis]));
  const bool keeps_axis = node.has_input(1) || node.integer("keepdims", 1) != 0;
  std::int64_t rest = data[axis];
  std::vector<Shape> shapes;
  for (const std::int64_t size : sizes) {
    rest = size < 0 || size > rest ? -1 : rest - size;
    Shape shape = data;
    shape[axis] = size;
    if (!keeps_axis) shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    shapes.push_back(std::move(shape));
  }
  if (rest != 0) return refuse(fmt::format("the parts do not make up {}", data[axis]));
  return sequence_of(node.input(0).type, std::move(shapes));
}

Result<Facts> infer_concat_from_sequence(const NodeView& node) {
  HORUS_TRY(const auto shapes, sequence_input(node));
  if (shapes.empty()) return refuse("nothing to join");
  Shape shape = shapes.front();
  const bool stacks = node.integer("new_axis", 0) != 0;
  HORUS_TRY(const std::size_t axis,
            axis_index(node.integer("axis", 0), shape.size() + (stacks ? 1 : 0)));
  std::int64_t sum = 0;
  for (Shape part : shapes) {
    if (!stacks && part.size() == shape.size()) {
      sum += part[axis];
      part[axis] = shape[axis];
    }
    if (part != shape) return refuse("the tensors of the sequence differ beside the joined axis");
    if (sum > kMaxElements) return refuse("the joined axis is beyond all bounds");
  }
  if (stacks) {
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), length_of(shapes));
  } else {
    shape[axis] = sum;
  }
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_optional(const NodeView& node) {
  if (!node.has_input(0)) return refuse("an optional without a value has no shape");
  Facts facts;
  facts.push_back(node.input(0));
  return facts;
}

Result<Facts> infer_has_element(const NodeView& node) {
  // What is left out is an empty optional; what is known is one that holds a value.
  Facts facts = one(ElementType::Bool, {});
  facts[0].contents = std::vector<std::int64_t>{node.has_input(0) ? 1 : 0};
  return facts;
}

}  // namespace horus::graph
