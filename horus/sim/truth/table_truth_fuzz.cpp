// SPDX-License-Identifier: Apache-2.0
// Any bytes that are read as a table of measured pairs: an error, or a truth that answers about
// every pair with positive slowdowns.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "horus/base/check.hpp"
#include "horus/sim/truth/parametric_truth.hpp"
#include "horus/sim/truth/table_truth.hpp"

namespace {

using horus::Bytes;
using horus::GpuSpec;
using horus::JobId;
namespace sim = horus::sim;

/// Configurations "a" and "b", as the tables of the corpus name them.
sim::Mix two_configurations() {
  sim::Mix mix;
  for (const char* name : {"a", "b"}) {
    sim::MixEntry entry;
    entry.name = name;
    entry.weight = 1.0;
    entry.truth = {.utilization = 0.5, .memory = Bytes{1 << 30}, .compute_share = 0.5};
    mix.entries.push_back(entry);
  }
  return mix;
}

void check(const sim::TableTruth& truth) {
  HORUS_CHECK(truth.coverage().pairs_measured <= truth.coverage().pairs_possible,
              "no pair is counted twice");
  for (std::uint32_t first = 0; first < 2; ++first) {
    for (std::uint32_t second = 0; second < 2; ++second) {
      const std::array residents{truth.load(JobId{1}, first, 0), truth.load(JobId{2}, second, 0)};
      HORUS_CHECK(residents[0].utilization > 0 && residents[0].utilization <= 1, "a share above 0");
      std::array<double, 2> slowdowns{};
      truth.slowdowns(0, residents, slowdowns);
      HORUS_CHECK(slowdowns[0] > 0 && slowdowns[1] > 0, "no job runs infinitely fast");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const sim::Mix mix = two_configurations();
  const std::vector<GpuSpec> types{*horus::find_gpu("V100-16GB").value().spec};
  auto otherwise = sim::ParametricTruth::make(mix, types, types[0], types[0], {});
  HORUS_CHECK(otherwise.has_value(), "the mix of this test has a parametric truth");
  const auto truth = sim::TableTruth::parse(text, "fuzz", mix, types, std::move(otherwise).value());
  if (truth) check(**truth);
  return 0;
}
