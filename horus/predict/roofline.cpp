// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/roofline.hpp"

#include <algorithm>

namespace horus::predict {
namespace {

/// What computes the products of one precision.
struct Units {
  double plain_flops{};
  double tensor_flops{};
  double tensor_share{1};   ///< Of what FP16 tensor cores reach.
  double element_bytes{4};  ///< Of the operands that products load.
  bool emulated{false};
};

/// Without fast FP16, libraries compute in FP32.
double half_flops(const GpuSpec& gpu, const TimeConstants& constants) {
  return std::max(gpu.fp16_flops > gpu.fp32_flops ? gpu.fp16_flops : 0.0,
                  constants.half_share * gpu.fp32_flops);
}

Units units_of(const GpuSpec& gpu, Precision precision, const TimeConstants& constants) {
  switch (precision) {
    case Precision::Fp32:
      break;
    case Precision::Tf32:
      return {gpu.fp32_flops, gpu.tf32_flops, constants.tf32_share};
    case Precision::Fp16:
    case Precision::Amp:
      return {half_flops(gpu, constants), gpu.tensor_fp16_flops, 1, 2};
    case Precision::Bf16:
      if (gpu.bf16_flops > 0) return {gpu.fp32_flops, gpu.bf16_flops, 1, 2};
      return {.plain_flops = gpu.fp32_flops * kEmulatedBf16, .emulated = true};
  }
  return {.plain_flops = gpu.fp32_flops};
}

bool is_convolution(KernelClass kind) {
  return kind == KernelClass::Convolution || kind == KernelClass::Winograd ||
         kind == KernelClass::GroupedConvolution;
}

/// Where the class cannot use tensor cores or they would be slower, the plain units work. Tiled
/// products also have to load their tiles; convolutions in tensor cores change the layout.
MachineRates::Rate rate_of(KernelClass kind, const Units& units, double bandwidth,
                           const TimeConstants& constants) {
  const ClassEfficiency& efficiency = constants.efficiency[static_cast<std::size_t>(kind)];
  const double plain = efficiency.plain_flops * units.plain_flops;
  const double tensor = efficiency.tensor_flops * units.tensor_share * units.tensor_flops;
  MachineRates::Rate rate{.flops_per_s = std::max({plain, tensor, 1.0}),
                          .bytes_per_s = efficiency.bandwidth * bandwidth,
                          .latency_s = constants.latency_s};
  if (is_convolution(kind) || kind == KernelClass::MatrixProduct) {
    const double fed = constants.tile_intensity * (2 / units.element_bytes) * bandwidth;
    rate.flops_per_s = 1 / (1 / rate.flops_per_s + 1 / fed);
    rate.latency_s += constants.product_latency_s;
  }
  if (is_convolution(kind) && tensor > plain) rate.rewritten = constants.layout_traffic;
  if (kind == KernelClass::RecurrentStep) rate.latency_s = constants.recurrent_latency_s;
  return rate;
}

/// How much longer a kernel of `blocks` blocks takes on `sms` processors than if its work could be
/// split at will. Blocks run in waves; the last is half full on average, and there is at least one.
double wave_factor(double blocks, double sms) {
  if (blocks <= 0) return 1;
  const double waves = std::max(1.0, blocks) / sms;
  return std::max(1.0, waves + 0.5) / waves;
}

/// FLOPs of one launch, and what processors could have computed that have no block.
double flops_in_waves(const Kernel& kernel, const MachineRates& rates) {
  return kernel.flops * wave_factor(kernel.blocks / rates.tile_area, rates.sms);
}

/// Seconds of one launch beside its latency: the slower of arithmetic and memory, and what changes
/// the layout before and after.
double work_seconds(const Kernel& kernel, const MachineRates& rates) {
  const MachineRates::Rate& rate = rates.by_class[static_cast<std::size_t>(kernel.kind)];
  const double arithmetic = flops_in_waves(kernel, rates) / rate.flops_per_s;
  const double memory = kernel.bytes / rate.bytes_per_s;
  return std::max(arithmetic, memory) + memory * rate.rewritten;
}

/// Thread blocks of a launch: as counted, or by the bytes that a block of a streaming kernel moves.
double blocks_at_work(const Kernel& kernel) {
  return std::max(1.0, kernel.blocks > 0 ? kernel.blocks : kernel.bytes / kBytesPerBlock);
}

}  // namespace

MachineRates rates_of(const GpuSpec& gpu, Precision precision, const TimeConstants& constants) {
  const Units units = units_of(gpu, precision, constants);
  MachineRates rates;
  rates.peak_bytes_per_s = std::max(gpu.bandwidth_bytes_per_s, 1.0);
  rates.resident_share = constants.resident_share;
  rates.tile_area = constants.tile_area;
  rates.sms = std::max(gpu.sm_count, 1);
  rates.emulated = units.emulated;
  for (std::size_t i = 0; i < kKernelClasses; ++i) {
    MachineRates::Rate& rate = rates.by_class[i];
    rate = rate_of(static_cast<KernelClass>(i), units, rates.peak_bytes_per_s, constants);
    rate.flops_per_s /= constants.gpu_factor;
    rate.bytes_per_s /= constants.gpu_factor;
    rate.latency_s *= constants.gpu_factor;
  }
  if (precision == Precision::Fp16 || precision == Precision::Bf16) {
    rates.by_class[static_cast<std::size_t>(KernelClass::Normalization)].bytes_per_s *=
        constants.native_norm_share;
  }
  return rates;
}

double busy_seconds(const Kernel& kernel, const MachineRates& rates) {
  const MachineRates::Rate& rate = rates.by_class[static_cast<std::size_t>(kernel.kind)];
  return kernel.launches * (rate.latency_s + work_seconds(kernel, rates));
}

GpuWork gpu_work(std::span<const Kernel> kernels, const MachineRates& rates) {
  GpuWork work;
  for (const Kernel& kernel : kernels) {
    const MachineRates::Rate& rate = rates.by_class[static_cast<std::size_t>(kernel.kind)];
    const double working_s = work_seconds(kernel, rates);
    const double resident_s = kernel.launches * (rate.latency_s * rates.resident_share + working_s);
    work.busy_s += kernel.launches * (rate.latency_s + working_s);
    work.resident_s += resident_s;
    // Where monitors see the GPU wake up for a kernel, no block is there yet.
    const double blocks_s =
        kernel.launches *
        (rate.latency_s * std::min(rates.resident_share, kResidentShare) + working_s);
    work.sm_s += blocks_s * std::min(1.0, blocks_at_work(kernel) / rates.sms);
    work.bytes += kernel.launches * kernel.bytes;
  }
  return work;
}

LimitedWork limited_work(std::span<const Kernel> kernels, const MachineRates& rates) {
  LimitedWork work;
  for (const Kernel& kernel : kernels) {
    const MachineRates::Rate& rate = rates.by_class[static_cast<std::size_t>(kernel.kind)];
    LimitedWork::Sums& sums = work.by_class[static_cast<std::size_t>(kernel.kind)];
    const double flops = flops_in_waves(kernel, rates);
    const bool is_arithmetic = flops * rate.bytes_per_s > kernel.bytes * rate.flops_per_s;
    sums.launches += kernel.launches;
    sums.moved += kernel.launches * kernel.bytes;
    if (is_arithmetic) {
      sums.flops += kernel.launches * flops;
    } else {
      sums.bytes += kernel.launches * kernel.bytes;
    }
  }
  return work;
}

GpuWork work_of(const LimitedWork& work, const MachineRates& rates) {
  GpuWork out;
  for (std::size_t i = 0; i < kKernelClasses; ++i) {
    const LimitedWork::Sums& sums = work.by_class[i];
    if (sums.launches <= 0) continue;
    const MachineRates::Rate& rate = rates.by_class[i];
    const double working_s = sums.flops / rate.flops_per_s +
                             (sums.bytes + rate.rewritten * sums.moved) / rate.bytes_per_s;
    const double latency_s = sums.launches * rate.latency_s;
    out.busy_s += latency_s + working_s;
    out.resident_s += latency_s * rates.resident_share + working_s;
    out.bytes += sums.moved;
  }
  return out;
}

}  // namespace horus::predict
