// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/peak_memory.hpp"

#include <algorithm>
#include <cmath>

#include "horus/predict/element_bytes.hpp"
#include "horus/predict/lowering.hpp"

namespace horus::predict {
namespace {

Bytes context_of(const GpuSpec& gpu) {
  const auto* row = std::ranges::find(kContexts, gpu.architecture, &ContextSize::architecture);
  return row == kContexts.end() ? kContextElsewhere : row->size;
}

double rounded_up(double bytes, Bytes unit) {
  return std::ceil(bytes / as_double(unit)) * as_double(unit);
}

/// The unfolded input of a convolution: its lowering to a product in memory.
double unfolded_bytes(const OpWork& op, double element) {
  const bool unfolds = op.kind == OpKind::Convolution || op.kind == OpKind::GroupedConvolution;
  return unfolds ? op.gemm.m * op.gemm.k * op.gemm.groups * element : 0;
}

/// Whether mixed precision keeps a low-precision copy of the operator's weights.
bool reads_weight_copy(OpKind kind) {
  switch (kind) {
    case OpKind::Convolution:
    case OpKind::DepthwiseConvolution:
    case OpKind::GroupedConvolution:
    case OpKind::Linear:
    case OpKind::Recurrent:
      return true;
    default:
      return false;
  }
}

}  // namespace

MemoryParts memory_parts(const GraphFeatures& features, std::span<const OpWork> ops,
                         const TrainingSetup& setup, const GpuSpec& gpu) {
  const ElementBytes bytes = element_bytes(setup.precision);
  const double stored = features.parameters * bytes.parameter;
  MemoryParts parts;
  parts.context = as_double(context_of(gpu));
  parts.parameters = stored + features.buffers * bytes.parameter;
  parts.gradients = stored;
  parts.states = stored * update_cost(setup.optimizer).states;
  // Inputs arrive in FP32; the loss keeps its log-probabilities beside the outputs.
  parts.activations = features.input_elements * 4 + 2 * features.output_elements * bytes.sensitive;
  double largest_weight = 0;
  for (const OpWork& op : ops) {
    if (!has_usable_cost(op)) continue;
    const double element = activation_bytes(bytes, op.kind);
    const double saved = op.saved_elements * element + as_double(op.saved_index_bytes);
    parts.activations += rounded_up(saved, kBlockBytes);
    // The gradients of its output and of its inputs stand beside what is saved.
    parts.transient =
        std::max(parts.transient, (op.elements_written + op.elements_written_backward) * element);
    parts.workspace = std::max(parts.workspace, unfolded_bytes(op, element));
    largest_weight = std::max(largest_weight, op.weight_elements);
    if (setup.precision == Precision::Amp && reads_weight_copy(op.kind)) {
      parts.copies += op.weight_elements * bytes.weight_read;
    }
  }
  parts.workspace = std::min(parts.workspace, as_double(kWorkspaceMax));
  // The optimizer works on temporaries of one tensor; a backward pass on the gradient to add.
  parts.transient = std::max(parts.transient, largest_weight * bytes.parameter);
  return parts;
}

MemoryPrediction memory_interval(const MemoryParts& parts, double uncosted,
                                 const MemoryConstants& constants) {
  const double tensors = (parts.parameters + parts.gradients + parts.states + parts.copies +
                          parts.activations + parts.transient + parts.workspace) *
                         (1 + constants.fragmentation);
  // Unknown operators are taken to need as much as known ones, more at the high end.
  const double known = std::max(1 - uncosted, 0.01);
  const double sigma = constants.sigma_tensors + kSigmaUncosted * uncosted;
  const auto at = [&](double z, double scale) {
    const double pool = rounded_up(tensors * scale * std::exp(z * sigma), kSegmentBytes);
    return to_bytes(parts.context * std::exp(z * constants.sigma_context) + pool);
  };
  return {at(0, 1 / known), at(-kZ90, 1), at(kZ90, 1 / known), at(kZ95, 1 / known)};
}

Bytes to_bytes(double bytes) {
  constexpr double kMost = 0x1.0p62;  // sums of two still fit the type
  if (!(bytes > 0)) return Bytes{0};
  return Bytes{static_cast<std::int64_t>(std::min(bytes, kMost))};
}

}  // namespace horus::predict
