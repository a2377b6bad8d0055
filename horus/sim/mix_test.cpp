// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/mix.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::sim {
namespace {

using testing::HasSubstr;

constexpr std::string_view kHeader =
    "name,model,batch,sequence,precision,optimizer,attention,samples_per_second,weight,"
    "true_utilization,true_memory_mib,true_compute_share\n";

Result<Mix> mix_of(std::string_view rows) {
  return parse_mix(std::string{kHeader} + std::string{rows}, "m.csv");
}

Mix default_mix() {
  auto mix = parse_mix(default_mix_text(), "default mix");
  EXPECT_TRUE(mix) << mix.error().text();
  return mix ? std::move(*mix) : Mix{};
}

TEST(Mix, ReadsEveryColumn) {
  const auto mix = mix_of(
      "g:b4,gpt2,4,512,amp,adamw,fused,12.5,3,0.5,2048,0.25\n"
      "r,resnet18,32,,fp32,momentum,,,0,0.9,1000.5,1\n");
  ASSERT_TRUE(mix) << mix.error().text();
  const MixEntry& first = mix->entries[0];
  EXPECT_EQ(first.name, "g:b4");
  EXPECT_EQ(first.model, "gpt2");
  EXPECT_EQ(first.batch, 4);
  EXPECT_EQ(first.sequence, 512);
  EXPECT_EQ(first.setup, (TrainingSetup{Precision::Amp, Optimizer::AdamW, Attention::Fused, 12.5}));
  EXPECT_EQ(first.weight, 3.0);
  EXPECT_EQ(first.truth, (ConfigTruth{0.5, Bytes{std::int64_t{2048} << 20}, 0.25}));
  EXPECT_EQ(mix->entries[1].sequence, 0);
  EXPECT_EQ(mix->entries[1].setup.samples_per_second, std::nullopt);
}

TEST(Mix, ErrorsNameTheCell) {
  const auto error = [](std::string_view row) {
    const auto mix = mix_of(row);
    return mix ? std::string{"none"} : mix.error().text();
  };
  EXPECT_THAT(error("a,m,0,,fp32,sgd,,,1,0.5,100,1\n"), HasSubstr("m.csv:2: column 'batch'"));
  EXPECT_THAT(error("a,m,1,,fp33,sgd,,,1,0.5,100,1\n"), HasSubstr("m.csv:2: column 'precision'"));
  EXPECT_THAT(error("a,m,1,,fp32,sgd,,,1,1.5,100,1\n"), HasSubstr("'true_utilization'"));
  EXPECT_THAT(error("a,m,1,,fp32,sgd,,,nan,0.5,100,1\n"), HasSubstr("column 'weight'"));
  EXPECT_THAT(error("a,m,1,,fp32,sgd,,0,1,0.5,100,1\n"), HasSubstr("'samples_per_second'"));
  EXPECT_THAT(error(",m,1,,fp32,sgd,,,1,0.5,100,1\n"), HasSubstr("column 'name'"));
  EXPECT_THAT(error("a,m,1,,fp32,sgd,,,0,0.5,100,1\n"),
              HasSubstr("no configuration with a weight"));
  EXPECT_THAT(error(""), HasSubstr("no configuration"));
  EXPECT_THAT(error("a,m,1,,fp32,sgd,,,1,0.5,100,1\na,m,1,,fp32,sgd,,,1,0.5,100,1\n"),
              HasSubstr("m.csv:3: column 'name': found 'a', expected a name that no row before"));
}

TEST(Mix, TheDefaultParsesAndFitsASixteenGigabyteGpuAlone) {
  const Mix mix = default_mix();
  EXPECT_GE(mix.entries.size(), 16U);
  double weight = 0.0;
  double utilization = 0.0;
  for (const MixEntry& entry : mix.entries) {
    EXPECT_LE(entry.truth.memory, Bytes{std::int64_t{14} << 30}) << entry.name;
    EXPECT_GE(entry.truth.memory, Bytes{std::int64_t{1} << 30}) << entry.name;
    weight += entry.weight;
    utilization += entry.weight * entry.truth.utilization;
  }
  EXPECT_NEAR(utilization / weight, 0.52, 0.01);  // Jeon et al., ATC'19.
}

TEST(Mix, DrawsByWeightAndDependsOnTheJobAlone) {
  const auto mix = mix_of(
      "a,m,1,,fp32,sgd,,,1,0.5,100,1\n"
      "b,m,1,,fp32,sgd,,,0,0.5,100,1\n"
      "c,m,1,,fp32,sgd,,,3,0.5,100,1\n");
  ASSERT_TRUE(mix);
  const Rng rng{5};
  std::vector<int> counts(3);
  for (std::uint64_t id = 0; id < 20'000; ++id) ++counts[draw_config(*mix, JobId{id}, rng)];
  EXPECT_NEAR(counts[0], 5000, 250);
  EXPECT_EQ(counts[1], 0);
  Rng used = rng;
  used.next();
  EXPECT_EQ(draw_config(*mix, JobId{7}, used), draw_config(*mix, JobId{7}, rng));
}

}  // namespace
}  // namespace horus::sim
