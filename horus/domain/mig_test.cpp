// SPDX-License-Identifier: Apache-2.0
#include "horus/domain/mig.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(MigProfiles, ExistForEveryGpuThatCanBePartitionedAndForNoOther) {
  for (const GpuSpec& gpu : gpu_catalogue()) {
    EXPECT_EQ(mig_profiles(gpu.name).empty(), gpu.mig_slices == 0) << gpu.name;
  }
  EXPECT_THAT(mig_profiles("no such GPU"), IsEmpty());
}

TEST(MigProfiles, AreNoLargerTogetherThanTheGpu) {
  for (const GpuSpec& gpu : gpu_catalogue()) {
    for (const MigProfile& profile : mig_profiles(gpu.name)) {
      const auto many = static_cast<int>(profile.starts.size());
      EXPECT_LE(many * profile.spec.sm_count, gpu.sm_count) << profile.spec.name;
      EXPECT_LE(many * profile.spec.memory.count(), gpu.memory.count()) << profile.spec.name;
      EXPECT_LE(many * profile.spec.bandwidth_bytes_per_s, gpu.bandwidth_bytes_per_s * (1 + 1e-12))
          << profile.spec.name;
    }
  }
}

TEST(MigProfiles, TakePlacesThatDoNotOverlap) {
  for (const GpuSpec& gpu : gpu_catalogue()) {
    for (const MigProfile& profile : mig_profiles(gpu.name)) {
      int free_from = 0;
      for (const int start : profile.starts) {
        EXPECT_GE(start, free_from) << profile.spec.name;
        free_from = start + profile.memory_slices;
      }
    }
  }
}

TEST(MigProfiles, ScaleRatesByMultiprocessorsAndBandwidthByMemory) {
  // 42 of the A100's 108 multiprocessors, and half of its memory slices.
  const GpuSpec& half = mig_profiles("A100-40GB")[3].spec;
  EXPECT_EQ(half.name, "A100-40GB MIG 3g.20gb");
  EXPECT_DOUBLE_EQ(half.tensor_fp16_flops, 312e12 * 42 / 108);
  EXPECT_DOUBLE_EQ(half.bandwidth_bytes_per_s, 1555e9 / 2);
  EXPECT_EQ(half.memory, Bytes{std::int64_t{20090} << 20});
}

TEST(FindGpu, FindsInstancesAsTheDriverSpellsThem) {
  for (const char* name : {"A100-40GB MIG 3g.20gb", "a100-40gb-mig-3g.20gb",
                           "NVIDIA A100-SXM4-40GB MIG 3g.20gb", "A100 MIG 3g.20gb"}) {
    ASSERT_TRUE(find_gpu(name)) << name;
    EXPECT_EQ(find_gpu(name)->spec->name, "A100-40GB MIG 3g.20gb") << name;
  }
  EXPECT_THAT(find_gpu("A100 MIG 3g.20gb")->note, HasSubstr("A100-80GB"));
}

TEST(FindGpu, ListsTheInstancesThatThereAre) {
  EXPECT_THAT(find_gpu("A100-40GB MIG 3g.40gb").error().message, HasSubstr("3g.20gb, 4g.20gb"));
  EXPECT_THAT(find_gpu("T4 MIG 1g.5gb").error().message, HasSubstr("cannot be partitioned"));
  EXPECT_THAT(find_gpu("X9 MIG 1g.5gb").error().message, HasSubstr("unknown GPU"));
  EXPECT_FALSE(find_gpu("MIG 1g.5gb"));
  EXPECT_FALSE(find_gpu("A100-40GB MIG"));
}

}  // namespace
}  // namespace horus
