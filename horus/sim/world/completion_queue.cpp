// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/world/completion_queue.hpp"

#include "horus/base/check.hpp"

namespace horus::sim {

std::optional<TimePoint> CompletionQueue::next_time() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().time;
}

void CompletionQueue::set(JobIndex job, TimePoint time) {
  std::size_t place = places_[job];
  if (place == kNowhere) {
    place = heap_.size();
    heap_.emplace_back();
  }
  settle(place, Entry{time, job});
}

void CompletionQueue::erase(JobIndex job) {
  const std::size_t place = places_[job];
  HORUS_CHECK(place != kNowhere, "only a running job leaves the queue");
  places_[job] = kNowhere;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (place < heap_.size()) settle(place, last);
}

JobIndex CompletionQueue::pop() {
  HORUS_CHECK(!heap_.empty(), "there is a completion");
  const JobIndex job = heap_.front().job;
  erase(job);
  return job;
}

void CompletionQueue::put(std::size_t place, const Entry& entry) {
  heap_[place] = entry;
  places_[entry.job] = static_cast<std::uint32_t>(place);
}

void CompletionQueue::settle(std::size_t place, const Entry& entry) {
  const bool is_before_parent = place > 0 && entry < heap_[(place - 1) / 2];
  if (is_before_parent) {
    rise(place, entry);
  } else {
    sink(place, entry);
  }
}

void CompletionQueue::rise(std::size_t place, const Entry& entry) {
  while (place > 0 && entry < heap_[(place - 1) / 2]) {
    put(place, heap_[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  put(place, entry);
}

void CompletionQueue::sink(std::size_t place, const Entry& entry) {
  while (2 * place + 1 < heap_.size()) {
    std::size_t child = 2 * place + 1;
    if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
    if (!(heap_[child] < entry)) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, entry);
}

}  // namespace horus::sim
