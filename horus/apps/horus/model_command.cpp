// SPDX-License-Identifier: Apache-2.0
// horus model: what a fitted predictor is made of.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "horus/apps/horus/command.hpp"
#include "horus/apps/horus/predictor_source.hpp"
#include "horus/base/text.hpp"
#include "horus/wire/predictor_json.hpp"

namespace horus::apps {
namespace {

class ModelCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& parent) override {
    CLI::App* app = parent.add_subcommand("model", "Show what a fitted predictor is made of");
    app->add_option("action", action_, "show")->required();
    app->add_option("predictor", reference_,
                    "A file that 'horus train' wrote; shipped: the one that is compiled in; "
                    "priors: what fits start from")
        ->capture_default_str();
    app->add_flag("--json", json_, "Print the file itself instead of its card");
    app->footer(
        "The card says where the numbers come from, under which licence, and how wrong they were\n"
        "on models, families and GPUs that were held out.\n"
        "Examples:\n"
        "  horus model show\n"
        "  horus model show fitted.json\n"
        "  horus model show shipped --json");
    return app;
  }

  Result<Done> run(const Console& console) override {
    if (action_ != "show") {
      return fail(Errc::InvalidArgument,
                  fmt::format("unknown action '{}': expected show", printable(action_)));
    }
    HORUS_TRY(PredictorFile file, load_predictor(reference_));
    // A card of something that cannot predict would be a lie.
    HORUS_TRY_DONE(model_of(file, reference_));
    if (json_) return console.print(wire::to_json(file));
    return console.print(report::page(card_of(std::move(file), reference_), console.colour()));
  }

 private:
  std::string action_;
  std::string reference_{kShipped};
  bool json_{false};
};

}  // namespace

std::unique_ptr<Command> make_model_command() { return std::make_unique<ModelCommand>(); }

}  // namespace horus::apps
