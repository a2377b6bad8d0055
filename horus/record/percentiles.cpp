// SPDX-License-Identifier: Apache-2.0
#include "horus/record/percentiles.hpp"

#include <algorithm>
#include <cmath>

namespace horus::record {
namespace {

/// How many of `total` values lie at or below the percentile: at least one. `total` is above 0.
std::int64_t rank_of(double share, std::int64_t total) {
  // 0.95 is a little more in binary: 95 % of 20 must be the 19th value and not the 20th.
  constexpr double kRoundingError = 1e-9;
  const double rank = std::ceil(share * static_cast<double>(total) - kRoundingError);
  return std::clamp(static_cast<std::int64_t>(rank), std::int64_t{1}, total);
}

}  // namespace

void PercentCounts::add(unsigned percent) {
  ++counts_[std::min<std::size_t>(percent, counts_.size() - 1)];
  ++total_;
}

void PercentCounts::add(const PercentCounts& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  total_ += other.total_;
}

std::optional<double> PercentCounts::mean() const {
  if (total_ == 0) return std::nullopt;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) sum += static_cast<std::int64_t>(i) * counts_[i];
  return static_cast<double>(sum) / static_cast<double>(total_);
}

std::optional<double> PercentCounts::percentile(double share) const {
  if (total_ == 0) return std::nullopt;
  std::int64_t left = rank_of(share, total_);
  std::size_t value = 0;
  while (left > counts_[value]) left -= counts_[value++];
  return static_cast<double>(value);
}

void SpacedSample::add(double value) {
  constexpr std::size_t kKeptMax = std::size_t{1} << 18U;
  if (seen_++ % stride_ != 0) return;
  if (values_.size() == kKeptMax) {
    for (std::size_t i = 0; 2 * i < values_.size(); ++i) values_[i] = values_[2 * i];
    values_.resize(kKeptMax / 2);
    stride_ *= 2;
    // The value at hand is the kKeptMax-th of the old stride: even, so the new stride has it too.
  }
  values_.push_back(value);
}

std::optional<double> SpacedSample::percentile(double share) const {
  if (values_.empty()) return std::nullopt;
  std::vector<double> ordered = values_;
  const auto rank = rank_of(share, static_cast<std::int64_t>(ordered.size()));
  const auto at = ordered.begin() + (rank - 1);
  std::ranges::nth_element(ordered, at);
  return *at;
}

}  // namespace horus::record
