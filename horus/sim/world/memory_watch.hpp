// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which allocation fails when the processes of a GPU want more memory than it has.

#include <deque>
#include <optional>

#include "horus/base/rng.hpp"
#include "horus/sim/world/devices.hpp"

namespace horus::sim {

/// Remembers starts that made a GPU overfull, and picks victims when their time has come.
class MemoryWatch {
 public:
  /// The allocation that fails is the newcomer's with probability `newcomer_dies`.
  MemoryWatch(Duration delay, double newcomer_dies, const Rng& rng)
      : delay_{delay}, newcomer_dies_{newcomer_dies}, rng_{rng} {}

  /// `job` started on `gpu`, which is overfull since. Requires calls in order of time.
  void expect(TimePoint now, GpuIndex gpu, JobIndex job);

  [[nodiscard]] std::optional<TimePoint> next_time() const;

  struct Failure {
    GpuIndex gpu{};
    JobIndex newcomer{};
  };
  /// The next failure due at `now`, or nothing.
  [[nodiscard]] std::optional<Failure> pop(TimePoint now);

  /// The job whose allocation fails on `failure.gpu`. Requires residents.
  [[nodiscard]] JobIndex victim(const Failure& failure, const Devices& devices);

 private:
  struct Expected {
    TimePoint time;
    Failure failure;
  };

  Duration delay_;
  double newcomer_dies_;
  Rng rng_;
  std::deque<Expected> expected_;  // in order of time: the delay is the same for all
};

}  // namespace horus::sim
