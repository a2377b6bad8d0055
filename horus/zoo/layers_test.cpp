// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/layers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/zoo/attention_block.hpp"

namespace horus::zoo {
namespace {

using ::testing::ElementsAre;

/// Sizes of the weights that `model` takes, in order.
std::vector<std::vector<std::int64_t>> weight_shapes(const graph::Model& model,
                                                     std::size_t data_inputs) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (std::size_t i = data_inputs; i < model.graph.inputs.size(); ++i) {
    auto& shape = shapes.emplace_back();
    for (const graph::Dim& dim : *model.graph.inputs[i].shape) shape.push_back(*dim.size);
  }
  return shapes;
}

std::vector<std::string> op_types(const graph::Model& model) {
  std::vector<std::string> types;
  for (const graph::Node& node : model.graph.nodes) {
    if (node.op_type != "Constant") types.push_back(node.op_type);
  }
  return types;
}

class Layers : public ::testing::Test {
 protected:
  Value image(std::int64_t channels, std::int64_t size) {
    return b.input("x", {kBatch, channels, size, size});
  }
  Builder b{"net", std::nullopt};
};

TEST_F(Layers, ConvolutionSlidesItsKernelOverThePaddedImage) {
  // The stem of ResNet: floor((224 + 2 * 3 - 7) / 2) + 1 = 112.
  const Value y =
      conv(b, "c", image(3, 224), {.channels = 64, .kernel = {7}, .stride = {2}, .padding = {3}});
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 64, 112, 112));
  EXPECT_THAT(weight_shapes(std::move(b).finish(), 1), ElementsAre(ElementsAre(64, 3, 7, 7)));
}

TEST_F(Layers, ConvolutionTakesAnExtentForEachAxis) {
  const Value y = conv(b, "c", image(8, 17),
                       {.channels = 4, .kernel = {1, 7}, .padding = {0, 3}, .bias = Bias::Trained});
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 4, 17, 17));
  const graph::Model model = std::move(b).finish();
  EXPECT_THAT(weight_shapes(model, 1), ElementsAre(ElementsAre(4, 8, 1, 7), ElementsAre(4)));
  const auto& pads =
      std::get<std::vector<std::int64_t>>(model.graph.nodes.at(0).attributes.at("pads"));
  EXPECT_THAT(pads, ElementsAre(0, 3, 0, 3));
}

TEST_F(Layers, DilationWidensTheReachButNotTheWeight) {
  // Three weights two apart reach over five positions, so that padding by two keeps the size.
  const Value y =
      conv(b, "c", image(4, 9), {.channels = 6, .kernel = {3}, .padding = {2}, .dilation = {2}});
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 6, 9, 9));
  EXPECT_THAT(weight_shapes(std::move(b).finish(), 1), ElementsAre(ElementsAre(6, 4, 3, 3)));
}

TEST_F(Layers, ConvolutionByAComputedKernelAddsNoWeights) {
  const Value kernel = b.parameter("shared", {5, 3, 3, 3});
  const Value y = conv_by(b, "c", image(3, 8), kernel, std::nullopt,
                          {.channels = 5, .kernel = {3}, .stride = {2}, .padding = {1}});
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 5, 4, 4));
  EXPECT_EQ(std::move(b).finish().metadata.at(graph::kParametersKey), "shared");
}

TEST_F(Layers, PoolThatRoundsUpKeepsItsLastPartialWindow) {
  const PoolSpec down{.kernel = {3}, .stride = {2}};
  const PoolSpec up{.kernel = {3}, .stride = {2}, .rounding = Rounding::Up};
  EXPECT_THAT(max_pool(b, "down", image(2, 112), down).shape, ElementsAre(kBatch, 2, 55, 55));
  const Value x = b.input("y", {kBatch, 2, 112, 112});
  EXPECT_THAT(max_pool(b, "up", x, up).shape, ElementsAre(kBatch, 2, 56, 56));
}

TEST_F(Layers, PoolThatRoundsUpHasNoWindowThatStartsBehindTheImage) {
  // torch.nn.MaxPool2d(2, stride=2, padding=1, ceil_mode=True) on 3 x 3 gives 2 x 2.
  const Value y =
      max_pool(b, "p", image(1, 3),
               {.kernel = {2}, .stride = {2}, .padding = {1}, .rounding = Rounding::Up});
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 1, 2, 2));
}

