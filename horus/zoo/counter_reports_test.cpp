// SPDX-License-Identifier: Apache-2.0
// Public reports of other counters about whole models, each with its right value. Reports about
// single operators stand in room graph.

#include <cstdint>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::zoo {
namespace {

constexpr double kGiga = 1e9;

graph::Analysis analysed(const char* name, BuildOptions options) {
  const auto model = build(name, options);
  EXPECT_TRUE(model) << name << ": " << model.error().text();
  if (!model) return {};
  auto analysis = graph::analyse(*model, {.batch = 1, .dims = {}});
  EXPECT_TRUE(analysis) << name << ": " << analysis.error().text();
  return analysis ? *std::move(analysis) : graph::Analysis{};
}

double gmacs(const graph::Analysis& analysis) {
  return graph::totals_of(analysis.features).macs / kGiga;
}

/// Multiply-accumulates of QK^T and AV alone.
double attention_gmacs(const graph::Analysis& analysis) {
  double sum = 0;
  for (const OpWork& op : analysis.features.ops) {
    const bool is_product =
        op.attention == AttentionRole::Scores || op.attention == AttentionRole::Context;
    if (is_product) sum += op.macs;
  }
  return sum / kGiga;
}

// Lyken17/pytorch-OpCounter #17 (4.14 with batch norm; divided by 1024^3 it became 3.858),
// sovrasov/flops-counter.pytorch #94, #76 (4.12 with pools), Swall0w/torchstat #24 (100),
// Eric-mingjie/rethinking-network-pruning #31 (24.64, then 8.21). torchvision's metadata: 4.089.
TEST(CounterReports, ResNet50) {
  const graph::Analysis analysis = analysed("resnet50", {});
  EXPECT_NEAR(gmacs(analysis), 4.089, 0.0005);
  EXPECT_EQ(analysis.features.parameters, 25'557'032);
}

// TylerYep/torchinfo #226 (0.173), ptflops' README (16.86 without the products of attention).
// torchvision's metadata: 17.564, of which 0.715 are QK^T and AV.
TEST(CounterReports, VisionTransformer) {
  const graph::Analysis analysis = analysed("vit-b-16", {});
  EXPECT_NEAR(gmacs(analysis), 17.564, 0.0005);
  EXPECT_NEAR(attention_gmacs(analysis), 0.715, 0.0005);
  EXPECT_EQ(analysis.features.parameters, 86'567'656);
}

// sovrasov/flops-counter.pytorch #142: 3.13. torchvision's metadata: 4.491.
TEST(CounterReports, SwinTransformer) {
  const graph::Analysis analysis = analysed("swin-t", {});
  EXPECT_NEAR(gmacs(analysis), 4.491, 0.0005);
  EXPECT_EQ(analysis.features.parameters, 28'288'354);
}

// MrYxJ/calculate-flops.pytorch #42: its table says 741.19 million. torchvision's metadata: 0.714.
TEST(CounterReports, AlexNet) {
  const graph::Analysis analysis = analysed("alexnet", {});
  EXPECT_NEAR(gmacs(analysis), 0.714, 0.0005);
  EXPECT_EQ(analysis.features.parameters, 61'100'840);
}

struct Scaled {
  const char* name;
  std::int64_t image;
  double gmacs;  ///< To three decimals.
  double parameters;
};

// lukemelas/EfficientNet-PyTorch #17 (0.62, 0.71, 1.0 for B1 to B3: all at 224 pixels),
// facebookresearch/fvcore #42 (0.657 for B2 at 224, without swish), Lyken17/pytorch-OpCounter #69
// (right, with batch norm). Each has its own size of image; torchvision's metadata has these, with
// B2 at 288 pixels.
TEST(CounterReports, EfficientNetAtItsOwnSizeOfImage) {
  for (const Scaled& one : {Scaled{"efficientnet-b0", 224, 0.386, 5'288'548},
                            Scaled{"efficientnet-b1", 240, 0.687, 7'794'184},
                            Scaled{"efficientnet-b2", 288, 1.088, 9'109'994},
                            Scaled{"efficientnet-b3", 300, 1.827, 12'233'232},
                            Scaled{"efficientnet-b4", 380, 4.394, 19'341'616},
                            Scaled{"efficientnet-b5", 456, 10.266, 30'389'784},
                            Scaled{"efficientnet-b6", 528, 19.068, 43'040'704},
                            Scaled{"efficientnet-b7", 600, 37.746, 66'347'960}}) {
    const graph::Analysis analysis = analysed(one.name, {.image = one.image});
    EXPECT_NEAR(gmacs(analysis), one.gmacs, 0.0005) << one.name;
    EXPECT_EQ(analysis.features.parameters, one.parameters) << one.name;
  }
}

// autoliuweijie/FastBERT #14, #32: 10.893 without the products of attention. 12 layers of 128
// tokens: 12 (4 x 768^2 + 2 x 768 x 3072) 128 + 12 x 2 x 128^2 x 768, and the pooler's 768^2.
TEST(CounterReports, Bert) {
  const graph::Analysis analysis = analysed("bert-base", {.sequence = 128});
  EXPECT_EQ(graph::totals_of(analysis.features).macs, 11'174'215'680.0);
  EXPECT_NEAR(attention_gmacs(analysis), 0.302, 0.0005);
  EXPECT_EQ(analysis.features.parameters, 109'482'240);
}

}  // namespace
}  // namespace horus::zoo
