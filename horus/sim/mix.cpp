// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/mix.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/table/csv.hpp"

namespace horus::sim {
namespace {

constexpr std::int64_t kBatchMax = 1'000'000;
constexpr std::int64_t kSequenceMax = 1'000'000;
constexpr double kRateMax = 1e12;
constexpr double kWeightMax = 1e9;
constexpr double kMemoryMax_mib = 1e7;

struct Columns {
  table::Column name, model, batch, sequence, precision, optimizer, attention, samples_per_second,
      weight, utilization, memory, compute_share;
};

Result<Columns> find_columns(const table::Reader& reader) {
  Columns c;
  const std::pair<table::Column*, std::string_view> wanted[] = {
      {&c.name, "name"},
      {&c.model, "model"},
      {&c.batch, "batch"},
      {&c.sequence, "sequence"},
      {&c.precision, "precision"},
      {&c.optimizer, "optimizer"},
      {&c.attention, "attention"},
      {&c.samples_per_second, "samples_per_second"},
      {&c.weight, "weight"},
      {&c.utilization, "true_utilization"},
      {&c.memory, "true_memory_mib"},
      {&c.compute_share, "true_compute_share"},
  };
  for (const auto& [column, name] : wanted) {
    HORUS_TRY(*column, reader.column(name));
  }
  return c;
}

/// An error of a cell's own parser, told as an error of the row.
template <class T>
Result<T> in_cell(Result<T> parsed, const table::Row& row, const table::Column& column) {
  if (parsed) return parsed;
  Error error = std::move(parsed).error();
  error.message = fmt::format("column '{}': {}", column.name, error.message);
  error.where = row.where();
  error.code = Errc::Corrupt;
  return tl::make_unexpected(std::move(error));
}

Result<TrainingSetup> read_setup(const table::Row& row, const Columns& c) {
  TrainingSetup setup;
  HORUS_TRY(setup.precision, in_cell(parse_precision(row.text(c.precision)), row, c.precision));
  HORUS_TRY(setup.optimizer, in_cell(parse_optimizer(row.text(c.optimizer)), row, c.optimizer));
  if (!row.text(c.attention).empty()) {
    HORUS_TRY(setup.attention, in_cell(parse_attention(row.text(c.attention)), row, c.attention));
  }
  if (!row.text(c.samples_per_second).empty()) {
    HORUS_TRY(setup.samples_per_second, row.number(c.samples_per_second, 1e-6, kRateMax));
  }
  return setup;
}

Result<ConfigTruth> read_truth(const table::Row& row, const Columns& c) {
  ConfigTruth truth;
  HORUS_TRY(truth.utilization, row.number(c.utilization, 1e-4, 1.0));
  HORUS_TRY(const double memory_mib, row.number(c.memory, 1.0, kMemoryMax_mib));
  truth.memory = Bytes{static_cast<std::int64_t>(memory_mib * 1024.0 * 1024.0)};
  HORUS_TRY(truth.compute_share, row.number(c.compute_share, 0.0, 1.0));
  return truth;
}

Result<MixEntry> read_entry(const table::Row& row, const Columns& c) {
  MixEntry entry;
  entry.name = row.text(c.name);
  if (entry.name.empty()) return tl::make_unexpected(row.bad_cell(c.name, "a name"));
  entry.model = row.text(c.model);
  if (entry.model.empty()) return tl::make_unexpected(row.bad_cell(c.model, "a zoo model"));
  HORUS_TRY(entry.batch, row.integer(c.batch, 1, kBatchMax));
  if (!row.text(c.sequence).empty()) {
    HORUS_TRY(entry.sequence, row.integer(c.sequence, 0, kSequenceMax));
  }
  HORUS_TRY(entry.weight, row.number(c.weight, 0.0, kWeightMax));
  HORUS_TRY(entry.setup, read_setup(row, c));
  HORUS_TRY(entry.truth, read_truth(row, c));
  return entry;
}

double weight_sum(const Mix& mix) {
  double sum = 0.0;
  for (const MixEntry& entry : mix.entries) sum += entry.weight;
  return sum;
}

}  // namespace

Result<Mix> parse_mix(std::string_view text, const std::string& source) {
  HORUS_TRY(table::Reader reader, table::Reader::open(text, source));
  HORUS_TRY(const Columns columns, find_columns(reader));
  Mix mix;
  std::vector<std::string> names;
  while (auto next = reader.next()) {
    HORUS_TRY(const table::Row row, std::move(*next));
    HORUS_TRY(MixEntry entry, read_entry(row, columns));
    const auto at = std::lower_bound(names.begin(), names.end(), entry.name);
    if (at != names.end() && *at == entry.name) {
      return tl::make_unexpected(row.bad_cell(columns.name, "a name that no row before it has"));
    }
    names.insert(at, entry.name);
    mix.entries.push_back(std::move(entry));
    if (mix.entries.size() > kMixEntriesMax) {
      return fail(Errc::Unsupported,
                  fmt::format("found more than {} configurations", kMixEntriesMax), row.where());
    }
  }
  if (weight_sum(mix) <= 0.0) {
    return fail(Errc::Corrupt, "found no configuration with a weight above 0", source);
  }
  return mix;
}

std::uint32_t draw_config(const Mix& mix, JobId job, const Rng& rng) {
  double left = rng.fork(job.value).uniform() * weight_sum(mix);
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < mix.entries.size(); ++i) {
    if (mix.entries[i].weight <= 0.0) continue;
    last = i;
    if (left < mix.entries[i].weight) break;
    left -= mix.entries[i].weight;
  }
  return last;
}

}  // namespace horus::sim
