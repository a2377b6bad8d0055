// SPDX-License-Identifier: Apache-2.0
#include "horus/wire/op_kind.hpp"

#include <array>

#include "horus/base/check.hpp"

namespace horus::wire {
namespace {

// In the order of the enumeration.
constexpr auto kNames = std::to_array<std::string_view>(
    {"convolution", "depthwise-convolution", "grouped-convolution", "linear", "matmul", "recurrent",
     "batch-norm", "layer-norm", "softmax", "activation", "elementwise", "dropout", "pool",
     "reduction", "embedding", "data-movement", "free"});
static_assert(kNames.size() == static_cast<std::size_t>(OpKind::Free) + 1);

}  // namespace

std::string_view name_of(OpKind kind) {
  const auto place = static_cast<std::size_t>(kind);
  HORUS_CHECK(place < kNames.size(), "every kind has a name");
  return kNames[place];
}

}  // namespace horus::wire
