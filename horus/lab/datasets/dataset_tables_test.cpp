// SPDX-License-Identifier: Apache-2.0
// The committed tables of data/mappings.
#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/lab/datasets/graph_source.hpp"
#include "horus/lab/datasets/job_table.hpp"
#include "horus/lab/datasets/mapping_text.hpp"
#include "horus/lab/datasets/timm_facts.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::lab {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kHeader =
    "model,architecture,batch,image,sequence,precision,optimizer,attention,loader_workers,"
    "passes_per_step,update,step_end,input_place,rate,reason\n";

Result<JobTable> read_jobs(const std::string& text) {
  HORUS_TRY(table::Reader reader, table::Reader::open(text, "jobs.csv"));
  return JobTable::read(std::move(reader));
}

std::string with_row(std::string_view row) {
  return std::string{kHeader} + std::string{row} + "\n";
}

TEST(DatasetTables, EveryJobTableLoads) {
  for (const char* name : {"elasticflow.csv", "gavel.csv", "gpumemnet_cnn.csv", "gpumemnet_mlp.csv",
                           "gpumemnet_real.csv", "gpumemnet_timm.csv", "lucid.csv", "miso.csv",
                           "pgb.csv", "pollux.csv", "salus.csv", "timm_training.csv"}) {
    const auto table = JobTable::load(name);
    EXPECT_TRUE(table) << table.error().text();
  }
  EXPECT_FALSE(JobTable::load("nothing.csv"));
}

TEST(DatasetTables, EveryArchitectureOfTheZooHasAGroup) {
  for (const zoo::Architecture& architecture : zoo::architectures()) {
    const auto group = family_group(architecture.name);
    EXPECT_TRUE(group) << group.error().text();
  }
}

TEST(DatasetTables, RelativesShareAGroupAndOthersDoNot) {
  EXPECT_EQ(family_group("vit_base_patch16_224").value(), family_group("deit3_base_patch16_224"));
  EXPECT_EQ(family_group("mnasnet1_0").value(), family_group("mobilenet_v2"));
  EXPECT_EQ(family_group("vgg11-cifar").value(), family_group("vgg16_bn"));
  EXPECT_EQ(family_group("wide_resnet50_2").value(), family_group("resnet50"));
  EXPECT_NE(family_group("resnext50_32x4d").value(), family_group("resnet50"));
  EXPECT_NE(family_group("densenet121").value(), family_group("resnet50"));
  EXPECT_EQ(family_group("no-such-net").error().code, Errc::NotFound);
}

TEST(DatasetTables, TimmFusesAttentionWhereItCan) {
  EXPECT_EQ(timm_attention("vit_base_patch16_224", Attention::Fused), Attention::Fused);
  EXPECT_EQ(timm_attention("vit_base_patch16_224", Attention::Eager), Attention::Eager);
  EXPECT_EQ(timm_attention("xcit_tiny_12_p16_224", Attention::Fused), Attention::Eager);
  EXPECT_EQ(timm_attention("swinv2_tiny_window8_256", Attention::Fused), Attention::Eager);
  EXPECT_EQ(timm_attention("swin_tiny_patch4_window7_224", Attention::Fused), Attention::Eager);
  EXPECT_EQ(timm_attention("nest_tiny", Attention::Fused), Attention::Eager);
  EXPECT_EQ(timm_attention("tiny_vit_5m_224", Attention::Fused), Attention::Fused);
}

TEST(DatasetTables, TimmTrainsSomeModelsAtOtherSizesThanTheZoo) {
  EXPECT_EQ(timm_image("efficientnet_b4").value(), std::optional<std::int64_t>{320});
  EXPECT_EQ(timm_image("resnet50").value(), std::nullopt);
}

TEST(JobTable, NamedRowsComeBeforeTheStar) {
  const auto table = read_jobs(
      with_row("*,*,,,,amp,momentum,fused,4,1,multi-tensor,waits,gpu,steps,usual\n"
               "resnet50,resnet18,,64,,fp32,adam,eager,0,2,per-tensor,runs-on,host,other,odd\n"
               "odd-one,,,,,,,,,,,,,,no graph"));
  ASSERT_TRUE(table) << table.error().text();
  const auto named = table->find("resnet50");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->architecture, "resnet18");
  EXPECT_EQ(named->image, std::optional<std::int64_t>{64});
  EXPECT_EQ(named->setup.optimizer, Optimizer::Adam);
  EXPECT_EQ(named->setup.loader_workers, 0);
  EXPECT_EQ(named->setup.passes_per_step, 2);
  EXPECT_EQ(named->rate, RateOf::Other);
  const auto any = table->find("vgg16");
  ASSERT_TRUE(any);
  EXPECT_EQ(any->architecture, "vgg16");
  EXPECT_EQ(any->setup.precision, Precision::Amp);
  EXPECT_EQ(any->setup.input_place, InputPlace::Gpu);
  EXPECT_EQ(table->find("no-such-net")->architecture, "");
  EXPECT_EQ(table->find("odd-one")->reason, "no graph");
}

TEST(JobTable, AWrongCellIsNamed) {
  struct Case {
    const char* row;
    const char* message;
  };
  constexpr auto kCases = std::to_array<Case>({
      {"a,no-such-net,,,,fp32,sgd,eager,2,1,per-tensor,waits,host,steps,x", "architecture"},
      {"a,resnet18,,,,fp8,sgd,eager,2,1,per-tensor,waits,host,steps,x", "precision"},
      {"a,resnet18,,,,fp32,sgdd,eager,2,1,per-tensor,waits,host,steps,x", "optimizer"},
      {"a,resnet18,,,,fp32,sgd,eager,-1,1,per-tensor,waits,host,steps,x", "loader_workers"},
      {"a,resnet18,,0,,fp32,sgd,eager,2,1,per-tensor,waits,host,steps,x", "image"},
      {"a,resnet18,,,,fp32,sgd,eager,2,1,per-tensor,waits,host,images,x", "rate"},
      {"a,resnet18,,,,fp32,sgd,eager,2,1,per-tensor,waits,host,steps,", "reason"},
      {",resnet18,,,,fp32,sgd,eager,2,1,per-tensor,waits,host,steps,x", "model"},
  });
  for (const Case& each : kCases) {
    const auto table = read_jobs(with_row(each.row));
    ASSERT_FALSE(table) << each.row;
    EXPECT_EQ(table.error().where, "jobs.csv:2") << each.row;
    EXPECT_THAT(table.error().message, HasSubstr(each.message)) << each.row;
  }
}

}  // namespace
}  // namespace horus::lab
