// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/lowering.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "horus/predict/element_bytes.hpp"

namespace horus::predict {
namespace {

bool is_product(OpKind kind) {
  switch (kind) {
    case OpKind::Convolution:
    case OpKind::DepthwiseConvolution:
    case OpKind::GroupedConvolution:
    case OpKind::Linear:
    case OpKind::MatMul:
      return true;
    default:
      return false;
  }
}

bool is_convolution(OpKind kind) {
  return kind == OpKind::Convolution || kind == OpKind::DepthwiseConvolution ||
         kind == OpKind::GroupedConvolution;
}

/// Operators that are attention whole, whose runtimes keep the score matrix on chip (ONNX 23 and
/// com.microsoft). With a projection inside, as com.microsoft's Attention has, most of the work is
/// that of its dense product.
bool is_whole_attention(const OpWork& op) {
  constexpr std::array<std::string_view, 5> kNames{"Attention", "DecoderMaskedMultiHeadAttention",
                                                   "FlexAttention", "GroupQueryAttention",
                                                   "MultiHeadAttention"};
  if (op.op_type == "Attention" && op.weight_elements > 0) return false;
  return op.kind == OpKind::MatMul && std::ranges::find(kNames, op.op_type) != kNames.end();
}

/// What frameworks hand to cuDNN.
bool is_library_call(OpKind kind) {
  return is_convolution(kind) || kind == OpKind::BatchNorm || kind == OpKind::Recurrent;
}

/// A 3 x 3 convolution of stride 1, seen from how often each input element is used.
bool suits_winograd(const OpWork& op) {
  if (op.gemm.groups != 1 || op.elements_read <= 0) return false;
  const double taps = op.gemm.m * op.gemm.k / op.elements_read;
  return taps >= kWinogradTapsMin && taps <= kWinogradTapsMax;
}

KernelClass class_of(const OpWork& op) {
  switch (op.kind) {
    case OpKind::Convolution:
      return suits_winograd(op) ? KernelClass::Winograd : KernelClass::Convolution;
    case OpKind::DepthwiseConvolution:
      return KernelClass::DepthwiseConvolution;
    case OpKind::GroupedConvolution:
      return KernelClass::GroupedConvolution;
    case OpKind::Linear:
    case OpKind::MatMul:
    case OpKind::Recurrent:
      return KernelClass::MatrixProduct;
    case OpKind::BatchNorm:
    case OpKind::LayerNorm:
      return KernelClass::Normalization;
    default:
      return KernelClass::Pointwise;
  }
}

/// How much a product computes beyond what is asked, because its tiles are wider than its operands
/// or groups.
double padding_of(const OpWork& op) {
  const auto padding = [](double size, double least) {
    return size > 0 ? std::max(1.0, least / size) : 1.0;
  };
  if (op.kind == OpKind::DepthwiseConvolution) return 1;
  if (op.kind == OpKind::GroupedConvolution) return padding(op.gemm.n, kNarrowestTile);
  return padding(op.gemm.m, kNarrowestOperand) * padding(op.gemm.n, kNarrowestOperand);
}

/// Thread blocks of a product with `outputs` elements, each a sum of macs / outputs terms.
double blocks_of(double outputs, double macs) {
  if (outputs <= 0) return 1;
  const double tiles = std::max(1.0, outputs / kTileElements);
  const double splits = std::max(1.0, macs / outputs / kSplitDepth);
  return tiles * splits;
}

/// One pass (forward or backward) over one operator.
struct Pass {
  double launches;
  double flops;
  double bytes;
};

class Lowering {
 public:
  Lowering(const GraphFeatures& features, const TrainingSetup& setup)
      : features_{features}, setup_{setup}, bytes_{element_bytes(setup.precision)} {
    rounds_ = std::max(1, setup.accumulation_steps);
    backward_passes_ = rounds_ * std::max(1.0, setup.passes_per_step);
    forward_passes_ = backward_passes_ * (setup.checkpointing == Checkpointing::Blocks ? 2 : 1);
    sums_are_sensitive_ = std::ranges::any_of(features.ops, [](const OpWork& op) {
      return op.kind == OpKind::LayerNorm && op.elements_written > op.weight_elements;
    });
  }

  Step run(std::span<const OpWork> ops) {
    step_.kernels.reserve(5 * ops.size() + 16);
    for (const OpWork& op : ops) {
      if (has_usable_cost(op)) {
        lower_operator(op);
      } else {
        ++step_.ops_without_cost;
      }
    }
    lower_loss();
    lower_gradients();
    lower_update();
    step_.samples = rounds_ * static_cast<double>(features_.batch);
    step_.input_elements = rounds_ * std::max(0.0, features_.input_elements);
    return std::move(step_);
  }

