// SPDX-License-Identifier: Apache-2.0
#pragma once
// The shared GPUs of one type with one number of residents, arranged so that the lowest-numbered
// one with room in memory is found without looking at each.

#include <cstdint>
#include <optional>
#include <vector>

#include "horus/base/quantity.hpp"

namespace horus::sched {

/// Amounts of memory by rank (a position from 0), with a tree of minima over blocks of 64 ranks.
/// Memory: 8 bytes per rank and a quarter of a byte more.
class FirstFit {
 public:
  /// All of `size` ranks absent.
  explicit FirstFit(std::uint32_t size);

  /// Requires rank < size. Cost: one block and the height of the tree.
  void set(std::uint32_t rank, Bytes booked);
  void clear(std::uint32_t rank);

  /// The least amount present, or nothing. O(1).
  [[nodiscard]] std::optional<Bytes> lowest() const;

  /// The lowest rank, not below `from`, with at most `limit` booked. Cost: as set().
  [[nodiscard]] std::optional<std::uint32_t> first_at_most(Bytes limit, std::uint32_t from) const;

 private:
  static constexpr std::uint32_t kBlock = 64;

  void assign(std::uint32_t rank, Bytes booked);
  [[nodiscard]] std::optional<std::uint32_t> first_in_block(Bytes limit, std::uint32_t from) const;
  [[nodiscard]] std::optional<std::size_t> next_block(Bytes limit, std::size_t after) const;

  std::vector<Bytes> booked_;   // by rank, a whole number of blocks
  std::size_t leaves_;          // a power of two: blocks, rounded up
  std::vector<Bytes> minimum_;  // heap-shaped tree over blocks
};

}  // namespace horus::sched
