// SPDX-License-Identifier: Apache-2.0
// horus inspect: what a computation graph costs.
#include <algorithm>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "horus/apps/horus/command.hpp"
#include "horus/apps/horus/model_options.hpp"
#include "horus/apps/horus/model_source.hpp"
#include "horus/graph/element_type.hpp"
#include "horus/report/pages.hpp"
#include "horus/wire/reports.hpp"

namespace horus::apps {
namespace {

constexpr std::size_t kCostliest = 10;
constexpr double kBytesPerElement = 4.0;

Bytes saved_bytes(const OpWork& op) {
  return Bytes{static_cast<std::int64_t>(op.saved_elements * kBytesPerElement)} +
         op.saved_index_bytes;
}

std::vector<wire::OperatorRow> rows_by_operator(const GraphFeatures& features) {
  std::map<std::string, wire::OperatorRow> rows;
  for (const OpWork& op : features.ops) {
    wire::OperatorRow& row = rows[op.op_type];
    row.op_type = op.op_type;
    ++row.nodes;
    row.macs += op.macs;
    row.flops_training += op.flops_forward + op.flops_backward;
    row.parameters += op.weight_elements;
    row.kernels += op.kernels_forward + op.kernels_backward;
    row.activation_bytes += saved_bytes(op);
  }
  std::vector<wire::OperatorRow> sorted;
  for (auto& [name, row] : rows) sorted.push_back(std::move(row));
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &wire::OperatorRow::flops_training);
  return sorted;
}

std::vector<wire::NodeRow> costliest_nodes(const GraphFeatures& features, double total) {
  std::vector<wire::NodeRow> rows;
  for (const OpWork& op : features.ops) {
    const double flops = op.flops_forward + op.flops_backward;
    if (flops <= 0.0) continue;
    rows.push_back({.name = op.name,
                    .op_type = op.op_type,
                    .macs = op.macs,
                    .flops_training = flops,
                    .share = flops / total});
  }
  std::ranges::stable_sort(rows, std::ranges::greater{}, &wire::NodeRow::flops_training);
  if (rows.size() > kCostliest) rows.resize(kCostliest);
  return rows;
}

wire::InspectReport to_report(const std::string& name, const graph::Analysis& analysis) {
  const GraphFeatures& features = analysis.features;
  const graph::Totals totals = graph::totals_of(features);
  wire::InspectReport report{.model = name,
                             .batch = features.batch,
                             .opset = analysis.opset,
                             .ir_version = analysis.ir_version,
                             .nodes = analysis.nodes,
                             .parameters = features.parameters,
                             .buffers = features.buffers,
                             .macs = totals.macs,
                             .flops_forward = totals.flops_forward,
                             .flops_training = totals.flops_training,
                             .kernels = totals.kernels,
                             .activation_bytes = totals.activation_bytes};
  for (const graph::DataInput& input : analysis.inputs) {
    report.inputs.push_back({.name = input.name,
                             .type = std::string{graph::name_of(input.type)},
                             .shape = input.shape});
  }
  for (const graph::CostGap& gap : analysis.gaps) {
    report.nodes_without_cost.push_back(
        {.name = gap.node, .op_type = gap.op_type, .reason = gap.reason});
  }
  report.by_operator = rows_by_operator(features);
  report.costliest = costliest_nodes(features, totals.flops_training);
  report.warnings = analysis.warnings;
  return report;
}

class InspectCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& parent) override {
    CLI::App* app = parent.add_subcommand(
        "inspect", "Show what a computation graph costs: parameters, FLOPs, memory, kernels");
    model_.declare(*app);
    app->add_flag("--json", json_, "Print JSON instead of tables");
    app->footer(
        "A model's weights are never read, and external data is never opened.\n"
        "Nodes whose cost is unknown are listed; the totals are then lower bounds.\n"
        "Examples:\n"
        "  horus inspect resnet50.onnx --batch 32\n"
        "  horus inspect zoo:gpt2 --dim sequence=512 --json | jq .macs");
    return app;
  }

  Result<Done> run(const Console& console) override {
    if (model_.reference().empty()) {
      return fail(
          Errc::InvalidArgument,
          "expected a model, e.g. 'horus inspect net.onnx' or 'horus inspect zoo:resnet50'");
    }
    HORUS_TRY(const graph::AnalysisOptions options, model_.analysis_options());
    HORUS_TRY(const graph::Analysis analysis, analyse_source(model_.reference(), options));
    const wire::InspectReport report = to_report(model_.reference(), analysis);
    return console.print(json_ ? wire::to_json(report) : report::page(report, console.colour()));
  }

 private:
  ModelOptions model_;
  bool json_{false};
};

}  // namespace

std::unique_ptr<Command> make_inspect_command() { return std::make_unique<InspectCommand>(); }

}  // namespace horus::apps
