// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/constants.hpp"

#include <array>

namespace horus::predict {
namespace {

template <KernelClass kind, double ClassEfficiency::*field>
double& efficiency(Constants& constants) {
  return constants.time.efficiency[static_cast<std::size_t>(kind)].*field;
}

template <double TimeConstants::*field>
double& time(Constants& constants) {
  return constants.time.*field;
}

template <double MemoryConstants::*field>
double& memory(Constants& constants) {
  return constants.memory.*field;
}

template <SharingLaw SharingConstants::*law, double SharingLaw::*field>
double& sharing(Constants& constants) {
  return constants.sharing.*law.*field;
}

using K = KernelClass;
using M = MemoryConstants;
using S = SharingConstants;
using T = TimeConstants;
constexpr auto kPlain = &ClassEfficiency::plain_flops;
constexpr auto kTensor = &ClassEfficiency::tensor_flops;
constexpr auto kBandwidth = &ClassEfficiency::bandwidth;
constexpr const char* kShare = "share of peak";

constexpr auto kRows = std::to_array<ConstantRow>({
    {"convolution.plain_flops", kShare, 0.01, 4, 0.3, efficiency<K::Convolution, kPlain>},
    {"convolution.tensor_flops", kShare, 0.01, 1, 0.3, efficiency<K::Convolution, kTensor>},
    {"convolution.bandwidth", kShare, 0.01, 1, 0.2, efficiency<K::Convolution, kBandwidth>},
    {"winograd.plain_flops", kShare, 0.01, 4, 0.3, efficiency<K::Winograd, kPlain>},
    {"winograd.tensor_flops", kShare, 0.01, 1, 0.3, efficiency<K::Winograd, kTensor>},
    {"winograd.bandwidth", kShare, 0.01, 1, 0.2, efficiency<K::Winograd, kBandwidth>},
    {"depthwise.plain_flops", kShare, 1e-3, 1, 0.7, efficiency<K::DepthwiseConvolution, kPlain>},
    {"depthwise.bandwidth", kShare, 0.01, 1, 0.3, efficiency<K::DepthwiseConvolution, kBandwidth>},
    {"grouped.plain_flops", kShare, 1e-3, 4, 0.7, efficiency<K::GroupedConvolution, kPlain>},
    {"grouped.tensor_flops", kShare, 1e-3, 1, 0.7, efficiency<K::GroupedConvolution, kTensor>},
    {"grouped.bandwidth", kShare, 0.01, 1, 0.3, efficiency<K::GroupedConvolution, kBandwidth>},
    {"product.plain_flops", kShare, 0.01, 1, 0.2, efficiency<K::MatrixProduct, kPlain>},
    {"product.tensor_flops", kShare, 0.01, 1, 0.3, efficiency<K::MatrixProduct, kTensor>},
    {"product.bandwidth", kShare, 0.01, 1, 0.2, efficiency<K::MatrixProduct, kBandwidth>},
    {"recurrence.plain_flops", kShare, 0.01, 1, 0.5, efficiency<K::RecurrentStep, kPlain>},
    {"recurrence.tensor_flops", kShare, 0.01, 1, 0.5, efficiency<K::RecurrentStep, kTensor>},
    {"recurrence.bandwidth", kShare, 0.01, 1, 0.3, efficiency<K::RecurrentStep, kBandwidth>},
    {"recurrence.latency_s", "s", 1e-7, 1e-3, 0.4, time<&T::recurrent_latency_s>},
    {"attention.plain_flops", kShare, 0.01, 1, 0.4, efficiency<K::Attention, kPlain>},
    {"attention.tensor_flops", kShare, 0.01, 1, 0.4, efficiency<K::Attention, kTensor>},
    {"attention.bandwidth", kShare, 0.01, 1, 0.2, efficiency<K::Attention, kBandwidth>},
    {"normalization.bandwidth", kShare, 0.01, 1, 0.2, efficiency<K::Normalization, kBandwidth>},
    {"pointwise.bandwidth", kShare, 0.01, 1, 0.15, efficiency<K::Pointwise, kBandwidth>},
    {"update.bandwidth", kShare, 0.01, 1, 0.15, efficiency<K::Update, kBandwidth>},
    {"kernel.latency_s", "s", 1e-7, 1e-3, 0.3, time<&T::latency_s>},
    {"product.latency_s", "s", 1e-8, 1e-3, 0.5, time<&T::product_latency_s>},
    {"kernel.tile_area", "32 x 32 tiles", 0.5, 64, 0.5, time<&T::tile_area>},
    {"kernel.resident_share", "share of latency", 0.05, 10, 0.5, time<&T::resident_share>},
    {"kernel.tf32_share", "share of FP16's share", 0.1, 2, 0.2, time<&T::tf32_share>},
    {"kernel.half_share", "share of FP32", 0.05, 1, 0.2, time<&T::half_share>},
    {"kernel.native_norm_share", "share of cuDNN's", 0.05, 1, 0.3, time<&T::native_norm_share>},
    {"kernel.layout_traffic", "bytes of a convolution", 0.01, 3, 0.5, time<&T::layout_traffic>},
    {"kernel.tile_intensity", "FLOP/B", 10, 1e5, 0.3, time<&T::tile_intensity>},
    // Narrow: loops differ by machine and script, and a fit gives each machine a factor of its own.
    {"host.step_s", "s", 0, 1, 0.2, time<&T::host_step_s>},
    {"host.forward_s", "s", 0, 1e-2, 0.4, time<&T::host_forward_s>},
    {"host.backward_s", "s", 0, 1e-2, 0.4, time<&T::host_backward_s>},
    {"host.update_s", "s", 0, 1e-2, 0.4, time<&T::host_update_s>},
    {"host.launch_s", "s", 0, 1e-2, 0.4, time<&T::host_launch_s>},
    {"host.library_s", "s", 0, 1e-2, 0.4, time<&T::host_library_s>},
    {"host.copy_s_per_byte", "s/B", 1e-12, 1e-7, 0.5, time<&T::copy_s_per_byte>},
    {"time.overlap_norm", "", 1, 64, 0, time<&T::overlap_norm>},
    {"time.sigma_gpu", "of ln", 0.01, 3, 0, time<&T::sigma_gpu>},
    {"time.sigma_host", "of ln", 0.01, 3, 0, time<&T::sigma_host>},
    {"time.sigma_loader", "of ln", 0.01, 3, 0, time<&T::sigma_loader>},
    {"memory.context_bytes", "B", 0, 1e10, 0, memory<&M::context_bytes>},
    {"memory.lasting", "of parameters", 0.2, 5, 0.2, memory<&M::lasting>},
    {"memory.activations", "of tensors", 0.2, 5, 0.2, memory<&M::activations>},
    {"memory.transient", "of tensors", 0.05, 5, 0.5, memory<&M::transient>},
    {"memory.workspace", "of tensors", 0.05, 5, 0.5, memory<&M::workspace>},
    {"memory.sigma_tensors", "of ln", 0.01, 3, 0, memory<&M::sigma_tensors>},
    {"memory.sigma_context", "of ln", 0.01, 3, 0, memory<&M::sigma_context>},
    {"memory.low_factor", "of expected", 0, 1, 0, memory<&M::low_factor>},
    {"memory.high_factor", "of expected", 0, 10, 0, memory<&M::high_factor>},
    {"memory.bound_factor", "of expected", 0, 10, 0, memory<&M::bound_factor>},
    {"sharing.overlapping.gain", "", 0, 4, 0.5, sharing<&S::overlapping, &SharingLaw::gain>},
    {"sharing.overlapping.own_exponent", "", 0, 4, 0.5,
     sharing<&S::overlapping, &SharingLaw::own_exponent>},
    {"sharing.overlapping.others_exponent", "", 0, 4, 0.5,
     sharing<&S::overlapping, &SharingLaw::others_exponent>},
    {"sharing.sliced.gain", "", 0, 4, 0.5, sharing<&S::sliced, &SharingLaw::gain>},
    {"sharing.side_by_side.gain", "", 0, 4, 0.5, sharing<&S::side_by_side, &SharingLaw::gain>},
    {"sharing.side_by_side.own_exponent", "", 0, 4, 0.5,
     sharing<&S::side_by_side, &SharingLaw::own_exponent>},
    {"sharing.side_by_side.others_exponent", "", 0, 4, 0.5,
     sharing<&S::side_by_side, &SharingLaw::others_exponent>},
});

}  // namespace

std::span<const ConstantRow> constant_rows() { return kRows; }

}  // namespace horus::predict
