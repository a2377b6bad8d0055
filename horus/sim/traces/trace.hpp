// SPDX-License-Identifier: Apache-2.0
#pragma once
// What happened on a real cluster, whatever the format it is written down in: who came when, asked
// for how many GPUs, and needed them for how long.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/base/time.hpp"
#include "horus/domain/job.hpp"

namespace horus::sim {

/// One job of a trace.
struct TraceJob {
  JobId id;             ///< The trace's own, or the row number (from 1) where the format has none.
  std::uint64_t row{};  ///< Data row, counted from 1; ties of arrival keep this order.
  TimePoint arrival;    ///< Since the first arrival of the trace.
  Duration duration{};  ///< Solo service on the reference GPU.
  int gpus{1};
  std::string model;      ///< What the trace says about the model; empty where it says nothing.
  std::string partition;  ///< Virtual cluster; empty where the format has none.
  friend bool operator==(const TraceJob&, const TraceJob&) = default;
};

struct Trace {
  std::vector<TraceJob> jobs;  ///< In order of (arrival, row); the first arrival is at 0.
  std::uint64_t rows_skipped{};
  std::string first_skipped;  ///< Why the first skipped row was skipped; empty if none was.
};

enum class BadRows { Fail, Skip };

struct TraceOptions {
  BadRows bad_rows{BadRows::Fail};
  std::string partition;  ///< Only jobs of this virtual cluster; empty: of all.
};

/// Names of the formats, in order of name.
[[nodiscard]] std::vector<std::string> trace_formats();

/// Reads a trace of one of trace_formats(). `source` names the text in errors.
/// Errors: NotFound for an unknown format, column or partition, with the nearest name; Corrupt with
/// file:line for a malformed row, unless bad rows are skipped; Corrupt for a trace without jobs.
[[nodiscard]] Result<Trace> read_trace(std::string_view format, std::string_view text,
                                       const std::string& source, const TraceOptions& options = {});

/// Limits of every format: beyond them a number is taken for a mistake.
inline constexpr int kTraceGpusMax = 1'000'000;
inline constexpr double kTraceSecondsMax = kMaxSeconds;

}  // namespace horus::sim
