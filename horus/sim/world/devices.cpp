// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/world/devices.hpp"

#include <algorithm>
#include <cmath>

#include "horus/base/check.hpp"

namespace horus::sim {
namespace {

constexpr double kBillion = 1e9;

std::int64_t busy_of(std::span<const Resident> residents) {
  double idle = 1.0;
  for (const Resident& resident : residents) idle *= 1.0 - resident.load.utilization;
  return std::llround((1.0 - idle) * kBillion);
}

}  // namespace

Devices::Devices(const Cluster& cluster, const Truth& truth)
    : cluster_{cluster}, truth_{truth}, gpus_(cluster.gpus().size()) {}

const Resident& Devices::resident(GpuIndex gpu, JobIndex job) const {
  const auto& residents = gpus_[gpu].residents;
  const auto at = std::find_if(residents.begin(), residents.end(),
                               [job](const Resident& r) { return r.job == job; });
  HORUS_CHECK(at != residents.end(), "a job is where it was put");
  return *at;
}

void Devices::add(GpuIndex gpu, JobIndex job, const TaskLoad& load) {
  gpus_[gpu].residents.push_back(Resident{job, load, 1.0});
  gpus_[gpu].memory += load.memory;
  touch(gpu);
}

void Devices::remove(GpuIndex gpu, JobIndex job) {
  auto& residents = gpus_[gpu].residents;
  const auto at = residents.begin() + (&resident(gpu, job) - residents.data());
  gpus_[gpu].memory -= at->load.memory;
  residents.erase(at);
  touch(gpu);
}

void Devices::touch(GpuIndex gpu) {
  if (gpus_[gpu].is_dirty) return;
  gpus_[gpu].is_dirty = true;
  dirty_.push_back(gpu);
}

std::span<const GpuIndex> Devices::settle() {
  settled_.clear();
  for (const GpuIndex index : dirty_) {
    Gpu& gpu = gpus_[index];
    gpu.is_dirty = false;
    settle_one(index, gpu);
    if (!gpu.residents.empty()) settled_.push_back(index);
  }
  dirty_.clear();
  return settled_;
}

void Devices::settle_one(GpuIndex index, Gpu& gpu) {
  const std::int64_t busy = busy_of(gpu.residents);
  busy_billionths_ += busy - gpu.busy_billionths;
  gpu.busy_billionths = busy;
  if (gpu.residents.size() < 2) {
    for (Resident& alone : gpu.residents) alone.slowdown = 1.0;
    return;
  }
  loads_.clear();
  for (const Resident& resident : gpu.residents) loads_.push_back(resident.load);
  slowdowns_.assign(loads_.size(), 1.0);
  const TruthSource source = truth_.slowdowns(cluster_.gpus()[index].type, loads_, slowdowns_);
  ++(source == TruthSource::Measured ? sharings_measured_ : sharings_parametric_);
  for (std::size_t i = 0; i < slowdowns_.size(); ++i) {
    HORUS_CHECK(slowdowns_[i] > 0.0, "a slowdown is above 0");
    gpu.residents[i].slowdown = slowdowns_[i];
  }
}

}  // namespace horus::sim
