// SPDX-License-Identifier: Apache-2.0
#pragma once
// What holds for any bytes that are read as a trace: an error or jobs in order, never a crash.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "horus/base/check.hpp"
#include "horus/sim/traces/trace.hpp"

namespace horus::sim {

inline void check_trace_of(std::string_view format, const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  for (const BadRows bad_rows : {BadRows::Fail, BadRows::Skip}) {
    const auto trace = read_trace(format, text, "fuzz", {bad_rows, ""});
    if (!trace) continue;
    HORUS_CHECK(!trace->jobs.empty(), "a trace without jobs is an error");
    HORUS_CHECK(trace->jobs.front().arrival == TimePoint{}, "time begins at the first job");
    for (std::size_t i = 1; i < trace->jobs.size(); ++i) {
      HORUS_CHECK(trace->jobs[i - 1].arrival <= trace->jobs[i].arrival, "jobs are in order");
    }
  }
}

}  // namespace horus::sim
