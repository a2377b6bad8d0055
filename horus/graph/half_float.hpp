// SPDX-License-Identifier: Apache-2.0
#pragma once
// The two 16-bit floating-point formats of deep learning, to and from double.

#include <bit>
#include <cmath>
#include <cstdint>

namespace horus::graph {

/// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. Exact.
[[nodiscard]] inline double double_of_float16(std::uint16_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  const int exponent = (bits >> 10U) & 0x1F;
  const int fraction = bits & 0x3FF;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

/// The upper half of an IEEE 754 binary32. Exact.
[[nodiscard]] inline double double_of_bfloat16(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U));
}

/// Nearest binary16, ties to even; beyond the range infinity.
[[nodiscard]] inline std::uint16_t float16_of(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000U : 0U);
  const double size = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00U);
  if (size >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7C00U);
  // Subnormals and the smallest normals share one spacing, 2^-24.
  int exponent = 0;
  std::frexp(size, &exponent);
  const int step = size == 0.0 || exponent < -13 ? -24 : exponent - 11;
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, -step)));
  // `steps` is at most 2048: a carry out of the fraction raises the exponent by itself.
  const std::uint32_t bits =
      step == -24 ? steps : (static_cast<std::uint32_t>(step + 24) << 10U) + steps;
  return static_cast<std::uint16_t>(sign | bits);
}

/// Nearest bfloat16, ties to even.
[[nodiscard]] inline std::uint16_t bfloat16_of(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

}  // namespace horus::graph
