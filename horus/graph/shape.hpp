// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensor shapes with every size known, and what is known of one value of a graph.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/graph/model.hpp"

namespace horus::graph {

/// Sizes from the slowest axis to the fastest. Invariant of every shape that inference hands out:
/// sizes are >= 0 and the product of those that are not 0 is at most kMaxElements, so products of
/// any of its sizes fit std::int64_t and are exact as double.
using Shape = std::vector<std::int64_t>;

/// 2^53: the integers up to here are exact as double. A tensor of this size would fill 36 PB.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 53;

/// Contents of a small tensor, row-major. Booleans are integers 0 and 1.
using Contents = std::variant<std::vector<std::int64_t>, std::vector<double>>;

/// Contents longer than this are not followed: no shape needs them.
inline constexpr std::int64_t kMaxContents = 8192;

/// A sequence of more tensors than this is not followed.
inline constexpr std::size_t kMaxSequence = 8192;

/// What is known of a value: type and shape always, contents where shape arithmetic gave them.
struct Fact {
  ElementType type{ElementType::Undefined};
  Shape shape;
  std::optional<Contents> contents{};
  /// The value is a sequence of tensors of these shapes and one type; `shape` is then empty.
  std::optional<std::vector<Shape>> sequence{};
  /// Sizes (or contents) depend on data: these are the largest that they can be, or are computed
  /// from such.
  bool is_bound{false};
  friend bool operator==(const Fact&, const Fact&) = default;
};

/// True when `shape` keeps the invariant of Shape.
[[nodiscard]] bool is_sound(std::span<const std::int64_t> shape);

/// Product of the sizes (1 for rank 0). Requires a sound shape.
[[nodiscard]] std::int64_t elements(std::span<const std::int64_t> shape);

/// The same as a double, for costs.
[[nodiscard]] double count(std::span<const std::int64_t> shape);

/// The shape of an elementwise operation by the rules of NumPy broadcasting.
/// Errors: Unsupported, naming the two shapes that do not fit.
[[nodiscard]] Result<Shape> broadcast(const Shape& left, const Shape& right);

/// `axis` in [-rank, rank) as an index in [0, rank). Errors: Unsupported when it is out of range.
[[nodiscard]] Result<std::size_t> axis_index(std::int64_t axis, std::size_t rank);

/// "[8, 3, 224, 224]".
[[nodiscard]] std::string text_of(std::span<const std::int64_t> shape);

[[nodiscard]] bool is_floating(ElementType type);

/// Bytes of one element as it lies in memory; 0 for strings and undefined types.
[[nodiscard]] std::int64_t element_bytes(ElementType type);

/// The size that shape arithmetic takes from a fact with integer contents; nullptr without them.
[[nodiscard]] const std::vector<std::int64_t>* integers_of(const Fact& fact);

/// An inference error: the node becomes a gap with this reason.
[[nodiscard]] inline auto refuse(std::string reason) {
  return fail(Errc::Unsupported, std::move(reason));
}

}  // namespace horus::graph
