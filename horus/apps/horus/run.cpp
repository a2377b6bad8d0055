// SPDX-License-Identifier: Apache-2.0
// From the words of the command line to the command that runs, and from its outcome to an exit
// code.
#include <algorithm>
#include <exception>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "horus/apps/horus/command.hpp"
#include "horus/base/text.hpp"

namespace horus::apps {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;
constexpr const char* kVersion = "horus 0.1.0";

struct Entry {
  CLI::App* app;
  std::unique_ptr<Command> command;
};

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_inspect_command());
  commands.push_back(make_predict_command());
  commands.push_back(make_zoo_command());
  commands.push_back(make_simulate_command());
  commands.push_back(make_profile_command());
  commands.push_back(make_train_command());
  commands.push_back(make_evaluate_command());
  commands.push_back(make_model_command());
  commands.push_back(make_completion_command());
  return commands;
}

/// An error of the command line is usage; everything else is the world.
int exit_code(const Error& error) {
  return error.code == Errc::InvalidArgument ? kUsage : kFailure;
}

int report(const Error& error, const Console& console) {
  constexpr std::size_t kLongest = 2000;  // the rest of a long path helps nobody
  console.note("error: " + report::shortened(error.text(), kLongest));
  return exit_code(error);
}

/// CLI11 would only say that an argument was not expected.
std::optional<Error> unknown_command(int argc, const char* const* argv,
                                     const std::vector<Entry>& entries) {
  if (argc < 2 || argv[1][0] == '-') return std::nullopt;
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.app->get_name());
  const std::string word = argv[1];
  if (std::ranges::find(names, word) != names.end()) return std::nullopt;
  return Error{.code = Errc::InvalidArgument,
               .message = fmt::format("unknown command '{}'.{} 'horus --help' lists the commands",
                                      printable(word), did_you_mean(word, names))};
}

/// "--plot=" would take the next word, be it the model.
std::optional<Error> option_without_value(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") break;
    if (word.size() < 4 || !word.starts_with("--") || word.find('=') != word.size() - 1) continue;
    return Error{.code = Errc::InvalidArgument,
                 .message = "nothing behind '=', expected a value",
                 .where = printable(word.substr(0, word.size() - 1))};
  }
  return std::nullopt;
}

/// An empty word is no value: commands take it for an option that was not given.
std::optional<Error> empty_value(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0) continue;
    const auto& values = option->results();
    if (std::ranges::find(values, std::string{}) == values.end()) continue;
    return Error{.code = Errc::InvalidArgument,
                 .message =
                     "found an empty value, expected one with letters; leave the option out "
                     "for its default",
                 .where = option->get_name()};
  }
  return std::nullopt;
}

int run_parsed(const std::vector<Entry>& entries, const Console& console) {
  for (const Entry& entry : entries) {
    if (!entry.app->parsed()) continue;
    if (const auto error = empty_value(*entry.app)) return report(*error, console);
    const Result<Done> result = entry.command->run(console);
    return result ? 0 : report(result.error(), console);
  }
  return report({.code = Errc::InvalidArgument,
                 .message = "no command given; 'horus --help' lists the commands"},
                console);
}

std::string help_name(const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    if (entry.app->parsed() || entry.app->count() > 0) return "horus " + entry.app->get_name();
  }
  return "horus";
}

/// A word that no option takes: mostly a typing mistake in the name of one.
Error unexpected_words(const CLI::App& app, const std::vector<Entry>& entries,
                       const CLI::ExtrasError& error) {
  std::vector<std::string> options;
  for (const Entry& entry : entries) {
    if (!entry.app->parsed()) continue;
    for (const CLI::Option* option : entry.app->get_options()) {
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    }
  }
  for (const std::string& word : app.remaining(true)) {
    if (!word.starts_with('-')) continue;
    return {.code = Errc::InvalidArgument,
            .message = fmt::format("unknown option '{}'.{} See '{} --help'", printable(word),
                                   did_you_mean(word, options), help_name(entries))};
  }
  return {.code = Errc::InvalidArgument,
          .message = fmt::format("{}; see '{} --help'", error.what(), help_name(entries))};
}

}  // namespace

int run(int argc, const char* const* argv, const Console& console) {
  if (is_profile(argc, argv)) return report(become_profile(argc, argv), console);
  CLI::App app{
      "Horus: predicts what deep-learning jobs do to a GPU, and packs them where "
      "it predicts little harm."};
  app.name("horus");
  app.set_version_flag("--version", kVersion);
  app.set_help_all_flag("--help-all", "Show the help of all commands");
  app.footer(
      "Examples:\n"
      "  horus zoo resnet50 -o resnet50.onnx     write a network without weights\n"
      "  horus inspect resnet50.onnx --batch 32  what it costs\n"
      "  horus predict resnet50.onnx --gpu V100-16GB,T4 --batch 32\n"
      "  horus simulate --generate philly-like --jobs 5000 --load 1.2 "
      "--cluster 8x8xV100-16GB\n"
      "'horus COMMAND --help' explains a command.");
  std::vector<Entry> entries;
  for (auto& command : all_commands()) {
    CLI::App* declared = command->declare(app);
    entries.push_back({.app = declared, .command = std::move(command)});
  }
  if (const auto error = unknown_command(argc, argv, entries)) return report(*error, console);
  if (const auto error = option_without_value(argc, argv)) return report(*error, console);
  try {
    app.parse(argc, argv);
    return run_parsed(entries, console);
  } catch (const CLI::Success& wanted) {  // --help, --version
    std::ostringstream text;
    app.exit(wanted, text, text);
    const auto printed = console.print(text.str());
    return printed ? 0 : report(printed.error(), console);
  } catch (const CLI::ExtrasError& error) {
    return report(unexpected_words(app, entries, error), console);
  } catch (const CLI::ParseError& error) {
    return report({.code = Errc::InvalidArgument,
                   .message = fmt::format("{}; see '{} --help'", error.what(), help_name(entries))},
                  console);
  } catch (const std::bad_alloc&) {
    return report({.code = Errc::Unavailable, .message = "out of memory"}, console);
  } catch (const std::exception& error) {  // a library's surprise: say it, never crash
    return report({.code = Errc::Unsupported, .message = error.what()}, console);
  }
}

}  // namespace horus::apps
