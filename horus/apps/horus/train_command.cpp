// SPDX-License-Identifier: Apache-2.0
// horus train: measured jobs become a predictor with its papers.
#include <array>
#include <filesystem>
#include <limits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/apps/horus/command.hpp"
#include "horus/apps/horus/dataset_source.hpp"
#include "horus/apps/horus/number_option.hpp"
#include "horus/apps/horus/output_guard.hpp"
#include "horus/apps/horus/predictor_source.hpp"
#include "horus/apps/horus/training_run.hpp"
#include "horus/base/text.hpp"
#include "horus/os/file.hpp"
#include "horus/predict/predictor_model.hpp"
#include "horus/wire/predictor_json.hpp"

namespace horus::apps {
namespace {

/// "timm" of "data/timm" and of "data/timm/".
std::string last_name(const std::filesystem::path& path) {
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

/// The command as a shell would take it again.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return out + "'";
}

class TrainCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& parent) override {
    CLI::App* app = parent.add_subcommand(
        "train", "Fit a predictor to measured jobs, and say how wrong it is on new ones");
    app->add_option("data", data_,
                    "Folders of data sets; records of 'horus profile': a file *.jsonl, or a "
                    "folder of them");
    app->add_option("-o,--output", output_, "File to write; it appears when it is complete");
    app->add_option("--dataset", dataset_,
                    fmt::format("Kind of the data: {}; default: all that lie in the folders",
                                fmt::join(dataset_names(), ", ")));
    app->add_option("--licence", licence_,
                    "permissive: leave out data for non-commercial use only; any: use them, and "
                    "say so in the file. Default: refuse them");
    app->add_option("--date", date_, "Day that the file shall name, YYYY-MM-DD; default: none");
    app->add_option("--seed", seed_, "Seed of everything that is drawn")
        ->transform(integer_between(0, std::numeric_limits<std::uint32_t>::max()))
        ->capture_default_str();
    app->add_flag("--shipped", shipped_,
                  "Start from the priors, use permissive data only and forget their machines: what "
                  "makes data/constants/shipped.json");
    app->footer(
        "From 3 jobs on, the factors of their machines are fitted; from 20 on, all constants;\n"
        "from 30 on, corrections are learned for jobs like these, from 80 on for new models too:\n"
        "only where they lower the error on what was held out.\n"
        "Examples:\n"
        "  horus train records/ -o my-machine.json\n"
        "  horus train data/lucid --licence any -o lucid.json\n"
        "  horus predict zoo:resnet50 --gpu T4 --batch 32 --model-file my-machine.json");
    return app;
  }

  Result<Done> run(const Console& console) override {
    HORUS_TRY_DONE(check());
    HORUS_TRY_DONE(check_outputs(std::array{NamedOutput{"--output", output_}}, data_));
    TrainingRequest request{.paths = data_, .kind = nullptr, .licence = LicenceRule::Refuse};
    if (!dataset_.empty()) {
      HORUS_TRY(request.kind, find_dataset_kind(dataset_));
    }
    HORUS_TRY(request.licence, licence());
    request.command = command();
    request.date = date_;
    request.seed = seed_;
    request.purpose = shipped_ ? Purpose::Shipping : Purpose::OwnUse;
    request.progress = [&](std::string_view label, double share) {
      console.progress(label, share);
    };
    auto trained = train(request);
    console.clear_progress();
    if (!trained) return tl::make_unexpected(std::move(trained).error());
    for (const std::string& note : trained->notes) console.note(note);
    const std::string text = wire::to_json(trained->file);
    HORUS_TRY_DONE(check_usable(text));
    HORUS_TRY_DONE(os::write_file(output_, text));
    return console.print(
        report::page(card_of(std::move(trained->file), output_), console.colour()));
  }

 private:
  /// A file that no command could read must not replace one that is good.
  [[nodiscard]] static Result<Done> check_usable(const std::string& text) {
    auto file = wire::read_predictor(text);
    const Result<Done> usable = file ? check_model(*file) : tl::make_unexpected(file.error());
    if (usable) return usable;
    return fail(Errc::InvalidArgument,
                fmt::format("these data lead to a predictor that cannot be used, so nothing is "
                            "written ({}: {}); look for measurements that cannot be",
                            usable.error().where, usable.error().message));
  }

  [[nodiscard]] static Result<Done> check_model(const PredictorFile& file) {
    HORUS_TRY_DONE(predict::make_model(file));
    return Done{};
  }

  [[nodiscard]] Result<Done> check() const {
    if (data_.empty() || output_.empty()) {
      return fail(Errc::InvalidArgument,
                  "expected data and -o FILE, e.g. 'horus train records/ -o "
                  "my-machine.json'; 'horus train --help' says more");
    }
    if (date_.empty() || wire::is_date(date_)) return Done{};
    return fail(Errc::InvalidArgument,
                fmt::format("found '{}', expected YYYY-MM-DD", printable(date_)), "--date");
  }

  [[nodiscard]] Result<LicenceRule> licence() const {
    if (shipped_ && !licence_.empty() && licence_ != "permissive") {
      return fail(Errc::InvalidArgument, "what ships is fitted on permissive data only",
                  "--licence");
    }
    if (shipped_ || licence_ == "permissive") return LicenceRule::LeaveOut;
    if (licence_ == "any") return LicenceRule::Accept;
    if (licence_.empty()) return LicenceRule::Refuse;
    return fail(Errc::InvalidArgument,
                fmt::format("unknown word '{}': expected permissive or any", printable(licence_)),
                "--licence");
  }

  /// What the file says of how to make it again. What ships does not depend on where data lay.
  [[nodiscard]] std::string command() const {
    std::string text = "horus train";
    if (shipped_) {
      for (const std::string& path : data_) text += " DATA/" + last_name(path);
      return text + fmt::format(" --shipped --seed {} -o data/constants/shipped.json", seed_);
    }
    for (const std::string& path : data_) text += " " + quoted(path);
    if (!dataset_.empty()) text += " --dataset " + dataset_;
    if (!licence_.empty()) text += " --licence " + licence_;
    return text + fmt::format(" --seed {} -o {}", seed_, quoted(output_));
  }

  std::vector<std::string> data_;
  std::string output_;
  std::string dataset_;
  std::string licence_;
  std::string date_;
  std::uint64_t seed_{1};
  bool shipped_{false};
};

}  // namespace

std::unique_ptr<Command> make_train_command() { return std::make_unique<TrainCommand>(); }

}  // namespace horus::apps
