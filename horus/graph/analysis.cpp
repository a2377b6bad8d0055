// SPDX-License-Identifier: Apache-2.0
// The steps from a model to its features, in order.

#include "horus/graph/analysis.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/graph/attention.hpp"
#include "horus/graph/binding.hpp"
#include "horus/graph/composite.hpp"
#include "horus/graph/costing.hpp"
#include "horus/graph/export_check.hpp"
#include "horus/graph/flatten.hpp"
#include "horus/graph/graph_index.hpp"
#include "horus/graph/inference.hpp"
#include "horus/graph/input_role.hpp"
#include "horus/graph/op_rule.hpp"
#include "horus/graph/ops/history.hpp"
#include "horus/graph/runs.hpp"
#include "horus/graph/structure_check.hpp"
#include "horus/graph/training.hpp"

namespace horus::graph {
namespace {

struct Costs {
  Runs runs;
  std::vector<NodeWork> works;
  std::vector<std::uint32_t> differing;  ///< Then-branches of If nodes that were left to choose.
};

Inference infer_at_wanted_batch(const Model& model, const GraphIndex& index,
                                const Binding& binding) {
  if (binding.batch == binding.reference_batch) {
    return infer(model, index, binding, AtBatch::Wanted, nullptr);
  }
  const Inference reference = infer(model, index, binding, AtBatch::Reference, nullptr);
  return infer(model, index, binding, AtBatch::Wanted, &reference);
}

double total_elements(const Inference& inference, const std::vector<ValueIndex>& values) {
  double sum = 0;
  for (const ValueIndex value : values) {
    if (inference.facts[value]) sum += count(inference.facts[value]->shape);
  }
  return sum;
}

std::vector<DataInput> data_inputs(const GraphIndex& index, const std::vector<InputRole>& roles,
                                   const Binding& binding) {
  std::vector<DataInput> inputs;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (roles[i] != InputRole::Data) continue;
    const ValueIndex value = index.graph_inputs[i];
    inputs.push_back({.name = std::string{index.names[value]},
                      .type = index.declared[value]->type,
                      .shape = binding.inputs[i].wanted});
  }
  return inputs;
}

double input_elements(const std::vector<DataInput>& inputs) {
  double sum = 0;
  for (const DataInput& input : inputs) {
    if (is_sound(input.shape)) sum += count(input.shape);
  }
  return sum;
}

/// The operator of the file: control flow is told by its own name, not by what stands for it.
const std::string& operator_of(const Node& node) {
  if (node.domain != kStructureDomain) return node.op_type;
  const auto found = node.attributes.find(kStandsFor);
  const auto* name =
      found == node.attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
  return name == nullptr ? node.op_type : *name;
}

std::vector<CostGap> gaps_of(const Model& model, const GraphIndex& index,
                             const Inference& inference, const Runs& runs) {
  std::vector<CostGap> gaps;
  for (const NodeIndex n : index.order) {
    if (inference.gaps[n].empty() || runs.of(n) == 0) continue;
    const Node& node = model.graph.nodes[n];
    gaps.push_back({.node = std::string{name_of(node)},
                    .op_type = operator_of(node),
                    .reason = inference.gaps[n]});
  }
  return gaps;
}

void warn_of_repairs(const Model& model, const Inference& inference, const Binding& binding,
                     std::vector<std::string>& warnings) {
  if (inference.repaired.empty()) return;
  const Node& first = model.graph.nodes[inference.repaired.front()];
  warnings.push_back(
      fmt::format("{} constants freeze batch {} (first at {} '{}'): scaled to batch {}",
                  inference.repaired.size(), binding.reference_batch, printable(first.op_type),
                  printable(name_of(first)), binding.batch));
}

/// Data-dependent sizes are counted at their largest; said once, with the first place.
void warn_of_bounds(const Model& model, const Inference& inference,
                    std::vector<std::string>& warnings) {
  if (inference.bounded.empty()) return;
  const Node& first = model.graph.nodes[inference.bounded.front()];
  const bool is_static = first.op_type == structure_op::kMapElement;
  warnings.push_back(fmt::format(
      "{} nodes {}: their costs are upper bounds (first at {} '{}')", inference.bounded.size(),
      is_static ? "run over tensors of several sizes and count each as the largest"
                : "have data-dependent sizes",
      printable(operator_of(first)), printable(name_of(first))));
}

/// Contents beyond the budget; said once, with the first place.
void warn_of_budget(const Model& model, const Inference& inference,
                    std::vector<std::string>& warnings) {
  if (inference.unfollowed.empty()) return;
  const Node& first = model.graph.nodes[inference.unfollowed.front()];
  warnings.push_back(fmt::format(
      "the contents of small tensors take more than {} MiB, the most that Horus follows: from {} "
      "'{}' on, those of more than {} elements are taken for unknown",
      kFollowedBytesMax >> 20U, printable(first.op_type), printable(name_of(first)),
      kAlwaysFollowed));
}

/// A file that claims one version of the operator set and uses another.
void warn_of_versions(const Model& model, const Inference& inference,
                      std::vector<std::string>& warnings) {
  const std::int64_t opset = opset_of(model);
  if (opset > kNewestOpset) {
    warnings.push_back(fmt::format(
        "version {} of the operator set is newer than {}, the newest that Horus knows: operators "
        "that changed since may be misread",
        opset, kNewestOpset));
  }
  if (inference.misplaced.empty()) return;
  const Node& first = model.graph.nodes[inference.misplaced.front()];
  warnings.push_back(fmt::format(
      "{} nodes use operators that version {} of the operator set does not have (first {} '{}'): "
      "they are read as in the nearest version that has them",
      inference.misplaced.size(), opset_of(model, first), printable(first.op_type),
      printable(name_of(first))));
}

std::vector<ListedValue> listed_values(const GraphIndex& index, const Inference& inference) {
  std::vector<ListedValue> values;
  for (ValueIndex value = 0; value < index.names.size(); ++value) {
    const auto& fact = inference.facts[value];
    if (!fact || fact->sequence) continue;     // A sequence has no shape of its own.
    if (index.names[value].empty()) continue;  // An output that is left out.
    values.push_back({.name = std::string{index.names[value]},
                      .type = fact->type,
                      .shape = fact->shape,
                      .is_bound = fact->is_bound});
  }
  return values;
}

GraphFeatures features_of(const Model& model, const GraphIndex& index, const Inference& inference,
                          const Training& training, std::vector<NodeWork> works) {
  GraphFeatures features;
  features.model_name = model.graph.name;
  for (NodeWork& entry : works) {
    features.ops.push_back(std::move(entry.work));
  }
  features.parameters = total_elements(inference, training.trained);
  features.parameter_tensors = static_cast<int>(training.trained.size());
  features.buffers = total_elements(inference, training.buffers);
  features.output_elements = total_elements(inference, index.graph_outputs);
  return features;
}

/// Works of all nodes, with the branches that are left to choose chosen.
Costs cost_all(const Model& model, const Structure& structure, const GraphIndex& index,
               const Inference& inference, const Training& training) {
  const Composites composites = find_composites(model, index, inference, training, structure);
  Costs costs;
  if (!structure.regions.empty()) costs.runs = Runs{structure, index, inference};
  costs.works = cost_nodes(model, index, inference, training, composites, costs.runs, structure);
  if (!costs.runs.undecided().empty()) {
    costs.differing = costs.runs.drop_cheaper_branches(costs.works);
    costs.works = cost_nodes(model, index, inference, training, composites, costs.runs, structure);
  }
  mark_attention(index, costs.works);
  return costs;
}

void append(std::vector<std::string> more, std::vector<std::string>& warnings) {
  std::ranges::move(more, std::back_inserter(warnings));
}

/// Of a model without functions and subgraphs.
Result<Analysis> analyse_flat(const Model& model, const Structure& structure,
                              const AnalysisOptions& options) {
  HORUS_TRY(const GraphIndex index, index_graph(model.graph));
  const std::vector<InputRole> roles = classify_inputs(model, index);
  HORUS_TRY(Binding binding, bind_inputs(model, index, roles, options));
  const Inference inference = infer_at_wanted_batch(model, index, binding);
  const Training training = find_training(model, index, roles, inference, structure);
  Costs costs = cost_all(model, structure, index, inference, training);
  Analysis analysis;
  analysis.warnings = std::move(binding.warnings);
  warn_of_repairs(model, inference, binding, analysis.warnings);
  warn_of_bounds(model, inference, analysis.warnings);
  warn_of_budget(model, inference, analysis.warnings);
  warn_of_versions(model, inference, analysis.warnings);
  append(structure_warnings(model, structure, index, inference, costs.runs, costs.differing),
         analysis.warnings);
  append(export_warnings({model, index, inference, training, costs.works}), analysis.warnings);
  analysis.features = features_of(model, index, inference, training, std::move(costs.works));
  analysis.inputs = data_inputs(index, roles, binding);
  analysis.gaps = gaps_of(model, index, inference, costs.runs);
  analysis.features.batch = binding.batch;
  analysis.features.input_elements = input_elements(analysis.inputs);
  analysis.features.ops_without_cost = static_cast<int>(analysis.gaps.size());
  analysis.nodes = static_cast<std::int64_t>(model.graph.nodes.size());
  analysis.nodes_with_bounds = static_cast<std::int64_t>(inference.bounded.size());
  analysis.opset = opset_of(model);
  analysis.ir_version = model.ir_version;
  if (options.values == ListValues::Yes) analysis.values = listed_values(index, inference);
  return analysis;
}

/// Moves the entries "trips:LOOP" out of the dimensions.
TripCounts take_trips(AnalysisOptions& options) {
  constexpr std::string_view kPrefix = "trips:";
  TripCounts trips;
  for (const auto& [name, count] : options.dims) {
    if (name.starts_with(kPrefix)) trips[name.substr(kPrefix.size())] = count;
  }
  std::erase_if(options.dims, [&](const auto& entry) { return entry.first.starts_with(kPrefix); });
  return trips;
}

}  // namespace

Result<Analysis> analyse(const Model& model, const AnalysisOptions& options) {
  if (is_flat(model)) return analyse_flat(model, Structure{}, options);
  AnalysisOptions others = options;
  HORUS_TRY(const FlatModel flat, flatten(model, take_trips(others), options.limits));
  HORUS_TRY(Analysis analysis, analyse_flat(flat.model, flat.structure, others));
  analysis.nodes = static_cast<std::int64_t>(model.graph.nodes.size());
  return analysis;
}

Totals totals_of(const GraphFeatures& features) {
  constexpr double kElementBytes = 4;
  Totals totals;
  double saved = 0;
  for (const OpWork& op : features.ops) {
    totals.macs += op.macs;
    totals.flops_forward += op.flops_forward;
    totals.flops_training += op.flops_forward + op.flops_backward;
    totals.kernels += op.kernels_forward + op.kernels_backward;
    add_bytes(static_cast<double>(op.saved_index_bytes.count()), totals.activation_bytes);
    saved += op.saved_elements;
  }
  add_bytes(saved * kElementBytes, totals.activation_bytes);
  return totals;
}

}  // namespace horus::graph
