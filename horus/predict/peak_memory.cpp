// SPDX-License-Identifier: Apache-2.0
// One step as a timeline: what is alive at each operator, and the moment at which most is.

#include "horus/predict/peak_memory.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "horus/predict/element_bytes.hpp"
#include "horus/predict/lowering.hpp"

namespace horus::predict {
namespace {

Bytes context_of(const GpuSpec& gpu) {
  const auto* row = std::ranges::find(kContexts, gpu.architecture, &ContextSize::architecture);
  return row == kContexts.end() ? kContextElsewhere : row->size;
}

double context_in(const MemoryParts& parts, const MemoryConstants& constants) {
  return constants.context_bytes > 0 ? constants.context_bytes : parts.context;
}

double rounded_up(double bytes, Bytes unit) {
  return std::ceil(bytes / as_double(unit)) * as_double(unit);
}

/// Whether convolutions run on tensor cores, as cuDNN does where it may: products of FP32 tensors
/// count as TF32 there (torch.backends.cudnn.allow_tf32 is on by default).
bool convolves_on_tensor_cores(const GpuSpec& gpu, Precision precision) {
  switch (precision) {
    case Precision::Fp16:
    case Precision::Amp:
      return gpu.tensor_fp16_flops > 0;
    case Precision::Bf16:
      return gpu.bf16_flops > 0;
    case Precision::Fp32:
    case Precision::Tf32:
      break;
  }
  return gpu.tf32_flops > 0;
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

/// One operator in bytes.
struct OpBytes {
  double saved{};
  double live{};       ///< Forward, beside what is saved.
  double gradients{};  ///< Backward.
  double weights{};    ///< Of those that no earlier operator used.
  double copies{};
  double workspace{};
  double cut{};  ///< 0: no block ends here.
};

class InBytes {
 public:
  InBytes(const TrainingSetup& setup, const GpuSpec& gpu)
      : bytes_{element_bytes(setup.precision)},
        is_mixed_{setup.precision == Precision::Amp},
        is_transposed_{convolves_on_tensor_cores(gpu, setup.precision)} {}

  [[nodiscard]] const ElementBytes& elements() const { return bytes_; }

  [[nodiscard]] OpBytes of(const OpWork& op) const {
    const double element = activation_bytes(bytes_, op.kind);
    // Products read the weights of attention in low precision: a copy stands beside the softmax.
    const double kept =
        is_mixed_ && op.kind == OpKind::Softmax ? element + bytes_.activation : element;
    OpBytes out;
    out.saved = rounded_up(op.saved_elements * kept + as_double(op.saved_index_bytes), kBlockBytes);
    out.live = op.live_elements * element;
    out.gradients = op.gradient_elements * element;
    out.weights = op.weights_first_used * bytes_.parameter;
    if (is_mixed_ && reads_weight_copy(op.kind)) {
      out.copies = op.weights_first_used * bytes_.weight_read;
    }
    out.workspace = workspace_of(op, element);
    out.cut = op.cut_elements * element;
    return out;
  }

 private:
  [[nodiscard]] double workspace_of(const OpWork& op, double element) const {
    if (op.kind != OpKind::Convolution && op.kind != OpKind::GroupedConvolution) return 0;
    // Tensor cores want channels last: input and output are transposed.
    if (is_transposed_) return (op.elements_read + op.elements_written) * element;
    const double unfolded = op.gemm.m * op.gemm.k * op.gemm.groups * element;
    return std::min(unfolded, as_double(kWorkspaceMax));
  }

  ElementBytes bytes_;
  bool is_mixed_;
  bool is_transposed_;
};

/// What is alive at a moment beside what always is.
struct Moment {
  double gradients{};
  double copies{};
  double activations{};
  double transient{};
  double workspace{};
  double temporaries{};

  [[nodiscard]] double total() const {
    return gradients + copies + activations + transient + workspace + temporaries;
  }
};

/// Operators [begin, end) that are computed again as one.
struct Block {
  std::size_t begin{};
  std::size_t end{};
};

/// `most`, raised to what stands at `now`, kind by kind.
void raise(Moment& most, const Moment& now) {
  for (double Moment::*kind :
       {&Moment::copies, &Moment::activations, &Moment::transient, &Moment::workspace}) {
    most.*kind = std::max(most.*kind, now.*kind);
  }
}

class Timeline {
 public:
  Timeline(const GraphFeatures& features, std::span<const OpWork> ops, const TrainingSetup& setup,
           const GpuSpec& gpu)
      : in_bytes_{setup, gpu},
        stored_{features.parameters * in_bytes_.elements().parameter},
        keeps_gradients_{setup.accumulation_steps > 1 || setup.passes_per_step > 1} {
    ops_.reserve(ops.size());
    for (const OpWork& op : ops) {
      if (has_usable_cost(op)) ops_.push_back(in_bytes_.of(op));
    }
    // Mixed precision reads a cast input, and the input itself stays.
    const bool casts = setup.precision == Precision::Amp;
    fixed_ = (casts ? features.input_elements * 4 : 0) +
             features.output_elements * in_bytes_.elements().sensitive;
    scores_ = features.output_elements * in_bytes_.elements().sensitive;
    if (keeps_gradients_) most_by_kind_.gradients = stored_;
  }

  Moment peak(const TrainingSetup& setup) {
    const std::vector<Block> blocks = blocks_of(setup.checkpointing);
    Moment before{.activations = fixed_};
    std::vector<double> entered;  // Activations that stand when a block begins.
    for (const Block& block : blocks) {
      // A block that is computed again keeps what enters it only.
      if (block.begin > 0) before.activations += ops_[block.begin - 1].cut;
      entered.push_back(before.activations);
      if (blocks.size() > 1) forward(block, before, Keeping::Nothing);
    }
    double gradients = 0;
    for (std::size_t i = blocks.size(); i-- > 0;) {
      Moment at = before;
      at.activations = entered[i];
      at.gradients = gradients;
      backward(blocks[i], at, i + 1 == blocks.size());
      gradients = at.gradients;
    }
    update(setup.optimizer);
    return most_;
  }

  /// Bytes that blocks of each kind take beyond peak(), which must have run. Gradients of
  /// parameters are made while what was kept is given up, and lie there.
  [[nodiscard]] double held() const { return std::max(most_by_kind_.total() - most_.total(), 0.0); }

 private:
  enum class Keeping { Nothing, Saved };

  void offer(const Moment& moment) {
    if (moment.total() > most_.total()) most_ = moment;
    raise(most_by_kind_, moment);
  }

  /// `now`, while an operator runs.
  void offer_running(Moment now, double transient, double workspace) {
    if (keeps_gradients_) now.gradients = stored_;
    now.transient = transient;
    now.workspace = workspace;
    offer(now);
  }

  /// Adds what `block` keeps to `at`.
  void forward(const Block& block, Moment& at, Keeping keeping) {
    for (std::size_t i = block.begin; i < block.end; ++i) {
      const OpBytes& op = ops_[i];
      if (keeping == Keeping::Saved) {
        at.activations += op.saved;
        at.copies += op.copies;
      }
      offer_running(at, op.live, op.workspace);
    }
  }

  void loss(const Moment& at) {
    Moment now = at;
    now.activations += scores_;          // The loss keeps its log-probabilities,
    offer_running(now, 2 * scores_, 0);  // whose gradient and that of the outputs stand at once.
  }

  /// Runs `block` forward, keeping all, and backward. `at` gains the gradients of its parameters.
  void backward(const Block& block, Moment& at, bool is_last) {
    forward(block, at, Keeping::Saved);
    if (is_last) loss(at);
    for (std::size_t i = block.end; i-- > block.begin;) {
      const OpBytes& op = ops_[i];
      at.gradients += op.weights;
      offer_running(at, op.gradients, op.workspace);
      at.activations -= op.saved;
      at.copies -= op.copies;
    }
  }

  void update(Optimizer optimizer) {
    offer({.gradients = stored_,
           .activations = fixed_,
           .temporaries = stored_ * update_temporaries(optimizer)});
  }

  /// All of the graph where nothing is computed again.
  [[nodiscard]] std::vector<Block> blocks_of(Checkpointing checkpointing) const {
    std::vector<Block> blocks;
    std::size_t begin = 0;
    double saved = 0;
    for (std::size_t i = 0; i < ops_.size() && checkpointing == Checkpointing::Blocks; ++i) {
      saved += ops_[i].saved;
      if (ops_[i].cut <= 0 || saved < kBlockGain * ops_[i].cut) continue;
      blocks.push_back({begin, i + 1});
      begin = i + 1;
      saved = 0;
    }
    blocks.push_back({begin, ops_.size()});
    return blocks;
  }

  InBytes in_bytes_;
  std::vector<OpBytes> ops_;
  double stored_;    // Parameters, bytes; their gradients take as much.
  double fixed_{};   // Inputs and outputs that the program holds.
  double scores_{};  // Outputs as the loss sees them.
  bool keeps_gradients_;
  Moment most_;
  Moment most_by_kind_;
};

}  // namespace

MemoryParts memory_parts(const GraphFeatures& features, std::span<const OpWork> ops,
                         const TrainingSetup& setup, const GpuSpec& gpu) {
  const ElementBytes bytes = element_bytes(setup.precision);
  const double stored = features.parameters * bytes.parameter;
  Timeline timeline{features, ops, setup, gpu};
  const Moment peak = timeline.peak(setup);
  return {.context = as_double(context_of(gpu)),
          .parameters = stored + features.buffers * bytes.parameter,
          .gradients = peak.gradients,
          .states = stored * update_cost(setup.optimizer).states,
          .copies = peak.copies,
          .activations = peak.activations,
          .transient = peak.transient,
          .workspace = peak.workspace + as_double(kProductWorkspace),
          .temporaries = peak.temporaries,
          .held = timeline.held()};
}

double expected_bytes(const MemoryParts& parts, const MemoryConstants& constants) {
  const double lasting =
      parts.parameters + parts.gradients + parts.states + parts.copies + parts.temporaries;
  const double tensors = constants.lasting * lasting + constants.activations * parts.activations +
                         constants.transient * parts.transient +
                         constants.workspace * (parts.workspace + parts.held);
  return context_in(parts, constants) + tensors;
}

double memory_doubt(const MemoryParts& parts, const MemoryConstants& constants) {
  const double expected = expected_bytes(parts, constants);
  const double chosen = constants.workspace * (parts.workspace + parts.held);
  return expected > 0 ? 1 + chosen / expected / kDoubtShare : 1;
}

MemoryPrediction memory_interval(const MemoryParts& parts, double uncosted,
                                 const MemoryConstants& constants) {
  const double context = context_in(parts, constants);
  // Unknown operators are taken to need as much as known ones, more at the high end.
  const double known = std::max(1 - uncosted, 0.01);
  const double unknown = kSigmaUncosted * uncosted;
  const double tensors = expected_bytes(parts, constants) - context;
  const double doubt = memory_doubt(parts, constants);
  const auto at = [&](double z, double scale, double factor) {
    if (factor > 0) {
      const double spread = std::pow(factor, doubt) * std::exp(z * unknown);
      return to_bytes((context + tensors * scale) * spread);
    }
    const double sigma = constants.sigma_tensors + unknown;
    const double pool = rounded_up(tensors * scale * std::exp(z * sigma), kSegmentBytes);
    return to_bytes(context * std::exp(z * constants.sigma_context) + pool);
  };
  MemoryPrediction out{at(0, 1 / known, 1), at(-kZ90, 1, constants.low_factor),
                       at(kZ90, 1 / known, constants.high_factor),
                       at(kZ95, 1 / known, constants.bound_factor)};
  out.low = std::min(out.low, out.expected);
  out.high = std::max(out.high, out.expected);
  out.bound = std::max(out.bound, out.high);
  return out;
}

MemoryPrediction sum_of(std::span<const MemoryPrediction> processes) {
  const auto sum = [processes](Bytes MemoryPrediction::*part) {
    double total = 0;
    for (const MemoryPrediction& process : processes) total += as_double(process.*part);
    return to_bytes(total);
  };
  return {sum(&MemoryPrediction::expected), sum(&MemoryPrediction::low),
          sum(&MemoryPrediction::high), sum(&MemoryPrediction::bound)};
}

Bytes to_bytes(double bytes) {
  constexpr double kMost = 0x1.0p62;  // sums of two still fit the type
  if (!(bytes > 0)) return Bytes{0};
  return Bytes{static_cast<std::int64_t>(std::min(bytes, kMost))};
}

}  // namespace horus::predict
