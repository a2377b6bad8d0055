// SPDX-License-Identifier: Apache-2.0
#pragma once
// How others watch a run: one record per event, and a look at the whole after every step.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "horus/base/time.hpp"
#include "horus/domain/job.hpp"
#include "horus/engine/engine.hpp"
#include "horus/sim/world/devices.hpp"

namespace horus::sim {

/// What counts as an event. No policy preempts or migrates yet.
enum class EventKind : std::uint8_t { Arrival, Start, Preemption, Migration, Completion, Death };
inline constexpr std::size_t kEventKinds = 6;

[[nodiscard]] std::string_view name_of(EventKind kind);

using EventCounts = std::array<std::uint64_t, kEventKinds>;

struct EventRecord {
  TimePoint time;
  EventKind kind{EventKind::Arrival};
  JobId job;
  std::span<const GpuIndex> gpus;  ///< Held by the job at this event; empty for an arrival.
  std::string_view detail;         ///< "key=value" pairs separated by blanks; see the reference.
};

inline constexpr std::string_view kEventsHeader = "time_us,event,job,gpus,detail";

/// The record as one line under kEventsHeader, without a line break; GPUs are separated by blanks.
[[nodiscard]] std::string format_event(const EventRecord& record);

/// The world between two steps.
struct StepView {
  TimePoint now;
  const engine::Engine& engine;
  const Devices& devices;
  std::size_t arrived{};  ///< Jobs so far, rejected ones included.
  std::size_t finished{};
  std::size_t rejected{};
};

/// Views are valid during the call only.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  virtual void on_event(const EventRecord& /*record*/) {}
  virtual void after_step(const StepView& /*view*/) {}
  /// Share of jobs that are done with, 0 to 1. Called for each further thousandth.
  virtual void on_progress(double /*fraction*/) {}
};

}  // namespace horus::sim
