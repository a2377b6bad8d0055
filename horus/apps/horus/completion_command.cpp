// SPDX-License-Identifier: Apache-2.0
// horus completion: scripts that let a shell complete commands, options and names.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/apps/horus/command.hpp"
#include "horus/apps/horus/dataset_source.hpp"
#include "horus/apps/horus/output_format.hpp"
#include "horus/apps/horus/sharing_options.hpp"
#include "horus/apps/horus/zoo_selection.hpp"
#include "horus/base/text.hpp"
#include "horus/domain/gpu.hpp"
#include "horus/domain/prediction.hpp"
#include "horus/lab/protocols.hpp"
#include "horus/sched/policy.hpp"
#include "horus/sim/generate.hpp"
#include "horus/sim/traces/trace.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::apps {
namespace {

/// What can follow an option, for all shells.
struct Choices {
  std::string option;  ///< Long name of the option that the words follow.
  std::vector<std::string> words;
  std::vector<std::string> commands;  ///< Only of these; empty: of all that have the option.
  bool is_list{};                     ///< Several words, with commas between.
};

struct CommandWords {
  std::string name;
  std::string description;
  std::vector<std::string> options;
};

std::vector<CommandWords> commands_of(const CLI::App& root) {
  std::vector<CommandWords> commands;
  for (const CLI::App* app : root.get_subcommands([](const CLI::App*) { return true; })) {
    CommandWords words{.name = app->get_name(), .description = app->get_description()};
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) words.options.push_back("--" + name);
    }
    commands.push_back(std::move(words));
  }
  return commands;
}

std::vector<std::string> zoo_names() {
  std::vector<std::string> names;
  for (const zoo::Architecture& architecture : zoo::architectures()) {
    names.push_back(architecture.name);
  }
  return names;
}

std::vector<Choices> option_choices() {
  std::vector<std::string> gpus;
  for (const GpuSpec& gpu : gpu_catalogue()) gpus.push_back(gpu.name);
  const std::vector<std::string> all;
  return {
      {.option = "--gpu", .words = {"none"}, .commands = {"profile"}},  // before the one of all
      {.option = "--gpu", .words = gpus, .commands = all, .is_list = true},
      {.option = "--reference-gpu", .words = gpus, .commands = all},
      {.option = "--policy", .words = sched::policy_names(), .commands = all, .is_list = true},
      {.option = "--precision", .words = precision_words(), .commands = all},
      {.option = "--optimizer", .words = optimizer_words(), .commands = all},
      {.option = "--attention", .words = attention_words(), .commands = all},
      {.option = "--checkpointing", .words = checkpointing_words(), .commands = all},
      {.option = "--update", .words = update_kernels_words(), .commands = all},
      {.option = "--step-end", .words = step_end_words(), .commands = all},
      {.option = "--input-place", .words = input_place_words(), .commands = all},
      {.option = "--mode", .words = mode_option_words(), .commands = {"predict"}},
      {.option = "--interference", .words = interference_words(), .commands = {"predict"}},
      {.option = "--gangs", .words = {"exclusive", "shared"}, .commands = all},
      {.option = "--format", .words = sim::trace_formats(), .commands = {"simulate"}},
      {.option = "--format", .words = format_names(), .commands = {"evaluate", "inspect", "zoo"}},
      {.option = "--dataset", .words = dataset_names(), .commands = {"evaluate", "train"}},
      {.option = "--licence", .words = {"permissive", "any"}, .commands = {"train"}},
      {.option = "--protocol", .words = lab::protocol_names(), .commands = {"evaluate"}},
      {.option = "--family", .words = zoo_families(), .commands = {"zoo"}},
      {.option = "--generate", .words = sim::generated_workloads(), .commands = all}};
}

std::string names_of(const std::vector<CommandWords>& commands) {
  std::vector<std::string> names;
  for (const CommandWords& command : commands) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, " "));
}

/// "*' --gpu'" or "'inspect --format'|'zoo --format'": a command and its option, for `case`.
std::string bash_pattern(const Choices& choice) {
  if (choice.commands.empty()) return fmt::format("*' {}'", choice.option);
  std::vector<std::string> patterns;
  for (const std::string& command : choice.commands) {
    patterns.push_back(fmt::format("'{} {}'", command, choice.option));
  }
  return fmt::format("{}", fmt::join(patterns, "|"));
}

