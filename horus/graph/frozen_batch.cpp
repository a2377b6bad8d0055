// SPDX-License-Identifier: Apache-2.0
// Finds the axis that carries the batch and scales what stayed behind.

#include "horus/graph/frozen_batch.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace horus::graph {
namespace {

/// An axis whose size changed with the batch.
struct Carried {
  std::size_t axis;
  std::int64_t before;
  std::int64_t now;
};

std::vector<Carried> carried_axes(const Shape& before, const Shape& now) {
  std::vector<Carried> axes;
  if (before.size() != now.size()) return axes;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (before[i] != now[i]) axes.push_back({.axis = i, .before = before[i], .now = now[i]});
  }
  return axes;
}

bool carries(const FrozenNode& node, std::size_t input) {
  return node.now.has_input(input) && node.before.has_input(input) &&
         node.now.shape(input) != node.before.shape(input);
}

bool any_carries(const FrozenNode& node) {
  for (std::size_t i = 0; i < node.now.input_count(); ++i) {
    if (carries(node, i)) return true;
  }
  return false;
}

/// Operators whose output has every axis of its inputs at the same place from the end.
bool aligns_axes(std::string_view op_type) {
  constexpr std::array<std::string_view, 16> kNames{
      "Add", "And",  "Concat", "Div", "Equal", "Expand", "Greater", "Less",
      "Max", "Mean", "Min",    "Mul", "Or",    "Sub",    "Sum",     "Where"};
  return std::ranges::find(kNames, op_type) != kNames.end();
}

/// A batch axis of an input that the output kept at its old size.
bool loses_an_axis(const FrozenNode& node, const Shape& output) {
  const Shape& before = node.output_before.shape;
  for (std::size_t i = 0; i < node.now.input_count(); ++i) {
    if (!carries(node, i)) continue;
    const Shape& shape = node.now.shape(i);
    for (const Carried& carried : carried_axes(node.before.shape(i), shape)) {
      if (shape.size() > output.size() || output.size() != before.size()) return true;
      const std::size_t axis = carried.axis + output.size() - shape.size();
      if (output[axis] == before[axis]) return true;
    }
  }
  return false;
}

std::optional<std::int64_t> scale(std::int64_t size, std::int64_t now, std::int64_t before) {
  if (before <= 0 || now < 0 || (now > 0 && size > kMaxElements / now)) return std::nullopt;
  if (size * now % before != 0) return std::nullopt;
  return size * now / before;
}

/// Ranges of axes, [first, last) each, whose products are equal on both sides of a Reshape.
struct Group {
  std::size_t in_first, in_last, out_first, out_last;
};

std::optional<Group> group_with(const Shape& in, const Shape& out, std::size_t axis) {
  std::size_t i = 0;
  std::size_t o = 0;
  while (i < in.size()) {
    Group group{.in_first = i, .in_last = 0, .out_first = o, .out_last = 0};
    std::int64_t left = in[i++];
    std::int64_t right = o < out.size() ? out[o++] : 1;
    while (left != right) {
      if (left < right && i < in.size()) {
        left *= in[i++];
      } else if (left > right && o < out.size()) {
        right *= out[o++];
      } else {
        return std::nullopt;
      }
    }
    group.in_last = i;
    group.out_last = o;
    if (axis < i) return group;
  }
  return std::nullopt;
}

/// The first axis of the group that is not 1, or its first axis.
std::optional<std::size_t> slowest_axis(const Shape& out, const Group& group) {
  if (group.out_first == group.out_last) return std::nullopt;
  for (std::size_t o = group.out_first; o < group.out_last; ++o) {
    if (out[o] != 1) return o;
  }
  return group.out_first;
}

