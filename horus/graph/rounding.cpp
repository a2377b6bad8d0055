// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/rounding.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

#include "horus/graph/half_float.hpp"

namespace horus::graph {
namespace {

double as_float32(double value) {
  constexpr auto kMost = static_cast<double>(std::numeric_limits<float>::max());
  // Beyond the range a conversion has no meaning in C++; IEEE 754 has infinity.
  if (std::abs(value) > kMost) return std::copysign(HUGE_VAL, value);
  return static_cast<double>(static_cast<float>(value));
}

double rounded(ElementType type, double value) {
  switch (type) {
    case ElementType::Float32:
      return as_float32(value);
    case ElementType::Float16:
      return double_of_float16(float16_of(value));
    case ElementType::BFloat16:
      return double_of_bfloat16(bfloat16_of(as_float32(value)));
    default:
      return value;
  }
}

template <class Narrow>
std::int64_t as_narrow(std::int64_t value) {
  return static_cast<std::int64_t>(static_cast<Narrow>(value));
}

std::int64_t wrapped(ElementType type, std::int64_t value) {
  switch (type) {
    case ElementType::Int8:
      return as_narrow<std::int8_t>(value);
    case ElementType::Int16:
      return as_narrow<std::int16_t>(value);
    case ElementType::Int32:
      return as_narrow<std::int32_t>(value);
    case ElementType::Uint8:
      return as_narrow<std::uint8_t>(value);
    case ElementType::Uint16:
      return as_narrow<std::uint16_t>(value);
    case ElementType::Uint32:
      return as_narrow<std::uint32_t>(value);
    default:
      return value;
  }
}

}  // namespace

void round_to(ElementType type, Contents& contents) {
  if (auto* reals = std::get_if<std::vector<double>>(&contents)) {
    for (double& real : *reals) real = rounded(type, real);
    return;
  }
  for (std::int64_t& number : std::get<std::vector<std::int64_t>>(contents)) {
    number = wrapped(type, number);
  }
}

bool holds(ElementType type, std::int64_t value) { return wrapped(type, value) == value; }

}  // namespace horus::graph
