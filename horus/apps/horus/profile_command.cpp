// SPDX-License-Identifier: Apache-2.0
// horus profile: hands over to horus-profile, which goes to machines without the libraries of
// Horus.
#include <string_view>

#include <CLI/CLI.hpp>

#include "horus/apps/horus/command.hpp"
#include "horus/os/program.hpp"
#include "horus/record/profile_options.hpp"

namespace horus::apps {
namespace {

constexpr const char* kProgram = "horus-profile";

/// Known to the help and to completion. What the options mean, horus-profile knows.
class ProfileCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& parent) override {
    CLI::App* app =
        parent.add_subcommand("profile", "Run a training job and record what it does to its GPUs");
    for (const record::OptionRow& row : record::profile_option_rows()) {
      const std::string name{row.name};
      if (name.ends_with("--help") || name == "--version") continue;
      if (row.kind == record::OptionRow::Kind::Flag) {
        app->add_flag(name, ignored_flag_, std::string{row.description});
      } else {
        app->add_option(name, ignored_, std::string{row.description});
      }
    }
    app->footer("Example:\n  horus profile --batch 64 -- python train.py");
    return app;
  }

  Result<Done> run(const Console&) override {
    return tl::make_unexpected(os::become_sibling(kProgram, {}));
  }

 private:
  std::string ignored_;
  bool ignored_flag_{};
};

}  // namespace

std::unique_ptr<Command> make_profile_command() { return std::make_unique<ProfileCommand>(); }

bool is_profile(int argc, const char* const* argv) {
  return argc > 1 && std::string_view{argv[1]} == "profile";
}

Error become_profile(int argc, const char* const* argv) {
  return os::become_sibling(kProgram, {argv + 2, argv + argc});
}

}  // namespace horus::apps
