// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/mig_partition.hpp"

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/domain/mig.hpp"
#include "horus/predict/sample_features.hpp"

namespace horus::predict {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using literals::operator""_GiB;

const GpuSpec& a100() { return sample::gpu("A100-40GB"); }

/// A job that needs `gib` of memory and whose step takes `seconds` on each profile of an A100:
/// 1g.5gb, 1g.10gb, 2g.10gb, 3g.20gb, 4g.20gb, 7g.40gb. One second on the whole GPU.
InstancePredictions job(std::int64_t gib, const std::array<double, 6>& seconds) {
  InstancePredictions out;
  out.whole.step_time_s = {1, 1, 1};
  out.whole.origin = Origin::Analytic;
  const std::span<const MigProfile> profiles = mig_profiles("A100-40GB");
  for (std::size_t p = 0; p < profiles.size(); ++p) {
    Prediction prediction;
    prediction.step_time_s = {seconds[p], seconds[p], seconds[p]};
    prediction.memory.bound = Bytes{gib << 30};
    prediction.fits = prediction.memory.bound <= profiles[p].spec.memory;
    out.by_profile.push_back(prediction);
  }
  return out;
}

/// As slow as its instance is small.
InstancePredictions hungry(std::int64_t gib) { return job(gib, {7, 7, 3.5, 2.3, 1.75, 1}); }
/// Any instance will do.
InstancePredictions modest(std::int64_t gib) { return job(gib, {1, 1, 1, 1, 1, 1}); }

TEST(Partition, GivesTheHungryJobTheLargerInstance) {
  const SharedPrediction pair = partition(std::vector{modest(1), hungry(1)}, a100());
  EXPECT_THAT(pair.obstacle, IsEmpty());
  EXPECT_EQ(pair.instances.back(), "4g.20gb");
  EXPECT_DOUBLE_EQ(pair.slowdowns[0].expected, 1);
  EXPECT_DOUBLE_EQ(pair.slowdowns[1].expected, 1.75);
}

TEST(Partition, SparesTheJobThatSuffersMostBeforeItLooksAtThroughput) {
  // 3g + 4g slows one to 2.3; 4g + 2g or 4g + 1g would slow one more.
  const SharedPrediction pair = partition(std::vector{hungry(1), hungry(1)}, a100());
  EXPECT_THAT(pair.instances, UnorderedElementsAre("3g.20gb", "4g.20gb"));
}

TEST(Partition, FindsRoomForSevenAndNotForEight) {
  const std::vector<InstancePredictions> seven(7, modest(1));
  EXPECT_THAT(partition(seven, a100()).instances, testing::Each("1g.5gb"));
  const std::vector<InstancePredictions> eight(8, modest(1));
  EXPECT_THAT(partition(eight, a100()).obstacle, HasSubstr("at most 7 instances"));
}

TEST(Partition, KeepsToThePlacesThatTheDriverAllows) {
  // Two halves of the memory leave no slice for a third job, although a compute slice is left.
  const std::vector<InstancePredictions> two_large(2, modest(18));
  EXPECT_THAT(partition(two_large, a100()).obstacle, IsEmpty());
  const std::vector<InstancePredictions> and_one{modest(18), modest(18), modest(1)};
  EXPECT_THAT(partition(and_one, a100()).obstacle, HasSubstr("no partition"));
  // Three of 2g.10gb leave the last slice.
  const std::vector<InstancePredictions> four{modest(9), modest(9), modest(9), modest(4)};
  EXPECT_THAT(partition(four, a100()).obstacle, IsEmpty());
}

TEST(Partition, SaysWhoFitsNowhere) {
  EXPECT_THAT(partition(std::vector{modest(1), modest(60)}, a100()).obstacle,
              HasSubstr("job 2 fits no instance"));
}

TEST(Partition, NeedsAGpuThatCanBePartitioned) {
  EXPECT_EQ(partition(std::vector{InstancePredictions{}}, sample::gpu("T4")).obstacle,
            "T4 cannot be partitioned");
}

TEST(Partition, AddsUpMemoryAndBelievesNoInstanceToBeFaster) {
  InstancePredictions odd = modest(4);
  for (Prediction& prediction : odd.by_profile) prediction.step_time_s = {0.5, 0.4, 0.6};
  const SharedPrediction pair = partition(std::vector{odd, modest(3)}, a100());
  EXPECT_EQ(pair.memory.bound, 7_GiB);
  EXPECT_EQ(pair.slowdowns[0], (Interval{1, 1, 1}));
}

TEST(Partition, DoesNotDependOnTheOrderOfJobsButForTheirNames) {
  const std::vector<InstancePredictions> jobs{hungry(9), modest(1), job(4, {3, 3, 2, 1.5, 1.2, 1})};
  const SharedPrediction straight = partition(jobs, a100());
  const SharedPrediction turned = partition(std::vector{jobs[2], jobs[0], jobs[1]}, a100());
  EXPECT_DOUBLE_EQ(turned.slowdown_max(), straight.slowdown_max());
  EXPECT_NEAR(turned.throughput(), straight.throughput(), 1e-12);
}

TEST(SmallestInstance, LeavesTheRestToOthers) {
  EXPECT_THAT(smallest_instance(hungry(1), a100(), 2.0).instances, ElementsAre("4g.20gb"));
  EXPECT_THAT(smallest_instance(modest(6), a100(), 1.0).instances, ElementsAre("1g.10gb"));
  EXPECT_THAT(smallest_instance(hungry(1), a100(), 1.1).obstacle, HasSubstr("no smaller instance"));
  EXPECT_THAT(smallest_instance(hungry(60), a100(), 9.0).obstacle,
              HasSubstr("no smaller instance"));
}

TEST(InstancePredictions, ScaleWithTheInstance) {
  const GraphFeatures work = sample::perceptron(4096, 8, 4096);
  const InstancePredictions on = predict_on_instances(work, {}, a100(), Model{});
  ASSERT_EQ(on.by_profile.size(), 6U);
  // GPU-bound products: an instance of 14 of 108 multiprocessors takes 108 / 14 times as long.
  EXPECT_NEAR(on.by_profile[0].step_time_s.expected / on.whole.step_time_s.expected, 108.0 / 14,
              1.5);
  for (std::size_t p = 1; p < on.by_profile.size(); ++p) {
    EXPECT_LE(on.by_profile[p].step_time_s.expected, on.by_profile[p - 1].step_time_s.expected);
  }
}

}  // namespace
}  // namespace horus::predict
