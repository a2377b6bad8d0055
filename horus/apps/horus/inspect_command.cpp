// SPDX-License-Identifier: Apache-2.0
// horus inspect: what computation graphs cost, and what changed between two.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "horus/apps/horus/command.hpp"
#include "horus/apps/horus/inspect_printer.hpp"
#include "horus/apps/horus/inspect_report.hpp"
#include "horus/apps/horus/model_options.hpp"
#include "horus/os/file.hpp"
#include "horus/report/depth_plot.hpp"

namespace horus::apps {
namespace {

class InspectCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& parent) override {
    CLI::App* app = parent.add_subcommand(
        "inspect", "Show what a computation graph costs: parameters, FLOPs, memory, kernels");
    model_.declare_several(*app);
    format_.declare(*app);
    app->add_flag("--diff", diff_, "Compare two models: what changed from the first to the second");
    app->add_option("--plot", plot_,
                    "Also draw FLOPs and memory along the depth into this SVG file; '-' prints "
                    "the picture instead of the report");
    app->add_flag("--shapes", shapes_, "Also list every value with its type and shape");
    app->add_flag("--strict", strict_, "Exit with 1 if any node has no cost");
    app->footer(
        "A model's weights are never read, and external data is never opened.\n"
        "Nodes whose cost is unknown are listed; the totals are then lower bounds.\n"
        "csv has one row per node. html holds the picture and needs nothing else. Several models\n"
        "as json are JSON Lines; one that cannot be read does not stop the others.\n"
        "Examples:\n"
        "  horus inspect resnet50.onnx --batch 32\n"
        "  horus inspect zoo:gpt2 --dim sequence=512 --json | jq .macs\n"
        "  horus inspect --diff old.onnx new.onnx --format md\n"
        "  horus inspect net.onnx --plot net.svg\n"
        "  horus inspect exported/*.onnx --strict --format csv > nodes.csv");
    return app;
  }

  Result<Done> run(const Console& console) override {
    HORUS_TRY(const Format format, format_.format());
    HORUS_TRY_DONE(check_combination(format));
    HORUS_TRY(graph::AnalysisOptions options, model_.analysis_options());
    const bool needs_values = shapes_ || diff_ || format == Format::Csv;
    options.values = needs_values ? graph::ListValues::Yes : graph::ListValues::No;
    if (diff_) return compare(options, format, console);
    if (!plot_.empty()) return draw(options, format, console);
    return report_all(options, format, console);
  }

 private:
  /// What has been seen of the models so far.
  struct Tally {
    std::size_t gaps{};
    std::size_t failures{};
    Errc worst{Errc::Corrupt};  ///< InvalidArgument where a failure was one of the command line.
  };

  [[nodiscard]] Result<Done> check_combination(Format format) const {
    const std::size_t models = model_.references().size();
    const auto usage = [](std::string message) {
      return fail(Errc::InvalidArgument, std::move(message));
    };
    if (models == 0) {
      return usage(
          "expected a model, e.g. 'horus inspect net.onnx' or 'horus inspect zoo:resnet50'");
    }
    if (diff_ && models != 2) {
      return usage(
          fmt::format("--diff compares two models, found {}: horus inspect --diff A B", models));
    }
    if (!plot_.empty() && (diff_ || models != 1)) {
      return usage("--plot draws one model: leave out --diff and the other models");
    }
    if (plot_ == "-" && (shapes_ || format_.is_given())) {
      return usage(
          "--plot - prints the picture and nothing else: leave out --format, --json and --shapes, "
          "or name a file");
    }
    if (shapes_ && (diff_ || format == Format::Csv)) {
      return usage(
          "--shapes lists values in a page, json, md or html of models, not with --diff "
          "or --format csv");
    }
    return Done{};
  }

  [[nodiscard]] Result<wire::InspectReport> report_of(const std::string& reference,
                                                      const graph::AnalysisOptions& options) const {
    HORUS_TRY(const AnalysedModel analysed, load_and_analyse(reference, options));
    wire::InspectReport report = to_report(reference, analysed);
    if (shapes_) report.values = to_rows(analysed.analysis.values);
    return report;
  }

  [[nodiscard]] Result<Done> compare(const graph::AnalysisOptions& options, Format format,
                                     const Console& console) const {
    HORUS_TRY(wire::InspectReport before, report_of(model_.references()[0], options));
    HORUS_TRY(wire::InspectReport after, report_of(model_.references()[1], options));
    const std::size_t gaps = before.nodes_without_cost.size() + after.nodes_without_cost.size();
    const wire::InspectDiff diff = wire::compare(std::move(before), std::move(after));
    HORUS_TRY_DONE(console.print(spelled(diff, format, console.colour())));
    return verdict({.gaps = gaps});
  }

  [[nodiscard]] Result<Done> draw(const graph::AnalysisOptions& options, Format format,
                                  const Console& console) const {
    HORUS_TRY(const wire::InspectReport report, report_of(model_.references()[0], options));
    const std::string picture = report::depth_plot(report);
    if (plot_ == "-") {
      HORUS_TRY_DONE(console.print(picture));
      return verdict({.gaps = report.nodes_without_cost.size()});
    }
    HORUS_TRY_DONE(os::write_file(plot_, picture));
    const InspectPrinter printer{format, 1, console};
    HORUS_TRY_DONE(printer.head());
    HORUS_TRY_DONE(printer.one(report, 0));
    HORUS_TRY_DONE(printer.foot());
    console.note("wrote " + plot_);
    return verdict({.gaps = report.nodes_without_cost.size()});
  }

  [[nodiscard]] Result<Done> report_all(const graph::AnalysisOptions& options, Format format,
                                        const Console& console) const {
    const std::vector<std::string>& references = model_.references();
    const InspectPrinter printer{format, references.size(), console};
    Tally tally;
    for (std::size_t i = 0; i < references.size(); ++i) {
      auto report = report_of(references[i], options);
      // Of a single model nothing is printed but the error.
      if (!report && references.size() == 1) return tl::make_unexpected(report.error());
      if (i == 0) {
        HORUS_TRY_DONE(printer.head());
      }
      if (report) {
        tally.gaps += report->nodes_without_cost.size();
        HORUS_TRY_DONE(printer.one(*report, i));
      } else {
        ++tally.failures;
        if (report.error().code == Errc::InvalidArgument) tally.worst = Errc::InvalidArgument;
        HORUS_TRY_DONE(printer.failed(references[i], report.error()));
      }
    }
    HORUS_TRY_DONE(printer.foot());
    return verdict(tally);
  }

  /// Everything is printed; what remains is the exit code.
  [[nodiscard]] Result<Done> verdict(const Tally& tally) const {
    if (tally.failures > 0) {
      return fail(tally.worst, fmt::format("{} of {} models could not be analysed", tally.failures,
                                           model_.references().size()));
    }
    if (strict_ && tally.gaps > 0) {
      return fail(Errc::Unsupported,
                  fmt::format("nodes without cost: {}, and --strict allows none", tally.gaps));
    }
    return Done{};
  }

  ModelOptions model_;
  FormatOptions format_;
  std::string plot_;
  bool diff_{false};
  bool shapes_{false};
  bool strict_{false};
};

}  // namespace

std::unique_ptr<Command> make_inspect_command() { return std::make_unique<InspectCommand>(); }

}  // namespace horus::apps
