// SPDX-License-Identifier: Apache-2.0
#pragma once
// What happens next: the state machine of jobs. Events in, effects out; no clock, no world.
// The simulator and the live drivers run this same code and it cannot tell which of them it is in.
//
//   submit ──▶ Waiting ──▶ Running ──▶ finished
//     │           ▲           │
//     └▶ rejected └── died ◀──┘   (out of memory: runs alone the next time)

#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "horus/base/time.hpp"
#include "horus/domain/cluster.hpp"
#include "horus/domain/job.hpp"
#include "horus/sched/policy.hpp"

namespace horus::engine {

struct Submitted {
  JobSpec job;
};
struct Finished {
  JobId job;
};
/// A running job lost all its processes because an allocation failed. It waits again, and its next
/// start is alone on its GPUs, exclusively.
struct OutOfMemory {
  JobId job;
};
using Event = std::variant<Submitted, Finished, OutOfMemory>;

/// The driver must start the job on these GPUs. `exclusive`: nobody else may join it there.
struct Start {
  Placement placement;
  bool exclusive{};
};
/// The job will never run; `reason` is for a person.
struct Reject {
  JobId job;
  std::string reason;
};
using Effect = std::variant<Start, Reject>;

class Engine {
 public:
  /// `cluster` must outlive the engine.
  Engine(const Cluster& cluster, const sched::BooksOptions& options,
         std::unique_ptr<sched::Policy> policy);

  /// Applies events that happened at the same time `now` (not before the last call's), in order,
  /// then lets the policy decide until it has nothing more to place. Returns what the driver must
  /// do, in order. A job that died of memory while alone is rejected: it cannot run on this
  /// cluster. Requires: Finished and OutOfMemory name running jobs; ids are never reused. Cost:
  /// O(log jobs) per event plus the policy's decisions.
  [[nodiscard]] std::vector<Effect> step(TimePoint now, std::span<const Event> events);

  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::size_t running() const;
  /// For tests and views: who holds what.
  [[nodiscard]] const sched::Books& books() const;

 private:
  struct State;
  std::unique_ptr<State> state_;

 public:
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
};

}  // namespace horus::engine
