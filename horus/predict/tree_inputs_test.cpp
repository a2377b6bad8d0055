// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/tree_inputs.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "horus/predict/lowering.hpp"
#include "horus/predict/sample_features.hpp"

namespace horus::predict {
namespace {

/// The input called `name` of a perceptron that trains with `setup`.
double input(std::string_view name, const TrainingSetup& setup) {
  const GraphFeatures features = sample::perceptron(32, 4, 256);
  const GpuSpec& gpu = sample::gpu("V100-16GB");
  const Step step = lower(features, features.ops, setup);
  const MemoryParts memory = memory_parts(features, features.ops, setup, gpu);
  const JobOnGpu job{step, memory, setup, gpu, static_cast<double>(features.batch)};
  const auto inputs = tree_inputs();
  const auto at = std::ranges::find(inputs, name, &TreeInput::name);
  EXPECT_NE(at, inputs.end()) << name;
  return tree_inputs_of(job, 0.5, 1).at(static_cast<std::size_t>(at - inputs.begin()));
}

TEST(TreeInputs, AreOfOneSampleHoweverManyPassesAddUp) {
  // Without an optimizer that divides its update over the passes: four passes are four times one.
  const TrainingSetup once{.optimizer = Optimizer::None, .samples_per_second = 1000};
  TrainingSetup four = once;
  four.accumulation_steps = 4;
  EXPECT_NEAR(input("flops", four), input("flops", once), 0.05);
  EXPECT_NEAR(input("loader", four), input("loader", once), 0.1);
  EXPECT_EQ(input("batch", four), input("batch", once)) << "a pass is as large as before";
}

}  // namespace
}  // namespace horus::predict
