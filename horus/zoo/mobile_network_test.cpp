// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/mobile_network.hpp"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/zoo/multi_query.hpp"

namespace horus::zoo {
namespace {

using ::testing::ElementsAre;

/// A network of `stages` on a small image, and what is in it.
class MobileNetwork : public ::testing::Test {
 protected:
  void build(MobilePlan plan) {
    Builder b{"net", std::nullopt};
    build_mobile(b, plan, 64);
    model = std::move(b).finish();
  }

  [[nodiscard]] std::vector<std::int64_t> weight(const std::string& name) const {
    for (const graph::ValueInfo& input : model.graph.inputs) {
      if (input.name != name) continue;
      std::vector<std::int64_t> sizes;
      for (const graph::Dim& dim : *input.shape) sizes.push_back(*dim.size);
      return sizes;
    }
    return {};
  }

  [[nodiscard]] std::int64_t count(const std::string& op_type) const {
    return std::count_if(model.graph.nodes.begin(), model.graph.nodes.end(),
                         [&](const graph::Node& node) { return node.op_type == op_type; });
  }

  /// Blocks of each stage, told by the normalization that ends them.
  [[nodiscard]] std::vector<int> depths(const std::string& end) const {
    std::vector<int> counts;
    for (const graph::Node& node : model.graph.nodes) {
      if (!node.name.starts_with("blocks.") || !node.name.ends_with(end)) continue;
      const auto stage = static_cast<std::size_t>(node.name[7] - '0');
      counts.resize(std::max(counts.size(), stage + 1));
      ++counts[stage];
    }
    return counts;
  }

  [[nodiscard]] bool has(const std::string& node_name) const {
    return std::any_of(model.graph.nodes.begin(), model.graph.nodes.end(),
                       [&](const graph::Node& node) { return node.name == node_name; });
  }