 private:
  /// `times`: how often the pass runs in one step.
  void add(KernelClass kind, double times, const Kernel& kernel) {
    if (kernel.launches <= 0) return;
    step_.kernels.push_back(kernel);
    step_.kernels.back().kind = kind;
    step_.kernels.back().launches *= times;
    if (kind == KernelClass::Update) return;  // Their operators are counted one by one.
    const double share = kind == KernelClass::RecurrentStep ? kLibraryLaunchShare : 1;
    step_.host_launches += share * kernel.launches * times;
  }

  /// `pass` as equal launches without arithmetic limits: everything that streams.
  void add_streaming(KernelClass kind, double times, const Pass& pass) {
    add(kind, times,
        {.launches = pass.launches,
         .flops = pass.flops / pass.launches,
         .bytes = pass.bytes / pass.launches});
  }

  /// Weight bytes that products move: all forward; backward the gradient is written, and the
  /// weights are read again where the input needs a gradient. Lookups touch only their rows
  /// forward, but write a gradient as large as the table.
  double weight_bytes_forward(const OpWork& op) const {
    return op.kind == OpKind::Embedding ? 0 : op.weight_elements * bytes_.weight_read;
  }
  double weight_bytes_backward(const OpWork& op) const {
    const bool reads = op.needs_input_gradient && op.kind != OpKind::Embedding;
    return op.weight_elements * bytes_.weight_read * (reads ? 2 : 1);
  }

  /// Bytes of one activation element. Mixed precision leaves the output of layer normalization in
  /// FP32, and sums with it stay there: the residual stream of a transformer.
  double element_of(const OpWork& op) const {
    if (op.kind == OpKind::Elementwise && sums_are_sensitive_) return bytes_.sensitive;
    return activation_bytes(bytes_, op.kind);
  }

  Pass forward(const OpWork& op) const {
    const double element = element_of(op);
    return {op.kernels_forward > 0 ? op.kernels_forward : 1, op.flops_forward,
            (op.elements_read + op.elements_written) * element + weight_bytes_forward(op) +
                as_double(op.index_bytes) / 2};
  }
  Pass backward(const OpWork& op) const {
    const double element = element_of(op);
    return {op.kernels_backward > 0 ? op.kernels_backward : 1, op.flops_backward,
            (op.elements_read_backward + op.elements_written_backward) * element +
                weight_bytes_backward(op) + as_double(op.index_bytes) / 2};
  }

  void lower_operator(const OpWork& op) {
    step_.host_ops_forward += forward_passes_ * op.host_ops_forward;
    step_.host_ops_backward += backward_passes_ * op.host_ops_backward;
    if (op.kernels_forward > 0 || op.flops_forward > 0) lower_forward(op);
    if (op.kernels_backward > 0 || op.flops_backward > 0) lower_backward(op);
    if (setup_.precision == Precision::Amp) lower_casts(op);
  }

  void lower_forward(const OpWork& op) {
    const Pass pass = forward(op);
    if (is_library_call(op.kind)) step_.library_calls += forward_passes_;
    if (is_fused_attention(op)) {
      add_streaming(KernelClass::Attention, forward_passes_, pass);
    } else if (op.kind == OpKind::Recurrent) {
      lower_recurrence(op, forward_passes_, pass);
    } else if (is_product(op.kind)) {
      lower_product_forward(op, pass);
    } else {
      add_streaming(class_of(op), forward_passes_, pass);
    }
  }

  void lower_backward(const OpWork& op) {
    const Pass pass = backward(op);
    if (is_library_call(op.kind)) {
      const bool two = is_convolution(op.kind) && op.needs_input_gradient;
      step_.library_calls += backward_passes_ * (two ? 2 : 1);
    }
    if (is_fused_attention(op)) {
      add_streaming(KernelClass::Attention, backward_passes_, pass);
    } else if (op.kind == OpKind::Recurrent) {
      lower_recurrence(op, backward_passes_, pass);
    } else if (is_product(op.kind)) {
      lower_product_backward(op, pass);
    } else {
      add_streaming(class_of(op), backward_passes_, pass);
    }
  }

  /// What fuse_attention leaves of a block, or what the graph itself has in one operator.
  bool is_fused_attention(const OpWork& op) const {
    if (is_whole_attention(op)) return true;
    return setup_.attention == Attention::Fused && op.attention == AttentionRole::Context;
  }

