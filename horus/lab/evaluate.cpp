// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/evaluate.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "horus/lab/parts.hpp"

namespace horus::lab {
namespace {

/// What a model is called bad at: one figure per quantity.
constexpr auto kWorstBy = std::to_array<std::string_view>({
    "mae_utilization_points",
    "mape_step_percent",
    "mape_memory_percent",
    "slowdown_mape_percent",
});

std::vector<Figure> figures_of(std::span<const Scores> draws, std::size_t models,
                               const BootstrapOptions& options) {
  std::vector<Figure> figures;
  std::vector<Statistic> statistics;
  const std::vector<double> once(models, 1.0);
  for (const Metric& metric : metrics()) {
    const std::size_t count = count_of(metric, draws.front());
    if (count == 0) continue;
    Statistic statistic = statistic_of(metric, draws);
    const auto value = statistic(once);
    if (!value) continue;
    figures.push_back({.metric = &metric, .value = *value, .confidence = {}, .count = count});
    statistics.push_back(std::move(statistic));
  }
  const auto intervals = bootstrap(statistics, models, options);
  for (std::size_t i = 0; i < figures.size(); ++i) figures[i].confidence = intervals[i];
  return figures;
}

std::size_t count_of_model(const Metric& metric, const Scores& scores, std::size_t model) {
  Scores own;
  std::ranges::copy_if(scores.rows, std::back_inserter(own.rows),
                       [model](const RowScore& score) { return score.model == model; });
  std::ranges::copy_if(scores.pairs, std::back_inserter(own.pairs),
                       [model](const PairScore& score) { return score.model == model; });
  return count_of(metric, own);
}

std::vector<ModelError> worst_models(std::span<const Scores> draws,
                                     std::span<const std::string> models, std::size_t most) {
  std::vector<ModelError> worst;
  for (const std::string_view key : kWorstBy) {
    const Metric& metric = metric_of(key);
    const Statistic statistic = statistic_of(metric, draws);
    std::vector<ModelError> errors;
    std::vector<double> weights(models.size(), 0.0);
    for (std::size_t i = 0; i < models.size(); ++i) {
      weights[i] = 1.0;
      const auto value = statistic(weights);
      weights[i] = 0.0;
      if (!value) continue;
      errors.push_back({.metric = &metric,
                        .model = models[i],
                        .value = *value,
                        .count = count_of_model(metric, draws.front(), i)});
    }
    // Models are in order of name, and the sort is stable: ties end in the name.
    std::ranges::stable_sort(errors, std::greater<>{}, &ModelError::value);
    if (errors.size() > most) errors.resize(most);
    worst.insert(worst.end(), errors.begin(), errors.end());
  }
  return worst;
}

std::size_t mean_rows(std::span<const Scores> draws) {
  std::size_t rows = 0;
  for (const Scores& scores : draws) rows += scores.rows.size();
  return rows / draws.size();
}

/// Judged in any draw.
std::set<const Row*> rows_of(std::span<const Scores> draws) {
  std::set<const Row*> rows;
  for (const Scores& scores : draws) {
    for (const RowScore& score : scores.rows) rows.insert(score.row);
  }
  return rows;
}

std::size_t families_of(const std::set<const Row*>& rows) {
  std::set<std::string_view> families;
  for (const Row* row : rows) families.insert(row->family);
  return families.size();
}

std::size_t pairs_of(const Scores& scores) {
  std::set<const Pair*> pairs;
  for (const PairScore& score : scores.pairs) pairs.insert(score.pair);
  return pairs.size();
}

}  // namespace

Judgement judge(std::span<const Scores> draws, std::span<const std::string> models,
                const JudgeOptions& options) {
  Judgement judgement;
  judgement.figures = figures_of(draws, models.size(), options.bootstrap);
  for (const Part& part : parts_of(draws)) {
    judgement.parts.push_back(
        {part.name, figures_of(part.draws, models.size(), options.bootstrap)});
  }
  judgement.worst = worst_models(draws, models, options.worst_models);
  if (options.against != nullptr) {
    judgement.differences =
        differences_of(draws.front(), *options.against, models.size(), options.bootstrap);
  }
  judgement.rows = mean_rows(draws);
  judgement.models = models.size();
  judgement.families = families_of(rows_of(draws));
  judgement.pairs = pairs_of(draws.front());
  return judgement;
}

}  // namespace horus::lab