TEST_F(Layers, AveragesCountTheirPaddingUnlessTold) {
  average_pool(b, "yes", image(1, 4), {.kernel = {2}, .padding = {1}});
  average_pool(b, "no", b.input("y", {kBatch, 1, 4, 4}),
               {.kernel = {2}, .padding = {1}, .padding_counts = PaddingCounts::No});
  const graph::Model model = std::move(b).finish();
  const auto counts = [&model](std::size_t node) {
    return std::get<std::int64_t>(model.graph.nodes.at(node).attributes.at("count_include_pad"));
  };
  EXPECT_EQ(counts(0), 1);
  EXPECT_EQ(counts(1), 0);
}

TEST_F(Layers, SpatialMeanKeepsBatchAndChannels) {
  const Value y = spatial_mean(b, "mean", image(5, 7));
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 5, 1, 1));
  EXPECT_THAT(op_types(std::move(b).finish()), ElementsAre("ReduceMean"));
}

TEST_F(Layers, GroupNormTrainsOneScaleAndOffsetForEachChannel) {
  const Value y = group_norm(b, "gn", image(12, 5), 3);
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 12, 5, 5));
  const graph::Model model = std::move(b).finish();
  EXPECT_EQ(model.metadata.at(graph::kParametersKey), "gn.weight,gn.bias");
  EXPECT_THAT(op_types(model),
              ElementsAre("Reshape", "InstanceNormalization", "Reshape", "Mul", "Add"));
}

TEST_F(Layers, ApproximateGeluIsSpelledAsPyTorchExportsIt) {
  approximate_gelu(b, "act", image(12, 5));
  const graph::Model model = std::move(b).finish();
  EXPECT_THAT(op_types(model),
              ElementsAre("Mul", "Mul", "Mul", "Add", "Mul", "Tanh", "Add", "Mul", "Mul"));
}

TEST_F(Layers, SplitGivesPartsOfTheAskedSizes) {
  const auto parts = split(b, "s", image(10, 4), 1, {3, 7});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_THAT(parts[0].shape, ElementsAre(kBatch, 3, 4, 4));
  EXPECT_THAT(parts[1].shape, ElementsAre(kBatch, 7, 4, 4));
}

TEST_F(Layers, DepthwiseWeightsHaveOneInputChannel) {
  conv(b, "c", image(32, 16), {.channels = 32, .kernel = {3}, .padding = {1}, .groups = 32});
  EXPECT_THAT(weight_shapes(std::move(b).finish(), 1), ElementsAre(ElementsAre(32, 1, 3, 3)));
}

TEST_F(Layers, TransposedConvolutionUndoesTheSizeOfAConvolution) {
  const ConvSpec spec{.channels = 5, .kernel = {4}, .stride = {2}, .padding = {1}};
  const Value y = conv_transpose(b, "up", image(7, 8), spec);
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 5, 16, 16));
  EXPECT_THAT(conv(b, "down", y, spec).shape, ElementsAre(kBatch, 5, 8, 8));
  EXPECT_THAT(weight_shapes(std::move(b).finish(), 1).at(0), ElementsAre(7, 5, 4, 4));
}

TEST_F(Layers, OutputPaddingMakesATransposedConvolutionExactlyTwiceAsLarge) {
  const Value y = conv_transpose(
      b, "up", image(7, 8),
      {.channels = 5, .kernel = {3}, .stride = {2}, .padding = {1}, .output_padding = {1}});
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 5, 16, 16));
}

TEST_F(Layers, UpsamplingScalesTheSpatialAxesOnly) {
  EXPECT_THAT(upsample(b, "up", image(7, 8), 3).shape, ElementsAre(kBatch, 7, 24, 24));
}

TEST_F(Layers, BatchNormHasTwoTrainedAndTwoUntrainedVectors) {
  batch_norm(b, "bn", image(6, 4));
  const graph::Model model = std::move(b).finish();
  EXPECT_EQ(model.metadata.at(graph::kParametersKey), "bn.weight,bn.bias");
  EXPECT_EQ(model.metadata.at(graph::kBuffersKey), "bn.running_mean,bn.running_var");
  // The operator set asks for three outputs of BatchNormalization that trains.
  EXPECT_EQ(model.graph.nodes.at(0).outputs.size(), 3u);
}

