// SPDX-License-Identifier: Apache-2.0
#include "horus/domain/sharing.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "horus/domain/detail/named_values.hpp"

namespace horus {
namespace {

constexpr std::array<std::pair<SharingMode, std::string_view>, 4> kModes{{
    {SharingMode::Exclusive, "exclusive"},
    {SharingMode::TimeSlice, "timeslice"},
    {SharingMode::Mps, "mps"},
    {SharingMode::Mig, "mig"},
}};
constexpr std::array<std::pair<Interference, std::string_view>, 3> kLaws{{
    {Interference::Default, "default"},
    {Interference::Paper, "paper"},
    {Interference::Conservation, "conservation"},
}};
constexpr std::array<std::pair<Calibration, std::string_view>, 2> kCalibrations{{
    {Calibration::Uncalibrated, "uncalibrated"},
    {Calibration::Calibrated, "calibrated"},
}};

}  // namespace

std::string_view name_of(SharingMode mode) { return detail::lookup<SharingMode>(kModes, mode); }
std::string_view name_of(Interference law) { return detail::lookup<Interference>(kLaws, law); }
std::string_view name_of(Calibration calibration) {
  return detail::lookup<Calibration>(kCalibrations, calibration);
}

std::vector<std::string> sharing_mode_words() { return detail::words<SharingMode>(kModes); }
std::vector<std::string> interference_words() { return detail::words<Interference>(kLaws); }

Result<SharingMode> parse_sharing_mode(std::string_view text) {
  return detail::parse<SharingMode>(kModes, "sharing mode", text);
}
Result<Interference> parse_interference(std::string_view text) {
  return detail::parse<Interference>(kLaws, "interference law", text);
}

double SharedPrediction::throughput() const {
  if (!obstacle.empty() || slowdowns.empty()) return 0;
  if (mode == SharingMode::Exclusive) return 1;
  double sum = 0;
  for (const Interval& slowdown : slowdowns) sum += 1 / slowdown.expected;
  return sum;
}

double SharedPrediction::slowdown_max() const {
  double most = 1;
  for (const Interval& slowdown : slowdowns) most = std::max(most, slowdown.expected);
  return most;
}

}  // namespace horus
