// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/index_set.hpp"

#include <bit>

#include "horus/base/check.hpp"

namespace horus::sched {
namespace {

constexpr std::uint32_t kWordBits = 64;

constexpr std::uint64_t bit(std::uint32_t index) { return std::uint64_t{1} << (index % kWordBits); }

}  // namespace

IndexSet::IndexSet(std::uint32_t universe) : universe_{universe} {
  HORUS_CHECK(universe <= kMaxUniverse, "an index set holds at most 2^24 members");
  std::uint32_t positions = universe;
  for (auto& layer : layers_) {
    positions = (positions + kWordBits - 1) / kWordBits;
    layer.assign(positions, 0);
  }
}

void IndexSet::insert(std::uint32_t index) {
  HORUS_CHECK(index < universe_ && !contains(index), "only a stranger within range can join");
  for (auto& layer : layers_) {
    std::uint64_t& word = layer[index / kWordBits];
    const bool was_empty = word == 0;
    word |= bit(index);
    if (!was_empty) break;
    index /= kWordBits;
  }
  ++size_;
}

void IndexSet::erase(std::uint32_t index) {
  HORUS_CHECK(index < universe_ && contains(index), "only a member can leave");
  for (auto& layer : layers_) {
    std::uint64_t& word = layer[index / kWordBits];
    word &= ~bit(index);
    if (word != 0) break;
    index /= kWordBits;
  }
  --size_;
}

bool IndexSet::contains(std::uint32_t index) const {
  return index < universe_ && (layers_[0][index / kWordBits] & bit(index)) != 0;
}

std::optional<std::uint32_t> IndexSet::first_from(std::uint32_t from) const {
  // Up until a layer has a bit at or after `from`, then down along the lowest bits.
  std::size_t layer = 0;
  std::uint64_t rest = 0;
  for (; layer < kLayers; ++layer) {
    const std::uint32_t word = from / kWordBits;
    if (word >= layers_[layer].size()) return std::nullopt;
    rest = layers_[layer][word] & ~(bit(from) - 1);
    if (rest != 0) break;
    from = word + 1;
  }
  if (layer == kLayers) return std::nullopt;
  std::uint32_t index =
      from / kWordBits * kWordBits + static_cast<std::uint32_t>(std::countr_zero(rest));
  while (layer > 0) {
    --layer;
    index = index * kWordBits + static_cast<std::uint32_t>(std::countr_zero(layers_[layer][index]));
  }
  return index;
}

}  // namespace horus::sched
