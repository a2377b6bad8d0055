// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/kernel.hpp"

#include <gtest/gtest.h>

namespace horus::predict {
namespace {

TEST(StepAtShareOfBatch, HalvesWhatGrowsWithTheBatchAndNothingElse) {
  Step step;
  step.kernels = {{KernelClass::MatrixProduct, 2, 1e9, 1e6, 100},
                  {KernelClass::Update, 4, 1e3, 1e4, 0}};
  step.host_ops_forward = 7;
  step.samples = 32;
  step.input_elements = 3200;
  const Step half = at_share_of_batch(step, 0.5);
  EXPECT_EQ(half.kernels[0], (Kernel{KernelClass::MatrixProduct, 2, 5e8, 5e5, 50}));
  EXPECT_EQ(half.kernels[1], step.kernels[1]) << "an update has the size of the parameters";
  EXPECT_EQ(half.host_ops_forward, 7);
  EXPECT_EQ(half.samples, 16);
  EXPECT_EQ(half.input_elements, 1600);
}

}  // namespace
}  // namespace horus::predict
