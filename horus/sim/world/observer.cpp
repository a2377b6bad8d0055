// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/world/observer.hpp"

#include <fmt/format.h>

namespace horus::sim {

std::string_view name_of(EventKind kind) {
  constexpr std::array<std::string_view, kEventKinds> kNames = {
      "arrival", "start", "preemption", "migration", "completion", "death"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace {

/// As a CSV cell (RFC 4180).
std::string cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string{text};
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string format_event(const EventRecord& record) {
  return fmt::format("{},{},{},{},{}", record.time.time_since_epoch().count(), name_of(record.kind),
                     record.job.value, fmt::join(record.gpus, " "), cell(record.detail));
}

}  // namespace horus::sim
