// SPDX-License-Identifier: Apache-2.0
#pragma once
// When running jobs will finish, if nothing changes: a heap in which each job can be moved.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "horus/base/time.hpp"
#include "horus/sim/world/devices.hpp"

namespace horus::sim {

/// Ordered by (time, job): jobs are numbered in order of arrival.
class CompletionQueue {
 public:
  explicit CompletionQueue(std::size_t jobs) : places_(jobs, kNowhere) {}

  /// Time of the first completion, or nothing.
  [[nodiscard]] std::optional<TimePoint> next_time() const;

  /// Enters the job, or moves it if it is there. Cost: O(log running).
  void set(JobIndex job, TimePoint time);
  /// Takes the job out. Requires that it is there. Cost: O(log running).
  void erase(JobIndex job);
  /// The first job, taken out. Requires that there is one.
  [[nodiscard]] JobIndex pop();

 private:
  struct Entry {
    TimePoint time;
    JobIndex job{};
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

  void put(std::size_t place, const Entry& entry);
  void rise(std::size_t place, const Entry& entry);
  void sink(std::size_t place, const Entry& entry);
  /// Puts `entry` where it belongs, starting at the free `place`.
  void settle(std::size_t place, const Entry& entry);

  std::vector<Entry> heap_;            // binary, smallest first
  std::vector<std::uint32_t> places_;  // per job: its position in heap_
};

}  // namespace horus::sim
