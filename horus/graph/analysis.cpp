// SPDX-License-Identifier: Apache-2.0
// The steps from a model to its features, in order.

#include "horus/graph/analysis.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/graph/attention.hpp"
#include "horus/graph/binding.hpp"
#include "horus/graph/composite.hpp"
#include "horus/graph/costing.hpp"
#include "horus/graph/export_check.hpp"
#include "horus/graph/graph_index.hpp"
#include "horus/graph/inference.hpp"
#include "horus/graph/input_role.hpp"
#include "horus/graph/training.hpp"

namespace horus::graph {
namespace {

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

std::vector<CostGap> gaps_of(const Model& model, const GraphIndex& index,
                             const Inference& inference) {
  std::vector<CostGap> gaps;
  for (const NodeIndex n : index.order) {
    if (inference.gaps[n].empty()) continue;
    const Node& node = model.graph.nodes[n];
    gaps.push_back(
        {.node = std::string{name_of(node)}, .op_type = node.op_type, .reason = inference.gaps[n]});
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

}  // namespace

Result<Analysis> analyse(const Model& model, const AnalysisOptions& options) {
  HORUS_TRY(const GraphIndex index, index_graph(model.graph));
  const std::vector<InputRole> roles = classify_inputs(model, index);
  HORUS_TRY(Binding binding, bind_inputs(index, roles, options));
  const Inference inference = infer_at_wanted_batch(model, index, binding);
  const Training training = find_training(model, index, roles, inference);
  Analysis analysis;
  const Composites composites = find_composites(model, index, inference, training);
  std::vector<NodeWork> works = cost_nodes(model, index, inference, training, composites);
  mark_attention(index, works);
  const auto folded = folded_normalization(works);
  analysis.features = features_of(model, index, inference, training, std::move(works));
  analysis.inputs = data_inputs(index, roles, binding);
  analysis.gaps = gaps_of(model, index, inference);
  analysis.features.batch = binding.batch;
  analysis.features.input_elements = input_elements(analysis.inputs);
  analysis.features.ops_without_cost = static_cast<int>(analysis.gaps.size());
  analysis.nodes = static_cast<std::int64_t>(model.graph.nodes.size());
  analysis.opset = opset_of(model);
  analysis.ir_version = model.ir_version;
  analysis.warnings = std::move(binding.warnings);
  warn_of_repairs(model, inference, binding, analysis.warnings);
  if (folded) analysis.warnings.push_back(*folded);
  return analysis;
}

Totals totals_of(const GraphFeatures& features) {
  constexpr std::int64_t kElementBytes = 4;
  Totals totals;
  double saved = 0;
  for (const OpWork& op : features.ops) {
    totals.macs += op.macs;
    totals.flops_forward += op.flops_forward;
    totals.flops_training += op.flops_forward + op.flops_backward;
    totals.kernels += op.kernels_forward + op.kernels_backward;
    totals.activation_bytes += op.saved_index_bytes;
    saved += op.saved_elements;
  }
  totals.activation_bytes += Bytes{static_cast<std::int64_t>(saved) * kElementBytes};
  return totals;
}

}  // namespace horus::graph
