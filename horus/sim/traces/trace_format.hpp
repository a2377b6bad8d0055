// SPDX-License-Identifier: Apache-2.0
#pragma once
// The way in for a new trace format: one parser that turns a row into a job, and one line in the
// table of trace.cpp. Everything else (sorting, bad rows, partitions, ids) is shared.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "horus/sim/traces/trace.hpp"
#include "horus/table/csv.hpp"

namespace horus::sim {

/// A job as its row says it: arrival in the format's own time.
struct TraceRow {
  std::int64_t arrival_us{};  ///< Since any fixed moment.
  Duration duration{};
  int gpus{1};
  bool has_id{false};
  std::uint64_t id{};
  std::string_view model;
  std::string_view partition;
};

/// Turns rows into jobs. Knows the columns of one file.
class TraceRowParser {
 public:
  TraceRowParser() = default;
  TraceRowParser(const TraceRowParser&) = delete;
  TraceRowParser& operator=(const TraceRowParser&) = delete;
  virtual ~TraceRowParser() = default;

  /// Views in the answer live as long as `row`. Errors: Corrupt with file:line and column.
  [[nodiscard]] virtual Result<TraceRow> parse(const table::Row& row) const = 0;
};

/// timestamp,duration,num_gpus,gpu_time,cluster: Philly (Jeon et al., ATC'19) as one CSV.
/// Error NotFound when a column is missing.
[[nodiscard]] Result<std::unique_ptr<TraceRowParser>> make_philly_parser(
    const table::Reader& reader);

/// job_id,num_gpu,submit_time,iterations,model_name,duration,interval: the simulator of Tiresias
/// (Gu et al., NSDI'19). Only num_gpu, submit_time and duration are required.
[[nodiscard]] Result<std::unique_ptr<TraceRowParser>> make_tiresias_parser(
    const table::Reader& reader);

/// "YYYY-MM-DD HH:MM:SS" as microseconds since 1970-01-01 in the same time zone, or nothing.
/// Fractions of a second are accepted down to microseconds; years 1970 to 9999.
[[nodiscard]] std::optional<std::int64_t> parse_timestamp_us(std::string_view text);

/// Number of GPUs of a row: an integer, also as "4.0", from 1 to kTraceGpusMax.
[[nodiscard]] Result<int> parse_gpus(const table::Row& row, const table::Column& column);

}  // namespace horus::sim