TEST_F(Layers, LinearOfTwoAxesIsOneGemm) {
  const Value y = linear(b, "fc", b.input("x", {kBatch, 10}), 3);
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 3));
  const graph::Model model = std::move(b).finish();
  EXPECT_THAT(op_types(model), ElementsAre("Gemm"));
  EXPECT_THAT(weight_shapes(model, 1), ElementsAre(ElementsAre(3, 10), ElementsAre(3)));
}

TEST_F(Layers, LinearOfThreeAxesIsMatMulAndAdd) {
  const Value y = linear(b, "fc", b.input("x", {kBatch, 7, 10}), 3);
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 7, 3));
  const graph::Model model = std::move(b).finish();
  EXPECT_THAT(op_types(model), ElementsAre("MatMul", "Add"));
  EXPECT_THAT(weight_shapes(model, 1), ElementsAre(ElementsAre(10, 3), ElementsAre(3)));
}

TEST_F(Layers, TiedLinearAddsNoWeights) {
  const Value table = b.parameter("table", {100, 10});
  const Value y = tied_linear(b, "head", b.input("x", {kBatch, 7, 10}), table);
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 7, 100));
  EXPECT_EQ(std::move(b).finish().metadata.at(graph::kParametersKey), "table");
}

TEST_F(Layers, DropoutOfRateZeroAddsNoNode) {
  const Value x = image(3, 4);
  EXPECT_EQ(dropout(b, "drop", x, 0).name, x.name);
  EXPECT_NE(dropout(b, "drop", x, 0.5).name, x.name);
}

TEST_F(Layers, ConcatAddsUpItsAxis) {
  const Value x = b.input("x", {kBatch, 3, 4});
  const Value y = b.input("y", {kBatch, 5, 4});
  EXPECT_THAT(concat(b, "c", std::vector<Value>{x, y, x}, 1).shape, ElementsAre(kBatch, 11, 4));
}

TEST_F(Layers, PointwiseOperatorsBroadcast) {
  const Value x = b.input("x", {kBatch, 12, 7, 7});
  const Value gate = b.input("gate", {kBatch, 12, 1, 1});
  EXPECT_EQ(binary(b, "left", "Mul", x, gate).shape, x.shape);
  EXPECT_EQ(binary(b, "right", "Mul", gate, x).shape, x.shape);
  EXPECT_EQ(binary(b, "scalar", "Mul", b.number(2), x).shape, x.shape);
}

TEST_F(Layers, AttentionIsSpelledOperatorByOperator) {
  const Value query = b.input("q", {kBatch, 5, 16});
  const Value key = b.input("k", {kBatch, 9, 16});
  const Value value = b.input("v", {kBatch, 9, 16});
  const Value mask = b.buffer("mask", {5, 9});
  const Value y = attention(b, "attn", {.query = query, .key = key, .value = value},
                            {.heads = 4, .dropout = 0.1, .mask = mask});
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 5, 16));
  EXPECT_THAT(
      op_types(std::move(b).finish()),
      ElementsAre("Reshape", "Transpose", "Reshape", "Transpose", "Reshape", "Transpose", "MatMul",
                  "Mul", "Add", "Softmax", "Dropout", "MatMul", "Transpose", "Reshape"));
}

TEST_F(Layers, PaddingMaskBroadcastsOverHeadsAndQueries) {
  const Value keep = b.input("keep", {kBatch, 9}, ElementType::Int64);
  const Value mask = padding_mask(b, "mask", keep);
  EXPECT_THAT(mask.shape, ElementsAre(kBatch, 1, 1, 9));
  EXPECT_EQ(mask.type, ElementType::Float32);
}

using LayersDeathTest = Layers;

TEST_F(LayersDeathTest, RefusesShapesThatDoNotBroadcast) {
  const Value x = b.input("x", {kBatch, 12});
  const Value y = b.input("y", {kBatch, 5});
  EXPECT_DEATH(binary(b, "sum", "Add", x, y), "broadcast");
}

TEST_F(LayersDeathTest, RefusesPartsThatDoNotMakeUpTheAxis) {
  EXPECT_DEATH(split(b, "s", image(10, 4), 1, {3, 3}), "make up the axis");
}

}  // namespace
}  // namespace horus::zoo
