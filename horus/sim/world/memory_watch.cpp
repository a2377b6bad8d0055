// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/world/memory_watch.hpp"

#include "horus/base/check.hpp"

namespace horus::sim {

void MemoryWatch::expect(TimePoint now, GpuIndex gpu, JobIndex job) {
  expected_.push_back(Expected{now + delay_, Failure{gpu, job}});
}

std::optional<TimePoint> MemoryWatch::next_time() const {
  if (expected_.empty()) return std::nullopt;
  return expected_.front().time;
}

std::optional<MemoryWatch::Failure> MemoryWatch::pop(TimePoint now) {
  if (expected_.empty() || expected_.front().time > now) return std::nullopt;
  const Failure failure = expected_.front().failure;
  expected_.pop_front();
  return failure;
}

JobIndex MemoryWatch::victim(const Failure& failure, const Devices& devices) {
  const auto residents = devices.residents(failure.gpu);
  HORUS_CHECK(!residents.empty(), "an overfull GPU has residents");
  std::vector<JobIndex> others;
  for (const Resident& resident : residents) {
    if (resident.job != failure.newcomer) others.push_back(resident.job);
  }
  const bool is_newcomer_there = others.size() < residents.size();
  if (others.empty()) return failure.newcomer;
  if (is_newcomer_there && rng_.uniform() < newcomer_dies_) return failure.newcomer;
  return others[rng_.below(others.size())];
}

}  // namespace horus::sim
