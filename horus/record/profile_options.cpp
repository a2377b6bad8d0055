// SPDX-License-Identifier: Apache-2.0
#include "horus/record/profile_options.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "horus/base/text.hpp"

namespace horus::record {
namespace {

using Kind = OptionRow::Kind;

constexpr std::size_t kTextMax = 1000;  ///< Letters of a value; longer ones are a mistake.
constexpr Duration kIntervalMin{10'000};
constexpr Duration kIntervalMax{60'000'000};
constexpr double kLongestSeconds = 30.0 * 86'400.0;

const std::vector<OptionRow>& rows() {
  static const std::vector<OptionRow> kRows = {
      {"-o,--output", "FILE", "File to append the record to; '-' for standard output"},
      {"--gpu", "ID", "GPU by number or UUID, several with commas; 'none' to time steps only"},
      {"--interval", "TIME", "Time between samples, 10ms to 60s; default 100ms", Kind::Duration},
      {"--warmup", "TIME", "Left out of means, from the first step or use of a GPU; default 5s",
       Kind::Duration},
      {"--step-pattern", "REGEX",
       "A line of output that matches is a step; a group (...) is its number"},
      {"--direct", "", "Leave the command its terminal: no lines are read", Kind::Flag},
      {"--pid", "PID", "Watch a process that runs, with its children, instead of a command",
       Kind::Count},
      {"--duration", "TIME", "Stop watching after so long; default: when the process ends",
       Kind::Duration},
      {"-q,--quiet", "", "Say nothing but errors", Kind::Flag},
      {"--onnx", "FILE", "The model as a graph: its SHA-256 goes into the record"},
      {"--model-name", "NAME", "Model, e.g. resnet50", Kind::Text, "model.name"},
      {"--family", "NAME", "Family of the model, e.g. resnet", Kind::Text, "model.family"},
      {"--batch", "N", "Samples per step and GPU", Kind::Count, "model.batch"},
      {"--precision",
       "P",
       "Number format",
       Kind::Choice,
       "model.precision",
       {"fp32", "tf32", "fp16", "amp", "bf16"}},
      {"--optimizer",
       "NAME",
       "Optimizer",
       Kind::Choice,
       "model.optimizer",
       {"none", "sgd", "momentum", "adam", "adamw"}},
      {"--attention",
       "KIND",
       "How attention is computed",
       Kind::Choice,
       "model.attention",
       {"eager", "fused"}},
      {"--checkpointing",
       "KIND",
       "What the forward pass keeps",
       Kind::Choice,
       "model.checkpointing",
       {"none", "blocks"}},
      {"--accumulate", "N", "Passes whose gradients are added up before one update", Kind::Count,
       "model.accumulation_steps"},
      {"--passes", "N", "Passes over the graph in one step, e.g. of a GAN", Kind::Number,
       "model.passes_per_step"},
      {"--seq", "N", "Sequence length", Kind::Count, "model.seq_len"},
      {"--samples-per-second", "RATE", "What the input pipeline delivers at most", Kind::Number,
       "input.samples_per_s"},
      {"--loader-workers", "N", "Processes of the input pipeline; 0: the training process loads",
       Kind::CountFromZero, "input.workers"},
      {"--framework", "NAME", "e.g. pytorch", Kind::Text, "host.framework"},
      {"--framework-version", "V", "e.g. 2.4.1", Kind::Text, "host.framework_version"},
      {"--run-id", "ID", "Name of this run; default: a random one", Kind::Text, "run_id"},
      {"--set-id", "ID", "Name shared by runs that share GPUs", Kind::Text, "set_id"},
      {"--version", "", "Print the version", Kind::Flag},
      {"-h,--help", "", "Print this help", Kind::Flag},
  };
  return kRows;
}

/// The long name: "-o,--output" -> "--output".
std::string_view long_name(const OptionRow& row) {
  const std::size_t at = row.name.find("--");
  return row.name.substr(at);
}

const OptionRow* find_row(std::string_view word) {
  const auto is_it = [word](const OptionRow& row) {
    const auto names = split(row.name, ',');
    return std::ranges::find(names, word) != names.end();
  };
  const auto found = std::ranges::find_if(rows(), is_it);
  return found == rows().end() ? nullptr : &*found;
}

auto refuse(std::string_view option, std::string message) {
  return fail(Errc::InvalidArgument, std::move(message), std::string{option});
}

/// "100ms", "1.5s", "2m" or seconds alone.
Result<Duration> parse_duration(std::string_view text, std::string_view option) {
  double scale = 1.0;
  std::string_view number = text;
  const auto take = [&number](std::string_view suffix) {
    if (!number.ends_with(suffix)) return false;
    number.remove_suffix(suffix.size());
    return true;
  };
  if (take("ms")) {
    scale = 1e-3;
  } else if (take("m")) {
    scale = 60.0;
  } else {
    (void)take("s");
  }
  const auto value = parse_number(number);
  if (!value || *value < 0.0 || *value * scale > kLongestSeconds) {
    return refuse(option, fmt::format("found '{}', expected a time such as 100ms, 5s or 2m, at "
                                      "most 30 days",
                                      printable(text)));
  }
  return from_seconds(*value * scale);
}

Result<std::int64_t> parse_count(std::string_view text, std::string_view option,
                                 std::int64_t least) {
  constexpr std::int64_t kMost = 1'000'000'000;
  const auto value = parse_integer(text);
  if (!value || *value < least || *value > kMost) {
    return refuse(option, fmt::format("found '{}', expected an integer from {} to {}",
                                      printable(text), least, kMost));
  }
  return *value;
}

/// What readers of records accept of a field.
struct FieldRange {
  std::string_view field;
  double least{};
  double most{};
};
constexpr std::array<FieldRange, 4> kFieldRanges{{{"model.accumulation_steps", 1, 1e6},
                                                  {"model.passes_per_step", 1, 1000},
                                                  {"input.samples_per_s", 1e-9, 1e12},
                                                  {"input.workers", 0, 1e6}}};

Result<Done> check_range(const OptionRow& row, double value) {
  const auto found = std::ranges::find(kFieldRanges, row.annotates, &FieldRange::field);
  if (found == kFieldRanges.end() || (found->least <= value && value <= found->most)) return Done{};
  return refuse(long_name(row), fmt::format("found {}, expected a number from {} to {}", value,
                                            found->least, found->most));
}

/// `text` as the record has it.
Result<std::string> annotation(const OptionRow& row, std::string_view text) {
  const std::string_view option = long_name(row);
  if (row.kind == Kind::Count || row.kind == Kind::CountFromZero) {
    const std::int64_t least = row.kind == Kind::Count ? 1 : 0;
    HORUS_TRY(const std::int64_t value, parse_count(text, option, least));
    HORUS_TRY_DONE(check_range(row, static_cast<double>(value)));
    return fmt::format("{}", value);
  }
  if (row.kind == Kind::Number) {
    const auto value = parse_number(text);
    if (!value || *value <= 0.0) {
      return refuse(option, fmt::format("found '{}', expected a number above 0", printable(text)));
    }
    HORUS_TRY_DONE(check_range(row, *value));
    return fmt::format("{}", *value);
  }
  if (row.kind == Kind::Choice && std::ranges::find(row.choices, text) == row.choices.end()) {
    const std::vector<std::string> names{row.choices.begin(), row.choices.end()};
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return refuse(option, fmt::format("found '{}', expected one of {}.{}", printable(text), list,
                                      did_you_mean(text, names)));
  }
  return std::string{text};
}

/// Numbers or UUIDs; the word none stands alone.
Result<Done> add_gpus(ProfileOptions& options, std::string_view text) {
  for (const std::string_view part : split(text, ',')) {
    const std::string_view id = trim(part);
    if (id.empty()) return refuse("--gpu", "found nothing between commas, expected a GPU");
    if (id == "none") {
      options.without_gpu = true;
    } else if (std::ranges::find(options.gpus, id) == options.gpus.end()) {
      options.gpus.emplace_back(id);
    }
  }
  if (options.without_gpu && !options.gpus.empty()) {
    return refuse("--gpu", "found 'none' beside other GPUs, expected one or the other");
  }
  return Done{};
}

Result<Done> take_duration(Duration& into, std::string_view option, std::string_view text) {
  HORUS_TRY(into, parse_duration(text, option));
  return Done{};
}

/// Options that are no annotations.
Result<Done> take_value(ProfileOptions& options, std::string_view option, std::string_view text) {
  if (option == "--gpu") return add_gpus(options, text);
  if (option == "--interval") return take_duration(options.interval, option, text);
  if (option == "--warmup") return take_duration(options.warmup, option, text);
  if (option == "--duration") return take_duration(options.duration.emplace(), option, text);
  if (option == "--pid") {
    HORUS_TRY(options.pid, parse_count(text, option, 1));
    options.action = ProfileOptions::Action::Watch;
    return Done{};
  }
  std::string& target = option == "--onnx"           ? options.onnx_file
                        : option == "--step-pattern" ? options.step_pattern
                                                     : options.record_file;
  target = text;
  return Done{};
}

void take_flag(ProfileOptions& options, std::string_view option) {
  if (option == "--direct") options.output = ProfileOptions::Output::Direct;
  if (option == "--quiet") options.quiet = true;
  if (option == "--version") options.action = ProfileOptions::Action::Version;
  if (option == "--help") options.action = ProfileOptions::Action::Help;
}

Result<Done> take(ProfileOptions& options, const OptionRow& row, std::string_view text) {
  const std::string_view option = long_name(row);
  if (text.empty()) return refuse(option, "found an empty value, expected one with letters");
  if (text.size() > kTextMax) {
    return refuse(option,
                  fmt::format("found {} letters, expected at most {}", text.size(), kTextMax));
  }
  if (row.annotates.empty()) return take_value(options, option, text);
  HORUS_TRY(options.annotations[std::string{row.annotates}], annotation(row, text));
  return Done{};
}

Result<const OptionRow*> known_row(std::string_view name) {
  if (const OptionRow* row = find_row(name)) return row;
  std::vector<std::string> names;
  for (const OptionRow& row : rows()) names.emplace_back(long_name(row));
  return refuse(printable(name),
                fmt::format("unknown option.{} See 'horus profile --help'; the command's own "
                            "options go behind '--'",
                            did_you_mean(name, names)));
}

Result<Done> check(const ProfileOptions& options) {
  using Action = ProfileOptions::Action;
  if (options.action == Action::Run && options.command.empty()) {
    return fail(Errc::InvalidArgument,
                "no command given; e.g. horus profile -- python train.py, or --pid PID");
  }
  if (options.action == Action::Watch && !options.command.empty()) {
    return refuse("--pid", "found a command as well, expected one or the other");
  }
  if (options.action == Action::Watch && !options.step_pattern.empty()) {
    return refuse("--step-pattern",
                  "reads the output of a command; that of a process that runs goes elsewhere");
  }
  if (options.action == Action::Run && options.duration) {
    return refuse("--duration", "needs --pid: a command runs until it ends");
  }
  if (options.output == ProfileOptions::Output::Direct && !options.step_pattern.empty()) {
    return refuse("--step-pattern", "needs the command's output, which --direct leaves alone");
  }
  if (options.interval < kIntervalMin || options.interval > kIntervalMax) {
    return refuse("--interval", "expected 10ms to 60s");
  }
  return Done{};
}

}  // namespace

std::span<const OptionRow> profile_option_rows() { return rows(); }

Result<ProfileOptions> parse_profile_options(std::span<const std::string> words) {
  ProfileOptions options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--" || !word.starts_with('-') || word == "-") {
      const auto rest = words.subspan(word == "--" ? i + 1 : i);
      options.command.assign(rest.begin(), rest.end());
      break;
    }
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
    HORUS_TRY(const OptionRow* const row, known_row(word.substr(0, equals)));
    const bool has_value = equals != std::string_view::npos;
    if (row->kind == Kind::Flag) {
      if (has_value) return refuse(long_name(*row), "takes no value");
      take_flag(options, long_name(*row));
      continue;
    }
    if (!has_value && i + 1 == words.size()) {
      return refuse(long_name(*row), fmt::format("expected {} behind it", row->value));
    }
    const std::string_view value = has_value ? word.substr(equals + 1) : words[++i];
    HORUS_TRY_DONE(take(options, *row, value));
  }
  HORUS_TRY_DONE(check(options));
  return options;
}

