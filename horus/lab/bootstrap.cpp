// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/bootstrap.hpp"

#include <algorithm>
#include <cmath>

#include "horus/base/rng.hpp"

namespace horus::lab {
namespace {

/// How often each model is drawn.
void draw_models(std::span<double> weights, Rng rng) {
  std::ranges::fill(weights, 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[rng.below(weights.size())] += 1.0;
}

/// Quantile of ascending values, interpolated between order statistics.
double quantile_of(std::span<const double> sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(at));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - std::floor(at)) * (sorted[above] - sorted[below]);
}

}  // namespace

std::vector<std::optional<Confidence>> bootstrap(std::span<const Statistic> statistics,
                                                 std::size_t models,
                                                 const BootstrapOptions& options) {
  std::vector<std::optional<Confidence>> out(statistics.size());
  if (models < 2) return out;
  const Rng rng{options.seed};
  std::vector<double> weights(models);
  std::vector<std::vector<double>> drawn(statistics.size());
  for (std::size_t i = 0; i < options.resamples; ++i) {
    draw_models(weights, rng.fork(i));
    for (std::size_t s = 0; s < statistics.size(); ++s) {
      if (const auto value = statistics[s](weights)) drawn[s].push_back(*value);
    }
  }
  for (std::size_t s = 0; s < statistics.size(); ++s) {
    if (2 * drawn[s].size() <= options.resamples) continue;
    std::ranges::sort(drawn[s]);
    out[s] = Confidence{quantile_of(drawn[s], 0.025), quantile_of(drawn[s], 0.975)};
  }
  return out;
}

}  // namespace horus::lab
