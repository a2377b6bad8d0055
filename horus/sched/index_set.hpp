// SPDX-License-Identifier: Apache-2.0
#pragma once
// A set of small integers that answers "the lowest member at or after i" in constant time:
// the empty GPUs of one type.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace horus::sched {

/// Bitmaps in layers: bit i of a layer says that word i of the layer below has a member. Four
/// layers of 64-bit words reach 2^24 members. Memory: about one bit per possible member.
class IndexSet {
 public:
  /// The largest `universe`.
  static constexpr std::uint32_t kMaxUniverse = 1U << 24U;

  /// The empty set over {0, ..., universe - 1}. Requires universe <= kMaxUniverse.
  explicit IndexSet(std::uint32_t universe);

  /// Requires index < universe. Putting a member in twice, or taking out a stranger, is an error
  /// of the caller.
  void insert(std::uint32_t index);
  void erase(std::uint32_t index);

  [[nodiscard]] bool contains(std::uint32_t index) const;
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  /// The lowest member that is not below `from`. Cost: one word per layer.
  [[nodiscard]] std::optional<std::uint32_t> first_from(std::uint32_t from) const;

 private:
  static constexpr std::size_t kLayers = 4;

  std::array<std::vector<std::uint64_t>, kLayers> layers_;  // layers_[0] holds the members
  std::uint32_t universe_;
  std::uint32_t size_{};
};

}  // namespace horus::sched
