// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/against.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/table/csv.hpp"

namespace horus::lab {
namespace {

constexpr double kBytesPerMib = 1024.0 * 1024.0;

/// A column that may be missing, of numbers that may be.
struct OptionalColumn {
  std::optional<table::Column> column;
  double max{};
  std::optional<double> OtherPrediction::*target{};
};

Result<Done> read_cell(const table::Row& row, const OptionalColumn& from, OtherPrediction& to) {
  if (!from.column || row.text(*from.column).empty()) return Done{};
  HORUS_TRY(to.*from.target, row.number(*from.column, 0.0, from.max));
  return Done{};
}

Interval exactly(double value) { return {value, value, value}; }

Guess guess_of(const OtherPrediction& other) {
  Guess guess;
  if (other.utilization) guess.utilization = exactly(*other.utilization);
  if (other.step_s) guess.step_s = exactly(*other.step_s);
  if (other.memory_mib) {
    const Bytes bytes{static_cast<std::int64_t>(std::llround(*other.memory_mib * kBytesPerMib))};
    guess.memory = MemoryPrediction{bytes, bytes, bytes, bytes};
  }
  return guess;
}

/// The rows for which `metric` can be computed on both sides.
struct Paired {
  Scores ours;
  Scores theirs;
};

Paired paired(const Metric& metric, const Scores& ours, const OtherPredictions& theirs) {
  Paired rows;
  for (const RowScore& score : ours.rows) {
    const auto found = theirs.find(score.row->id);
    if (found == theirs.end()) continue;
    RowScore other{.model = score.model, .row = score.row, .guess = guess_of(found->second)};
    if (!metric.of_row(score) || !metric.of_row(other)) continue;
    rows.ours.rows.push_back(score);
    rows.theirs.rows.push_back(std::move(other));
  }
  return rows;
}

/// A point is no interval and no bound: only errors of expected values can be compared.
constexpr std::string_view kCompared[] = {"rmsle_utilization_percent", "mae_utilization_points",
                                          "mape_step_percent", "mape_memory_percent"};

}  // namespace

Result<OtherPredictions> read_predictions(std::string_view text, std::string source) {
  constexpr double kMost = 1e12;
  HORUS_TRY(table::Reader reader, table::Reader::open(text, std::move(source)));
  HORUS_TRY(const table::Column id, reader.column("id"));
  const OptionalColumn columns[] = {
      {reader.find_column("utilization"), 1.0, &OtherPrediction::utilization},
      {reader.find_column("step_s"), kMost, &OtherPrediction::step_s},
      {reader.find_column("memory_mib"), kMost, &OtherPrediction::memory_mib}};
  const auto is_missing = [](const OptionalColumn& from) { return !from.column.has_value(); };
  if (std::ranges::all_of(columns, is_missing)) {
    return fail(
        Errc::NotFound,
        "found none of the columns utilization, step_s and memory_mib, expected one or more",
        reader.source());
  }
  OtherPredictions predictions;
  while (auto next = reader.next()) {
    HORUS_TRY(const table::Row row, std::move(*next));
    OtherPrediction prediction;
    for (const OptionalColumn& column : columns) {
      HORUS_TRY_DONE(read_cell(row, column, prediction));
    }
    if (!predictions.emplace(std::string{row.text(id)}, prediction).second) {
      return fail(Errc::Corrupt, fmt::format("id {} occurs twice", printable(row.text(id))),
                  row.where());
    }
  }
  return predictions;
}

std::vector<Difference> differences_of(const Scores& ours, const OtherPredictions& theirs,
                                       std::size_t models, const BootstrapOptions& options) {
  std::vector<Difference> differences;
  std::vector<Statistic> statistics;
  const std::vector<double> once(models, 1.0);
  for (const std::string_view key : kCompared) {
    const Metric& metric = metric_of(key);
    const Paired rows = paired(metric, ours, theirs);
    if (rows.ours.rows.empty()) continue;
    Statistic own = statistic_of(metric, std::span{&rows.ours, 1});
    Statistic other = statistic_of(metric, std::span{&rows.theirs, 1});
    differences.push_back({.metric = &metric,
                           .ours = own(once).value_or(0.0),
                           .theirs = other(once).value_or(0.0),
                           .confidence = {},
                           .count = rows.ours.rows.size()});
    statistics.push_back([own = std::move(own), other = std::move(other)](
                             std::span<const double> weights) -> std::optional<double> {
      const auto a = own(weights);
      const auto b = other(weights);
      return a && b ? std::optional{*a - *b} : std::nullopt;
    });
  }
  const auto intervals = bootstrap(statistics, models, options);
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i].confidence = intervals[i];
  return differences;
}

}  // namespace horus::lab
