// SPDX-License-Identifier: Apache-2.0
#pragma once
// One GPU, looked at again and again.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "horus/apps/profile/job_processes.hpp"
#include "horus/base/time.hpp"
#include "horus/os/nvml.hpp"
#include "horus/record/measurement.hpp"
#include "horus/record/profile_record.hpp"

namespace horus::apps {

/// The GPUs to watch: those called by number or UUID, or all where none is. Errors: NotFound (names
/// those there are), Unavailable.
[[nodiscard]] Result<std::vector<record::GpuFacts>> choose_gpus(
    const os::Nvml& nvml, const std::vector<std::string>& wanted);

/// Not thread-safe.
class GpuWatch {
 public:
  GpuWatch(const os::Nvml& nvml, os::NvmlDevice device, std::string label)
      : nvml_{&nvml}, device_{device}, label_{std::move(label)} {}

  /// Before the job starts.
  [[nodiscard]] record::GpuSample look_before(JobProcesses& job);
  [[nodiscard]] record::GpuSample look(TimePoint now, JobProcesses& job);
  /// After its end: what counts up.
  [[nodiscard]] record::GpuSample look_after();

  /// What the driver did not answer, since the last call.
  [[nodiscard]] std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  enum class Query {
    Utilization,
    Memory,
    Power,
    Energy,
    Processes,
    ProcessUtilization,
    Mps,
    Activity,
    Last
  };
  struct ProcessLoad {
    TimePoint seen;
    unsigned percent{};
  };

  template <class T>
  std::optional<T> ask(Query query, os::NvmlAnswer<T> (os::Nvml::*question)(os::NvmlDevice) const);
  template <class T>
  std::optional<T> judge(Query query, os::NvmlAnswer<T> answer);
  [[nodiscard]] bool is_silent(Query query) const;
  std::optional<unsigned> job_utilization(TimePoint now, JobProcesses& job);
  [[nodiscard]] bool is_mps_client(JobProcesses& job);
  std::optional<os::NvmlActivity> activity();

  const os::Nvml* nvml_;
  os::NvmlDevice device_;
  std::string label_;  ///< "GPU 0", for notes.
  bool is_lost_{};
  std::array<bool, static_cast<std::size_t>(Query::Last)> silent_{};
  std::array<bool, static_cast<std::size_t>(Query::Last)> noted_{};
  std::set<std::int64_t> before_;
  std::map<std::int64_t, ProcessLoad> loads_;  ///< Of the job's processes, the newest of each.
  std::uint64_t loads_since_us_{};
  std::optional<os::NvmlSnapshot> counters_;  ///< At the last look.
  std::vector<std::string> notes_;
};

}  // namespace horus::apps
