// SPDX-License-Identifier: Apache-2.0
// Any bytes as a trace: an error or jobs in order, never a crash.

#include <cstddef>
#include <cstdint>

#include "horus/base/check.hpp"
#include "horus/sim/traces/trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using horus::sim::BadRows;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  for (const BadRows bad_rows : {BadRows::Fail, BadRows::Skip}) {
    const auto trace = horus::sim::read_trace("philly", text, "fuzz", {bad_rows, ""});
    if (!trace) continue;
    HORUS_CHECK(!trace->jobs.empty(), "a trace without jobs is an error");
    HORUS_CHECK(trace->jobs.front().arrival == horus::TimePoint{}, "time begins at the first job");
    for (std::size_t i = 1; i < trace->jobs.size(); ++i) {
      HORUS_CHECK(trace->jobs[i - 1].arrival <= trace->jobs[i].arrival, "jobs are in order");
    }
  }
  return 0;
}