/// The axis of the output that holds the batch. Where the input's axis is the batch alone and the
/// slowest of its group, it stays the slowest (perhaps times heads). Where it is mixed (steps times
/// samples), an axis of exactly the batch's size is it.
std::optional<std::size_t> batch_axis(const FrozenNode& node, const Carried& carried,
                                      const Group& group) {
  const Shape& in = node.before.shape(0);
  const Shape& out = node.output_before.shape;
  bool is_slowest = carried.before == node.batch_before;
  for (std::size_t i = group.in_first; i < carried.axis; ++i) is_slowest = is_slowest && in[i] == 1;
  for (std::size_t o = group.out_first; o < group.out_last; ++o) {
    if (out[o] == node.batch_before && (!is_slowest || node.batch_before == 1)) return o;
  }
  return slowest_axis(out, group);
}

bool has_zero(const Shape& shape) { return std::ranges::find(shape, 0) != shape.end(); }

/// A target shape: small integer contents, one entry per axis of the output.
bool is_target_shape(const NodeView& node, std::size_t input) {
  const std::string_view op = node.node().op_type;
  return (op == "Expand" && input == 1) || (op == "Resize" && input == 3);
}

std::int64_t* size_at(Fact& fact, bool is_target, std::size_t from_end) {
  std::vector<std::int64_t>* sizes = &fact.shape;
  if (is_target) {
    sizes = fact.contents ? std::get_if<std::vector<std::int64_t>>(&*fact.contents) : nullptr;
  }
  if (sizes == nullptr || from_end > sizes->size()) return nullptr;
  return &(*sizes)[sizes->size() - from_end];
}

bool rescale(const FrozenNode& node, std::size_t source, std::size_t input, Fact& fact) {
  const Shape& shape = node.now.shape(source);
  const bool is_target = is_target_shape(node.now, input);
  bool is_scaled = false;
  for (const Carried& carried : carried_axes(node.before.shape(source), shape)) {
    std::int64_t* size = size_at(fact, is_target, shape.size() - carried.axis);
    if (size == nullptr || *size != carried.before) continue;
    *size = carried.now;
    is_scaled = true;
  }
  return is_scaled && is_sound(fact.shape);
}

}  // namespace

bool keeps_old_batch(const FrozenNode& node, const Result<Facts>& facts) {
  if (!any_carries(node)) return false;
  if (!facts) return true;
  if (facts->empty()) return false;
  const Shape& output = facts->front().shape;
  const std::string_view op = node.now.node().op_type;
  if (aligns_axes(op) || op == "Resize") return loses_an_axis(node, output);
  if (op != "Reshape" || !carries(node, 0)) return false;
  // A target that itself depends on the batch was computed, not frozen.
  if (node.now.contents(1) != node.before.contents(1)) return false;
  const auto expected = scaled_reshape(node);
  return expected && *expected != output;
}

std::optional<Shape> scaled_reshape(const FrozenNode& node) {
  const Shape& in = node.before.shape(0);
  const Shape& out = node.output_before.shape;
  if (has_zero(in) || has_zero(node.now.shape(0))) return std::nullopt;
  Shape shape = out;
  for (const Carried& carried : carried_axes(in, node.now.shape(0))) {
    const auto group = group_with(in, out, carried.axis);
    if (!group) return std::nullopt;
    const auto axis = batch_axis(node, carried, *group);
    if (!axis) return std::nullopt;
    const auto size = scale(shape[*axis], carried.now, carried.before);
    if (!size) return std::nullopt;
    shape[*axis] = *size;
  }
  if (!is_sound(shape) || elements(shape) != elements(node.now.shape(0))) return std::nullopt;
  return shape;
}

std::vector<std::optional<Fact>> scaled_inputs(const FrozenNode& node) {
  std::vector<std::optional<Fact>> scaled(node.now.input_count());
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    if (!node.now.has_input(i) || carries(node, i)) continue;
    Fact fact = node.now.input(i);
    bool is_scaled = false;
    for (std::size_t source = 0; source < scaled.size(); ++source) {
      if (carries(node, source)) is_scaled = rescale(node, source, i, fact) || is_scaled;
    }
    if (!is_scaled) continue;
    if (!is_target_shape(node.now, i)) fact.contents.reset();
    scaled[i] = std::move(fact);
  }
  return scaled;
}

}  // namespace horus::graph
