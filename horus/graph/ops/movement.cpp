// SPDX-License-Identifier: Apache-2.0
// Copies along axes: joining, cutting, permuting, repeating, padding.

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"
#include "horus/graph/ops/slicing.hpp"

namespace horus::graph {
namespace {

Result<std::vector<std::int64_t>> split_sizes(const NodeView& node, std::int64_t size) {
  if (auto sizes = node.setting("split")) return *sizes;
  const auto outputs = static_cast<std::int64_t>(node.output_count());
  const std::int64_t parts = node.integer("num_outputs", outputs);
  if (outputs < 1) return refuse("it has no outputs");
  if (parts != outputs) {
    return refuse(fmt::format("num_outputs is {}, but {} outputs are named", parts, outputs));
  }
  if (!node.behaves("unequal parts") && size % parts != 0) {
    return refuse(fmt::format("{} does not split into {} equal parts", size, parts));
  }
  const std::int64_t piece = (size + parts - 1) / parts;
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < parts; ++i) {
    sizes.push_back(std::clamp<std::int64_t>(size - i * piece, 0, piece));
  }
  return sizes;
}

/// The axes that `pads` speaks of: those named, or all.
Result<std::vector<std::int64_t>> padded_axes(const NodeView& node) {
  if (auto axes = node.setting("axes")) return *axes;
  if (node.problem()) return refuse(*node.problem());
  std::vector<std::int64_t> axes(node.shape(0).size());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

/// Tile-1 repeats one axis: (input, tiles, axis), both scalars.
Result<std::vector<std::int64_t>> tile_repeats(const NodeView& node) {
  if (!node.behaves("repeats one axis") || node.input_count() < 3) {
    auto repeats = node.contents(1);
    if (!repeats) return refuse("the repeats depend on data, so they are unknown");
    return *std::move(repeats);
  }
  const auto tiles = node.contents(1);
  const auto axis = node.contents(2);
  if (!tiles || !axis || tiles->size() != 1 || axis->size() != 1) {
    return refuse("tiles and axis must be one known number each");
  }
  HORUS_TRY(const std::size_t place, axis_index(axis->front(), node.shape(0).size()));
  std::vector<std::int64_t> repeats(node.shape(0).size(), 1);
  repeats[place] = tiles->front();
  return repeats;
}

/// Contents of a vector, cut into those of its parts: exporters take shapes apart so.
void split_contents(const NodeView& node, Facts& facts) {
  if (!node.input(0).contents) return;
  std::ptrdiff_t begin = 0;
  for (Fact& fact : facts) {
    const auto end = begin + static_cast<std::ptrdiff_t>(fact.shape.front());
    fact.contents = std::visit(
        [&](const auto& list) -> Contents {
          return std::remove_cvref_t<decltype(list)>(list.begin() + begin, list.begin() + end);
        },
        *node.input(0).contents);
    begin = end;
  }
}

/// Elements of a tensor, or of all tensors of a sequence.
double count_all(const Fact& fact) {
  if (!fact.sequence) return count(fact.shape);
  double sum = 0;
  for (const Shape& shape : *fact.sequence) sum += count(shape);
  return sum;
}

}  // namespace

Result<Facts> infer_concat(const NodeView& node) {
  Shape shape = node.shape(0);
  HORUS_TRY(const std::size_t axis, axis_index(node.defaulted("axis", 1), shape.size()));
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
  if (data.size() == 1) split_contents(node, facts);
  return facts;
}

Result<Facts> infer_slice(const NodeView& node) {
  if (depends_on_data(node)) {
    Facts facts = one(node.input(0).type, node.shape(0));
    mark_bounds(facts);
    return facts;
  }
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
  HORUS_TRY(const auto repeats, tile_repeats(node));
  if (repeats.size() != shape.size() || !is_sound(repeats)) {
    return refuse(fmt::format("repeats {} do not fit {}", text_of(repeats), text_of(shape)));
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t times = repeats[i];
    if (times > 0 && shape[i] > kMaxElements / times) return refuse("the result is too large");
    shape[i] *= times;
  }
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_pad(const NodeView& node) {
  Shape shape = node.shape(0);
  auto pads = node.setting("pads");
  if (!pads && node.has_attribute("paddings")) pads = node.integers("paddings");  // Version 1.
  if (!pads) return refuse("the pads are missing");
  HORUS_TRY(const std::vector<std::int64_t> axes, padded_axes(node));
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
    if (fact != nullptr && is_floating(fact->type)) written += count_all(*fact);
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
