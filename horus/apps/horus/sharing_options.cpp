// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/sharing_options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/apps/horus/number_option.hpp"
#include "horus/base/text.hpp"

namespace horus::apps {
namespace {

constexpr std::string_view kAll = "all";
constexpr double kMostTolerance = 1000;

}  // namespace

std::vector<SharingMode> all_sharing_modes() {
  return {SharingMode::Exclusive, SharingMode::TimeSlice, SharingMode::Mps, SharingMode::Mig};
}

std::vector<std::string> mode_option_words() {
  std::vector<std::string> words = sharing_mode_words();
  words.emplace_back(kAll);
  return words;
}

void SharingOptions::declare(CLI::App& app) {
  app.add_option("--mode", mode_,
                 fmt::format("How the jobs share the GPU: {}; all recommends one (default: "
                             "timeslice)",
                             fmt::join(mode_option_words(), ", ")));
  app.add_option("--interference", interference_,
                 "Law of timeslice and mps: default, paper (sum of utilizations) or conservation")
      ->capture_default_str();
  app.add_option("--tolerance", tolerance_, "Slowdown that a recommended mode may cost each job")
      ->check(number_between(1, kMostTolerance))
      ->capture_default_str();
}

Result<SharingRequest> SharingOptions::request() const {
  SharingRequest request{.modes = {SharingMode::TimeSlice}, .tolerance = tolerance_};
  HORUS_TRY(request.interference, parse_interference(interference_));
  const std::string word = to_lower(mode_);
  if (word == kAll) {
    request.modes = all_sharing_modes();
    request.wants_advice = true;
  } else if (!word.empty()) {
    auto mode = parse_sharing_mode(word);
    if (!mode) {
      return fail(Errc::InvalidArgument,
                  fmt::format("unknown sharing mode '{}': expected one of {}", printable(mode_),
                              fmt::join(mode_option_words(), ", ")),
                  "--mode");
    }
    request.modes = {*mode};
  }
  return request;
}

}  // namespace horus::apps
