// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who goes where: the one interface behind which every policy stands.
// A policy is told which jobs wait, looks at the books, and makes one decision at a time.
// It is pure: no clock, no chance beyond its seed, and it knows nothing of durations.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/base/time.hpp"
#include "horus/domain/job.hpp"
#include "horus/sched/books.hpp"

namespace horus::sched {

/// A job that waits for its (next) start.
struct WaitingJob {
  JobSpec spec;
  std::uint64_t sequence{};  ///< Order of arrival; kept when a job waits again after a death.
  TimePoint waiting_since;   ///< When this wait began.
  bool alone{false};  ///< Must have its GPUs to itself (a gang by default, or after a death).
};

struct Decision {
  Placement placement;
  bool exclusive{};  ///< Nobody may join the job on its GPUs.
};

class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;

  /// `job` waits from now on. Copies what it needs.
  virtual void add(const WaitingJob& job) = 0;

  /// `job`, which waits, waits no more for a reason other than a decision of this policy.
  virtual void remove(JobId job) = 0;

  /// The next job to start and where, or nothing when no waiting job should start now. The decided
  /// job no longer waits; the caller books it before it asks again.
  [[nodiscard]] virtual std::optional<Decision> next(const Books& books, TimePoint now) = 0;
};

struct PolicyOptions {
  std::uint64_t seed{1};
};

/// Names of all policies in the order in which they are compared: "fifo", "fifo-skip",
/// "pack-blind", "horus", "horus+".
[[nodiscard]] std::vector<std::string> policy_names();

/// A policy in words, for people.
struct PolicyRule {
  std::string_view name;
  std::string_view rule;  ///< One line.
};
/// Of all policies, in the order of policy_names().
[[nodiscard]] std::vector<PolicyRule> policy_rules();

/// Error NotFound with the nearest name.
[[nodiscard]] Result<std::unique_ptr<Policy>> make_policy(std::string_view name,
                                                          const PolicyOptions& options);

}  // namespace horus::sched
