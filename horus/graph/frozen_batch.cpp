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

/// What an input says about sizes: its shape, or for a computed target of Expand its contents.
struct Sizes {
  Shape before;
  Shape now;
};

Sizes sizes_of(const FrozenNode& node, std::size_t input) {
  if (node.now.node().op_type == "Expand" && input == 1) {
    auto before = node.before.contents(input);
    auto now = node.now.contents(input);
    if (before && now) return {.before = std::move(*before), .now = std::move(*now)};
  }
  return {.before = node.before.shape(input), .now = node.now.shape(input)};
}

bool carries(const FrozenNode& node, std::size_t input) {
  if (!node.now.has_input(input) || !node.before.has_input(input)) return false;
  const Sizes sizes = sizes_of(node, input);
  return sizes.before != sizes.now;
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
    const Sizes sizes = sizes_of(node, i);
    const std::size_t rank = sizes.now.size();
    for (const Carried& carried : carried_axes(sizes.before, sizes.now)) {
      if (rank > output.size() || output.size() != before.size()) return true;
      const std::size_t axis = carried.axis + output.size() - rank;
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

/// Output axes of size 1 belong to the group before them, unless the input has one there too: at a
/// batch of 1 any of them may be the batch.
std::size_t with_ones(const Shape& in, const Shape& out, std::size_t in_last, std::size_t last) {
  if (in_last < in.size() && in[in_last] == 1) return last;
  while (last < out.size() && out[last] == 1) ++last;
  return last;
}

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
    if (axis >= i) continue;
    group.out_last = with_ones(in, out, i, o);
    return group;
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

/// True where a batch of 1 stands in front of what the output has as its last axis alone, as in
/// [steps, 1, heads, width] to [steps, heads * width]: features are no place for a batch, so it
/// must have joined the axis before.
bool joins_the_axis_before(const Shape& out, const Carried& carried, const Group& group) {
  return carried.before == 1 && carried.axis == group.in_first && group.out_first > 0 &&
         group.out_last == out.size() && group.out_last - group.out_first == 1;
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
  if (joins_the_axis_before(out, carried, group)) return group.out_first - 1;
  return slowest_axis(out, group);
}

bool has_zero(const Shape& shape) { return std::ranges::find(shape, 0) != shape.end(); }

/// A target shape: small integer contents, one entry per axis of the output.
bool is_target_shape(const NodeView& node, std::size_t input) {
  const std::string_view op = node.node().op_type;
  return (op == "Expand" && input == 1) || (op == "Resize" && input == 3);
}

/// Where the ends of a Slice name `axis`, of an input of `rank` axes.
std::vector<std::size_t> places_of(const NodeView& node, std::size_t axis, std::size_t rank) {
  std::vector<std::size_t> places;
  const auto ends = node.contents(2);
  const auto axes = node.contents(3);
  for (std::size_t i = 0; ends && i < ends->size(); ++i) {
    std::int64_t named = axes && i < axes->size() ? (*axes)[i] : static_cast<std::int64_t>(i);
    if (named < 0) named += static_cast<std::int64_t>(rank);
    if (named == static_cast<std::int64_t>(axis)) places.push_back(i);
  }
  return places;
}

/// A Slice up to the file's batch, where that was all there is: [0:4] of 4 samples. Of one sample
/// it may well mean the first one, so that is left alone.
bool is_frozen_slice(const FrozenNode& node, const Shape& output) {
  if (!carries(node, 0) || !node.now.has_input(2)) return false;
  const Shape& before = node.before.shape(0);
  const Shape& output_before = node.output_before.shape;
  if (output.size() != before.size() || output_before.size() != before.size()) return false;
  const auto axes = carried_axes(before, node.now.shape(0));
  return std::ranges::any_of(axes, [&](const Carried& carried) {
    return carried.before > 1 && output_before[carried.axis] == carried.before &&
           output[carried.axis] == carried.before && carried.now > carried.before;
  });
}

/// The ends of such a Slice, scaled.
std::optional<Fact> scaled_ends(const FrozenNode& node) {
  Fact fact = node.now.input(2);
  auto* ends = fact.contents ? std::get_if<std::vector<std::int64_t>>(&*fact.contents) : nullptr;
  if (ends == nullptr) return std::nullopt;
  const Shape& before = node.before.shape(0);
  for (const Carried& carried : carried_axes(before, node.now.shape(0))) {
    for (const std::size_t place : places_of(node.now, carried.axis, before.size())) {
      if ((*ends)[place] == carried.before) (*ends)[place] = carried.now;
    }
  }
  return fact;
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
  const Sizes sizes = sizes_of(node, source);
  const bool is_target = is_target_shape(node.now, input);
  bool is_scaled = false;
  for (const Carried& carried : carried_axes(sizes.before, sizes.now)) {
    std::int64_t* size = size_at(fact, is_target, sizes.now.size() - carried.axis);
    if (size == nullptr || *size != carried.before) continue;
    *size = carried.now;
    is_scaled = true;
  }
  return is_scaled && is_sound(fact.shape);
}

/// A Gather that picks each element of an axis once, in the shape of its constant indices:
/// as_strided and permutations come out of exporters like this. The batch within that shape, if the
/// axis grew.
std::optional<std::size_t> batch_axis_of_indices(const FrozenNode& node) {
  if (node.now.node().op_type != "Gather" || !carries(node, 0) || carries(node, 1)) {
    return std::nullopt;
  }
  const Shape& data = node.before.shape(0);
  if (!node.now.has_input(1) || node.now.shape(0).size() != data.size()) return std::nullopt;
  const Shape& indices = node.now.shape(1);
  const std::int64_t axis = node.now.integer("axis", 0);
  const auto rank = static_cast<std::int64_t>(data.size());
  if (axis < -rank || axis >= rank) return std::nullopt;
  const auto picked = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  if (data[picked] == node.now.shape(0)[picked] || elements(indices) != data[picked]) {
    return std::nullopt;
  }
  const auto found = std::ranges::find(indices, node.batch_before);
  if (found == indices.end()) return std::nullopt;
  return static_cast<std::size_t>(found - indices.begin());
}

}  // namespace

bool keeps_old_batch(const FrozenNode& node, const Result<Facts>& facts) {
  if (!any_carries(node)) return false;
  // A node without data fails by itself; at the file's batch its declared output may stand for it.
  if (!node.now.has_input(0) || !node.before.has_input(0)) return false;
  if (!facts) return true;
  if (facts->empty()) return false;
  const Shape& output = facts->front().shape;
  const std::string_view op = node.now.node().op_type;
  if (aligns_axes(op) || op == "Resize") return loses_an_axis(node, output);
  if (op == "Slice") return is_frozen_slice(node, output);
  if (batch_axis_of_indices(node)) return output == node.output_before.shape;
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
  if (node.now.node().op_type == "Slice") {
    if (node.now.has_input(2)) scaled[2] = scaled_ends(node);
    return scaled;
  }
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
  if (const auto axis = batch_axis_of_indices(node)) {
    Fact indices = node.now.input(1);
    indices.contents.reset();
    indices.shape[*axis] = node.batch;
    if (is_sound(indices.shape)) scaled[1] = std::move(indices);
  }
  return scaled;
}

}  // namespace horus::graph
