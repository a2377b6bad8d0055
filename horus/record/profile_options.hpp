// SPDX-License-Identifier: Apache-2.0
#pragma once
// The command line of horus-profile, as a table that its parser, its help and the completion of
// `horus profile` share.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/base/time.hpp"

namespace horus::record {

/// What the user says about the run, by the record's path of it: "model.batch" -> "64". Checked:
/// where the table asks for a number, it is one.
using Annotations = std::map<std::string, std::string, std::less<>>;

struct ProfileOptions {
  enum class Action { Run, Watch, Help, Version };
  enum class Output { Relayed, Direct };

  Action action{Action::Run};
  std::vector<std::string> command;  ///< Not empty for Run.
  std::int64_t pid{};                ///< For Watch.
  std::optional<Duration> duration;  ///< Of a Watch; nothing: until the process ends.
  std::string record_file{"horus-profile.jsonl"};
  Duration interval{100'000};
  Duration warmup{5'000'000};
  std::vector<std::string> gpus;  ///< Indices or UUIDs; empty: those on which the job is seen.
  bool without_gpu{};
  bool quiet{};
  Output output{Output::Relayed};
  std::string step_pattern;
  std::string onnx_file;
  Annotations annotations;
};

/// One option.
struct OptionRow {
  enum class Kind { Flag, Text, Count, CountFromZero, Number, Duration, Choice };

  std::string_view name;         ///< "--batch"
  std::string_view value;        ///< How the help names its value; "" for a flag.
  std::string_view description;  ///< One line.
  Kind kind{Kind::Text};
  std::string_view annotates{};  ///< Path in the record; "": does something else.
  std::vector<std::string_view> choices{};
};

/// In the order of the help.
[[nodiscard]] std::span<const OptionRow> profile_option_rows();

/// Errors: InvalidArgument, with the option as `where`.
[[nodiscard]] Result<ProfileOptions> parse_profile_options(std::span<const std::string> words);

/// The text of --help.
[[nodiscard]] std::string profile_help();

}  // namespace horus::record
