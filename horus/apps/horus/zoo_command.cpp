// SPDX-License-Identifier: Apache-2.0
// horus zoo: architectures by name, written as ONNX files without weights.
#include <filesystem>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "horus/apps/horus/command.hpp"
#include "horus/apps/horus/model_source.hpp"
#include "horus/apps/horus/number_option.hpp"
#include "horus/apps/horus/output_format.hpp"
#include "horus/apps/horus/zoo_selection.hpp"
#include "horus/base/text.hpp"
#include "horus/graph/onnx.hpp"
#include "horus/os/file.hpp"
#include "horus/report/pages.hpp"
#include "horus/wire/csv_reports.hpp"

namespace horus::apps {
namespace {

/// The zoo takes no more samples, so that sizes stay far from the limits of integers.
constexpr std::int64_t kMaxZooBatch = 1'000'000;

/// True for files of any kind, and links that lead nowhere.
bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(path, error));
}

std::string spelled(const std::vector<wire::ZooRow>& rows, Format format, report::Colour colour) {
  switch (format) {
    case Format::Page:
      return report::page(rows, colour);
    case Format::Json:
      return wire::to_json(rows);
    case Format::Markdown:
      return report::markdown(report::document(rows));
    case Format::Csv:
      return wire::to_csv(rows);
    case Format::Html:
      return report::html_head("horus zoo") + report::html_body(report::document(rows), "") +
             report::html_foot();
  }
  return {};
}

class ZooCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& parent) override {
    CLI::App* app = parent.add_subcommand(
        "zoo", "List known architectures, or write one as an ONNX file without weights");
    app->add_option("name", name_,
                    "Architecture to write; with * or ? those to list; without it all are listed");
    app->add_option("-o,--output", output_,
                    "File to write, '-' for standard output; default: NAME.onnx, if there is none");
    app->add_option("--batch", batch_, "Fix the batch size; default: open, named N")
        ->transform(integer_between(1, kMaxZooBatch));
    app->add_option("--seq", sequence_, "Sequence length of language models")
        ->transform(integer_between(1, kMaxBatch));
    app->add_option("--image", image_, "Side of the image in pixels, where it can be chosen")
        ->transform(integer_between(1, kMaxBatch));
    app->add_option("--family", family_, "List one family only");
    app->add_flag("--costs", costs_,
                  "List parameters and multiply-accumulates of one sample; with a name, of this "
                  "architecture only. With a name, --format and --json list it too");
    format_.declare(*app);
    app->footer(
        "Weights are graph inputs: the file describes the work and holds no numbers.\n"
        "A file is only replaced where -o names it.\n"
        "Examples:\n"
        "  horus zoo\n"
        "  horus zoo 'resnet*' --costs\n"
        "  horus zoo --family vit --format md\n"
        "  horus zoo bert-base --seq 384 -o bert.onnx\n"
        "  horus zoo resnet50 --image 384");
    return app;
  }

  Result<Done> run(const Console& console) override {
    HORUS_TRY(const Format format, format_.format());
    if (name_.empty() || is_pattern(name_)) return list(format, console);
    return costs_ || format_.is_given() ? list_one(format, console) : write(console);
  }

 private:
  [[nodiscard]] Result<Done> list(Format format, const Console& console) const {
    if (!output_.empty() || batch_ || sequence_ || image_) {
      return fail(Errc::InvalidArgument,
                  "--output, --batch, --seq and --image need the name of an "
                  "architecture, e.g. 'horus zoo resnet50 -o net.onnx'");
    }
    HORUS_TRY(std::vector<wire::ZooRow> rows, select_architectures(family_, name_));
    if (costs_) {
      HORUS_TRY_DONE(
          add_costs(rows, [&](double share) { console.progress("analysing the zoo", share); }));
      console.clear_progress();
    }
    return console.print(spelled(rows, format, console.colour()));
  }

  [[nodiscard]] Result<Done> list_one(Format format, const Console& console) const {
    if (!output_.empty() || batch_ || !family_.empty()) {
      return fail(Errc::InvalidArgument,
                  "--costs, --format and --json list an architecture, for one sample, and write no "
                  "file: leave out --output, --batch and --family");
    }
    HORUS_TRY(wire::ZooRow row,
              costed_architecture(name_, {.batch = 1, .sequence = sequence_, .image = image_}));
    if (!costs_) row.cost.reset();
    return console.print(spelled({std::move(row)}, format, console.colour()));
  }

  [[nodiscard]] Result<Done> write(const Console& console) const {
    if (!family_.empty()) {
      return fail(
          Errc::InvalidArgument,
          fmt::format("--family lists architectures; to write {} leave it out", printable(name_)));
    }
    auto model = zoo::build(name_, {.batch = batch_, .sequence = sequence_, .image = image_});
    if (!model) return fail(Errc::InvalidArgument, model.error().text());
    const std::string bytes = graph::write_onnx(*model);
    const std::string path = output_.empty() ? name_ + ".onnx" : output_;
    if (path == "-") return console.print(bytes);
    if (output_.empty() && exists(path)) {
      return fail(Errc::Unavailable, "exists; name the file with -o to replace it", path);
    }
    HORUS_TRY_DONE(os::write_file(path, bytes));
    console.note(fmt::format("wrote {} ({} nodes, {})", path, model->graph.nodes.size(),
                             report::memory_text(Bytes{static_cast<std::int64_t>(bytes.size())})));
    return Done{};
  }

  std::string name_;
  std::string output_;
  std::string family_;
  std::optional<std::int64_t> batch_;
  std::optional<std::int64_t> sequence_;
  std::optional<std::int64_t> image_;
  bool costs_{false};
  FormatOptions format_;
};

}  // namespace

std::unique_ptr<Command> make_zoo_command() { return std::make_unique<ZooCommand>(); }

}  // namespace horus::apps
