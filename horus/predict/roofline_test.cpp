// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/roofline.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "horus/predict/constants.hpp"
#include "horus/predict/sample_features.hpp"

namespace horus::predict {
namespace {

const GpuSpec& v100() { return sample::gpu("V100-16GB"); }

double rate(const GpuSpec& gpu, Precision precision, KernelClass kind) {
  return rates_of(gpu, precision).by_class[static_cast<std::size_t>(kind)].flops_per_s;
}

TEST(Roofline, LargeCopyRunsAtTheSustainedBandwidth) {
  // 9 GB at 75 % of 900 GB/s.
  const Kernel copy{KernelClass::Pointwise, 1, 0, 9e9, 0};
  EXPECT_NEAR(busy_seconds(copy, rates_of(v100(), Precision::Fp32)), 9e9 / 675e9, 1e-5);
}

TEST(Roofline, EmptyKernelCostsItsLatency) {
  const Kernel empty{KernelClass::Pointwise, 1000, 0, 0, 0};
  EXPECT_DOUBLE_EQ(busy_seconds(empty, rates_of(v100(), Precision::Fp32)),
                   1000 * kKernelLatencySeconds);
}

TEST(Roofline, ManySmallKernelsAreSlowerThanOneLargeOfEqualWork) {
  const MachineRates rates = rates_of(v100(), Precision::Fp32);
  const Kernel large{KernelClass::MatrixProduct, 1, 1e11, 1e8, 1000};
  const Kernel small{KernelClass::MatrixProduct, 1000, 1e8, 1e5, 1};
  EXPECT_GT(busy_seconds(small, rates), 10 * busy_seconds(large, rates));
}

TEST(Roofline, LayoutIsRewrittenOnlyForConvolutionsInTensorCores) {
  const auto rewritten = [](Precision precision, KernelClass kind) {
    return rates_of(v100(), precision).by_class[static_cast<std::size_t>(kind)].rewritten;
  };
  EXPECT_EQ(rewritten(Precision::Amp, KernelClass::Convolution), kLayoutTraffic);
  EXPECT_EQ(rewritten(Precision::Fp32, KernelClass::Convolution), 0);
  EXPECT_EQ(rewritten(Precision::Amp, KernelClass::MatrixProduct), 0);
}

TEST(Roofline, NormalizationOfModelsCastToHalfRunsInTheFrameworksOwnKernels) {
  const Kernel norm{KernelClass::Normalization, 1, 0, 9e9, 0};
  const double cast = busy_seconds(norm, rates_of(v100(), Precision::Fp16));
  const double mixed = busy_seconds(norm, rates_of(v100(), Precision::Amp));
  EXPECT_NEAR(cast / mixed, 1 / kNativeNormShare, 1e-3);
}

TEST(Roofline, OneBlockUsesOneProcessor) {
  const MachineRates rates = rates_of(v100(), Precision::Fp32);
  const Kernel lone{KernelClass::MatrixProduct, 1, 1e11, 0, 1};
  const Kernel wide{KernelClass::MatrixProduct, 1, 1e11, 0, 0};
  EXPECT_NEAR(busy_seconds(lone, rates) / busy_seconds(wide, rates), 80, 0.1);
}

TEST(Roofline, MoreBlocksNeverTakeLonger) {
  const MachineRates rates = rates_of(v100(), Precision::Fp32);
  double last = 1e9;
  for (double blocks = 1; blocks < 2000; blocks *= 1.1) {
    const double now = busy_seconds({KernelClass::MatrixProduct, 1, 1e11, 0, blocks}, rates);
    EXPECT_LE(now, last) << blocks;
    last = now;
  }
}

TEST(Roofline, ProductsStayBelowThePeakOfTheirUnits) {
  for (const GpuSpec& gpu : gpu_catalogue()) {
    const double fp32 = rate(gpu, Precision::Fp32, KernelClass::MatrixProduct);
    EXPECT_LT(fp32, gpu.fp32_flops) << gpu.name;
    EXPECT_GT(fp32, 0.4 * gpu.fp32_flops) << gpu.name;
    const double half = rate(gpu, Precision::Fp16, KernelClass::MatrixProduct);
    EXPECT_LT(half, std::max({gpu.tensor_fp16_flops, gpu.fp16_flops, gpu.fp32_flops})) << gpu.name;
    EXPECT_GE(half, kHalfShare * fp32) << gpu.name;
  }
}

TEST(Roofline, Tf32NeedsAmpere) {
  const auto product = KernelClass::MatrixProduct;
  EXPECT_EQ(rate(v100(), Precision::Tf32, product), rate(v100(), Precision::Fp32, product));
  const GpuSpec& a100 = sample::gpu("A100-40GB");
  EXPECT_GT(rate(a100, Precision::Tf32, product), 3 * rate(a100, Precision::Fp32, product));
}

TEST(Roofline, Bf16IsEmulatedBeforeAmpere) {
  EXPECT_TRUE(rates_of(v100(), Precision::Bf16).emulated);
  EXPECT_LT(rate(v100(), Precision::Bf16, KernelClass::MatrixProduct),
            rate(v100(), Precision::Fp32, KernelClass::MatrixProduct));
  EXPECT_FALSE(rates_of(sample::gpu("A100-40GB"), Precision::Bf16).emulated);
}

TEST(Roofline, HalfPrecisionWithoutFastUnitsIsComputedInFp32) {
  GpuSpec slow_half = sample::gpu("K80");
  slow_half.fp16_flops = slow_half.fp32_flops / 64;
  const double half = rate(slow_half, Precision::Fp16, KernelClass::MatrixProduct);
  const double single = rate(slow_half, Precision::Fp32, KernelClass::MatrixProduct);
  EXPECT_GE(half, kHalfShare * single);
  EXPECT_LE(half, single);
}

TEST(Roofline, DepthwiseConvolutionsGainNothingFromTensorCores) {
  EXPECT_LT(rate(v100(), Precision::Amp, KernelClass::DepthwiseConvolution), v100().fp32_flops);
}

TEST(Roofline, WorkIsTheSumOverLaunches) {
  const MachineRates rates = rates_of(v100(), Precision::Fp32);
  const std::vector<Kernel> kernels{{KernelClass::Pointwise, 3, 0, 1e6, 0},
                                    {KernelClass::Update, 2, 0, 5e5, 0}};
  const GpuWork work = gpu_work(kernels, rates);
  EXPECT_DOUBLE_EQ(work.bytes, 4e6);
  EXPECT_DOUBLE_EQ(work.busy_s, busy_seconds(kernels[0], rates) + busy_seconds(kernels[1], rates));
  EXPECT_DOUBLE_EQ(work.busy_s - work.resident_s, 5 * kKernelLatencySeconds * (1 - kResidentShare));
}

TEST(Roofline, OneBlockKeepsOneOfEightyMultiprocessorsBusy) {
  const MachineRates rates = rates_of(v100(), Precision::Fp32);
  const Kernel lone{KernelClass::MatrixProduct, 1, 1e11, 0, 1};
  const GpuWork work = gpu_work(std::span{&lone, 1}, rates);
  EXPECT_NEAR(work.sm_s / work.resident_s, 1.0 / 80, 1e-9);
  const Kernel large{KernelClass::Pointwise, 1, 0, 1e9, 0};
  const GpuWork copy = gpu_work(std::span{&large, 1}, rates);
  EXPECT_DOUBLE_EQ(copy.sm_s, copy.resident_s);
}

TEST(Roofline, SlowGpuOfASiteTakesItsFactorForEveryKernel) {
  TimeConstants site;
  site.gpu_factor = 2;
  const MachineRates usual = rates_of(v100(), Precision::Amp);
  const MachineRates slow = rates_of(v100(), Precision::Amp, site);
  for (const Kernel& kernel : {Kernel{KernelClass::MatrixProduct, 3, 1e9, 1e6, 10},
                               Kernel{KernelClass::Update, 9, 0, 8, 0},
                               Kernel{KernelClass::RecurrentStep, 35, 1e6, 1e6, 4}}) {
    EXPECT_NEAR(busy_seconds(kernel, slow) / busy_seconds(kernel, usual), 2, 1e-9);
  }
}

/// Kernels with every limit there is: latency, memory, arithmetic, waves.
std::vector<Kernel> mixed_kernels() {
  return {{KernelClass::Convolution, 3, 1e10, 1e7, 40},
          {KernelClass::Convolution, 2, 1e6, 1e8, 0},
          {KernelClass::MatrixProduct, 5, 1e9, 1e6, 700},
          {KernelClass::Pointwise, 7, 0, 1e7, 0},
          {KernelClass::Update, 90, 0, 10, 0}};
}

TEST(Roofline, SumsByLimitGiveTheWorkOfTheKernels) {
  for (const Precision precision : {Precision::Fp32, Precision::Amp}) {
    const MachineRates rates = rates_of(v100(), precision);
    const GpuWork expected = gpu_work(mixed_kernels(), rates);
    const GpuWork found = work_of(limited_work(mixed_kernels(), rates), rates);
    EXPECT_NEAR(found.busy_s, expected.busy_s, 1e-12 * expected.busy_s);
    EXPECT_NEAR(found.resident_s, expected.resident_s, 1e-12 * expected.resident_s);
    EXPECT_EQ(found.bytes, expected.bytes);
  }
}

TEST(Roofline, SumsByLimitHoldForRatesNearby) {
  const LimitedWork sums = limited_work(mixed_kernels(), rates_of(v100(), Precision::Amp));
  TimeConstants other;
  other.gpu_factor = 1.01;
  other.latency_s *= 1.2;
  other.layout_traffic *= 1.5;
  other.efficiency[static_cast<std::size_t>(KernelClass::Convolution)].tensor_flops *= 0.99;
  const MachineRates rates = rates_of(v100(), Precision::Amp, other);
  const double expected = gpu_work(mixed_kernels(), rates).busy_s;
  EXPECT_NEAR(work_of(sums, rates).busy_s, expected, 1e-12 * expected);
}

TEST(Roofline, WakingUpForAKernelOccupiesNoMultiprocessor) {
  TimeConstants sleepy;
  sleepy.resident_share = 3;
  const GpuWork work = gpu_work(mixed_kernels(), rates_of(v100(), Precision::Fp32));
  const GpuWork seen = gpu_work(mixed_kernels(), rates_of(v100(), Precision::Fp32, sleepy));
  EXPECT_GT(seen.resident_s, work.resident_s);
  EXPECT_EQ(seen.sm_s, work.sm_s);
}

}  // namespace
}  // namespace horus::predict
