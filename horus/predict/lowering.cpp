// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/lowering.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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
      return KernelClass::Convolution;
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

/// How much a product computes beyond what is asked, because its tiles are wider than its groups.
double padding_of(const OpWork& op, double narrowest_tile) {
  const bool padded = op.kind == OpKind::GroupedConvolution && op.gemm.n > 0;
  return padded ? std::max(1.0, narrowest_tile / op.gemm.n) : 1.0;
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
  Lowering(const GraphFeatures& features, const TrainingSetup& setup,
           const TimeConstants& constants)
      : features_{features},
        setup_{setup},
        constants_{constants},
        bytes_{element_bytes(setup.precision)} {}

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
    lower_update();
    if (setup_.precision == Precision::Amp) lower_unscale();
    return std::move(step_);
  }

 private:
  void add(KernelClass kind, double launches, double flops, double bytes, double blocks = 0) {
    if (launches > 0) step_.kernels.push_back(Kernel{kind, launches, flops, bytes, blocks});
  }

  /// `pass` as equal launches without arithmetic limits: everything that streams.
  void add_streaming(KernelClass kind, const Pass& pass) {
    add(kind, pass.launches, pass.flops / pass.launches, pass.bytes / pass.launches);
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

  Pass forward(const OpWork& op) const {
    const double element = activation_bytes(bytes_, op.kind);
    return {op.kernels_forward > 0 ? op.kernels_forward : 1, op.flops_forward,
            (op.elements_read + op.elements_written) * element + weight_bytes_forward(op) +
                as_double(op.index_bytes) / 2};
  }
  Pass backward(const OpWork& op) const {
    const double element = activation_bytes(bytes_, op.kind);
    return {op.kernels_backward > 0 ? op.kernels_backward : 1, op.flops_backward,
            (op.elements_read_backward + op.elements_written_backward) * element +
                weight_bytes_backward(op) + as_double(op.index_bytes) / 2};
  }

  void lower_operator(const OpWork& op) {
    step_.host_ops_forward += op.host_ops_forward;
    step_.host_ops_backward += op.host_ops_backward;
    const bool runs_forward = op.kernels_forward > 0 || op.flops_forward > 0;
    const bool runs_backward = op.kernels_backward > 0 || op.flops_backward > 0;
    if (op.kind == OpKind::Recurrent && runs_forward) {
      lower_recurrence(op, forward(op));
      if (runs_backward) lower_recurrence(op, backward(op));
    } else if (is_product(op.kind)) {
      if (runs_forward) lower_product_forward(op);
      if (runs_backward) lower_product_backward(op);
    } else {
      if (runs_forward) add_streaming(class_of(op), forward(op));
      if (runs_backward) add_streaming(class_of(op), backward(op));
    }
    if (setup_.precision == Precision::Amp) lower_casts(op);
  }

  /// One product; further launches (bias) only stream.
  void lower_product_forward(const OpWork& op) {
    const Pass pass = forward(op);
    const double each = pass.bytes / pass.launches;
    add(class_of(op), 1, pass.flops * padding_of(op, constants_.narrowest_tile), each,
        blocks_of(op.elements_written, op.macs));
    add(KernelClass::Pointwise, pass.launches - 1, 0, each);
  }

  /// A product for the weight (or second operand) and one for the input where it needs a gradient;
  /// further launches (bias gradient) only stream.
  void lower_product_backward(const OpWork& op) {
    const Pass pass = backward(op);
    const bool two = op.needs_input_gradient && pass.launches >= 2;
    const double flops = pass.flops * padding_of(op, constants_.narrowest_tile) / (two ? 2 : 1);
    const double each = pass.bytes / pass.launches;
    const double inputs = op.weight_elements > 0 ? op.elements_read : op.elements_read / 2;
    const double weights = op.weight_elements > 0 ? op.weight_elements : op.elements_read / 2;
    const KernelClass kind = class_of(op);
    // Winograd serves the gradient of the input; that of the weight is an ordinary product.
    const KernelClass weight_kind = kind == KernelClass::Winograd ? KernelClass::Convolution : kind;
    if (two) add(kind, 1, flops, each, blocks_of(inputs, op.macs));
    add(weight_kind, 1, flops, each, blocks_of(weights, op.macs));
    add(KernelClass::Pointwise, pass.launches - (two ? 2 : 1), 0, each);
  }

  /// A recurrence: products of all time steps at once where they do not depend on each other, then
  /// `sequential_steps` dependent products with the hidden state, which read its weights each time.
  void lower_recurrence(const OpWork& op, const Pass& pass) {
    const double steps = std::max(1.0, op.sequential_steps);
    const double weights = op.gemm.n * op.gemm.k * op.gemm.groups;
    const double product = 2 * op.gemm.m * weights;
    const double step_flops =
        product > 0 ? std::min(product, pass.flops / steps) : pass.flops / steps;
    const double step_outputs = op.gemm.m * op.gemm.n * op.gemm.groups;
    const double activations = pass.bytes / 2 / steps;
    add(KernelClass::RecurrentStep, steps, step_flops, weights * bytes_.weight_read + activations,
        blocks_of(step_outputs, product / 2));
    // Launches beyond a whole number per step are the dense products.
    const double per_step = std::max(1.0, std::floor(pass.launches / steps));
    const double dense_launches = std::max(1.0, pass.launches - steps * per_step);
    const double dense_flops = (pass.flops - steps * step_flops) / dense_launches;
    add(KernelClass::MatrixProduct, dense_launches, dense_flops, pass.bytes / 2 / dense_launches,
        blocks_of(step_outputs * steps, dense_flops / 2));
  }

  /// Mixed precision: weights to FP16 before products and their gradients back, one launch a
  /// tensor; inputs of sensitive operators to FP32 and their gradients back.
  void lower_casts(const OpWork& op) {
    const double cast_bytes = bytes_.parameter + bytes_.weight_read;
    const double tensors = op.weight_tensors;
    if ((is_product(op.kind) || op.kind == OpKind::Recurrent) && tensors > 0) {
      add(KernelClass::Update, 2 * tensors, 0, op.weight_elements * cast_bytes / tensors);
      step_.host_ops_forward += tensors;
      step_.host_ops_backward += tensors;
    }
    if (is_sensitive(op.kind) && op.kernels_forward > 0) {
      add(KernelClass::Pointwise, 2, 0,
          op.elements_written * (bytes_.activation + bytes_.sensitive));
      step_.host_ops_forward += 1;
      step_.host_ops_backward += 1;
    }
  }

  void lower_loss() {
    const double elements = std::max(0.0, features_.output_elements);
    // Forward reads and writes once per launch; backward also reads what forward saved.
    const double moved = elements * bytes_.sensitive;
    add(KernelClass::Pointwise, kLossLaunchesPerPass, kLossFlopsPerElement * elements / 2, moved);
    add(KernelClass::Pointwise, kLossLaunchesPerPass, kLossFlopsPerElement * elements / 2,
        2 * moved);
    step_.host_ops_forward += kLossLaunchesPerPass;
    step_.host_ops_backward += kLossLaunchesPerPass;
  }

  void lower_update() {
    if (setup_.optimizer == Optimizer::None || features_.parameters <= 0) return;
    const double tensors = std::max(1, features_.parameter_tensors);
    for (const UpdateCost& cost : {kZeroGrad, update_cost(setup_.optimizer)}) {
      const double moved = features_.parameters * bytes_.parameter * cost.accesses;
      const double launches = cost.kernels * tensors;
      add(KernelClass::Update, launches, features_.parameters / tensors, moved / launches);
      step_.host_ops_update += launches;
    }
  }

  void lower_unscale() {
    if (setup_.optimizer == Optimizer::None || features_.parameters <= 0) return;
    const double launches =
        std::ceil(std::max(1, features_.parameter_tensors) / kTensorsPerUnscale);
    add(KernelClass::Update, launches, features_.parameters / launches,
        2 * features_.parameters * bytes_.parameter / launches);
    step_.host_ops_update += launches;
  }

  const GraphFeatures& features_;
  const TrainingSetup& setup_;
  const TimeConstants& constants_;
  ElementBytes bytes_;
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
  const std::array<double, 21> numbers{op.macs,
                                       op.flops_forward,
                                       op.flops_backward,
                                       op.elements_read,
                                       op.elements_written,
                                       op.elements_read_backward,
                                       op.elements_written_backward,
                                       op.weight_elements,
                                       op.saved_elements,
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

Step lower(const GraphFeatures& features, std::span<const OpWork> ops, const TrainingSetup& setup,
           const TimeConstants& constants) {
  return Lowering{features, setup, constants}.run(ops);
}

}  // namespace horus::predict
