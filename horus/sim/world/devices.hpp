// SPDX-License-Identifier: Apache-2.0
#pragma once
// The GPUs of the world: who really runs where, how much memory that really takes, how much
// everybody slows everybody, and how busy the cluster is.

#include <cstdint>
#include <span>
#include <vector>

#include "horus/domain/cluster.hpp"
#include "horus/sim/truth/truth.hpp"

namespace horus::sim {

/// Position of a job in Scenario::jobs.
using JobIndex = std::uint32_t;

/// One process on one GPU.
struct Resident {
  JobIndex job{};
  TaskLoad load;
  double slowdown{1.0};  ///< Valid after settle().
};

class Devices {
 public:
  /// Both must outlive the devices.
  Devices(const Cluster& cluster, const Truth& truth);

  /// The processes of a GPU, in order of their start.
  [[nodiscard]] std::span<const Resident> residents(GpuIndex gpu) const {
    return gpus_[gpu].residents;
  }
  [[nodiscard]] Bytes memory(GpuIndex gpu) const { return gpus_[gpu].memory; }
  [[nodiscard]] Bytes capacity(GpuIndex gpu) const { return cluster_.type_of(gpu).memory; }
  [[nodiscard]] bool is_overfull(GpuIndex gpu) const { return memory(gpu) > capacity(gpu); }
  /// The resident of `gpu` that belongs to `job`. Requires that there is one.
  [[nodiscard]] const Resident& resident(GpuIndex gpu, JobIndex job) const;

  void add(GpuIndex gpu, JobIndex job, const TaskLoad& load);
  /// Requires that `job` is there.
  void remove(GpuIndex gpu, JobIndex job);

  /// Works out slowdowns on the GPUs that changed since the last call; returns those of them that
  /// are not empty, without repetition. The span is valid until the next call.
  [[nodiscard]] std::span<const GpuIndex> settle();

  /// Sum over all GPUs of 1 - product of (1 - u) over the residents, in billionths of a GPU:
  /// an integer, so that it does not drift. Valid after settle().
  [[nodiscard]] std::int64_t busy_billionths() const { return busy_billionths_; }

  /// Settled GPUs with two or more residents, by where their slowdowns came from.
  [[nodiscard]] std::uint64_t sharings_measured() const { return sharings_measured_; }
  [[nodiscard]] std::uint64_t sharings_parametric() const { return sharings_parametric_; }

 private:
  struct Gpu {
    std::vector<Resident> residents;
    Bytes memory;
    std::int64_t busy_billionths{};
    bool is_dirty{false};
  };

  void touch(GpuIndex gpu);
  void settle_one(GpuIndex index, Gpu& gpu);

  const Cluster& cluster_;
  const Truth& truth_;
  std::vector<Gpu> gpus_;
  std::vector<GpuIndex> dirty_;
  std::vector<GpuIndex> settled_;  // the answer of the last settle()
  std::vector<TaskLoad> loads_;    // scratch of settle_one()
  std::vector<double> slowdowns_;  // scratch of settle_one()
  std::int64_t busy_billionths_{};
  std::uint64_t sharings_measured_{};
  std::uint64_t sharings_parametric_{};
};

}  // namespace horus::sim
