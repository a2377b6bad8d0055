// SPDX-License-Identifier: Apache-2.0
#pragma once
// How far a figure can be trusted: the same figure over models drawn again and again.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace horus::lab {

/// A figure over models of the given weights (how often each was drawn, by index); nothing where
/// these weights leave nothing to judge.
using Statistic = std::function<std::optional<double>(std::span<const double> weights)>;

/// The middle 95 % of a figure over resamples.
struct Confidence {
  double low{};
  double high{};
};

struct BootstrapOptions {
  std::size_t resamples{1000};
  std::uint64_t seed{1};
};

/// Draws `models` of `models` with replacement, `resamples` times, and judges each of `statistics`
/// on the same draws (Efron, "Bootstrap Methods", Annals of Statistics 1979; percentile intervals).
/// Rows of one model are no independent evidence, so models are drawn, never rows.
///   Nothing for a statistic that half of the draws or more leave undefined, and for one model.
/// Cost: resamples x statistics.
[[nodiscard]] std::vector<std::optional<Confidence>> bootstrap(
    std::span<const Statistic> statistics, std::size_t models,
    const BootstrapOptions& options = {});

}  // namespace horus::lab
