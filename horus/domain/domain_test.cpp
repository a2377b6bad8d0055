// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/domain/cluster.hpp"
#include "horus/domain/gpu.hpp"
#include "horus/domain/prediction.hpp"

namespace horus {
namespace {

using ::testing::HasSubstr;

TEST(GpuCatalogue, HasAtLeastTwentyGpusWithSources) {
  EXPECT_GE(gpu_catalogue().size(), 20U);
  for (const GpuSpec& gpu : gpu_catalogue()) {
    EXPECT_FALSE(gpu.source.empty()) << gpu.name;
    EXPECT_GT(gpu.memory.count(), 0) << gpu.name;
    EXPECT_GT(gpu.fp32_flops, 1e12) << gpu.name;
    EXPECT_GT(gpu.bandwidth_bytes_per_s, 1e11) << gpu.name;
    EXPECT_GT(gpu.sm_count, 0) << gpu.name;
  }
}

TEST(FindGpu, TakesCatalogueNamesInAnySpelling) {
  EXPECT_EQ(find_gpu("V100-16GB")->spec->name, "V100-16GB");
  EXPECT_EQ(find_gpu("rtx 3090")->spec->name, "RTX3090");
  EXPECT_TRUE(find_gpu("H200")->note.empty());
}

TEST(FindGpu, TakesTheSmallerOfAnAmbiguousNameAndSaysSo) {
  const auto choice = find_gpu("A100");
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->spec->name, "A100-40GB");
  EXPECT_THAT(choice->note, HasSubstr("A100-80GB"));
}

TEST(FindGpu, SuggestsTheNearestNameForAnUnknownOne) {
  const auto choice = find_gpu("RTX3091");
  ASSERT_FALSE(choice);
  EXPECT_EQ(choice.error().code, Errc::NotFound);
  EXPECT_THAT(choice.error().message, HasSubstr("Did you mean 'RTX309"));
  EXPECT_THAT(find_gpu("V101").error().message, HasSubstr("Did you mean 'V100'"));
}

TEST(Cluster, ParsesGroupsAndSharesTypes) {
  std::vector<std::string> notes;
  const auto cluster = Cluster::parse("2x4xV100-16GB+1x2xA100+1x1xV100-16GB", notes);
  ASSERT_TRUE(cluster) << cluster.error().text();
  EXPECT_EQ(cluster->gpus().size(), 11U);
  EXPECT_EQ(cluster->types().size(), 2U);
  EXPECT_EQ(cluster->node_count(), 4U);
  EXPECT_EQ(cluster->gpus()[7], (GpuSlot{.type = 0, .node = 1}));
  EXPECT_EQ(cluster->gpus()[9], (GpuSlot{.type = 1, .node = 2}));
  EXPECT_EQ(cluster->gpus()[10], (GpuSlot{.type = 0, .node = 3}));
  EXPECT_EQ(notes.size(), 1U);
}

TEST(Cluster, RefusesWhatIsNoCluster) {
  std::vector<std::string> notes;
  for (const char* bad : {"", "16", "16x8", "axbxV100-16GB", "0x8xV100-16GB", "-1x8xV100-16GB",
                          "99999999999x8xV100-16GB", "4000000x2xV100-16GB", "2x8xNOPE",
                          "1x1xV100-16GB+", "9223372036854775807x9223372036854775807xT4"}) {
    EXPECT_FALSE(Cluster::parse(bad, notes)) << bad;
  }
}

TEST(Names, ParseBackAndListTheKnownOnesOnAMistake) {
  EXPECT_EQ(parse_precision("AMP").value(), Precision::Amp);
  EXPECT_EQ(name_of(parse_optimizer("adamw").value()), "adamw");
  EXPECT_EQ(parse_attention("fused").value(), Attention::Fused);
  EXPECT_EQ(parse_checkpointing("blocks").value(), Checkpointing::Blocks);
  EXPECT_EQ(parse_update_kernels(name_of(UpdateKernels::PerTensor)).value(),
            UpdateKernels::PerTensor);
  EXPECT_EQ(parse_step_end(name_of(StepEnd::Waits)).value(), StepEnd::Waits);
  EXPECT_EQ(parse_input_place(name_of(InputPlace::Gpu)).value(), InputPlace::Gpu);
  EXPECT_THAT(parse_precision("fp8").error().message, HasSubstr("fp32, tf32, fp16, amp, bf16"));
}

}  // namespace
}  // namespace horus
