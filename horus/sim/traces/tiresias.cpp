// SPDX-License-Identifier: Apache-2.0
// Traces of the Tiresias simulator: job_id,num_gpu,submit_time,iterations,model_name,duration,
// interval; times in seconds. Source: Gu et al., "Tiresias: A GPU Cluster Manager for Distributed
// Deep Learning", NSDI 2019 (SymbioticLab/Tiresias, Apache-2.0).

#include <cstdint>
#include <optional>

#include "horus/sim/traces/trace_format.hpp"

namespace horus::sim {
namespace {

class TiresiasParser final : public TraceRowParser {
 public:
  struct Columns {
    table::Column gpus, submit_time, duration;
    std::optional<table::Column> id, model;
  };

  explicit TiresiasParser(const Columns& columns) : columns_{columns} {}

  Result<TraceRow> parse(const table::Row& row) const override {
    TraceRow job;
    HORUS_TRY(const double submitted, row.number(columns_.submit_time, 0.0, kTraceSecondsMax));
    job.arrival_us = from_seconds(submitted).count();
    HORUS_TRY(const double seconds, row.number(columns_.duration, 0.0, kTraceSecondsMax));
    job.duration = from_seconds(seconds);
    HORUS_TRY(job.gpus, parse_gpus(row, columns_.gpus));
    if (columns_.id) {
      HORUS_TRY(const std::int64_t id, row.integer(*columns_.id, 0, INT64_MAX));
      job.id = static_cast<std::uint64_t>(id);
      job.has_id = true;
    }
    if (columns_.model) job.model = row.text(*columns_.model);
    return job;
  }

 private:
  Columns columns_;
};

}  // namespace

Result<std::unique_ptr<TraceRowParser>> make_tiresias_parser(const table::Reader& reader) {
  TiresiasParser::Columns columns;
  HORUS_TRY(columns.gpus, reader.column("num_gpu"));
  HORUS_TRY(columns.submit_time, reader.column("submit_time"));
  HORUS_TRY(columns.duration, reader.column("duration"));
  columns.id = reader.find_column("job_id");
  columns.model = reader.find_column("model_name");
  return std::unique_ptr<TraceRowParser>{std::make_unique<TiresiasParser>(columns)};
}

}  // namespace horus::sim
