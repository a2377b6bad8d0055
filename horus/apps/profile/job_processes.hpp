// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which of the processes on a GPU are the job's.

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "horus/base/quantity.hpp"
#include "horus/os/nvml.hpp"

namespace horus::apps {

/// The processes on one GPU, sorted by whose they are.
struct Census {
  std::optional<bool> job_is_there;
  std::optional<std::int64_t> strangers;
  bool may_have_strangers{};    ///< There are processes that may be the job's or not.
  std::optional<Bytes> memory;  ///< Of the job's; absent where that of one is unknown.
};

class JobProcesses {
 public:
  enum class Root { Included, Excluded };

  /// The job is `root`, or only what descends from it.
  JobProcesses(std::int64_t root, Root included);

  /// Also true of one that was the job's and ended since the driver named it.
  [[nodiscard]] bool contains(std::int64_t pid);

  /// `before`: processes that were on the GPU before the job started. In most containers the driver
  /// names processes by numbers of the host: then those that came later may be the job's or not.
  [[nodiscard]] Census census(const std::vector<os::NvmlProcess>& listed,
                              const std::set<std::int64_t>& before);

 private:
  /// One that ended between the driver's list and our look may have been the job's: a process that
  /// we cannot see is a stranger only if the driver named it at the look before, too.
  void forget_ended(std::vector<os::NvmlProcess>& others);

  std::int64_t root_;
  Root included_;
  bool sees_all_;
  std::set<std::int64_t> unseen_;  ///< Listed at the last look, but not to be seen.
  std::set<std::int64_t> known_;   ///< Those that were found to be the job's.
};

}  // namespace horus::apps
