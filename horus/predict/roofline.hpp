// SPDX-License-Identifier: Apache-2.0
#pragma once
// How long a GPU takes for a kernel: latency, and the slower of arithmetic and memory.

#include <array>
#include <span>

#include "horus/domain/gpu.hpp"
#include "horus/domain/prediction.hpp"
#include "horus/predict/kernel.hpp"
#include "horus/predict/time_constants.hpp"

namespace horus::predict {

/// What one GPU reaches in one precision, by kernel class.
struct MachineRates {
  struct Rate {
    double flops_per_s{};
    double bytes_per_s{};
    double latency_s{};
    double rewritten{};  ///< Bytes moved to change the layout, per byte of the kernel.
    friend bool operator==(const Rate&, const Rate&) = default;
  };
  std::array<Rate, kKernelClasses> by_class;
  double peak_bytes_per_s{};
  double resident_share{};  ///< Of the latency: the kernel is on the GPU.
  double tile_area{1};      ///< Of the block of a product, in units of the smallest.
  double sms{};             ///< Streaming multiprocessors: thread blocks that run at once.
  bool emulated{false};     ///< The precision has no units on this GPU and is computed by detours.
  friend bool operator==(const MachineRates&, const MachineRates&) = default;
};

/// Which units compute the products:
///   fp32  FP32 units, TF32 off everywhere. (PyTorch allows TF32 in convolutions on Ampere and
///         later unless told otherwise: ask for tf32 to predict that.)
///   tf32  TF32 tensor cores; without them the same as fp32, which is what frameworks do.
///   fp16, amp  FP16 tensor cores; without them the plain FP16 rate or, where that is lower
///         (libraries then compute in FP32), the FP32 rate.
///   bf16  BF16 tensor cores; without them FP32 units at kEmulatedBf16 of their rate, `emulated`.
/// Everything else is computed in FP32 units.
[[nodiscard]] MachineRates rates_of(const GpuSpec& gpu, Precision precision,
                                    const TimeConstants& constants = {});

/// Seconds that all launches of `kernel` keep the GPU busy, one queued behind the other.
[[nodiscard]] double busy_seconds(const Kernel& kernel, const MachineRates& rates);

/// Sums over kernels.
struct GpuWork {
  double busy_s{};      ///< From the first kernel to the last, none of them late.
  double resident_s{};  ///< Of these, with a kernel on the GPU: without the gaps between them.
  double sm_s{};        ///< Share of multiprocessors with a block, integrated over time.
  double bytes{};       ///< Moved in device memory.
};
[[nodiscard]] GpuWork gpu_work(std::span<const Kernel> kernels, const MachineRates& rates);

/// Kernels summed by what limits each of them. Rates at which the limits stay the same need no look
/// at the kernels again: what derivatives and fits ask for thousands of times.
struct LimitedWork {
  struct Sums {
    double launches{};
    double flops{};  ///< Of kernels limited by arithmetic, idle processors of waves included.
    double bytes{};  ///< Of kernels limited by memory.
    double moved{};  ///< Bytes of all.
  };
  std::array<Sums, kKernelClasses> by_class{};
};
/// `rates` decide what limits each kernel.
[[nodiscard]] LimitedWork limited_work(std::span<const Kernel> kernels, const MachineRates& rates);

/// The work at rates that leave limits and tiles as they are. Of multiprocessors the sums know
/// nothing: sm_s is 0.
[[nodiscard]] GpuWork work_of(const LimitedWork& work, const MachineRates& rates);

}  // namespace horus::predict
