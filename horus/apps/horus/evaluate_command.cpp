// SPDX-License-Identifier: Apache-2.0
// horus evaluate: how wrong predictions are, on measured data, for jobs never seen.
#include <array>
#include <filesystem>
#include <limits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/apps/horus/command.hpp"
#include "horus/apps/horus/dataset_source.hpp"
#include "horus/apps/horus/evaluation.hpp"
#include "horus/apps/horus/number_option.hpp"
#include "horus/apps/horus/output_format.hpp"
#include "horus/apps/horus/output_guard.hpp"
#include "horus/apps/horus/picture_file.hpp"
#include "horus/apps/horus/predictor_source.hpp"
#include "horus/base/text.hpp"
#include "horus/os/file.hpp"
#include "horus/report/pages.hpp"
#include "horus/report/scatter_plot.hpp"

namespace horus::apps {
namespace {

constexpr std::int64_t kResamplesMax = 100'000;

/// The folder above the data set: the other data sets mostly lie there too.
std::string folder_above(const lab::DatasetKind& kind, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(fs::path{path} / kind.folder, error)) return path;
  const bool is_folder = fs::is_directory(path, error);
  return ((is_folder ? fs::path{path} : fs::path{path}.parent_path()) / "..").string();
}

std::string lists_text() {
  std::string text = "Data sets:\n";
  for (const lab::DatasetKind& kind : all_dataset_kinds()) {
    text += fmt::format("  {:17}{}\n", kind.name, kind.summary);
  }
  text += "Protocols, what a fit may see of the jobs that it is judged on:\n";
  for (const lab::ProtocolRule& rule : lab::protocol_rules()) {
    text += fmt::format("  {:14}{}\n", rule.name, rule.summary);
  }
  return text;
}

class EvaluateCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& parent) override {
    CLI::App* app = parent.add_subcommand(
        "evaluate", "Judge predictions on measured data, on models that no fit has seen");
    app->add_option("model", model_,
                    "A file that 'horus train' wrote; shipped: what is compiled in. Only protocol "
                    "shipped judges it, the others fit anew")
        ->capture_default_str();
    app->add_option("--dataset", dataset_,
                    fmt::format("Measured data: {}", fmt::join(dataset_names(), ", ")));
    app->add_option("--path", path_,
                    "Folder of the data set, or the one above it; or a file of records, *.jsonl");
    app->add_option("--protocol", protocol_,
                    fmt::format("One of {}; default: all", fmt::join(lab::protocol_names(), ", ")));
    app->add_option("--pool", pool_,
                    "Folder above the permissive data sets that zero-shot and calibrated-5 are "
                    "fitted on; default: the folder above the data set");
    app->add_flag("--no-loader-rates", no_loader_rates_,
                  "Withhold the rates of input pipelines, which a graph does not tell");
    app->add_option("--against", against_,
                    "CSV of other predictions to compare with: id as in --rows, utilization (0 to "
                    "1), step_s, memory_mib");
    app->add_option("--plot", plot_, "Draw predicted against measured into this .svg or .png file");
    app->add_option("--rows", rows_, "Write every prediction to this CSV file");
    app->add_option("--seed", seed_, "Seed of everything that is drawn")
        ->transform(integer_between(0, std::numeric_limits<std::int64_t>::max()))
        ->capture_default_str();
    app->add_option("--resamples", resamples_, "Resamples of models behind each interval")
        ->transform(integer_between(10, kResamplesMax))
        ->capture_default_str();
    format_.declare(*app);
    app->footer(
        lists_text() +
        "Examples:\n"
        "  horus evaluate --dataset profile --path records/ --protocol shipped\n"
        "  horus evaluate --dataset lucid --path data/lucid\n"
        "  horus evaluate --dataset gpumemnet-timm --path data --protocol family-out --json\n"
        "  horus evaluate fitted.json --dataset pgb --path data --protocol shipped --plot pgb.svg");
    return app;
  }

  Result<Done> run(const Console& console) override {
    HORUS_TRY(const Format format, format_.format());
    EvaluationRequest request;
    HORUS_TRY_DONE(fill(request));
    request.progress = [&](std::string_view label, double share) {
      console.progress(label, share);
    };
    auto report = evaluate(request);
    console.clear_progress();
    if (!report) return tl::make_unexpected(std::move(report).error());
    if (!rows_.empty()) HORUS_TRY_DONE(os::write_file(rows_, wire::predictions_csv(*report)));
    if (!plot_.empty()) HORUS_TRY_DONE(write_picture(plot_, report::scatter_plot(*report)));
    return console.print(spelled(*report, format, console.colour()));
  }

 private:
  [[nodiscard]] Result<Done> fill(EvaluationRequest& request) {
    if (dataset_.empty() || path_.empty()) {
      return fail(Errc::InvalidArgument,
                  "expected --dataset and --path, e.g. 'horus evaluate --dataset lucid --path "
                  "data/lucid'; 'horus evaluate --help' lists the data sets");
    }
    HORUS_TRY(request.kind, find_dataset_kind(dataset_));
    HORUS_TRY(request.protocols, protocols());
    if (!plot_.empty()) HORUS_TRY_DONE(check_picture(plot_));
    HORUS_TRY_DONE(
        check_outputs(std::array{NamedOutput{"--rows", rows_}, NamedOutput{"--plot", plot_}},
                      std::array{path_, against_, model_}));
    HORUS_TRY(judged_, load_model(model_));
    request.model = &judged_;
    request.model_name = model_;
    if (!against_.empty()) {
      HORUS_TRY(const std::string text, os::read_text(against_));
      HORUS_TRY(other_, lab::read_predictions(text, against_));
      request.against = &other_;
      request.against_name = against_;
    }
    request.path = path_;
    request.pool = pool_.empty() ? folder_above(*request.kind, path_) : pool_;
    request.loader_rates = no_loader_rates_ ? LoaderRates::Withheld : LoaderRates::Given;
    request.seed = seed_;
    request.resamples = resamples_;
    return Done{};
  }

  [[nodiscard]] Result<std::vector<lab::Protocol>> protocols() const {
    std::vector<lab::Protocol> all;
    if (!protocol_.empty()) {
      HORUS_TRY(const lab::Protocol protocol, lab::parse_protocol(protocol_));
      return std::vector{protocol};
    }
    for (const lab::ProtocolRule& rule : lab::protocol_rules()) all.push_back(rule.protocol);
    return all;
  }

  [[nodiscard]] std::string spelled(const wire::EvaluateReport& report, Format format,
                                    report::Colour colour) const {
    switch (format) {
      case Format::Page:
        return report::page(report, colour);
      case Format::Json:
        return protocol_.empty() ? wire::to_json(report) : wire::to_json_of_one(report);
      case Format::Markdown:
        return report::markdown(report::document(report));
      case Format::Csv:
        return wire::to_csv(report);
      case Format::Html:
        return report::html_head("horus evaluate") +
               report::html_body(report::document(report), report::scatter_plot(report)) +
               report::html_foot();
    }
    return {};
  }

  std::string model_{kShipped};
  std::string dataset_;
  std::string path_;
  std::string protocol_;
  std::string pool_;
  std::string against_;
  std::string plot_;
  std::string rows_;
  bool no_loader_rates_{false};
  std::uint64_t seed_{1};
  std::size_t resamples_{1000};
  FormatOptions format_;
  predict::Model judged_;
  lab::OtherPredictions other_;
};

}  // namespace

std::unique_ptr<Command> make_evaluate_command() { return std::make_unique<EvaluateCommand>(); }

}  // namespace horus::apps
