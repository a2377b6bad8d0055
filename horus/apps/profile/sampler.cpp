// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/profile/sampler.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace horus::apps {
namespace {

/// A healthy driver answers within milliseconds; a lost GPU may make it wait for seconds.
constexpr std::chrono::seconds kPatience{10};

}  // namespace

void SharedMeasurement::add_notes(std::size_t gpu, std::vector<std::string> notes) {
  for (std::string& note : notes) notes_[gpu].push_back(std::move(note));
}

void SharedMeasurement::baseline(std::size_t gpu, const record::GpuSample& sample,
                                 std::vector<std::string> notes) {
  const std::lock_guard lock{mutex_};
  measurement_.baseline(gpu, sample);
  add_notes(gpu, std::move(notes));
}

void SharedMeasurement::sample(TimePoint at, std::size_t gpu, const record::GpuSample& sample,
                               std::vector<std::string> notes) {
  const std::lock_guard lock{mutex_};
  measurement_.sample(at, gpu, sample);
  add_notes(gpu, std::move(notes));
}

void SharedMeasurement::after(std::size_t gpu, const record::GpuSample& sample,
                              std::vector<std::string> notes) {
  const std::lock_guard lock{mutex_};
  measurement_.after(gpu, sample);
  add_notes(gpu, std::move(notes));
}

void SharedMeasurement::steps(TimePoint at, const std::vector<std::int64_t>& counts) {
  const std::lock_guard lock{mutex_};
  for (const std::int64_t count : counts) measurement_.steps(at, count);
}

record::Summary SharedMeasurement::summary() const {
  const std::lock_guard lock{mutex_};
  return measurement_.summary();
}

std::vector<std::vector<std::string>> SharedMeasurement::notes() const {
  const std::lock_guard lock{mutex_};
  return notes_;
}

void Sampler::look_before() {
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const auto sample = gpus_[i].look_before(job_);
    measurement_->baseline(i, sample, gpus_[i].take_notes());
  }
}

void Sampler::look(TimePoint now) {
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const auto sample = gpus_[i].look(now, job_);
    measurement_->sample(now, i, sample, gpus_[i].take_notes());
  }
}

bool Sampler::sleep_until(const os::RunClock& clock, TimePoint next) {
  std::unique_lock lock{mutex_};
  const Duration wait = next - clock.now();
  return !changed_.wait_for(lock, wait, [this] { return is_stopping_; });
}

void Sampler::work(const os::RunClock& clock) {
  TimePoint next{};
  do {
    const TimePoint now = clock.now();
    look(now);
    // A late look is not made up for: looks in a row would count one moment twice.
    next = std::max(next + interval_, clock.now());
  } while (sleep_until(clock, next));
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const auto sample = gpus_[i].look_after();
    measurement_->after(i, sample, gpus_[i].take_notes());
  }
  const std::lock_guard lock{mutex_};
  is_done_ = true;
  changed_.notify_all();
}

void Sampler::start(const os::RunClock& clock) {
  thread_ = std::thread{[this, clock] { work(clock); }};
}

bool Sampler::stop() {
  if (!thread_.joinable()) return true;
  std::unique_lock lock{mutex_};
  is_stopping_ = true;
  changed_.notify_all();
  const bool is_done = changed_.wait_for(lock, kPatience, [this] { return is_done_; });
  lock.unlock();
  if (is_done) {
    thread_.join();
  } else {
    thread_.detach();
  }
  return is_done;
}

}  // namespace horus::apps