  /// One product; further launches add the bias to its result.
  void lower_product_forward(const OpWork& op, const Pass& pass) {
    const double further = pass.launches - 1;
    const double bias_bytes =
        std::min(2 * op.elements_written * element_of(op), pass.bytes / pass.launches);
    add(class_of(op), forward_passes_,
        {.launches = 1,
         .flops = pass.flops * padding_of(op),
         .bytes = pass.bytes - further * bias_bytes,
         .blocks = blocks_of(op.elements_written * padding_of(op), op.macs)});
    add(KernelClass::Pointwise, forward_passes_, {.launches = further, .bytes = bias_bytes});
  }

  /// A product for the weight (or second operand) and one for the input where it needs a gradient;
  /// further launches sum the gradient of the result (for the bias) or one to it.
  void lower_product_backward(const OpWork& op, const Pass& pass) {
    const bool two = op.needs_input_gradient && pass.launches >= 2;
    const double products = two ? 2 : 1;
    const double further = pass.launches - products;
    const double sum_bytes =
        std::min(op.elements_written * element_of(op), pass.bytes / pass.launches);
    const double inputs = op.weight_elements > 0 ? op.elements_read : op.elements_read / 2;
    const double weights = op.weight_elements > 0 ? op.weight_elements : op.elements_read / 2;
    const KernelClass kind = class_of(op);
    // Winograd serves the gradient of the input; that of the weight is an ordinary product.
    const KernelClass weight_kind = kind == KernelClass::Winograd ? KernelClass::Convolution : kind;
    Kernel product{.launches = 1,
                   .flops = pass.flops * padding_of(op) / products,
                   .bytes = (pass.bytes - further * sum_bytes) / products};
    product.blocks = blocks_of(inputs * padding_of(op), op.macs);
    if (two) add(kind, backward_passes_, product);
    product.blocks = blocks_of(weights, op.macs);
    add(weight_kind, backward_passes_, product);
    add(KernelClass::Pointwise, backward_passes_, {.launches = further, .bytes = sum_bytes});
  }

  /// A recurrence: products of all time steps at once where they do not depend on each other, then
  /// `sequential_steps` dependent products with the hidden state, which read its weights each time.
  void lower_recurrence(const OpWork& op, double times, const Pass& pass) {
    const double steps = std::max(1.0, op.sequential_steps);
    const double weights = op.gemm.n * op.gemm.k * op.gemm.groups;
    const double product = 2 * op.gemm.m * weights;
    const double step_flops =
        product > 0 ? std::min(product, pass.flops / steps) : pass.flops / steps;
    const double step_outputs = op.gemm.m * op.gemm.n * op.gemm.groups;
    add(KernelClass::RecurrentStep, times,
        {.launches = steps,
         .flops = step_flops,
         .bytes = weights * bytes_.weight_read + pass.bytes / 2 / steps,
         .blocks = blocks_of(step_outputs, product / 2)});
    // Launches beyond a whole number per step are the dense products.
    const double per_step = std::max(1.0, std::floor(pass.launches / steps));
    const double dense_launches = std::max(1.0, pass.launches - steps * per_step);
    const double dense_flops = (pass.flops - steps * step_flops) / dense_launches;
    add(KernelClass::MatrixProduct, times,
        {.launches = dense_launches,
         .flops = dense_flops,
         .bytes = pass.bytes / 2 / dense_launches,
         .blocks = blocks_of(step_outputs * steps, dense_flops / 2)});
  }

  /// Mixed precision: weights to FP16 before products and their gradients back, one launch a
  /// tensor; inputs of sensitive operators to FP32 and their gradients back.
  void lower_casts(const OpWork& op) {
    const double tensors = op.weight_tensors;
    if ((is_product(op.kind) || op.kind == OpKind::Recurrent) && tensors > 0) {
      const double cast_bytes = bytes_.parameter + bytes_.weight_read;
      add_cast(KernelClass::Update, tensors, op.weight_elements * cast_bytes / tensors);
    }
    if (is_sensitive(op.kind) && op.kernels_forward > 0) {
      const double cast_bytes = bytes_.activation + bytes_.sensitive;
      add_cast(KernelClass::Pointwise, 1, op.elements_written * cast_bytes);
    }
  }

  /// `tensors` casts of `bytes` each in every forward pass, and as many back.
  void add_cast(KernelClass kind, double tensors, double bytes) {
    add(kind, forward_passes_ + backward_passes_, {.launches = tensors, .bytes = bytes});
    step_.host_ops_forward += forward_passes_ * tensors;
    step_.host_ops_backward += backward_passes_ * tensors;
  }

