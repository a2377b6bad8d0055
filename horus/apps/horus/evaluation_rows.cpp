// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/evaluation_rows.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace horus::apps {
namespace {

constexpr double kBytesPerMib = 1024.0 * 1024.0;

std::optional<wire::FigureRange> range_of(const std::optional<lab::Confidence>& confidence) {
  if (!confidence) return std::nullopt;
  return wire::FigureRange{confidence->low, confidence->high};
}

wire::FigureRow figure_row(const lab::Figure& figure) {
  return {.key = std::string{figure.metric->key},
          .unit = std::string{figure.metric->unit},
          .value = figure.value,
          .range = range_of(figure.confidence),
          .count = static_cast<std::int64_t>(figure.count)};
}

/// Every metric, with or without a value, so that all reports have the same keys.
std::vector<wire::FigureRow> figure_rows(const lab::Judgement& judgement) {
  std::vector<wire::FigureRow> rows;
  for (const lab::Metric& metric : lab::metrics()) {
    const auto found = std::ranges::find(judgement.figures, &metric, &lab::Figure::metric);
    if (found != judgement.figures.end()) {
      rows.push_back(figure_row(*found));
    } else {
      rows.push_back({.key = std::string{metric.key},
                      .unit = std::string{metric.unit},
                      .value = {},
                      .range = {}});
    }
  }
  return rows;
}

std::vector<wire::PartRow> part_rows(const lab::Judgement& judgement) {
  std::vector<wire::PartRow> rows;
  for (const lab::PartFigures& part : judgement.parts) {
    wire::PartRow row{.name = part.name, .figures = {}};
    for (const lab::Figure& figure : part.figures) row.figures.push_back(figure_row(figure));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// A quantity that is measured and predicted of a job alone.
struct Quantity {
  const char* name;
  const char* unit;
  double scale;  ///< From what methods speak to the unit.
  std::optional<double> (*measured)(const lab::Measured&);
  std::optional<Interval> (*predicted)(const lab::Guess&);
};

Interval mib(const MemoryPrediction& memory) {
  return {as_double(memory.expected) / kBytesPerMib, as_double(memory.low) / kBytesPerMib,
          as_double(memory.high) / kBytesPerMib};
}

constexpr auto kQuantities = std::to_array<Quantity>({
    {"utilization", "%", 100.0, [](const lab::Measured& m) { return m.utilization; },
     [](const lab::Guess& g) { return g.utilization; }},
    {"step time", "ms", 1e3, [](const lab::Measured& m) { return m.step_s; },
     [](const lab::Guess& g) { return g.step_s; }},
    {"memory", "MiB", 1.0,
     [](const lab::Measured& m) {
       return m.out_of_memory ? std::optional<double>{} : m.memory_mib;
     },
     [](const lab::Guess& g) {
       return g.memory ? std::optional{mib(*g.memory)} : std::optional<Interval>{};
     }},
});

wire::PredictedRow row_of(const lab::Row& row, const Quantity& quantity, double measured,
                          const Interval& predicted) {
  return {.id = row.id,
          .model = row.model,
          .family = row.family,
          .gpu = row.gpu,
          .quantity = quantity.name,
          .unit = quantity.unit,
          .measured = measured * quantity.scale,
          .expected = predicted.expected * quantity.scale,
          .low = predicted.low * quantity.scale,
          .high = predicted.high * quantity.scale};
}

void add_slowdowns(std::vector<wire::PredictedRow>& rows, const lab::PairScore& score,
                   const std::string& model) {
  const std::array<double, 2> measured{score.pair->slowdown_first, score.pair->slowdown_second};
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const Interval& slowdown = score.guess.slowdowns[i];
    rows.push_back({.id = fmt::format("{}/{}", score.pair->id, i + 1),
                    .model = model,
                    .family = {},
                    .gpu = score.gpu,
                    .quantity = "slowdown",
                    .unit = "",
                    .measured = measured[i],
                    .expected = slowdown.expected,
                    .low = slowdown.low,
                    .high = slowdown.high});
  }
}

std::vector<wire::PredictedRow> predicted_rows(const lab::Scores& scores,
                                               const std::vector<std::string>& models) {
  std::vector<wire::PredictedRow> rows;
  for (const lab::RowScore& score : scores.rows) {
    for (const Quantity& quantity : kQuantities) {
      const auto measured = quantity.measured(score.row->measured);
      const auto predicted = quantity.predicted(score.guess);
      if (measured && predicted) {
        rows.push_back(row_of(*score.row, quantity, *measured, *predicted));
      }
    }
  }
  for (const lab::PairScore& score : scores.pairs) add_slowdowns(rows, score, models[score.model]);
  return rows;
}

std::vector<wire::WorstModelRow> worst_rows(const lab::Judgement& judgement) {
  std::vector<wire::WorstModelRow> rows;
  for (const lab::ModelError& error : judgement.worst) {
    rows.push_back({.key = std::string{error.metric->key},
                    .unit = std::string{error.metric->unit},
                    .model = error.model,
                    .value = error.value,
                    .count = static_cast<std::int64_t>(error.count)});
  }
  return rows;
}

std::vector<wire::DifferenceRow> difference_rows(const lab::Judgement& judgement) {
  std::vector<wire::DifferenceRow> rows;
  for (const lab::Difference& difference : judgement.differences) {
    rows.push_back({.key = std::string{difference.metric->key},
                    .unit = std::string{difference.metric->unit},
                    .ours = difference.ours,
                    .theirs = difference.theirs,
                    .range = range_of(difference.confidence),
                    .count = static_cast<std::int64_t>(difference.count)});
  }
  return rows;
}

}  // namespace

wire::ProtocolRow protocol_row(const lab::ProtocolRule& rule, const lab::ProtocolRun& run,
                               const std::vector<std::string>& models,
                               const lab::Judgement& judgement) {
  return {.name = std::string{rule.name},
          .summary = std::string{rule.summary},
          .skipped = {},
          .rows = static_cast<std::int64_t>(judgement.rows),
          .models = static_cast<std::int64_t>(judgement.models),
          .families = static_cast<std::int64_t>(judgement.families),
          .pairs = static_cast<std::int64_t>(judgement.pairs),
          .fits = static_cast<std::int64_t>(run.folds),
          .figures = figure_rows(judgement),
          .parts = part_rows(judgement),
          .worst = worst_rows(judgement),
          .against = difference_rows(judgement),
          .predicted = predicted_rows(run.draws.front(), models),
          .notes = run.notes};
}

wire::ProtocolRow skipped_row(const lab::ProtocolRule& rule, const Error& reason) {
  wire::ProtocolRow row;
  row.name = rule.name;
  row.summary = rule.summary;
  row.skipped = reason.message;
  return row;
}

std::vector<wire::LeftOutRow> left_out_rows(const std::vector<lab::Unmapped>& rows) {
  std::vector<wire::LeftOutRow> out;
  for (const lab::Unmapped& row : rows) {
    out.push_back({row.model, static_cast<std::int64_t>(row.rows), row.reason});
  }
  return out;
}

}  // namespace horus::apps
