// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/inspect_report.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "horus/graph/element_type.hpp"

namespace horus::apps {
namespace {

constexpr std::size_t kCostliest = 10;
constexpr double kBytesPerElement = 4.0;

/// Output shapes by the name of the node, which is that of its first output where it has none. A
/// name that several nodes share tells nothing.
class OutputShapes {
 public:
  explicit OutputShapes(const AnalysedModel& analysed) {
    for (const graph::ListedValue& value : analysed.analysis.values) {
      shape_of_[value.name] = &value.shape;
    }
    if (shape_of_.empty()) return;
    for (const graph::Node& node : analysed.model.graph.nodes) {
      if (node.name.empty() || node.outputs.empty()) continue;
      const auto [place, is_new] = output_of_.try_emplace(node.name, node.outputs.front());
      if (!is_new) place->second = {};
    }
  }

  [[nodiscard]] std::optional<std::vector<std::int64_t>> find(const std::string& node) const {
    const auto output = output_of_.find(node);
    const auto shape = shape_of_.find(output == output_of_.end() ? node : output->second);
    if (shape == shape_of_.end()) return std::nullopt;
    return std::vector<std::int64_t>{shape->second->begin(), shape->second->end()};
  }

 private:
  std::map<std::string_view, const graph::Shape*, std::less<>> shape_of_;
  std::map<std::string_view, std::string_view, std::less<>> output_of_;
};

Bytes saved_bytes(const OpWork& op) {
  return Bytes{static_cast<std::int64_t>(op.saved_elements * kBytesPerElement)} +
         op.saved_index_bytes;
}

std::vector<wire::NodeRow> rows_in_order(const AnalysedModel& analysed, double flops_training) {
  const OutputShapes shapes{analysed};
  std::vector<wire::NodeRow> rows;
  for (const OpWork& op : analysed.analysis.features.ops) {
    wire::NodeRow row{.name = op.name,
                      .op_type = op.op_type,
                      .kind = op.kind,
                      .shape = shapes.find(op.name),
                      .parameters = op.weights_first_used,
                      .macs = op.macs,
                      .flops_forward = op.flops_forward,
                      .flops_backward = op.flops_backward,
                      .kernels = op.kernels_forward + op.kernels_backward,
                      .activation_bytes = saved_bytes(op)};
    if (flops_training > 0.0) row.share = row.flops_training() / flops_training;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<wire::OperatorRow> rows_by_operator(const std::vector<wire::NodeRow>& nodes) {
  std::map<std::string, wire::OperatorRow> rows;
  for (const wire::NodeRow& node : nodes) {
    wire::OperatorRow& row = rows[node.op_type];
    row.op_type = node.op_type;
    ++row.nodes;
    row.macs += node.macs;
    row.flops_training += node.flops_training();
    row.parameters += node.parameters;
    row.kernels += node.kernels;
    row.activation_bytes += node.activation_bytes;
  }
  std::vector<wire::OperatorRow> sorted;
  for (auto& [name, row] : rows) sorted.push_back(std::move(row));
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &wire::OperatorRow::flops_training);
  return sorted;
}

std::vector<wire::NodeRow> costliest_of(const std::vector<wire::NodeRow>& nodes) {
  std::vector<const wire::NodeRow*> costly;
  for (const wire::NodeRow& node : nodes) {
    if (node.flops_training() > 0.0) costly.push_back(&node);
  }
  std::ranges::stable_sort(costly, std::ranges::greater{},
                           [](const wire::NodeRow* node) { return node->flops_training(); });
  if (costly.size() > kCostliest) costly.resize(kCostliest);
  std::vector<wire::NodeRow> rows;
  for (const wire::NodeRow* node : costly) rows.push_back(*node);
  return rows;
}

}  // namespace

wire::InspectReport to_report(const std::string& name, const AnalysedModel& analysed) {
  const graph::Analysis& analysis = analysed.analysis;
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
  report.nodes_with_bounds = analysis.nodes_with_bounds;
  report.in_order = rows_in_order(analysed, totals.flops_training);
  report.parameters_unread = features.parameters;
  for (const wire::NodeRow& row : report.in_order) report.parameters_unread -= row.parameters;
  // Sums beyond 2^53 are rounded.
  report.parameters_unread = std::max(report.parameters_unread, 0.0);
  report.by_operator = rows_by_operator(report.in_order);
  report.costliest = costliest_of(report.in_order);
  report.warnings = analysis.warnings;
  return report;
}

std::vector<wire::ValueRow> to_rows(const std::vector<graph::ListedValue>& values) {
  std::vector<wire::ValueRow> rows;
  for (const graph::ListedValue& value : values) {
    rows.push_back({.name = value.name,
                    .type = std::string{graph::name_of(value.type)},
                    .shape = {value.shape.begin(), value.shape.end()},
                    .is_bound = value.is_bound});
  }
  return rows;
}

}  // namespace horus::apps
