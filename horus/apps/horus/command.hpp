// SPDX-License-Identifier: Apache-2.0
#pragma once
// A subcommand of the CLI: declares its options, then runs with them.

#include <memory>
#include <vector>

#include "horus/apps/horus/console.hpp"
#include "horus/base/result.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace horus::apps {

class Command {
 public:
  Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  /// Adds the subcommand with its options to `parent` and returns it.
  virtual CLI::App* declare(CLI::App& parent) = 0;
  /// Runs with the parsed options.
  [[nodiscard]] virtual Result<Done> run(const Console& console) = 0;
};

[[nodiscard]] std::unique_ptr<Command> make_evaluate_command();
[[nodiscard]] std::unique_ptr<Command> make_inspect_command();
[[nodiscard]] std::unique_ptr<Command> make_model_command();
[[nodiscard]] std::unique_ptr<Command> make_train_command();
[[nodiscard]] std::unique_ptr<Command> make_zoo_command();
[[nodiscard]] std::unique_ptr<Command> make_predict_command();
[[nodiscard]] std::unique_ptr<Command> make_simulate_command();
[[nodiscard]] std::unique_ptr<Command> make_completion_command();
[[nodiscard]] std::unique_ptr<Command> make_profile_command();

/// "horus profile ...", whose words are another program's: CLI11 must not see them.
[[nodiscard]] bool is_profile(int argc, const char* const* argv);
/// Becomes that program; returns where it is missing.
[[nodiscard]] Error become_profile(int argc, const char* const* argv);

/// Exit codes: 0 done, 1 the input or the world was wrong, 2 the command line was wrong.
[[nodiscard]] int run(int argc, const char* const* argv, const Console& console);

}  // namespace horus::apps
