// SPDX-License-Identifier: Apache-2.0
// Contents that an operator moves without changing them.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "horus/graph/ops/families.hpp"
#include "horus/graph/ops/slicing.hpp"

namespace horus::graph {
namespace {

/// The elements of `contents` at `places`; nothing where a place is outside.
std::optional<Contents> pick(const Contents& contents, const std::vector<std::int64_t>& places) {
  return std::visit(
      [&](const auto& from) -> std::optional<Contents> {
        std::remove_cvref_t<decltype(from)> picked;
        picked.reserve(places.size());
        for (const std::int64_t place : places) {
          if (place < 0 || place >= static_cast<std::int64_t>(from.size())) return std::nullopt;
          picked.push_back(from[static_cast<std::size_t>(place)]);
        }
        return picked;
      },
      contents);
}

/// Elements between neighbours of each axis, row-major.
std::vector<std::int64_t> strides_of(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Calls `visit` with the index of every element of `shape`, row-major.
template <class Visit>
void for_each_index(const Shape& shape, Visit visit) {
  std::vector<std::int64_t> index(shape.size(), 0);
  for (std::int64_t left = elements(shape); left > 0; --left) {
    visit(index);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

std::size_t axis_of(const NodeView& node, std::int64_t fallback, std::size_t rank) {
  return axis_index(node.integer("axis", fallback), rank).value_or(0);
}

}  // namespace

std::optional<Contents> fold_same(const NodeView& node, const Fact&) {
  return node.input(0).contents;
}

std::optional<Contents> fold_concat(const NodeView& node, const Fact& output) {
  const std::size_t axis = axis_of(node, 1, output.shape.size());
  // Joined along `axis`, every input gives a run of elements for each index of the slower axes.
  const std::span<const std::int64_t> sizes{output.shape};
  const std::int64_t outer = elements(sizes.first(axis));
  const std::int64_t inner = elements(sizes.subspan(axis + 1));
  const bool is_integer = integers_of(node.input(0)) != nullptr;
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      const std::int64_t run = node.shape(i)[axis] * inner;
      const Contents& contents = *node.input(i).contents;
      const auto* whole = std::get_if<std::vector<std::int64_t>>(&contents);
      const auto* real = std::get_if<std::vector<double>>(&contents);
      if ((whole != nullptr) != is_integer) return std::nullopt;
      const auto first = static_cast<std::ptrdiff_t>(o * run);
      const auto last = static_cast<std::ptrdiff_t>((o + 1) * run);
      if (is_integer) {
        integers.insert(integers.end(), whole->begin() + first, whole->begin() + last);
      } else {
        reals.insert(reals.end(), real->begin() + first, real->begin() + last);
      }
    }
  }
  return is_integer ? Contents{std::move(integers)} : Contents{std::move(reals)};
}

std::optional<Contents> fold_gather(const NodeView& node, const Fact& output) {
  const Shape& data = node.shape(0);
  const auto* indices = integers_of(node.input(1));
  if (indices == nullptr) return std::nullopt;
  const std::size_t axis = axis_of(node, 0, data.size());
  const std::span<const std::int64_t> sizes{data};
  const std::int64_t outer = elements(sizes.first(axis));
  const std::int64_t inner = elements(sizes.subspan(axis + 1));
  std::vector<std::int64_t> places;
  places.reserve(static_cast<std::size_t>(elements(output.shape)));
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const std::int64_t index : *indices) {
      if (index < -data[axis] || index >= data[axis]) return std::nullopt;
      const std::int64_t place = index < 0 ? index + data[axis] : index;
      for (std::int64_t i = 0; i < inner; ++i) {
        places.push_back((o * data[axis] + place) * inner + i);
      }
    }
  }
  return pick(*node.input(0).contents, places);
}

std::optional<Contents> fold_slice(const NodeView& node, const Fact& output) {
  const auto cuts = read_cuts(node);
  if (!cuts) return std::nullopt;
  const auto strides = strides_of(node.shape(0));
  std::vector<std::int64_t> places;
  for_each_index(output.shape, [&](const std::vector<std::int64_t>& index) {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < index.size(); ++i) {
      place += ((*cuts)[i].start + index[i] * (*cuts)[i].step) * strides[i];
    }
    places.push_back(place);
  });
  return pick(*node.input(0).contents, places);
}

std::optional<Contents> fold_expand(const NodeView& node, const Fact& output) {
  const Shape& data = node.shape(0);
  const auto strides = strides_of(data);
  const std::size_t offset = output.shape.size() - data.size();
  std::vector<std::int64_t> places;
  for_each_index(output.shape, [&](const std::vector<std::int64_t>& index) {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      // Repeats a single element (Expand) or the whole axis (Tile).
      place += (data[i] == 0 ? 0 : index[offset + i] % data[i]) * strides[i];
    }
    places.push_back(place);
  });
  return pick(*node.input(0).contents, places);
}

std::optional<Contents> fold_transpose(const NodeView& node, const Fact& output) {
  const auto order = transposed_axes(node);
  if (!order) return std::nullopt;
  const auto strides = strides_of(node.shape(0));
  std::vector<std::int64_t> places;
  for_each_index(output.shape, [&](const std::vector<std::int64_t>& index) {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < index.size(); ++i) place += index[i] * strides[(*order)[i]];
    places.push_back(place);
  });
  return pick(*node.input(0).contents, places);
}

}  // namespace horus::graph
