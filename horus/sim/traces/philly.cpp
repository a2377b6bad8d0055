// SPDX-License-Identifier: Apache-2.0
// The Philly trace as one CSV: timestamp,duration,num_gpus,gpu_time,cluster.
// Source of the data: Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN
// Training Workloads", USENIX ATC 2019 (msr-fiddle/philly-traces, CC BY 4.0).

#include <chrono>
#include <optional>

#include "horus/base/text.hpp"
#include "horus/sim/traces/trace_format.hpp"

namespace horus::sim {
namespace {

/// The digits of `text` as a number, or nothing if anything else is among them.
std::optional<int> digits(std::string_view text) {
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

/// ".25" as 250,000; "" as 0.
std::optional<std::int64_t> fraction_us(std::string_view text) {
  if (text.empty()) return 0;
  if (text.front() != '.' || text.size() < 2 || text.size() > 7) return std::nullopt;
  auto value = digits(text.substr(1));
  for (std::size_t i = text.size(); value && i < 7; ++i) *value *= 10;
  return value;
}

class PhillyParser final : public TraceRowParser {
 public:
  struct Columns {
    table::Column timestamp, duration, gpus;
    std::optional<table::Column> gpu_time, partition;
  };

  explicit PhillyParser(const Columns& columns) : columns_{columns} {}

  Result<TraceRow> parse(const table::Row& row) const override {
    TraceRow job;
    const auto arrival = parse_timestamp_us(row.text(columns_.timestamp));
    if (!arrival) {
      return tl::make_unexpected(
          row.bad_cell(columns_.timestamp, "a time such as 2017-10-09 07:01:55"));
    }
    job.arrival_us = *arrival;
    HORUS_TRY(const double seconds, row.number(columns_.duration, 0.0, kTraceSecondsMax));
    job.duration = from_seconds(seconds);
    HORUS_TRY(job.gpus, parse_gpus(row, columns_.gpus));
    if (columns_.gpu_time) {  // Not used, but a row that is broken here is broken.
      HORUS_TRY_DONE(row.number(*columns_.gpu_time, 0.0, kTraceSecondsMax * kTraceGpusMax));
    }
    if (columns_.partition) job.partition = row.text(*columns_.partition);
    return job;
  }

 private:
  Columns columns_;
};

}  // namespace

std::optional<std::int64_t> parse_timestamp_us(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00 00:00:00";
  if (text.size() < kShape.size()) return std::nullopt;
  for (const std::size_t i : {4U, 7U, 10U, 13U, 16U}) {
    if (text[i] != kShape[i]) return std::nullopt;
  }
  const auto year = digits(text.substr(0, 4));
  const auto month = digits(text.substr(5, 2));
  const auto day = digits(text.substr(8, 2));
  const auto hour = digits(text.substr(11, 2));
  const auto minute = digits(text.substr(14, 2));
  const auto second = digits(text.substr(17, 2));
  const auto fraction = fraction_us(text.substr(kShape.size()));
  if (!year || !month || !day || !hour || !minute || !second || !fraction) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok() || *year < 1970 || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  const std::int64_t days = std::chrono::local_days{date}.time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + *hour) * 60 + *minute) * 60 + *second;
  return seconds * 1'000'000 + *fraction;
}

Result<int> parse_gpus(const table::Row& row, const table::Column& column) {
  const auto gpus = parse_number(row.text(column));
  if (!gpus || *gpus < 1 || *gpus > kTraceGpusMax || *gpus != static_cast<int>(*gpus)) {
    return tl::make_unexpected(row.bad_cell(column, "a number of GPUs from 1 to 1000000"));
  }
  return static_cast<int>(*gpus);
}

Result<std::unique_ptr<TraceRowParser>> make_philly_parser(const table::Reader& reader) {
  PhillyParser::Columns columns;
  HORUS_TRY(columns.timestamp, reader.column("timestamp"));
  HORUS_TRY(columns.duration, reader.column("duration"));
  HORUS_TRY(columns.gpus, reader.column("num_gpus"));
  columns.gpu_time = reader.find_column("gpu_time");
  columns.partition = reader.find_column("cluster");
  return std::unique_ptr<TraceRowParser>{std::make_unique<PhillyParser>(columns)};
}

}  // namespace horus::sim
