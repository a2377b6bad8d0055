// SPDX-License-Identifier: Apache-2.0
// Any bytes that are read as a mix: an error, or configurations within their ranges of which every
// job gets one that may be drawn.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "horus/base/check.hpp"
#include "horus/sim/mix.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto mix = horus::sim::parse_mix(text, "fuzz");
  if (!mix) return 0;
  HORUS_CHECK(!mix->entries.empty(), "a mix without configurations is an error");
  for (const horus::sim::MixEntry& entry : mix->entries) {
    HORUS_CHECK(!entry.name.empty() && !entry.model.empty(), "a configuration has its names");
    HORUS_CHECK(entry.batch >= 1 && entry.sequence >= 0, "a batch is at least 1");
    HORUS_CHECK(entry.weight >= 0, "a weight is no debt");
    HORUS_CHECK(entry.truth.utilization > 0 && entry.truth.utilization <= 1, "a share above 0");
    HORUS_CHECK(entry.truth.compute_share >= 0 && entry.truth.compute_share <= 1, "a share");
    HORUS_CHECK(entry.truth.memory > horus::Bytes{}, "a process needs memory");
  }
  for (std::uint32_t job = 1; job <= 8; ++job) {
    const std::uint32_t drawn = draw_config(*mix, horus::JobId{job}, horus::Rng{1});
    HORUS_CHECK(drawn < mix->entries.size(), "a drawn configuration is one of the mix");
    HORUS_CHECK(mix->entries[drawn].weight > 0, "what has no weight is never drawn");
  }
  return 0;
}