std::string bash_script(const CLI::App& root) {
  const std::vector<CommandWords> commands = commands_of(root);
  std::string values;
  for (const Choices& choice : option_choices()) {
    // What is complete of a list stays in front of each offer.
    const std::string_view call =
        choice.is_list ? "-P \"$list\" -W \"{}\" -- \"${{word##*,}}\"" : "-W \"{}\" -- \"$word\"";
    values += fmt::format("    {}) COMPREPLY=($(compgen {})); return;;\n", bash_pattern(choice),
                          fmt::format(fmt::runtime(call), fmt::join(choice.words, " ")));
  }
  std::string options;
  for (const CommandWords& command : commands) {
    options +=
        fmt::format("    {}) words=\"{}\";;\n", command.name, fmt::join(command.options, " "));
  }
  return fmt::format(R"(# bash completion of horus: source <(horus completion bash)
_horus() {{
  # bash breaks words at ":" and "=": "zoo:a" and "--gpu=a" are three words each.
  local at=$COMP_CWORD word="${{COMP_WORDS[COMP_CWORD]}}" words=""
  while [ "$at" -gt 2 ] && [[ "$word" == :* || "${{COMP_WORDS[at-1]}}" == *: ]]; do
    at=$((at-1)); word="${{COMP_WORDS[at]}}$word"
  done
  if [ "$word" = "=" ]; then word=""; at=$((at+1)); fi
  local before="${{COMP_WORDS[at-1]}}"
  if [ "$before" = "=" ]; then before="${{COMP_WORDS[at-2]}}"; fi
  local list="${{word%"${{word##*,}}"}}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$word")); return
  fi
  case "${{COMP_WORDS[1]}} $before" in
{}  esac
  case "${{COMP_WORDS[1]}}" in
{}  esac
  if [ "${{COMP_WORDS[1]}}" = zoo ] && [ "$COMP_CWORD" -eq 2 ]; then words="$words {}"; fi
  if [ "${{COMP_WORDS[1]}}" = completion ]; then
    COMPREPLY=($(compgen -W "bash zsh fish" -- "$word")); return
  fi
  case "${{COMP_WORDS[1]}} $word" in
    'inspect zoo:'*|'predict zoo:'*)
      COMPREPLY=($(compgen -P zoo: -W "{}" -- "${{word#zoo:}}"))
      # bash replaces only what stands behind the last ":".
      if [[ "$COMP_WORDBREAKS" == *:* ]]; then COMPREPLY=("${{COMPREPLY[@]#zoo:}}"); fi
      return;;
    'inspect z'*|'predict z'*) words="$words zoo:"; compopt -o nospace 2>/dev/null;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}}
complete -o filenames -F _horus horus
)",
                     names_of(commands), values, options, fmt::join(zoo_names(), " "),
                     fmt::join(zoo_names(), " "));
}

std::string zsh_script(const CLI::App& root) {
  return "# zsh completion of horus: source <(horus completion zsh)\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_script(root);
}

std::string fish_script(const CLI::App& root) {
  std::string script = "# fish completion of horus: horus completion fish | source\n";
  for (const CommandWords& command : commands_of(root)) {
    script += fmt::format("complete -c horus -n __fish_use_subcommand -a {} -d '{}'\n",
                          command.name, command.description);
    for (const std::string& option : command.options) {
      script += fmt::format("complete -c horus -n '__fish_seen_subcommand_from {}' -l {}\n",
                            command.name, option.substr(2));
    }
  }
  for (const Choices& choice : option_choices()) {
    const std::string condition =
        choice.commands.empty()
            ? ""
            : fmt::format(" -n '__fish_seen_subcommand_from {}'", fmt::join(choice.commands, " "));
    const std::string words = choice.is_list
                                  ? fmt::format("(__fish_complete_list , \"string split , {}\")",
                                                fmt::join(choice.words, ","))
                                  : fmt::format("{}", fmt::join(choice.words, " "));
    script += fmt::format("complete -c horus{} -l {} -x -a '{}'\n", condition,
                          choice.option.substr(2), words);
  }
  script += fmt::format(
      "complete -c horus -n '__fish_seen_subcommand_from inspect predict' -a 'zoo:{}'\n",
      fmt::join(zoo_names(), " zoo:"));
  script += fmt::format("complete -c horus -n '__fish_seen_subcommand_from zoo' -a '{}'\n",
                        fmt::join(zoo_names(), " "));
  return script;
}

class CompletionCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& parent) override {
    root_ = &parent;
    CLI::App* app = parent.add_subcommand("completion", "Print a completion script for a shell");
    app->add_option("shell", shell_, "bash, zsh or fish")->required();
    app->footer("Example:\n  echo 'source <(horus completion bash)' >> ~/.bashrc");
    return app;
  }

  Result<Done> run(const Console& console) override {
    if (shell_ == "bash") return console.print(bash_script(*root_));
    if (shell_ == "zsh") return console.print(zsh_script(*root_));
    if (shell_ == "fish") return console.print(fish_script(*root_));
    return fail(Errc::InvalidArgument,
                fmt::format("unknown shell '{}': expected bash, zsh or fish", printable(shell_)));
  }

 private:
  const CLI::App* root_{};
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completion_command() { return std::make_unique<CompletionCommand>(); }

}  // namespace horus::apps
