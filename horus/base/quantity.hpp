// SPDX-License-Identifier: Apache-2.0
#pragma once
// Strong quantities: a number that knows its unit. Two kinds never mix by accident.

#include <compare>
#include <concepts>
#include <cstdint>

namespace horus {

/// A number of kind `Tag`. No implicit conversion in or out; sums stay in their kind.
template <class Tag, std::regular Rep>
class Quantity {
 public:
  using rep = Rep;
  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep value) : value_{value} {}

  [[nodiscard]] constexpr Rep count() const { return value_; }

  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity{a.value_ + b.value_};
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity{a.value_ - b.value_};
  }
  friend constexpr Quantity operator*(Rep k, Quantity q) { return Quantity{k * q.value_}; }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

 private:
  Rep value_{};
};

/// An amount of memory. May be negative as a difference.
using Bytes = Quantity<struct BytesTag, std::int64_t>;

/// A share of one GPU's time in thousandths: 1000 is one GPU kept fully busy. Sums over residents
/// may exceed 1000. Integer, so that books of utilization neither drift nor depend on the order of
/// additions, and so that devices can be indexed by it.
using Permille = Quantity<struct PermilleTag, std::int32_t>;

/// `fraction` (0 to 1, clamped) as thousandths, rounded to nearest.
[[nodiscard]] constexpr Permille to_permille(double fraction) {
  const double clamped = fraction < 0.0 ? 0.0 : (fraction > 1.0 ? 1.0 : fraction);
  // std::lround is not constexpr in C++20; the argument is within [0, 1000].
  return Permille{static_cast<std::int32_t>(clamped * 1000.0 + 0.5)};  // NOLINT
}

/// `bytes` as a plain double, for arithmetic with rates and shares.
[[nodiscard]] constexpr double as_double(Bytes bytes) { return static_cast<double>(bytes.count()); }

namespace literals {
consteval Bytes operator""_MiB(unsigned long long n) {
  return Bytes{static_cast<std::int64_t>(n) << 20};
}
consteval Bytes operator""_GiB(unsigned long long n) {
  return Bytes{static_cast<std::int64_t>(n) << 30};
}
}  // namespace literals

}  // namespace horus
