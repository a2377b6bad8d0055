// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/traces/trace.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/sim/traces/trace_format.hpp"

namespace horus::sim {
namespace {

struct Format {
  std::string_view name;
  Result<std::unique_ptr<TraceRowParser>> (*make_parser)(const table::Reader&);
};

// In order of name. A new format is one file with its parser and one line here.
constexpr Format kFormats[] = {
    {"philly", make_philly_parser},
    {"tiresias", make_tiresias_parser},
};

/// A job and where it stands in time before the first arrival is known.
struct RawJob {
  std::int64_t arrival_us{};
  std::uint64_t line{};
  bool is_repeated{false};  ///< Its id belongs to an earlier row.
  TraceJob job;
};

class Collector {
 public:
  explicit Collector(const TraceOptions& options) : options_{options} {}

  Result<Done> take(Result<table::Row> row, const TraceRowParser& parser) {
    ++rows_;
    if (!row) return refuse(std::move(row).error());
    auto parsed = parser.parse(*row);
    if (!parsed) return refuse(std::move(parsed).error());
    note_partition(parsed->partition);
    const bool is_selected = options_.partition.empty() || parsed->partition == options_.partition;
    if (is_selected) add(*parsed, row->line());
    return Done{};
  }

  Result<Trace> finish(const std::string& source) && {
    HORUS_TRY_DONE(check_ids(source));
    if (jobs_.empty()) return no_jobs(source);
    const auto earlier = [](const RawJob& a, const RawJob& b) {
      return a.arrival_us != b.arrival_us ? a.arrival_us < b.arrival_us : a.job.row < b.job.row;
    };
    std::sort(jobs_.begin(), jobs_.end(), earlier);
    const std::int64_t first_us = jobs_.front().arrival_us;
    trace_.jobs.reserve(jobs_.size());
    for (RawJob& raw : jobs_) {
      if (raw.arrival_us - first_us > from_seconds(kTraceSecondsMax).count()) {
        HORUS_TRY_DONE(refuse(too_late(raw, first_us, source)));
        continue;
      }
      raw.job.arrival = TimePoint{Duration{raw.arrival_us - first_us}};
      trace_.jobs.push_back(std::move(raw.job));
    }
    return std::move(trace_);
  }

 private:
  struct IdUse {
    std::uint64_t id{};
    std::size_t job{};
  };

  void add(const TraceRow& row, std::uint64_t line) {
    RawJob raw;
    raw.arrival_us = row.arrival_us;
    raw.line = line;
    raw.job.id = JobId{row.has_id ? row.id : rows_};
    raw.job.row = rows_;
    raw.job.duration = row.duration;
    raw.job.gpus = row.gpus;
    raw.job.model = row.model;
    raw.job.partition = row.partition;
    ids_.push_back(IdUse{raw.job.id.value, jobs_.size()});
    jobs_.push_back(std::move(raw));
  }

  Result<Done> refuse(Error error) {
    const bool is_one_row = error.code == Errc::Corrupt;
    if (options_.bad_rows == BadRows::Fail || !is_one_row) return tl::make_unexpected(error);
    if (trace_.rows_skipped++ == 0) trace_.first_skipped = error.text();
    return Done{};
  }

  void note_partition(std::string_view name) {
    if (options_.partition.empty() || name.empty()) return;
    const auto at = std::lower_bound(partitions_.begin(), partitions_.end(), name);
    if (at != partitions_.end() && *at == name) return;
    if (partitions_.size() < kPartitionsRemembered) partitions_.emplace(at, name);
  }

  /// An id that occurs again is a bad row: the job that came first in the file keeps it.
  Result<Done> check_ids(const std::string& source) {
    std::sort(ids_.begin(), ids_.end(), [](const IdUse& a, const IdUse& b) {
      return a.id != b.id ? a.id < b.id : a.job < b.job;
    });
    for (std::size_t i = 1; i < ids_.size(); ++i) {
      if (ids_[i].id != ids_[i - 1].id) continue;
      HORUS_TRY_DONE(
          refuse(Error{Errc::Corrupt,
                       fmt::format("column 'job_id': found {} again, expected an id that "
                                   "no row before it has (line {} has it)",
                                   ids_[i].id, jobs_[ids_[i - 1].job].line),
                       fmt::format("{}:{}", source, jobs_[ids_[i].job].line)}));
      jobs_[ids_[i].job].is_repeated = true;
    }
    std::erase_if(jobs_, [](const RawJob& raw) { return raw.is_repeated; });
    return Done{};
  }

  static Error too_late(const RawJob& raw, std::int64_t first_us, const std::string& source) {
    return Error{Errc::Corrupt,
                 fmt::format("the job arrives {:.0f} s after the first, expected at most {:g} s",
                             to_seconds(Duration{raw.arrival_us - first_us}), kTraceSecondsMax),
                 fmt::format("{}:{}", source, raw.line)};
  }

  [[nodiscard]] tl::unexpected<Error> no_jobs(const std::string& source) const {
    if (!options_.partition.empty()) {
      return fail(Errc::NotFound,
                  partitions_.empty()
                      ? "the trace names no partitions; leave the selection out"
                      : fmt::format("found no job in partition '{}'; the first of {} is '{}'.{}",
                                    printable(options_.partition), partitions_.size(),
                                    printable(partitions_.front()),
                                    did_you_mean(options_.partition, partitions_)),
                  source);
    }
    return fail(Errc::Corrupt,
                trace_.rows_skipped == 0
                    ? std::string{"found no job, expected at least one row below the header"}
                    : fmt::format("found no usable row; {} were skipped, the first because of {}",
                                  trace_.rows_skipped, trace_.first_skipped),
                source);
  }

  /// Names beyond this are not offered as the nearest one; it bounds the cost of a hostile file.
  static constexpr std::size_t kPartitionsRemembered = 4096;

  const TraceOptions& options_;
  Trace trace_;
  std::vector<RawJob> jobs_;
  std::vector<IdUse> ids_;
  std::vector<std::string> partitions_;  ///< Sorted, distinct.
  std::uint64_t rows_{};
};

}  // namespace

std::vector<std::string> trace_formats() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

Result<Trace> read_trace(std::string_view format, std::string_view text, const std::string& source,
                         const TraceOptions& options) {
  const auto* const known = std::find_if(std::begin(kFormats), std::end(kFormats),
                                         [&](const Format& f) { return f.name == format; });
  if (known == std::end(kFormats)) {
    const std::vector<std::string> names = trace_formats();
    return fail(Errc::NotFound,
                fmt::format("unknown trace format '{}', expected one of {}.{}", printable(format),
                            fmt::join(names, ", "), did_you_mean(format, names)));
  }
  HORUS_TRY(table::Reader reader, table::Reader::open(text, source));
  HORUS_TRY(const auto parser, known->make_parser(reader));
  Collector collector{options};
  while (auto row = reader.next()) {
    HORUS_TRY_DONE(collector.take(std::move(*row), *parser));
  }
  return std::move(collector).finish(source);
}

}  // namespace horus::sim
