// SPDX-License-Identifier: Apache-2.0
// Copies along axes: joining, cutting, permuting, repeating, padding.

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"
#include "horus/graph/ops/slicing.hpp"

namespace horus::graph {
namespace {

constexpr Moved kSplitSizes{"split", 1, 13};
constexpr Moved kPads{"pads", 1, 11};
constexpr Moved kTileRepeats{"repeats", 1, 6};

Result<std::vector<std::int64_t>> split_sizes(const NodeView& node, std::int64_t size) {
  if (auto sizes = node.setting(kSplitSizes)) return *sizes;
  const auto parts = static_cast<std::int64_t>(node.output_count());
  const std::int64_t piece = (size + parts - 1) / parts;
  // Version 18 lets the last part be smaller; before, the parts had to be equal.
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < parts; ++i) {
    sizes.push_back(std::clamp<std::int64_t>(size - i * piece, 0, piece));
  }
  if (node.opset() < 18 && size % parts != 0) {
    return refuse(fmt::format("{} does not split into {} equal parts", size, parts));
  }
  return sizes;
}

}  // namespace

Result<Facts> infer_concat(const NodeView& node) {
  Shape shape = node.shape(0);
  const std::int64_t fallback = node.opset() < 4 ? 1 : std::numeric_limits<std::int32_t>::max();
  HORUS_TRY(const std::size_t axis, axis_index(node.integer("axis", fallback), shape.size()));
  for (std::size_t i = 1; i < node.input_count(); ++i) {
    if (!node.has_input(i)) return refuse(fmt::format("input {} is missing", i));
    Shape part = node.shape(i);
    if (part.size() == shape.size()) part[axis] = shape[axis];
    if (part != shape) {
      return refuse(fmt::format("{} and {} differ beside axis {}", text_of(node.shape(0)),
                                text_of(node.shape(i)), axis));
    }
    shape[axis] += node.shape(i)[axis];
    if (shape[axis] > kMaxElements) return refuse("the joined axis is beyond all bounds");
  }
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_split(const NodeView& node) {
  const Shape& data = node.shape(0);
  HORUS_TRY(const std::size_t axis, axis_index(node.integer("axis", 0), data.size()));
  HORUS_TRY(const auto sizes, split_sizes(node, data[axis]));
  std::int64_t rest = data[axis];
  for (const std::int64_t size : sizes) rest = size < 0 || size > rest ? -1 : rest - size;
  if (sizes.size() != node.output_count() || rest != 0) {
    return refuse(fmt::format("parts {} do not make up {} in {} outputs", text_of(sizes),
                              data[axis], node.output_count()));
  }
  Facts facts;
  for (const std::int64_t size : sizes) {
    Shape shape = data;
    shape[axis] = size;
    facts.push_back({.type = node.input(0).type, .shape = std::move(shape)});
  }
  return facts;
}

Result<Facts> infer_slice(const NodeView& node) {
  HORUS_TRY(const auto cuts, read_cuts(node));
  Shape shape;
  for (const Cut& cut : cuts) shape.push_back(cut.length);
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_transpose(const NodeView& node) {
  const Shape& data = node.shape(0);
  HORUS_TRY(const auto order, transposed_axes(node));
  Shape shape;
  for (const std::size_t axis : order) shape.push_back(data[axis]);
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_expand(const NodeView& node) {
  const auto target = node.contents(1);
  if (!target)
    return refuse(
        "the target shape depends on data or is stored outside the file, so it is unknown");
  if (!is_sound(*target)) return refuse(fmt::format("{} is no shape", text_of(*target)));
  HORUS_TRY(Shape shape, broadcast(node.shape(0), *target));
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_tile(const NodeView& node) {
  Shape shape = node.shape(0);
  const auto repeats = node.setting(kTileRepeats);
  if (!repeats) return refuse("the repeats are missing");
  if (repeats->size() != shape.size() || !is_sound(*repeats)) {
    return refuse(fmt::format("repeats {} do not fit {}", text_of(*repeats), text_of(shape)));
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t times = (*repeats)[i];
    if (times > 0 && shape[i] > kMaxElements / times) return refuse("the result is too large");
    shape[i] *= times;
  }
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_pad(const NodeView& node) {
  Shape shape = node.shape(0);
  auto pads = node.setting(kPads);
  if (!pads && node.has_attribute("paddings")) pads = node.integers("paddings");  // Version 1.
  if (!pads) return refuse("the pads are missing");
  std::vector<std::int64_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (node.has_input(3)) {
    const auto named = node.contents(3);
    if (!named) return refuse("the axes depend on data, so they are unknown");
    axes = *named;
  }
  if (pads->size() != 2 * axes.size()) {
    return refuse(fmt::format("{} pads for {} axes", pads->size(), axes.size()));
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    HORUS_TRY(const std::size_t axis, axis_index(axes[i], shape.size()));
    const std::int64_t begin = (*pads)[i];
    const std::int64_t end = (*pads)[axes.size() + i];
    if (std::max(begin, end) > kMaxElements || std::min(begin, end) < -kMaxElements) {
      return refuse("a pad is beyond all bounds");
    }
    shape[axis] += begin + end;
    if (shape[axis] > kMaxElements) return refuse("the padded axis is beyond all bounds");
    if (shape[axis] < 0) return refuse(fmt::format("the pads leave nothing of axis {}", axis));
  }
  return one(node.input(0).type, std::move(shape));
}

void cost_copy(const CostView& node, CostSheet& sheet) {
  OpWork& work = sheet.work;
  double written = 0;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Fact* fact = node.output(i);
    if (fact != nullptr && is_floating(fact->type)) written += count(fact->shape);
  }
  // A copy reads what it writes, also where its input is larger.
  work.elements_read = work.elements_written = written;
  work.kernels_forward = work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  work.kernels_backward = work.host_ops_backward = 1;
  work.elements_read_backward = written;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (node.operand(i).needs_gradient) work.elements_written_backward += node.size(i);
  }
}

}  // namespace horus::graph
