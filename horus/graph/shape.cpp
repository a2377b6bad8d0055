// SPDX-License-Identifier: Apache-2.0
// Arithmetic on shapes that can neither overflow nor be asked of an unknown size.

#include "horus/graph/shape.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace horus::graph {

bool is_sound(std::span<const std::int64_t> shape) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    if (size < 0) return false;
    if (size > 0 && product > kMaxElements / size) return false;
    if (size > 0) product *= size;
  }
  return true;
}

std::int64_t elements(std::span<const std::int64_t> shape) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    if (size == 0) return 0;
    product *= size;
  }
  return product;
}

double count(std::span<const std::int64_t> shape) { return static_cast<double>(elements(shape)); }

Result<Shape> broadcast(const Shape& left, const Shape& right) {
  const Shape& longer = left.size() >= right.size() ? left : right;
  const Shape& shorter = left.size() >= right.size() ? right : left;
  Shape shape = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& size = shape[offset + i];
    if (size == shorter[i] || shorter[i] == 1) continue;
    if (size != 1) {
      return refuse(
          fmt::format("shapes {} and {} do not broadcast", text_of(left), text_of(right)));
    }
    size = shorter[i];
  }
  return shape;
}

Result<std::size_t> axis_index(std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    return refuse(fmt::format("axis {} is outside a tensor of rank {}", axis, rank));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

std::string text_of(std::span<const std::int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

bool is_floating(ElementType type) {
  return type == ElementType::Float32 || type == ElementType::Float16 ||
         type == ElementType::Float64 || type == ElementType::BFloat16;
}

std::int64_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::Uint8:
    case ElementType::Int8:
    case ElementType::Bool:
      return 1;
    case ElementType::Uint16:
    case ElementType::Int16:
    case ElementType::Float16:
    case ElementType::BFloat16:
      return 2;
    case ElementType::Float32:
    case ElementType::Int32:
    case ElementType::Uint32:
      return 4;
    case ElementType::Float64:
    case ElementType::Int64:
    case ElementType::Uint64:
    case ElementType::Complex64:
      return 8;
    case ElementType::Complex128:
      return 16;
    case ElementType::Undefined:
    case ElementType::String:
      return 0;
  }
  return 1;  // Newer types have 8 bits or fewer.
}

const std::vector<std::int64_t>* integers_of(const Fact& fact) {
  return fact.contents ? std::get_if<std::vector<std::int64_t>>(&*fact.contents) : nullptr;
}

}  // namespace horus::graph
