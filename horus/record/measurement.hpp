// SPDX-License-Identifier: Apache-2.0
#pragma once
// What samples of GPUs and the steps of a program add up to, in memory that does not grow with the
// length of the run. Which time counts is decided here.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "horus/base/quantity.hpp"
#include "horus/base/time.hpp"
#include "horus/record/percentiles.hpp"

namespace horus::record {

/// One look at one GPU. Absent: the driver did not say.
struct GpuSample {
  std::optional<unsigned> util_percent;          ///< Of the device, 0 to 100.
  std::optional<unsigned> memutil_percent;       ///< Time its memory was busy, 0 to 100.
  std::optional<unsigned> process_util_percent;  ///< Of the job's processes together.
  std::optional<Bytes> device_memory;            ///< In use, by whomever.
  std::optional<Bytes> process_memory;           ///< Of the job's processes together.
  std::optional<double> power_w;
  std::optional<double> sm_active;  ///< Shares, 0 to 1, of the device since the last look.
  std::optional<double> sm_occupancy;
  std::optional<double> dram_active;
  std::optional<double> energy_j;         ///< Counted since some time in the past.
  std::optional<bool> job_is_there;       ///< A process of the job is on the GPU.
  std::optional<std::int64_t> strangers;  ///< Processes on the GPU that are not the job's.
  bool may_have_strangers{};  ///< There are processes of which nobody knows whose they are.
  bool mps{};                 ///< The job is a client of MPS.
};

/// Whose utilization or memory a number is.
enum class Scope { Process, Device };

/// What is known of one GPU in the end.
struct GpuSummary {
  std::optional<double> util_mean;  ///< Percent, as the next two.
  std::optional<double> util_p50;
  std::optional<double> util_p95;
  std::optional<Scope> util_scope;
  std::optional<double> device_util_mean;   ///< Percent.
  std::optional<double> process_util_mean;  ///< Percent.
  std::optional<double> memutil_mean;       ///< Percent, of the device.
  std::optional<Bytes> mem_peak;            ///< Over the whole run.
  std::optional<Scope> mem_scope;
  std::optional<double> power_w;
  std::optional<double> sm_active;  ///< Shares, 0 to 1, of the device, as the next two.
  std::optional<double> sm_occupancy;
  std::optional<double> dram_active;
  std::optional<double> energy_j;  ///< Over the whole run.
  std::int64_t samples{};          ///< That count.
  bool job_was_there{};
  bool mps{};
  std::optional<std::int64_t> strangers;  ///< The most at any time.
};

/// The time that counts.
enum class Window {
  Steps,   ///< From the first step behind the warm-up to the last one.
  GpuUse,  ///< From the job's first use of a GPU and the warm-up, to the end.
  Run,     ///< From the start and the warm-up, to the end: nobody said when the job used a GPU.
};

struct StepSummary {
  std::int64_t steps{};
  double mean_ms{};
  double p50_ms{};  ///< Of the intervals between marks, each divided by its steps.
  double p95_ms{};
};

struct Summary {
  Window window{};
  std::optional<Duration> dropped;   ///< From the start of the run to that of the window.
  std::optional<StepSummary> steps;  ///< Behind the warm-up.
  std::int64_t steps_seen{};         ///< Those of the warm-up too.
  std::vector<GpuSummary> gpus;      ///< In the order of their numbers.
};

/// Samples and steps arrive in order of time. Times count from the start of the job.
class Measurement {
 public:
  /// `gpus`: how many; they are numbered from 0.
  Measurement(std::size_t gpus, Duration warmup);

  /// Before the job starts: memory in use by others, and by the driver.
  void baseline(std::size_t gpu, const GpuSample& sample);
  void sample(TimePoint at, std::size_t gpu, const GpuSample& sample);
  /// After the end of the job: what counts up, such as energy.
  void after(std::size_t gpu, const GpuSample& sample);
  /// `steps` were done since the last call; 0: the time since then was spent on something else.
  void steps(TimePoint at, std::int64_t steps);

  [[nodiscard]] Summary summary() const;

 private:
  /// Sums over a window of time.
  struct Sums {
    PercentCounts device_util;
    PercentCounts process_util;
    PercentCounts memutil;
    Mean power;
    Mean sm_active;
    Mean sm_occupancy;
    Mean dram_active;
    std::int64_t samples{};

    void add(const GpuSample& sample);
    void add(const Sums& other);
  };
  /// What holds for the whole run, and the sums of each window.
  struct Gpu {
    Sums since_start;
    Sums since_use;
    Sums between_steps;
    Sums after_step;  ///< Since the last step: counts when the next one comes.
    std::optional<Bytes> memory_before;
    std::optional<Bytes> device_memory_peak;
    std::optional<Bytes> process_memory_peak;
    std::optional<double> energy_first;
    std::optional<double> energy_last;
    std::optional<std::int64_t> strangers;
    bool may_have_strangers{};
    bool energy_ran_back{};
    bool job_was_there{};
    bool mps{};

    void remember(const GpuSample& sample);
  };

  [[nodiscard]] Window window() const;
  [[nodiscard]] GpuSummary summary(const Gpu& gpu) const;
  [[nodiscard]] std::optional<StepSummary> step_summary() const;

  Duration warmup_;
  std::vector<Gpu> gpus_;
  std::optional<TimePoint> first_use_;
  std::optional<TimePoint> first_step_;
  std::optional<TimePoint> steps_begin_;  ///< The first mark behind the warm-up.
  std::optional<TimePoint> last_mark_;
  SpacedSample intervals_ms_;
  double stepping_ms_{};
  std::int64_t steps_{};
  std::int64_t steps_seen_{};
};

}  // namespace horus::record
