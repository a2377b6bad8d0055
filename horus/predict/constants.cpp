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

using K = KernelClass;
constexpr auto kPlain = &ClassEfficiency::plain_flops;
constexpr auto kTensor = &ClassEfficiency::tensor_flops;
constexpr auto kBandwidth = &ClassEfficiency::bandwidth;
constexpr auto kLatency = &ClassEfficiency::latency_s;
constexpr const char* kShare = "share of peak";

constexpr auto kRows = std::to_array<ConstantRow>({
    {"convolution.plain_flops", kShare, 0.01, 4, 0.3, efficiency<K::Convolution, kPlain>},
    {"convolution.tensor_flops", kShare, 0.01, 1, 0.3, efficiency<K::Convolution, kTensor>},
    {"convolution.bandwidth", kShare, 0.01, 1, 0.2, efficiency<K::Convolution, kBandwidth>},
    {"convolution.latency_s", "s", 1e-7, 1e-3, 0.3, efficiency<K::Convolution, kLatency>},
    {"host.step_s", "s", 0, 1, 0.5, time<&TimeConstants::host_step_s>},
    {"host.forward_s", "s", 0, 1e-2, 0.5, time<&TimeConstants::host_forward_s>},
    {"host.backward_s", "s", 0, 1e-2, 0.5, time<&TimeConstants::host_backward_s>},
    {"host.update_s", "s", 0, 1e-2, 0.5, time<&TimeConstants::host_update_s>},
    {"memory.fragmentation", "share of tensors", 0, 1, 0.5,
     memory<&MemoryConstants::fragmentation>},
});

}  // namespace

std::span<const ConstantRow> constant_rows() { return kRows; }

}  // namespace horus::predict
