// SPDX-License-Identifier: Apache-2.0
#pragma once
// The only source of chance in Horus: seeded, counted, the same on every compiler and library.
// Source: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).

#include <cmath>
#include <cstdint>
#include <numbers>

namespace horus {

/// Seeded generator with its own distributions: those of <random> differ between standard
/// libraries. Not thread-safe; fork instead.
class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) : seed_{seed}, state_{seed} {}

  constexpr std::uint64_t next() { return mix(state_ += kGamma); }

  /// Uniform in [0, 1), 53 random bits.
  constexpr double uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

  /// Uniform in [0, bound). Requires bound > 0. The bias of the multiplication is below 2^-32 for
  /// every bound that fits 32 bits.
  constexpr std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>(uniform() * static_cast<double>(bound));
  }

  /// Standard normal by Box-Muller: two draws a call, nothing kept between calls.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  /// Exponential with mean 1.
  double exponential() { return -std::log(1.0 - uniform()); }

  /// An independent stream named by `salt`: one per job, per policy, per purpose.
  /// Depends on the seed only, not on how many numbers were drawn before.
  [[nodiscard]] constexpr Rng fork(std::uint64_t salt) const {
    return Rng{mix(seed_ + mix(salt + kGamma))};
  }

 private:
  static constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15ULL;

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }

  std::uint64_t seed_;
  std::uint64_t state_;
};

}  // namespace horus
