// SPDX-License-Identifier: Apache-2.0
#pragma once
// Identifiers: comparable, but not numbers. There is no arithmetic on purpose.

#include <compare>
#include <cstdint>

namespace horus {

template <class Tag>
struct Id {
  std::uint64_t value{};
  friend constexpr auto operator<=>(Id, Id) = default;
};

}  // namespace horus
