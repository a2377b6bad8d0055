// SPDX-License-Identifier: Apache-2.0
// The same elements under another shape or type.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

constexpr std::int64_t kNewestElementType = 28;  // FLOAT6E3M2 of ONNX 1.23.

/// Axes of a result of rank `rank`, ascending and without repetition.
Result<std::vector<std::size_t>> axes_of(const std::vector<std::int64_t>& list, std::size_t rank) {
  std::vector<std::size_t> axes;
  for (const std::int64_t entry : list) {
    HORUS_TRY(const std::size_t axis, axis_index(entry, rank));
    axes.push_back(axis);
  }
  std::ranges::sort(axes);
  if (std::ranges::adjacent_find(axes) != axes.end()) return refuse("an axis is named twice");
  return axes;
}

/// The attribute 'to' of a Cast: a number, or before version 6 its name in TensorProto.DataType.
Result<std::int64_t> wanted_type(const NodeView& node) {
  constexpr std::array<std::string_view, 17> kNames{
      "UNDEFINED", "FLOAT",  "UINT8",     "INT8",       "UINT16",  "INT16",
      "INT32",     "INT64",  "STRING",    "BOOL",       "FLOAT16", "DOUBLE",
      "UINT32",    "UINT64", "COMPLEX64", "COMPLEX128", "BFLOAT16"};
  const auto found = node.node().attributes.find("to");
  const auto* name =
      found == node.node().attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
  if (name == nullptr) return node.integer("to", 0);
  const auto* place = std::ranges::find(kNames, std::string_view{*name});
  if (place == kNames.end()) {
    return refuse(fmt::format("'{}' is no element type", printable(*name)));
  }
  return place - kNames.begin();
}

}  // namespace

Result<Facts> infer_reshape(const NodeView& node) {
  const Shape& data = node.shape(0);
  const auto target = node.setting("shape");
  if (!target)
    return refuse(
        "the target shape depends on data or is stored outside the file, so it is unknown");
  const bool copies_zero = node.integer("allowzero", 0) == 0;
  Shape shape = *target;
  auto open = shape.end();
  for (auto size = shape.begin(); size != shape.end(); ++size) {
    const auto axis = static_cast<std::size_t>(size - shape.begin());
    if (*size == 0 && copies_zero) {
      if (axis >= data.size()) return refuse("a 0 in the target shape has no axis to copy");
      *size = data[axis];
    }
    if (*size < -1 || (*size == -1 && open != shape.end())) {
      return refuse(fmt::format("{} is no target shape", text_of(*target)));
    }
    if (*size == -1) open = size;
  }
  if (open != shape.end()) *open = 1;
  if (!is_sound(shape)) return refuse("the target shape is beyond all bounds");
  const std::int64_t have = elements(data);
  const std::int64_t given = elements(shape);
  if (open != shape.end()) {
    if (given == 0 || have % given != 0) {
      return refuse(fmt::format("{} elements do not fit into shape {}", have, text_of(*target)));
    }
    *open = have / given;
  } else if (have != given) {
    return refuse(fmt::format("{} has {} elements, target shape {} has {}", text_of(data), have,
                              text_of(*target), given));
  }
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_flatten(const NodeView& node) {
  const Shape& data = node.shape(0);
  const auto rank = static_cast<std::int64_t>(data.size());
  std::int64_t axis = node.integer("axis", 1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) {
    return refuse(fmt::format("axis {} is outside a tensor of rank {}", axis, rank));
  }
  const auto split = static_cast<std::size_t>(axis);
  const std::span<const std::int64_t> sizes{data};
  return one(node.input(0).type, {elements(sizes.first(split)), elements(sizes.subspan(split))});
}

Result<Facts> infer_squeeze(const NodeView& node) {
  const Shape& data = node.shape(0);
  const auto list = node.setting("axes");
  Shape shape;
  if (!list) {
    std::ranges::copy_if(data, std::back_inserter(shape), [](auto size) { return size != 1; });
    return one(node.input(0).type, std::move(shape));
  }
  HORUS_TRY(const auto axes, axes_of(*list, data.size()));
  for (std::size_t i = 0; i < data.size(); ++i) {
    const bool is_named = std::ranges::binary_search(axes, i);
    if (is_named && data[i] != 1) {
      return refuse(fmt::format("axis {} of {} is not 1 and cannot go", i, text_of(data)));
    }
    if (!is_named) shape.push_back(data[i]);
  }
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_unsqueeze(const NodeView& node) {
  const Shape& data = node.shape(0);
  const auto list = node.setting("axes");
  if (!list) return refuse("the axes are missing");
  HORUS_TRY(const auto axes, axes_of(*list, data.size() + list->size()));
  Shape shape = data;
  for (const std::size_t axis : axes) {
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  }
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_cast(const NodeView& node) {
  HORUS_TRY(const std::int64_t type, wanted_type(node));
  if (type < 1 || type > kNewestElementType) {
    return refuse(fmt::format("attribute 'to' is {}, which is no element type", type));
  }
  return one(static_cast<ElementType>(type), node.shape(0));
}

Result<Facts> infer_cast_like(const NodeView& node) {
  return one(node.input(1).type, node.shape(0));
}

void cost_free(const CostView&, CostSheet& sheet) { sheet.work.kind = OpKind::Free; }

void cost_cast(const CostView& node, CostSheet& sheet) {
  if (node.is_static(0) || node.result().type == node.input(0).type) {
    return cost_free(node, sheet);
  }
  cost_copy(node, sheet);
}

}  // namespace horus::graph