  graph::Model model;
};

/// The depths of EfficientNet-B0.
std::vector<MobileStage> seven_stages() {
  return {{inverted_row(1, {3}, 1, 1, 16)},  {inverted_row(2, {3}, 2, 6, 24)},
          {inverted_row(2, {5}, 2, 6, 40)},  {inverted_row(3, {3}, 2, 6, 80)},
          {inverted_row(3, {5}, 1, 6, 112)}, {inverted_row(4, {5}, 2, 6, 192)},
          {inverted_row(1, {3}, 1, 6, 320)}};
}

TEST_F(MobileNetwork, RoundsScaledDepthsUp) {
  // EfficientNet-B4 of tensorflow/tpu: every depth times 1.8, rounded up.
  build({.stages = seven_stages(), .style = {}, .depth = {1.8}});
  EXPECT_THAT(depths("bn3"), ElementsAre(2, 4, 4, 6, 6, 8, 2));
}

TEST_F(MobileNetwork, KeepsTheEndsOfFixedDepth) {
  build({.stages = seven_stages(), .style = {}, .depth = {1.8}, .outer_depth = Scaling::Fixed});
  EXPECT_THAT(depths("bn3"), ElementsAre(1, 4, 4, 6, 6, 8, 1));
}

TEST_F(MobileNetwork, KeepsAtLeastOneBlockOfAShrunkStage) {
  build({.stages = seven_stages(),
         .style = {},
         .depth = {0.2},
         .depth_rounding = DepthRounding::Nearest});
  EXPECT_THAT(depths("bn3"), ElementsAre(1, 1, 1, 1, 1, 1, 1));
}

TEST_F(MobileNetwork, RepeatsTheLastRowsOfAStageFirst) {
  // Four blocks become five: the row of three grows, the first block stays alone.
  build({.stages = {{inverted_row(1, {3}, 2, 6, 40), inverted_row(3, {5}, 1, 6, 40)}},
         .style = {},
         .depth = {1.2},
         .depth_rounding = DepthRounding::Nearest});
  EXPECT_THAT(depths("bn3"), ElementsAre(5));
  EXPECT_THAT(weight("blocks.0.0.conv_dw.weight"), ElementsAre(192, 1, 3, 3));
  EXPECT_THAT(weight("blocks.0.1.conv_dw.weight"), ElementsAre(240, 1, 5, 5));
  EXPECT_THAT(weight("blocks.0.4.conv_dw.weight"), ElementsAre(240, 1, 5, 5));
}

TEST_F(MobileNetwork, RoundsScaledWidthsToMultiplesOfEight) {
  // EfficientNet-B3: 1.2 * 32 = 38.4 and 1.2 * 1280 = 1536.
  build({.stages = {{inverted_row(1, {3}, 1, 6, 24)}}, .style = {}, .width = 1.2});
  EXPECT_THAT(weight("conv_stem.weight"), ElementsAre(40, 3, 3, 3));
  EXPECT_THAT(weight("blocks.0.0.conv_pwl.weight"), ElementsAre(32, 240, 1, 1));
  EXPECT_THAT(weight("conv_head.weight"), ElementsAre(1536, 32, 1, 1));
}

TEST_F(MobileNetwork, ReducesTheImageOnceAStage) {
  build({.stages = seven_stages(), .style = {}, .depth = {1.8}});
  // 64 / 2 at the stem, and four stages of stride two.
  std::int64_t strided = 0;
  for (const graph::Node& node : model.graph.nodes) {
    const auto strides = node.attributes.find("strides");
    if (strides == node.attributes.end()) continue;
    strided += std::get<std::vector<std::int64_t>>(strides->second).front() == 2 ? 1 : 0;
  }
  EXPECT_EQ(strided, 5);
}

TEST_F(MobileNetwork, AddsTheInputWhereShapesAgree) {
  build({.stages = {{inverted_row(3, {3}, 2, 6, 40)},
                    {with_skip(inverted_row(2, {3}, 1, 6, 40), Skip::Never)}},
         .style = {}});
  EXPECT_FALSE(has("blocks.0.0.add"));
  EXPECT_TRUE(has("blocks.0.1.add"));
  EXPECT_TRUE(has("blocks.0.2.add"));
  EXPECT_FALSE(has("blocks.1.0.add"));
}

TEST_F(MobileNetwork, SqueezesToAShareOfTheInput) {
  // EfficientNet: a quarter of the 16 channels that enter, though 96 are squeezed.
  build({.stages = {{inverted_row(1, {3}, 1, 1, 16)}, {inverted_row(1, {3}, 2, 6, 24, 0.25)}},
         .style = {}});
  EXPECT_THAT(weight("blocks.1.0.se.fc1.weight"), ElementsAre(4, 96, 1, 1));
}

TEST_F(MobileNetwork, SqueezesToAShareOfTheExpandedWidth) {
  // MobileNetV3, table 1: a quarter of 72, in multiples of eight.
  build({.stages = {{inverted_row(1, {5}, 2, 3, 40, 0.25)}},
         .style = {.squeeze_base = SqueezeBase::Expanded, .squeeze_divisor = 8},
         .stem = 24});
  EXPECT_THAT(weight("blocks.0.0.se.fc1.weight"), ElementsAre(24, 72, 1, 1));
}

TEST_F(MobileNetwork, WeighsThePositionsOfTheMeanThatItSqueezes) {
  build({.stages = {{inverted_row(1, {3}, 1, 6, 24, 0.25)}},
         .style = {.squeeze_mean = SqueezeMean::Weighted}});
  EXPECT_THAT(weight("blocks.0.0.se.conv_attn.weight"), ElementsAre(1, 192, 1, 1));
  EXPECT_THAT(weight("blocks.0.0.se.mlp_scale.fc1.weight"), ElementsAre(192, 8));
  EXPECT_EQ(count("Softmax"), 1);
}

TEST_F(MobileNetwork, SharesChannelsOutAmongKernelsOfDifferentSize) {
  // MixNet: 240 channels among five kernels, 48 each; 200 among three, the first with the rest.
  build({.stages = {{inverted_row(1, {3, 5, 7, 9, 11}, 1, 6, 40)}}, .style = {}, .stem = 40});
  EXPECT_THAT(weight("blocks.0.0.conv_dw.4.weight"), ElementsAre(48, 1, 11, 11));
  build({.stages = {{inverted_row(1, {3, 5, 7}, 1, 5, 40)}}, .style = {}, .stem = 40});
  EXPECT_THAT(weight("blocks.0.0.conv_dw.0.weight"), ElementsAre(68, 1, 3, 3));
  EXPECT_THAT(weight("blocks.0.0.conv_dw.2.weight"), ElementsAre(66, 1, 7, 7));
}

TEST_F(MobileNetwork, NormalizesInGroupsOfAWidth) {
  build({.stages = {{inverted_row(1, {3}, 1, 6, 24)}}, .style = {.norm_group = 8}});
  EXPECT_EQ(count("BatchNormalization"), 0);
  EXPECT_EQ(count("InstanceNormalization"), 5);
}

TEST_F(MobileNetwork, SmoothsInPlaceOfAStride) {
  build({.stages = {{inverted_row(2, {3}, 2, 6, 24)}}, .style = {.antialias = Antialias::Average}});
  EXPECT_EQ(count("AveragePool"), 1);
  build({.stages = {{inverted_row(2, {3}, 2, 6, 24)}}, .style = {.antialias = Antialias::Blur}});
  EXPECT_TRUE(has("blocks.0.0.aa.pad"));
  EXPECT_FALSE(has("blocks.0.1.aa.pad"));
}

TEST_F(MobileNetwork, PutsTheLastConvolutionBehindThePool) {
  build({.stages = {{conv_row(1, 1, 1, 96)}}, .style = {}, .head = MobileHead::AfterPoolBiased});
  EXPECT_THAT(weight("conv_head.bias"), ElementsAre(1280));
  EXPECT_FALSE(has("bn2"));
}

TEST(MultiQuery, SharesKeysAndValuesAmongHeads) {
  Builder b{"net", std::nullopt};
  const Value x = b.input("x", {kBatch, 160, 16, 16});
  const Value y = multi_query_attention(
      b, "attn", x, {.heads = 4, .head_width = 64, .key_stride = 2, .channels = 160});
  EXPECT_EQ(y.shape, x.shape);
  const graph::Model model = std::move(b).finish();
  std::map<std::string, std::int64_t> widths;
  for (const graph::ValueInfo& input : model.graph.inputs) {
    widths[input.name] = input.shape->front().size.value_or(kBatch);
  }
  EXPECT_EQ(widths.at("attn.query.proj.weight"), 4 * 64);
  EXPECT_EQ(widths.at("attn.key.proj.weight"), 64);
  EXPECT_EQ(widths.at("attn.value.proj.weight"), 64);
}

}  // namespace
}  // namespace horus::zoo
