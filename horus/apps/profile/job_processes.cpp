// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/profile/job_processes.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "horus/os/host.hpp"

namespace horus::apps {
namespace {

/// The server of the Multi-Process Service holds contexts for its clients and does no work itself.
bool is_mps_server(std::int64_t pid) {
  const auto name = os::process_name(pid);
  return name && name->starts_with("nvidia-cuda-mps");
}

std::optional<Bytes> total_memory(const std::vector<os::NvmlProcess>& processes) {
  std::optional<Bytes> total;
  for (const os::NvmlProcess& process : processes) {
    if (!process.memory) return std::nullopt;
    total = total.value_or(Bytes{0}) + *process.memory;
  }
  return total;
}

/// Processes in another instance of a partitioned GPU share nothing with the job.
bool shares_instance(const os::NvmlProcess& other, const std::vector<os::NvmlProcess>& ours) {
  const auto is_beside = [&other](const os::NvmlProcess& process) {
    return process.gpu_instance == other.gpu_instance;
  };
  return ours.empty() || std::ranges::any_of(ours, is_beside);
}

}  // namespace

JobProcesses::JobProcesses(std::int64_t root, Root included)
    : root_{root}, included_{included}, sees_all_{os::sees_all_processes()} {}

bool JobProcesses::contains(std::int64_t pid) {
  if (pid == root_) return included_ == Root::Included;
  if (os::descends_from(pid, root_)) {
    known_.insert(pid);
    return true;
  }
  // One that has ended has no parent any more, and would pass for a stranger.
  return known_.contains(pid) && !os::process_name(pid);
}

void JobProcesses::forget_ended(std::vector<os::NvmlProcess>& others) {
  std::set<std::int64_t> unseen;
  for (const os::NvmlProcess& other : others) {
    if (!os::process_name(other.pid)) unseen.insert(other.pid);
  }
  std::erase_if(others, [&](const auto& other) {
    return unseen.contains(other.pid) && !unseen_.contains(other.pid);
  });
  unseen_ = std::move(unseen);
}

Census JobProcesses::census(const std::vector<os::NvmlProcess>& listed,
                            const std::set<std::int64_t>& before) {
  std::vector<os::NvmlProcess> ours;
  std::vector<os::NvmlProcess> others;
  for (const os::NvmlProcess& process : listed) {
    if (contains(process.pid)) {
      ours.push_back(process);
    } else if (!is_mps_server(process.pid)) {
      others.push_back(process);
    }
  }
  std::erase_if(others, [&](const auto& other) { return !shares_instance(other, ours); });
  if (!ours.empty() || sees_all_) forget_ended(others);
  const auto count = static_cast<std::int64_t>(others.size());
  if (!ours.empty() || sees_all_) {
    return {.job_is_there = !ours.empty(), .strangers = count, .memory = total_memory(ours)};
  }
  const auto was_there = [&](const auto& other) { return before.contains(other.pid); };
  const auto known = static_cast<std::int64_t>(std::ranges::count_if(others, was_there));
  if (known == count) return {.job_is_there = false, .strangers = known, .memory = {}};
  return {.job_is_there = std::nullopt,
          .strangers = known > 0 ? std::optional{known} : std::nullopt,
          .may_have_strangers = true,
          .memory = std::nullopt};
}

}  // namespace horus::apps
