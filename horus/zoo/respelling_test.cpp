// SPDX-License-Identifier: Apache-2.0
// Older names of timm, and the lists of measurements that use them.

#include "horus/zoo/respelling.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "horus/base/text.hpp"
#include "horus/base/unpacked_text_test.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::zoo {
namespace {

// timm's own list of its deprecated names says what each became.
TEST(Respelling, TakesWeightsOutOfANameAndLeavesTheNetwork) {
  for (const auto& [older, today] : std::vector<std::pair<const char*, const char*>>{
           {"convnext_tiny_in22ft1k", "convnext_tiny"},
           {"mnasnet_a1", "semnasnet_100"},
           {"resmlp_12_distilled_224", "resmlp_12_224"},
           {"resmlp_big_24_224_in22ft1k", "resmlp_big_24_224"},
           {"resnetv2_50x1_bitm", "resnetv2_50x1_bit"},
           {"SWSL-ResNet50", "resnet50"},
           {"swinv2_base_window12to16_192to256_22kft1k", "swinv2_base_window12to16_192to256"},
           {"tf_efficientnet_b0_ns", "tf_efficientnet_b0"},
           {"xception", "legacy_xception"},
           {"xcit_tiny_12_p16_384_dist", "xcit_tiny_12_p16_384"}}) {
    EXPECT_EQ(spelling_of_today(older), today);
    ASSERT_NE(known(older), nullptr) << older;
    EXPECT_EQ(known(older), known(today)) << older;
  }
}

// A second head, 21841 classes, or another size of image is another network.
TEST(Respelling, LeavesNamesOfOtherNetworksAlone) {
  for (const char* name :
       {"convnext_tiny_in22k", "convnext_tiny_384_in22ft1k", "resnetv2_50x1_bitm_in21k",
        "tf_efficientnetv2_s_in21k", "mixer_b16_224_in21k", "swin_tiny_ns"}) {
    EXPECT_EQ(known(name), nullptr) << name;
  }
  ASSERT_NE(known("pit_ti_distilled_224"), nullptr);
  EXPECT_EQ(known("pit_ti_distilled_224")->name, "pit_ti_distilled_224");
}

TEST(Respelling, KnowsNamesAndAliasesWithoutBuilding) {
  ASSERT_NE(known("ResNet_50"), nullptr);
  EXPECT_EQ(known("ResNet_50")->name, "resnet50");
  EXPECT_EQ(known("bert")->name, "bert-base");
  EXPECT_EQ(known(""), nullptr);
  EXPECT_EQ(known("ssl_"), nullptr);
}

struct Measured {
  std::string model;
  double millions{};  ///< Parameters, to two decimals.
};

/// timm's list of training speeds, or nothing where it is not there.
std::vector<Measured> measured_rows() {
  const std::string text = unpacked_text(HORUS_SHARED_DATA "/timm/train_amp_rtx3090.csv.gz");
  std::vector<Measured> rows;
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = split(line, ',');
    const auto millions = parse_number(fields.back());
    if (millions) rows.push_back({.model = std::string{fields.front()}, .millions = *millions});
  }
  return rows;
}

double trained_millions(const graph::Model& model) {
  const auto listed = split(model.metadata.at(graph::kParametersKey), ',');
  const std::set<std::string_view> trained{listed.begin(), listed.end()};
  double count = 0;
  for (const graph::ValueInfo& input : model.graph.inputs) {
    if (!trained.contains(input.name)) continue;
    double elements = 1;
    for (const graph::Dim& dim : *input.shape) elements *= static_cast<double>(*dim.size);
    count += elements;
  }
  return count / 1e6;
}

TEST(MeasuredTraining, IsOfNetworksThatTheZooKnows) {
  const std::vector<Measured> rows = measured_rows();
  if (rows.empty()) GTEST_SKIP() << "no timm/train_amp_rtx3090.csv.gz in HORUS_SHARED_DATA";
  ASSERT_EQ(rows.size(), 684U);
  std::size_t names = 0;
  for (const Measured& row : rows) names += known(row.model) == nullptr ? 0 : 1;
  EXPECT_GE(names, 639U);
}

/// The respelt rows in slices, so that they are built side by side.
class MeasuredTrainingUnderOlderNames : public ::testing::TestWithParam<std::size_t> {
 public:
  static constexpr std::size_t kSlices = 4;
};

TEST_P(MeasuredTrainingUnderOlderNames, IsOfNetworksWithTheListedParameters) {
  const std::vector<Measured> rows = measured_rows();
  if (rows.empty()) GTEST_SKIP() << "no timm/train_amp_rtx3090.csv.gz in HORUS_SHARED_DATA";
  for (std::size_t i = GetParam(); i < rows.size(); i += kSlices) {
    const Measured& row = rows[i];
    // Inception is built with the auxiliary classifier that the list leaves out.
    if (!spelling_of_today(row.model) || row.model.ends_with("inception_v3")) continue;
    const auto model = build(row.model);
    if (!model) continue;
    EXPECT_NEAR(trained_millions(*model), row.millions, 0.0050001) << row.model;
  }
}

INSTANTIATE_TEST_SUITE_P(Slice, MeasuredTrainingUnderOlderNames,
                         ::testing::Range(std::size_t{0},
                                          MeasuredTrainingUnderOlderNames::kSlices));

}  // namespace
}  // namespace horus::zoo
