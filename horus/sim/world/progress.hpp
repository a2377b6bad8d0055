// SPDX-License-Identifier: Apache-2.0
#pragma once
// How far one job has come, through runs, changes of pace, checkpoints and deaths.

#include <optional>

#include "horus/base/time.hpp"

namespace horus::sim {

/// Work is counted in microseconds of solo service on the reference GPU.
class Progress {
 public:
  explicit Progress(Duration total) : total_{total} {}

  /// A run begins. `step_ratio`: step time here alone / on the reference GPU, of the slowest task.
  void start(TimePoint now, double step_ratio);

  /// From now on a unit of work takes `pace` units of time. Requires a run and pace > 0.
  void set_pace(TimePoint now, double pace, std::optional<Duration> checkpoint_interval);

  /// When the job will finish at this pace, or nothing when that is beyond what can be counted.
  /// Exact for a job that runs from start to end at one pace of 1: start + duration.
  [[nodiscard]] std::optional<TimePoint> finish_time() const;

  /// The run ends because the work is done.
  void finish(TimePoint now);

  /// The run ends in a death: falls back to the last checkpoint of this run, or to the run's
  /// beginning. Returns the time whose work is lost.
  Duration die(TimePoint now, std::optional<Duration> checkpoint_interval);

  /// Time holding GPUs, all runs so far.
  [[nodiscard]] Duration held() const { return held_; }
  /// Part of held() whose work was lost.
  [[nodiscard]] Duration lost() const { return lost_; }
  /// What the work that was kept takes alone on the GPUs it ran on.
  [[nodiscard]] double solo_us() const { return solo_us_; }
  /// (held - lost) / solo time. 1 for a job without work.
  [[nodiscard]] double slowdown() const;

 private:
  void advance(TimePoint now, std::optional<Duration> checkpoint_interval);

  Duration total_;
  double done_us_{};  ///< Work, at advanced_to_.
  double pace_{};     ///< 0 before the first set_pace() of a run.
  TimePoint advanced_to_;
  TimePoint run_start_;
  double step_ratio_{1.0};
  double run_done_us_{};         ///< Work at run_start_.
  TimePoint checkpoint_;         ///< Last moment of this run whose work is safe.
  double checkpoint_done_us_{};  ///< Work at checkpoint_.
  Duration held_{};
  Duration lost_{};
  double solo_us_{};
};

}  // namespace horus::sim
