// SPDX-License-Identifier: Apache-2.0
#pragma once
// Means and percentiles of streams that may be long, in memory that does not grow with them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace horus::record {

/// Mean of what was added.
class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  void add(const Mean& other) {
    sum_ += other.sum_;
    count_ += other.count_;
  }
  /// Nothing where nothing was added.
  [[nodiscard]] std::optional<double> value() const {
    if (count_ == 0) return std::nullopt;
    return sum_ / static_cast<double>(count_);
  }

 private:
  double sum_{};
  std::int64_t count_{};
};

/// Whole percentages, as NVML gives them: a count for each, so that percentiles are exact.
class PercentCounts {
 public:
  /// `percent` is brought into 0..100.
  void add(unsigned percent);
  void add(const PercentCounts& other);
  [[nodiscard]] std::int64_t total() const { return total_; }
  [[nodiscard]] std::optional<double> mean() const;
  /// The smallest value that `share` (0 to 1) of the samples do not exceed.
  [[nodiscard]] std::optional<double> percentile(double share) const;

 private:
  std::array<std::int64_t, 101> counts_{};
  std::int64_t total_{};
};

/// Positive numbers of any size. Keeps all of the first 2^18, then every second, every fourth, ...,
/// so that percentiles of longer streams are those of an evenly spaced sample.
class SpacedSample {
 public:
  void add(double value);
  [[nodiscard]] std::size_t kept() const { return values_.size(); }
  /// The smallest value that `share` (0 to 1) of the kept values do not exceed.
  [[nodiscard]] std::optional<double> percentile(double share) const;

 private:
  std::vector<double> values_;
  std::int64_t stride_{1};
  std::int64_t seen_{};
};

}  // namespace horus::record
