// SPDX-License-Identifier: Apache-2.0
// The zoo against what is published: trainable parameters and multiply-accumulates, as the analysis
// of room graph counts them.

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/zoo/sample_test.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::zoo {
namespace {

struct Cost {
  double parameters{};
  double buffers{};
  double macs{};  ///< Forward, of the whole batch.
};

graph::Analysis analysis_of(const char* name, const BuildOptions& options = {},
                            std::int64_t batch = 1) {
  const auto model = build(name, options);
  EXPECT_TRUE(model) << name;
  if (!model) return {};
  auto analysis = graph::analyse(*model, {.batch = batch, .dims = {}});
  EXPECT_TRUE(analysis) << name << ": " << analysis.error().text();
  return analysis ? *std::move(analysis) : graph::Analysis{};
}

Cost cost_of(const char* name, const BuildOptions& options = {}) {
  const graph::Analysis analysis = analysis_of(name, options);
  return {.parameters = analysis.features.parameters,
          .buffers = analysis.features.buffers,
          .macs = graph::totals_of(analysis.features).macs};
}

/// A published figure. `gmacs` is in 1e9 multiply-accumulates of one sample, right to half a unit
/// of its last digit: `gmacs_unit` is that digit's unit.
struct Published {
  const char* name;
  double parameters;
  double gmacs;
  double gmacs_unit;
};

// num_params and _ops of the IMAGENET1K_V1 weights in pytorch/vision, torchvision/models/*.py, and
// for those without an entry the README of MrYxJ/calculate-flops.pytorch.
constexpr auto kImageNet = std::to_array<Published>({{"alexnet", 61'100'840, 0.714, 0.001},
                                                     {"vgg11", 132'863'336, 7.609, 0.001},
                                                     {"vgg16", 138'357'544, 15.47, 0.01},
                                                     {"vgg16-bn", 138'365'992, 15.47, 0.01},
                                                     {"vgg19", 143'667'240, 19.632, 0.001},
                                                     {"resnet18", 11'689'512, 1.814, 0.001},
                                                     {"resnet34", 21'797'672, 3.664, 0.001},
                                                     {"resnet50", 25'557'032, 4.089, 0.001},
                                                     {"resnet101", 44'549'160, 7.801, 0.001},
                                                     {"resnet152", 60'192'808, 11.514, 0.001},
                                                     {"densenet121", 7'978'856, 2.834, 0.001},
                                                     {"densenet161", 28'681'000, 7.728, 0.001},
                                                     {"densenet169", 14'149'480, 3.36, 0.01},
                                                     {"densenet201", 20'013'928, 4.291, 0.001},
                                                     {"mobilenet-v2", 3'504'872, 0.301, 0.001},
                                                     {"efficientnet-b0", 5'288'548, 0.386, 0.001},
                                                     {"vit-b-16", 86'567'656, 17.564, 0.001},
                                                     {"vit-b-32", 88'224'232, 4.409, 0.001},
                                                     {"vit-l-16", 304'326'632, 61.555, 0.001}});

TEST(ZooCost, MeetsThePublishedFiguresOfImageNetworks) {
  for (const Published& row : kImageNet) {
    const Cost cost = cost_of(row.name);
    EXPECT_EQ(cost.parameters, row.parameters) << row.name;
    EXPECT_NEAR(cost.macs / 1e9, row.gmacs, row.gmacs_unit / 2) << row.name;
  }
}

TEST(ZooCost, InceptionHasItsPublishedCostWithoutTheAuxiliaryClassifier) {
  // torchvision: 27,161,264 parameters with, 5.713 GMAC without the auxiliary classifier, which
  // only training runs: 1x1 on 5x5x768, 5x5 on 5x5x128, and the last layer.
  constexpr double kAuxiliary = 25 * 768 * 128 + 25 * 128 * 768 + 768 * 1000;
  const Cost cost = cost_of("inception-v3");
  EXPECT_EQ(cost.parameters, 27'161'264);
  EXPECT_NEAR((cost.macs - kAuxiliary) / 1e9, 5.713, 0.0005);
}

TEST(ZooCost, CifarFormsHaveTheirKnownParameters) {
  // kuangliu/pytorch-cifar, ResNet18() and ResNet50().
  const Cost small = cost_of("resnet18-cifar");
  EXPECT_EQ(small.parameters, 11'173'962);
  EXPECT_NEAR(small.macs / 1e9, 0.56, 0.005);
  const Cost large = cost_of("resnet50-cifar");
  EXPECT_EQ(large.parameters, 23'520'842);
  EXPECT_NEAR(large.macs / 1e9, 1.30, 0.005);
}

TEST(ZooCost, CountsRunningStatisticsAsBuffers) {
  EXPECT_EQ(cost_of("resnet50").buffers, 53'120);  // A mean and a variance of 26,560 channels.
  EXPECT_EQ(cost_of("vgg16").buffers, 0);
}

/// Multiply-accumulates of a stack of transformer layers with feed-forward width 4 * `width`: four
/// square and two wide products for each token, two products for each pair of tokens.
double transformer_macs(double depth, double width, double tokens) {
  return depth * (12 * width * width * tokens + 2 * tokens * tokens * width);
}

TEST(ZooCost, BertMeetsItsPublishedFigures) {
  // 110M parameters in the paper; 109,482,240 in the published uncased checkpoint with pooler, and
  // 11.174 GMAC at 128 tokens in MrYxJ/calculate-flops.pytorch.
  EXPECT_EQ(cost_of("bert-base").parameters, 109'482'240);
  EXPECT_NEAR(cost_of("bert-base").macs / 1e9, 11.174, 0.0005);
  constexpr double kPooler = 768 * 768;
  for (const std::int64_t tokens : {1, 128, 384, 512}) {
    const double expected = transformer_macs(12, 768, static_cast<double>(tokens)) + kPooler;
    EXPECT_EQ(cost_of("bert-base", {.sequence = tokens}).macs, expected) << tokens;
  }
  EXPECT_EQ(cost_of("bert-large").parameters, 335'141'888);
  EXPECT_EQ(cost_of("bert-large").macs, transformer_macs(24, 1024, 128) + 1024 * 1024);
}

TEST(ZooCost, Gpt2SharesItsEmbeddingWithTheOutputLayer) {
  const Cost cost = cost_of("gpt2");
  EXPECT_EQ(cost.parameters, 124'439'808);  // The published checkpoint, counted once.
  const double output_layer = 50257.0 * 768 * 1024;
  EXPECT_EQ(cost.macs, transformer_macs(12, 768, 1024) + output_layer);
  EXPECT_EQ(cost_of("gpt2-medium").parameters, 354'823'168);
}

TEST(ZooCost, TransformerHasTheSizesOfThePaper) {
  // Table 3 of arXiv:1706.03762 rounds to 65 million.
  constexpr double kTable = 37000.0 * 512;
  constexpr double kAttention = 4 * 512 * 512;
  constexpr double kFeedForward = 2 * 512 * 2048 + 2048 + 512;
  constexpr double kNorm = 2 * 512;
  constexpr double kEncoder = kAttention + kFeedForward + 2 * kNorm;
  constexpr double kDecoder = 2 * kAttention + kFeedForward + 3 * kNorm;
  const Cost cost = cost_of("transformer");
  EXPECT_EQ(cost.parameters, kTable + 6 * (kEncoder + kDecoder));
  EXPECT_NEAR(cost.parameters / 65e6, 1, 0.035);
  // Three attentions and two feed-forward pairs in each of six layers, and the output layer.
  constexpr double kTokens = 64;
  constexpr double kWeights = 3 * kAttention + 2 * (2 * 512 * 2048);
  EXPECT_EQ(cost.macs,
            6 * (kWeights * kTokens + 3 * 2 * kTokens * kTokens * 512) + kTable * kTokens);
}

TEST(ZooCost, LstmLanguageModelHasTwoLayersOfFourGates) {
  constexpr double kVocabulary = 33278;
  constexpr double kLayer = 4 * 200 * (200 + 200);
  const Cost cost = cost_of("lstm-lm");
  EXPECT_EQ(cost.parameters, 2 * kVocabulary * 200 + kVocabulary + 2 * (kLayer + 2 * 4 * 200));
  EXPECT_EQ(cost.macs, 35 * (2 * kLayer + kVocabulary * 200));
}

TEST(ZooCost, DcganIsTheSumOfItsNetworks) {
  const Cost generator = cost_of("dcgan-generator");
  const Cost discriminator = cost_of("dcgan-discriminator");
  // pytorch/examples dcgan with nz = 100, ngf = ndf = 64: 4x4 kernels, and two per normalized
  // channel.
  EXPECT_EQ(generator.parameters, 16 * (100 * 512 + 512 * 256 + 256 * 128 + 128 * 64 + 64 * 3) +
                                      2 * (512 + 256 + 128 + 64));
  EXPECT_EQ(discriminator.parameters,
            16 * (3 * 64 + 64 * 128 + 128 * 256 + 256 * 512 + 512) + 2 * (128 + 256 + 512));
  EXPECT_EQ(cost_of("dcgan").parameters, generator.parameters + discriminator.parameters);
  EXPECT_EQ(cost_of("dcgan").macs, generator.macs + discriminator.macs);
  // Each transposed convolution does its kernel once for each input pixel.
  EXPECT_EQ(generator.macs, 16 * (100 * 512 + 16.0 * 512 * 256 + 64.0 * 256 * 128 +
                                  256.0 * 128 * 64 + 1024.0 * 64 * 3));
}

TEST(ZooCost, NeumfIsMostlyEmbeddings) {
  constexpr double kRows = 6040 + 3706;
  const Cost cost = cost_of("neumf");
  EXPECT_EQ(cost.parameters,
            kRows * (32 + 128) + (256 + 1) * 128 + (128 + 1) * 64 + (64 + 1) * 32 + (64 + 1));
  EXPECT_EQ(cost.macs, 256 * 128 + 128 * 64 + 64 * 32 + 64);
}

TEST(ZooCost, PointnetMeetsThePaper) {
  // Table 6 of arXiv:1612.00593: 3.5M parameters and 440M operations, which is the layers shared
  // by the 1024 points; the alignments' products and the dense layers come on top.
  const Cost cost = cost_of("pointnet");
  EXPECT_NEAR(cost.parameters / 1e6, 3.5, 0.05);
  constexpr double kShared = 3 * 64 + 64 * 64 + 64 * 64 + 64 * 128 + 128 * 1024 +
                             (3 * 64 + 64 * 128 + 128 * 1024) + (64 * 64 + 64 * 128 + 128 * 1024);
  constexpr double kTurns = 3 * 3 + 64 * 64;
  constexpr double kDense = 3 * (1024 * 512 + 512 * 256) + 256 * (9 + 64 * 64 + 40);
  EXPECT_NEAR(kShared * 1024 / 1e6, 440, 1);
  EXPECT_EQ(cost.macs, 1024 * (kShared + kTurns) + kDense);
}

TEST(ZooCost, NoArchitectureHasANodeOfUnknownCost) {
  for (const Architecture& each : tested_architectures()) {
    const graph::Analysis analysis = analysis_of(each.name.c_str(), {}, 2);
    for (const graph::CostGap& gap : analysis.gaps) {
      ADD_FAILURE() << each.name << ": " << gap.op_type << ' ' << gap.node << ": " << gap.reason;
    }
    EXPECT_GT(analysis.nodes, 0) << each.name;
    for (const std::string& warning : analysis.warnings) ADD_FAILURE() << each.name << warning;
  }
}

/// Networks that compute something of positions, which are the same for all samples.
bool has_position_network(const Architecture& each) {
  constexpr auto kFamilies = std::to_array<std::string_view>(
      {"timm-edgenext", "timm-maxvit", "timm-swin", "timm-vit", "timm-xcit", "swin"});
  return each.name == "transformer-xl" || std::ranges::count(kFamilies, each.family) > 0;
}

TEST(ZooCost, WorkGrowsInProportionToTheBatch) {
  const auto macs_at = [](const Architecture& each, std::int64_t batch) {
    return graph::totals_of(analysis_of(each.name.c_str(), {}, batch).features).macs;
  };
  for (const Architecture& each : tested_architectures()) {
    const double one = macs_at(each, 1);
    const double eight = macs_at(each, 8);
    EXPECT_GT(one, 0) << each.name;
    if (eight == 8 * one) continue;
    EXPECT_TRUE(has_position_network(each)) << each.name;
    const double once = (8 * one - eight) / 7;
    EXPECT_GT(once, 0) << each.name;
    EXPECT_LT(once / one, 0.25) << each.name;
    EXPECT_EQ(macs_at(each, 15) - eight, eight - one) << each.name;
  }
}

TEST(ZooCost, ABatchFixedByTheZooEqualsABatchFixedByTheAnalysis) {
  for (const char* name : {"resnet50", "bert-base", "vit-b-16", "lstm-lm", "pointnet"}) {
    const auto fixed = build(name, {.batch = 4});
    const auto analysis = graph::analyse(*fixed, {});
    ASSERT_TRUE(analysis) << name;
    EXPECT_EQ(analysis->features.ops, analysis_of(name, {}, 4).features.ops) << name;
  }
}

TEST(ZooCost, EveryAttentionIsFound) {
  const auto blocks = std::to_array<std::pair<const char*, int>>(
      {{"bert-base", 12}, {"gpt2", 12}, {"vit-b-16", 12}, {"transformer", 18}});
  for (const auto& [name, count] : blocks) {
    const auto& ops = analysis_of(name).features.ops;
    const auto scores = std::count_if(ops.begin(), ops.end(), [](const OpWork& op) {
      return op.attention == AttentionRole::Scores;
    });
    EXPECT_EQ(scores, count) << name;
  }
}

}  // namespace
}  // namespace horus::zoo
