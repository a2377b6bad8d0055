// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/first_fit.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "horus/base/check.hpp"

namespace horus::sched {
namespace {

constexpr Bytes kAbsent{std::numeric_limits<std::int64_t>::max()};

}  // namespace

FirstFit::FirstFit(std::uint32_t size) {
  const std::size_t blocks = (std::size_t{size} + kBlock - 1) / kBlock;
  booked_.assign(blocks * kBlock, kAbsent);
  leaves_ = std::bit_ceil(std::max<std::size_t>(blocks, 1));
  minimum_.assign(2 * leaves_, kAbsent);
}

void FirstFit::set(std::uint32_t rank, Bytes booked) { assign(rank, booked); }

void FirstFit::clear(std::uint32_t rank) { assign(rank, kAbsent); }

std::optional<Bytes> FirstFit::lowest() const {
  return minimum_[1] == kAbsent ? std::nullopt : std::optional{minimum_[1]};
}

void FirstFit::assign(std::uint32_t rank, Bytes booked) {
  HORUS_CHECK(rank < booked_.size(), "ranks are within the size");
  booked_[rank] = booked;
  const auto first = booked_.begin() + rank / kBlock * kBlock;
  std::size_t node = leaves_ + rank / kBlock;
  Bytes lowest = *std::min_element(first, first + kBlock);
  while (minimum_[node] != lowest) {
    minimum_[node] = lowest;
    if (node == 1) break;
    lowest = std::min(lowest, minimum_[node ^ 1U]);
    node /= 2;
  }
}

std::optional<std::uint32_t> FirstFit::first_at_most(Bytes limit, std::uint32_t from) const {
  if (from >= booked_.size() || minimum_[1] > limit || limit == kAbsent) return std::nullopt;
  if (minimum_[leaves_ + from / kBlock] <= limit) {
    if (auto rank = first_in_block(limit, from)) return rank;
  }
  const auto block = next_block(limit, from / kBlock);
  if (!block) return std::nullopt;
  return first_in_block(limit, static_cast<std::uint32_t>(*block) * kBlock);
}

std::optional<std::uint32_t> FirstFit::first_in_block(Bytes limit, std::uint32_t from) const {
  const std::uint32_t end = from / kBlock * kBlock + kBlock;
  for (std::uint32_t rank = from; rank < end; ++rank) {
    if (booked_[rank] <= limit) return rank;
  }
  return std::nullopt;
}

// Climbs until a right neighbour has room, then descends to the leftmost such block in it.
std::optional<std::size_t> FirstFit::next_block(Bytes limit, std::size_t after) const {
  std::size_t node = leaves_ + after;
  while (node > 1 && (node % 2 == 1 || minimum_[node + 1] > limit)) node /= 2;
  if (node <= 1) return std::nullopt;
  ++node;
  while (node < leaves_) node = minimum_[2 * node] <= limit ? 2 * node : 2 * node + 1;
  return node - leaves_;
}

}  // namespace horus::sched
