// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/world/progress.hpp"

#include <algorithm>
#include <cmath>

namespace horus::sim {
namespace {

// About 127,000 years: half of what the clock can count, so that no sum of two times overflows.
constexpr double kHorizon_us = 4.0e18;

double count_of(Duration duration) { return static_cast<double>(duration.count()); }

}  // namespace

void Progress::start(TimePoint now, double step_ratio) {
  run_start_ = now;
  advanced_to_ = now;
  checkpoint_ = now;
  run_done_us_ = done_us_;
  checkpoint_done_us_ = done_us_;
  step_ratio_ = step_ratio;
  pace_ = 0.0;
}

void Progress::set_pace(TimePoint now, double pace, std::optional<Duration> checkpoint_interval) {
  advance(now, checkpoint_interval);
  pace_ = pace;
}

void Progress::advance(TimePoint now, std::optional<Duration> checkpoint_interval) {
  if (pace_ > 0.0) {
    if (checkpoint_interval) {
      const auto checkpoints = (now - run_start_) / *checkpoint_interval;
      const TimePoint latest = run_start_ + checkpoints * *checkpoint_interval;
      if (latest > advanced_to_) {
        checkpoint_ = latest;
        checkpoint_done_us_ = done_us_ + count_of(latest - advanced_to_) / pace_;
      }
    }
    done_us_ = std::min(done_us_ + count_of(now - advanced_to_) / pace_, count_of(total_));
    checkpoint_done_us_ = std::min(checkpoint_done_us_, done_us_);
  }
  advanced_to_ = now;
}

std::optional<TimePoint> Progress::finish_time() const {
  const double left_us = (count_of(total_) - done_us_) * pace_;
  if (left_us + count_of(advanced_to_.time_since_epoch()) > kHorizon_us) return std::nullopt;
  const bool is_untouched = done_us_ == 0.0 && pace_ == 1.0;
  return advanced_to_ + (is_untouched ? total_ : Duration{std::llround(left_us)});
}

void Progress::finish(TimePoint now) {
  held_ += now - run_start_;
  solo_us_ += (count_of(total_) - run_done_us_) * step_ratio_;
  done_us_ = count_of(total_);
}

Duration Progress::die(TimePoint now, std::optional<Duration> checkpoint_interval) {
  advance(now, checkpoint_interval);
  const Duration lost = now - checkpoint_;
  held_ += now - run_start_;
  lost_ += lost;
  solo_us_ += (checkpoint_done_us_ - run_done_us_) * step_ratio_;
  done_us_ = checkpoint_done_us_;
  return lost;
}

double Progress::slowdown() const {
  if (solo_us_ <= 0.0) return 1.0;
  return count_of(held_ - lost_) / solo_us_;
}

}  // namespace horus::sim
