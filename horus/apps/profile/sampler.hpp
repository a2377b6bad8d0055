// SPDX-License-Identifier: Apache-2.0
#pragma once
// The thread that looks at the GPUs, beside the one that sees the program through: a call to the
// driver may take long, and must delay no byte of output.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "horus/apps/profile/gpu_watch.hpp"
#include "horus/os/run_clock.hpp"
#include "horus/record/measurement.hpp"

namespace horus::apps {

/// What both threads write into. Every member function may be called by any thread.
class SharedMeasurement {
 public:
  SharedMeasurement(std::size_t gpus, Duration warmup) : measurement_{gpus, warmup}, notes_(gpus) {}

  void baseline(std::size_t gpu, const record::GpuSample& sample, std::vector<std::string> notes);
  void sample(TimePoint at, std::size_t gpu, const record::GpuSample& sample,
              std::vector<std::string> notes);
  void after(std::size_t gpu, const record::GpuSample& sample, std::vector<std::string> notes);
  void steps(TimePoint at, const std::vector<std::int64_t>& counts);

  [[nodiscard]] record::Summary summary() const;
  /// Of each GPU.
  [[nodiscard]] std::vector<std::vector<std::string>> notes() const;

 private:
  void add_notes(std::size_t gpu, std::vector<std::string> notes);

  mutable std::mutex mutex_;
  record::Measurement measurement_;
  std::vector<std::vector<std::string>> notes_;
};

class Sampler {
 public:
  Sampler(std::vector<GpuWatch> gpus, JobProcesses job, Duration interval,
          SharedMeasurement& measurement)
      : gpus_{std::move(gpus)}, job_{job}, interval_{interval}, measurement_{&measurement} {}
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler() { (void)stop(); }

  /// Before the job starts.
  void look_before();
  /// `clock` counts from the start of the job.
  void start(const os::RunClock& clock);
  /// False where the driver does not answer any more: the thread still hangs, so the process must
  /// end without destroying this.
  [[nodiscard]] bool stop();

 private:
  void work(const os::RunClock& clock);
  void look(TimePoint now);
  /// Sleeps until `next` or stop(); false for the latter.
  [[nodiscard]] bool sleep_until(const os::RunClock& clock, TimePoint next);

  std::vector<GpuWatch> gpus_;
  JobProcesses job_;
  Duration interval_;
  SharedMeasurement* measurement_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_{};
  bool is_done_{};
  std::thread thread_;
};

}  // namespace horus::apps