  void lower_loss() {
    const double elements = std::max(0.0, features_.output_elements);
    // Forward reads and writes once per launch; backward also reads what forward saved.
    const double moved = elements * bytes_.sensitive;
    Kernel loss{.launches = kLossLaunchesPerPass,
                .flops = kLossFlopsPerElement * elements / 2,
                .bytes = moved};
    add(KernelClass::Pointwise, backward_passes_, loss);
    loss.bytes *= 2;
    add(KernelClass::Pointwise, backward_passes_, loss);
    step_.host_ops_forward += backward_passes_ * kLossLaunchesPerPass;
    step_.host_ops_backward += backward_passes_ * kLossLaunchesPerPass;
  }

  /// Gradients are zeroed once and every pass adds to them; where the framework drops them instead
  /// (set_to_none), the first pass writes them for nothing and only later ones add.
  void lower_gradients() {
    const bool drops = setup_.update == UpdateKernels::MultiTensor;
    if (!drops) add_per_tensor(1, kZeroAccesses);
    add_per_tensor(backward_passes_ - (drops ? 1 : 0), kAccumulateAccesses);
  }

  /// `kernels` launches for each parameter tensor, each with `accesses` reads and writes of it.
  void add_per_tensor(double kernels, double accesses) {
    const double tensors = features_.parameter_tensors;
    if (kernels <= 0 || tensors <= 0 || features_.parameters <= 0) return;
    const double elements = features_.parameters / tensors;
    add(KernelClass::Update, 1,
        {.launches = kernels * tensors,
         .flops = elements,
         .bytes = elements * bytes_.parameter * accesses});
    step_.host_ops_update += kernels * tensors;
  }

  void lower_update() {
    const UpdateCost cost = update_cost(setup_.optimizer);
    if (cost.kernels <= 0 || features_.parameters <= 0) return;
    if (setup_.precision == Precision::Amp) add_over_all(1, kUnscaleAccesses);
    if (setup_.update == UpdateKernels::MultiTensor) {
      add_over_all(cost.kernels, cost.accesses / cost.kernels);
    } else {
      add_per_tensor(cost.kernels, cost.accesses / cost.kernels);
    }
  }

  /// `kernels` passes over all parameters, each divided into launches of as many tensors and blocks
  /// as one can take.
  void add_over_all(double kernels, double accesses) {
    const double parameters = features_.parameters;
    const double tensors = std::max(1, features_.parameter_tensors);
    const double launches =
        std::ceil(std::max(tensors / kTensorsPerLaunch, parameters / kParametersPerLaunch));
    add(KernelClass::Update, 1,
        {.launches = kernels * launches,
         .flops = parameters / launches,
         .bytes = parameters * bytes_.parameter * accesses / launches});
    step_.host_ops_update += kernels * launches + kHostOpsPerListedTensor * tensors;
  }

  const GraphFeatures& features_;
  const TrainingSetup& setup_;
  ElementBytes bytes_;
  bool sums_are_sensitive_{false};
  double rounds_{1};           ///< Batches per update.
  double forward_passes_{1};   ///< Per step.
  double backward_passes_{1};  ///< Per step.
  Step step_;
};

}  // namespace

UpdateCost update_cost(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::None:
      return kNoUpdate;
    case Optimizer::Sgd:
      return kSgd;
    case Optimizer::Momentum:
      return kMomentum;
    case Optimizer::Adam:
      return kAdam;
    case Optimizer::AdamW:
      break;
  }
  return kAdamW;
}

bool has_usable_cost(const OpWork& op) {
  const std::array<double, 25> numbers{op.macs,
                                       op.flops_forward,
                                       op.flops_backward,
                                       op.elements_read,
                                       op.elements_written,
                                       op.elements_read_backward,
                                       op.elements_written_backward,
                                       op.weight_elements,
                                       op.weights_first_used,
                                       op.saved_elements,
                                       op.live_elements,
                                       op.gradient_elements,
                                       op.cut_elements,
                                       op.kernels_forward,
                                       op.kernels_backward,
                                       op.host_ops_forward,
                                       op.host_ops_backward,
                                       op.sequential_steps,
                                       as_double(op.index_bytes),
                                       as_double(op.saved_index_bytes),
                                       static_cast<double>(op.weight_tensors),
                                       op.gemm.m,
                                       op.gemm.n,
                                       op.gemm.k,
                                       op.gemm.groups};
  return std::ranges::all_of(numbers, [](double x) { return x >= 0 && x <= kMostOfAnything; });
}

Step lower(const GraphFeatures& features, std::span<const OpWork> ops, const TrainingSetup& setup) {
  return Lowering{features, setup}.run(ops);
}

}  // namespace horus::predict