std::string profile_help() {
  std::string text =
      "Runs a training job, watches its GPUs, and appends one record to a file.\n"
      "Usage: horus profile [OPTIONS] [--] COMMAND [WORDS...]\n"
      "       horus profile [OPTIONS] --pid PID\n\nOptions:\n";
  for (const OptionRow& row : rows()) {
    const std::string name = fmt::format("{} {}", row.name, row.value);
    text += fmt::format("  {:<26}{}", name, row.description);
    for (std::size_t i = 0; i < row.choices.size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? ": " : ", ", row.choices[i]);
    }
    text += '\n';
  }
  return text +
         "\nSteps are timed when the program writes a line for each: 'horus-step' or 'horus-step "
         "120'\non its output, an empty line or a number to the descriptor that HORUS_STEP_FD "
         "names, or what\n--step-pattern finds.\n"
         "The exit code is the command's, 128 + N behind signal N, 126 or 127 where it cannot be "
         "run,\n125 where there is no record.\n"
         "Examples:\n"
         "  horus profile -- python train.py --epochs 1\n"
         "  horus profile --model-name resnet50 --batch 64 --precision amp -- python train.py\n"
         "  horus profile --step-pattern 'step ([0-9]+)' -o runs.jsonl -- ./train.sh\n"
         "  horus profile --pid 4711 --duration 60s --gpu 0\n";
}

}  // namespace horus::record
