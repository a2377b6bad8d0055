// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/roofline.hpp"

#include <algorithm>

namespace horus::predict {
namespace {

/// What computes the products of one precision.
struct Units {
  double plain_flops{};
  double tensor_flops{};
  double element_bytes{4};  ///< Of the operands that products load.
  bool emulated{false};
};

Units units_of(const GpuSpec& gpu, Precision precision) {
  switch (precision) {
    case Precision::Fp32:
      break;
    case Precision::Tf32:
      return {gpu.fp32_flops, gpu.tf32_flops, 4};
    case Precision::Fp16:
    case Precision::Amp:
      return {std::max(gpu.fp16_flops, gpu.fp32_flops), gpu.tensor_fp16_flops, 2};
    case Precision::Bf16:
      if (gpu.bf16_flops > 0) return {gpu.fp32_flops, gpu.bf16_flops, 2};
      return {gpu.fp32_flops * kEmulatedBf16, 0, 4, true};
  }
  return {gpu.fp32_flops, 0, 4};
}

bool is_tiled(KernelClass kind) {
  return kind == KernelClass::Convolution || kind == KernelClass::Winograd ||
         kind == KernelClass::MatrixProduct;
}

/// Where the class cannot use tensor cores or they would be slower, the plain units work. Tiled
/// products also have to load their tiles.
double flops_rate(KernelClass kind, const Units& units, double bandwidth,
                  const TimeConstants& constants) {
  const ClassEfficiency& efficiency = constants.efficiency[static_cast<std::size_t>(kind)];
  const double rate = std::max({efficiency.plain_flops * units.plain_flops,
                                efficiency.tensor_flops * units.tensor_flops, 1.0});
  if (!is_tiled(kind)) return rate;
  const double fed = constants.tile_intensity * (2 / units.element_bytes) * bandwidth;
  return 1 / (1 / rate + 1 / fed);
}

/// How much longer a kernel of `blocks` equal blocks takes on `sms` processors than if its work
/// could be split at will. Blocks run in waves; the last is half full on average, and there is at
/// least one.
double wave_factor(double blocks, double sms) {
  if (blocks <= 0) return 1;
  const double waves = blocks / sms;
  return std::max(1.0, waves + 0.5) / waves;
}

}  // namespace

MachineRates rates_of(const GpuSpec& gpu, Precision precision, const TimeConstants& constants) {
  const Units units = units_of(gpu, precision);
  MachineRates rates;
  rates.peak_bytes_per_s = std::max(gpu.bandwidth_bytes_per_s, 1.0);
  rates.sms = std::max(gpu.sm_count, 1);
  rates.emulated = units.emulated;
  for (std::size_t i = 0; i < kKernelClasses; ++i) {
    const ClassEfficiency& efficiency = constants.efficiency[i];
    rates.by_class[i] = {
        flops_rate(static_cast<KernelClass>(i), units, rates.peak_bytes_per_s, constants),
        efficiency.bandwidth * rates.peak_bytes_per_s, efficiency.latency_s};
  }
  return rates;
}

double busy_seconds(const Kernel& kernel, const MachineRates& rates) {
  const MachineRates::Rate& rate = rates.by_class[static_cast<std::size_t>(kernel.kind)];
  const double arithmetic = kernel.flops / rate.flops_per_s * wave_factor(kernel.blocks, rates.sms);
  const double memory = kernel.bytes / rate.bytes_per_s;
  return kernel.launches * (rate.latency_s + std::max(arithmetic, memory));
}

GpuWork gpu_work(std::span<const Kernel> kernels, const MachineRates& rates) {
  GpuWork work;
  for (const Kernel& kernel : kernels) {
    work.busy_s += busy_seconds(kernel, rates);
    work.bytes += kernel.launches * kernel.bytes;
  }
  return work;
}

}  // namespace horus::predict
