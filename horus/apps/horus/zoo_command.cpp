// SPDX-License-Identifier: Apache-2.0
// horus zoo: architectures by name, written as ONNX files without weights.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "horus/apps/horus/command.hpp"
#include "horus/apps/horus/model_source.hpp"
#include "horus/apps/horus/number_option.hpp"
#include "horus/graph/onnx.hpp"
#include "horus/os/file.hpp"
#include "horus/report/pages.hpp"
#include "horus/wire/reports.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::apps {
namespace {

class ZooCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& parent) override {
    CLI::App* app = parent.add_subcommand(
        "zoo", "List known architectures, or write one as an ONNX file without weights");
    app->add_option("name", name_, "Architecture; without it all are listed");
    app->add_option("-o,--output", output_, "File to write; default: NAME.onnx");
    app->add_option("--batch", batch_, "Fix the batch size; default: open, named N")
        ->transform(integer_between(1, kMaxBatch));
    app->add_option("--seq", sequence_, "Sequence length of language models")
        ->transform(integer_between(1, kMaxBatch));
    app->add_flag("--json", json_, "List as JSON");
    app->footer(
        "Weights are graph inputs: the file describes the work and holds no numbers.\n"
        "Examples:\n"
        "  horus zoo\n"
        "  horus zoo bert-base --seq 384 -o bert.onnx");
    return app;
  }

  Result<Done> run(const Console& console) override {
    return name_.empty() ? list(console) : write(console);
  }

 private:
  [[nodiscard]] Result<Done> list(const Console& console) const {
    if (!output_.empty() || batch_ || sequence_) {
      return fail(Errc::InvalidArgument,
                  "--output, --batch and --seq need the name of an "
                  "architecture, e.g. 'horus zoo resnet50 -o net.onnx'");
    }
    std::vector<wire::ZooRow> rows;
    for (const zoo::Architecture& architecture : zoo::architectures()) {
      rows.push_back({.name = architecture.name,
                      .description = architecture.description,
                      .input = architecture.input});
    }
    return console.print(json_ ? wire::to_json(rows) : report::page(rows, console.colour()));
  }

  [[nodiscard]] Result<Done> write(const Console& console) const {
    auto model = zoo::build(name_, {.batch = batch_, .sequence = sequence_});
    if (!model) return fail(Errc::InvalidArgument, model.error().text());
    const std::string bytes = graph::write_onnx(*model);
    const std::string path = output_.empty() ? name_ + ".onnx" : output_;
    if (path == "-") return console.print(bytes);
    HORUS_TRY_DONE(os::write_file(path, bytes));
    console.note(fmt::format("wrote {} ({} nodes, {})", path, model->graph.nodes.size(),
                             report::memory_text(Bytes{static_cast<std::int64_t>(bytes.size())})));
    return Done{};
  }

  std::string name_;
  std::string output_;
  std::optional<std::int64_t> batch_;
  std::optional<std::int64_t> sequence_;
  bool json_{false};
};

}  // namespace

std::unique_ptr<Command> make_zoo_command() { return std::make_unique<ZooCommand>(); }

}  // namespace horus::apps
