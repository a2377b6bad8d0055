// SPDX-License-Identifier: Apache-2.0
// Operators written as several cost what the one operator costs; whatever differs from the pattern
// stays apart.

#include "horus/graph/composite.hpp"

#include <algorithm>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "horus/graph/costed_sketch_test.hpp"

namespace horus::graph {
namespace {

constexpr double kSize = 8 * 16;

/// GELU of "h", with the constants that it needs or others.
struct GeluConstants {
  double root{std::numbers::sqrt2};
  double one{1};
  double half{0.5};
};
ModelSketch gelu(GeluConstants constants = {}) {
  ModelSketch sketch = with_gradient();
  sketch.scalar("root", constants.root).scalar("one", constants.one);
  sketch.scalar("half", constants.half);
  sketch.node("Div", {"h", "root"}, {"d"}).node("Erf", {"d"}, {"e"});
  sketch.node("Add", {"e", "one"}, {"a"}).node("Mul", {"h", "a"}, {"m"});
  sketch.node("Mul", {"m", "half"}, {"y"});
  return sketch;
}

/// Layer normalization of "h" over its last axis; `axis` where another one is reduced.
ModelSketch layer_norm_core(std::int64_t axis = -1) {
  ModelSketch sketch = with_gradient();
  sketch.scalar("two", 2).scalar("eps", 1e-5).weight("scale", {16}).weight("bias", {16});
  sketch.node("ReduceMean", {"h"}, {"mean"}, {{"axes", Ints{axis}}});
  sketch.node("Sub", {"h", "mean"}, {"d"}).node("Pow", {"d", "two"}, {"square"});
  sketch.node("ReduceMean", {"square"}, {"variance"}, {{"axes", Ints{axis}}});
  sketch.node("Add", {"variance", "eps"}, {"safe"}).node("Sqrt", {"safe"}, {"deviation"});
  sketch.node("Div", {"d", "deviation"}, {"normal"});
  return sketch;
}
ModelSketch layer_norm(std::int64_t axis = -1) {
  ModelSketch sketch = layer_norm_core(axis);
  sketch.node("Mul", {"normal", "scale"}, {"scaled"}).node("Add", {"scaled", "bias"}, {"y"});
  return sketch;
}

/// One kernel each way, one dispatch each way, nothing kept but the input.
void expect_one_activation(const OpWork& work) {
  EXPECT_EQ(work.kind, OpKind::Activation);
  EXPECT_EQ(work.kernels_forward, 1);
  EXPECT_EQ(work.kernels_backward, 1);
  EXPECT_EQ(work.host_ops_forward, 1);
  EXPECT_EQ(work.host_ops_backward, 1);
  EXPECT_EQ(work.saved_elements, kSize);
  EXPECT_EQ(work.elements_read, kSize);
  EXPECT_EQ(work.elements_written, kSize);
  EXPECT_EQ(work.elements_read_backward, 2 * kSize) << "the input and the gradient of the output";
  EXPECT_EQ(work.elements_written_backward, kSize);
}

/// A member that is not the last is listed, but does nothing.
void expect_idle(const OpWork& work) {
  OpWork idle;
  idle.name = work.name;
  idle.op_type = work.op_type;
  EXPECT_EQ(work, idle);
}

// --- Activations ---------------------------------------------------------------------------------

TEST(CompositeGelu, IsOneKernelThatKeepsItsInput) {
  ModelSketch sketch = gelu();
  sketch.output("y");
  expect_one_activation(work_of(sketch, "y"));
  EXPECT_EQ(work_of(sketch, "y").op_type, "Mul") << "the node keeps its own type";
  for (const char* member : {"d", "e", "a", "m"}) expect_idle(work_of(sketch, member));
  EXPECT_EQ(features_of(sketch).ops.size(), 6U) << "members stay listed";
}

TEST(CompositeGelu, KeepsTheFlopsOfItsMembers) {
  ModelSketch sketch = gelu();
  sketch.output("y");
  // Forward one each. Backward: Div 2, Erf 5, Add 0, Mul of two activations 1 + 1, Mul by a
  // constant 1, and the two gradients of h are added.
  EXPECT_EQ(work_of(sketch, "y").flops_forward, 5 * kSize);
  EXPECT_EQ(work_of(sketch, "y").flops_backward, (2 + 5 + 0 + 2 + 1 + 1) * kSize);
}

TEST(CompositeGelu, MayHaveItsOperandsInAnyOrder) {
  ModelSketch sketch = with_gradient();
  sketch.scalar("root", 1 / std::numbers::sqrt2).scalar("one", 1).scalar("half", 0.5);
  sketch.node("Mul", {"root", "h"}, {"d"}).node("Erf", {"d"}, {"e"});
  sketch.node("Add", {"one", "e"}, {"a"}).node("Mul", {"a", "h"}, {"m"});
  sketch.node("Mul", {"half", "m"}, {"y"}).output("y");
  expect_one_activation(work_of(sketch, "y"));
}

TEST(CompositeGelu, MayHalveItsFactorBeforeTheProduct) {
  ModelSketch sketch = with_gradient();
  sketch.scalar("root", std::numbers::sqrt2).scalar("one", 1).scalar("half", 0.5);
  sketch.node("Div", {"h", "root"}, {"d"}).node("Erf", {"d"}, {"e"});
  sketch.node("Add", {"e", "one"}, {"a"}).node("Mul", {"half", "a"}, {"f"});
  sketch.node("Mul", {"h", "f"}, {"y"}).output("y");
  expect_one_activation(work_of(sketch, "y"));
  for (const char* member : {"d", "e", "a", "f"}) expect_idle(work_of(sketch, member));
}

TEST(CompositeGelu, NeedsItsConstants) {
  for (const GeluConstants& wrong :
       {GeluConstants{.root = 1.5}, GeluConstants{.one = 2}, GeluConstants{.half = 0.25}}) {
    ModelSketch sketch = gelu(wrong);
    sketch.output("y");
    EXPECT_EQ(work_of(sketch, "e").kernels_forward, 1) << wrong.root << wrong.one << wrong.half;
  }
  ModelSketch rounded = gelu({.root = 1.4140625});  // Of half precision.
  rounded.output("y");
  expect_one_activation(work_of(rounded, "y"));
}

TEST(CompositeGelu, BelievesConstantsThatTheFileDoesNotHold) {
  ModelSketch sketch = gelu();
  sketch.output("y");
  for (Tensor& tensor : sketch.model().graph.initializers) tensor.floats.reset();
  expect_one_activation(work_of(sketch, "y"));
}

TEST(CompositeGelu, StaysApartWhereAnIntermediateValueIsUsedElsewhere) {
  for (const char* value : {"d", "e", "a", "m"}) {
    ModelSketch sketch = gelu();
    sketch.node("Neg", {value}, {"n"}).output("y").output("n");
    EXPECT_EQ(work_of(sketch, "y").kind, OpKind::Elementwise) << value;
    EXPECT_EQ(work_of(sketch, "e").saved_elements, kSize) << value;
  }
}

TEST(CompositeGelu, StaysApartWhereAnIntermediateValueLeavesTheGraph) {
  for (const char* value : {"d", "e", "a", "m"}) {
    ModelSketch sketch = gelu();
    sketch.output("y").output(value);
    EXPECT_EQ(work_of(sketch, "y").kind, OpKind::Elementwise) << value;
  }
}

TEST(CompositeGelu, StaysApartWhereASubgraphSeesAnIntermediateValue) {
  ModelSketch sketch = gelu();
  sketch.output("y").output("z");
  Graph branch;
  branch.nodes.push_back({.name = "",
                          .op_type = "Neg",
                          .domain = "",
                          .inputs = {"a"},
                          .outputs = {"n"},
                          .attributes = {}});
  branch.outputs.push_back({.name = "n", .shape = {}});
  sketch.model().graph.subgraphs.push_back(branch);
  sketch.input("c", {}, ElementType::Bool);
  sketch.node("If", {"c"}, {"z"},
              {{"then_branch", SubgraphRef{0}}, {"else_branch", SubgraphRef{0}}});
  EXPECT_EQ(work_of(sketch, "y").kind, OpKind::Elementwise);
}

TEST(CompositeGelu, OfTwoDifferentValuesIsNone) {
  ModelSketch sketch = with_gradient();
  sketch.scalar("root", std::numbers::sqrt2).scalar("one", 1).scalar("half", 0.5);
  sketch.node("Neg", {"h"}, {"g"}).node("Div", {"h", "root"}, {"d"}).node("Erf", {"d"}, {"e"});
  sketch.node("Add", {"e", "one"}, {"a"}).node("Mul", {"g", "a"}, {"m"});
  sketch.node("Mul", {"m", "half"}, {"y"}).output("y");
  EXPECT_EQ(work_of(sketch, "y").kind, OpKind::Elementwise);
}

TEST(CompositeGelu, ByTanhIsOneKernelAsPyTorchExportsIt) {
  ModelSketch products = with_gradient();
  products.scalar("c", 0.044715).scalar("slope", 0.7978845608).scalar("one", 1);
  products.scalar("half", 0.5).scalar("three", 3);
  ModelSketch power = products;
  products.node("Mul", {"h", "h"}, {"square"}).node("Mul", {"h", "square"}, {"cube"});
  power.node("Pow", {"h", "three"}, {"cube"});
  for (ModelSketch* sketch : {&products, &power}) {
    sketch->node("Mul", {"c", "cube"}, {"q"}).node("Add", {"h", "q"}, {"r"});
    sketch->node("Mul", {"slope", "r"}, {"s"}).node("Tanh", {"s"}, {"t"});
    sketch->node("Add", {"one", "t"}, {"u"}).node("Mul", {"h", "u"}, {"v"});
    sketch->node("Mul", {"half", "v"}, {"y"}).output("y");
    expect_one_activation(work_of(*sketch, "y"));
    for (const char* member : {"cube", "q", "r", "s", "t", "u", "v"}) {
      expect_idle(work_of(*sketch, member));
    }
  }
}

TEST(CompositeGelu, ByTanhOfTheHalvedInputStaysApart) {
  ModelSketch sketch = with_gradient();
  sketch.scalar("three", 3).scalar("c", 0.044715).scalar("slope", 0.7978845608);
  sketch.scalar("one", 1).scalar("half", 0.5);
  sketch.node("Pow", {"h", "three"}, {"p"}).node("Mul", {"p", "c"}, {"q"});
  sketch.node("Add", {"h", "q"}, {"r"}).node("Mul", {"r", "slope"}, {"s"});
  sketch.node("Tanh", {"s"}, {"t"}).node("Add", {"t", "one"}, {"u"});
  sketch.node("Mul", {"h", "half"}, {"v"}).node("Mul", {"v", "u"}, {"y"}).output("y");
  for (const OpWork& work : features_of(sketch).ops)
    EXPECT_EQ(work.kernels_forward, 1) << work.name;
}

TEST(CompositeGelu, OfTheOutputOfALinearLayerIsKeptOnceWithIt) {
  ModelSketch sketch = gelu();
  sketch.weight("w1", {16, 4}).node("MatMul", {"y", "w1"}, {"z"}).output("z");
  const Totals totals = totals_of(features_of(sketch));
  // x of the first layer, h of the activation, y of the second layer.
  EXPECT_EQ(totals.activation_bytes.count(), 4 * (8 * 4 + 128 + 128));
}

TEST(CompositeGelu, IsOneUseOfItsInputWhereGradientsMeet) {
  // Two users besides the activation, before, within or behind it: two sums of gradients.
  for (const char* before : {"Div", "Mul", ""}) {
    ModelSketch sketch = gelu();
    auto& nodes = sketch.model().graph.nodes;
    const auto place = std::find_if(nodes.begin(), nodes.end(),
                                    [&](const Node& node) { return node.op_type == before; });
    ModelSketch others;
    others.node("Neg", {"h"}, {"n"}).node("Neg", {"h"}, {"o"});
    const auto& extra = others.model().graph.nodes;
    nodes.insert(place, extra.begin(), extra.end());
    sketch.output("y").output("n").output("o");
    const double kernels = work_of(sketch, "y").kernels_backward +
                           work_of(sketch, "n").kernels_backward +
                           work_of(sketch, "o").kernels_backward;
    EXPECT_EQ(kernels, 3 + 2) << "before " << before;
  }
}

/// Group normalization of "h", 2 images of 12 channels and 8 x 8 pixels, as PyTorch exports it.
ModelSketch group_norm(std::int64_t weights = 12) {
  ModelSketch sketch;
  sketch.input("x", {2, 3, 8, 8}).weight("w0", {12, 3, 1, 1}).node("Conv", {"x", "w0"}, {"h"});
  sketch.integers("rows", {0, 3, -1}).integers("image", {2, 12, 8, 8});
  sketch.reals("ones", {1, 1, 1}).reals("zeros", {0, 0, 0});
  sketch.weight("scale", {weights, 1, 1}).weight("bias", {12, 1, 1});
  sketch.node("Reshape", {"h", "rows"}, {"g"});
  sketch.node("InstanceNormalization", {"g", "ones", "zeros"}, {"n"});
  sketch.node("Reshape", {"n", "image"}, {"u"}).node("Mul", {"u", "scale"}, {"m"});
  sketch.node("Add", {"m", "bias"}, {"y"}).output("y");
  return sketch;
}

TEST(CompositeGroupNorm, KeepsItsInputAndTwoNumbersAGroup) {
  constexpr double kImage = 2 * 12 * 8 * 8;
  ModelSketch sketch = group_norm();
  const OpWork work = work_of(sketch, "y");
  EXPECT_EQ(work.kind, OpKind::LayerNorm);
  EXPECT_EQ(work.saved_elements, kImage + 2 * 2 * 3) << "the input, means and deviations";
  EXPECT_EQ(work.elements_written, kImage);
  for (const char* member : {"g", "n", "u", "m"}) expect_idle(work_of(sketch, member));
}

TEST(CompositeGroupNorm, NeedsAWeightForEachChannel) {
  ModelSketch one = group_norm(1);
  EXPECT_EQ(work_of(one, "y").kind, OpKind::Elementwise);
  EXPECT_EQ(work_of(one, "n").kernels_forward, 1);
}

TEST(CompositeSilu, IsOneKernelThatKeepsItsInput) {
  for (const std::vector<std::string>& inputs :
       {std::vector<std::string>{"h", "s"}, std::vector<std::string>{"s", "h"}}) {
    ModelSketch sketch = with_gradient();
    sketch.node("Sigmoid", {"h"}, {"s"}).node("Mul", inputs, {"y"}).output("y");
    expect_one_activation(work_of(sketch, "y"));
    expect_idle(work_of(sketch, "s"));
  }
}

TEST(CompositeSilu, AGateOfAnotherValueStaysApart) {
  ModelSketch sketch = with_gradient();
  sketch.node("Neg", {"h"}, {"g"}).node("Sigmoid", {"g"}, {"s"});
  sketch.node("Mul", {"h", "s"}, {"y"}).output("y");
  EXPECT_EQ(work_of(sketch, "s").kernels_forward, 1);
  EXPECT_EQ(work_of(sketch, "y").saved_elements, kSize) << "h; the output of the sigmoid is kept";
}

TEST(CompositeSilu, OfASiluIsTwo) {
  ModelSketch sketch = with_gradient();
  sketch.node("Sigmoid", {"h"}, {"s"}).node("Mul", {"h", "s"}, {"m"});
  sketch.node("Sigmoid", {"m"}, {"t"}).node("Mul", {"t", "m"}, {"y"}).output("y");
  expect_one_activation(work_of(sketch, "m"));
  expect_one_activation(work_of(sketch, "y"));
}

TEST(CompositeSilu, OfConstantsIsNone) {
  ModelSketch sketch = with_gradient();
  sketch.weight("c", {16}).node("Sigmoid", {"c"}, {"s"}).node("Mul", {"c", "s"}, {"m"});
  sketch.node("Add", {"h", "m"}, {"y"}).output("y");
  EXPECT_NE(work_of(sketch, "m").kind, OpKind::Activation);
}

TEST(CompositeHardSwish, IsOneKernelHoweverItIsWritten) {
  ModelSketch sigmoid = with_gradient();
  sigmoid.node("HardSigmoid", {"h"}, {"s"}, {{"alpha", 1.0 / 6}}).node("Mul", {"h", "s"}, {"y"});
  ModelSketch last = with_gradient();
  last.scalar("three", 3).scalar("zero", 0).scalar("six", 6).node("Add", {"h", "three"}, {"a"});
  ModelSketch first = last;
  last.node("Clip", {"a", "zero", "six"}, {"c"}).node("Mul", {"h", "c"}, {"m"});
  last.node("Div", {"m", "six"}, {"y"});
  first.node("Clip", {"a", "zero", "six"}, {"c"}).node("Div", {"c", "six"}, {"s"});
  first.node("Mul", {"s", "h"}, {"y"});
  for (ModelSketch* sketch : {&sigmoid, &last, &first}) {
    sketch->output("y");
    expect_one_activation(work_of(*sketch, "y"));
  }
}

TEST(CompositeHardSwish, ReadsItsSettingsFromAttributesOfOldFiles) {
  for (const double high : {6.0, 1.0}) {
    ModelSketch sketch{10};
    sketch.input("x", {8, 4}).weight("w0", {4, 16}).node("MatMul", {"x", "w0"}, {"h"});
    sketch.scalar("three", 3).scalar("six", 6).node("Add", {"h", "three"}, {"a"});
    sketch.node("Clip", {"a"}, {"c"}, {{"min", 0.0}, {"max", high}});
    sketch.node("Mul", {"h", "c"}, {"m"}).node("Div", {"m", "six"}, {"y"}).output("y");
    EXPECT_EQ(work_of(sketch, "y").kind == OpKind::Activation, high == 6.0) << high;
  }
}

TEST(CompositeHardSwish, NeedsTheSlopeOfItsSigmoid) {
  ModelSketch sketch = with_gradient();
  sketch.node("HardSigmoid", {"h"}, {"s"}).node("Mul", {"h", "s"}, {"y"}).output("y");
  EXPECT_EQ(work_of(sketch, "y").kind, OpKind::Elementwise) << "the standard's slope is 0.2";
}

// --- Layer normalization -------------------------------------------------------------------------

TEST(CompositeLayerNorm, KeepsItsInputAndTwoNumbersPerRow) {
  ModelSketch sketch = layer_norm();
  sketch.output("y");
  const OpWork work = work_of(sketch, "y");
  EXPECT_EQ(work.kind, OpKind::LayerNorm);
  EXPECT_EQ(work.op_type, "Add");
  EXPECT_EQ(work.saved_elements, kSize + 2 * 8);
  EXPECT_EQ(work.kernels_forward, 1);
  EXPECT_EQ(work.kernels_backward, 2) << "the input; the weights";
  EXPECT_EQ(work.host_ops_forward, 1);
  EXPECT_EQ(work.host_ops_backward, 1);
  EXPECT_EQ(work.weight_elements, 32);
  EXPECT_EQ(work.weight_tensors, 2);
  for (const char* member :
       {"mean", "d", "square", "variance", "safe", "deviation", "normal", "scaled"}) {
    expect_idle(work_of(sketch, member));
  }
  EXPECT_EQ(features_of(sketch).parameters, 4 * 16 + 32);
}

TEST(CompositeLayerNorm, CostsWhatTheOperatorCostsButForItsFlops) {
  ModelSketch parts = layer_norm();
  parts.output("y");
  ModelSketch whole = with_gradient();
  whole.weight("scale", {16}).weight("bias", {16});
  whole.node("LayerNormalization", {"h", "scale", "bias"}, {"y"}).output("y");
  OpWork expected = work_of(whole, "y");
  const OpWork work = work_of(parts, "y");
  expected.op_type = work.op_type;
  expected.flops_forward = work.flops_forward;
  expected.flops_backward = work.flops_backward;
  EXPECT_EQ(work, expected);
}

TEST(CompositeLayerNorm, MayLackItsBiasOrItsWeights) {
  ModelSketch bare = layer_norm_core();
  bare.output("normal");
  const OpWork core = work_of(bare, "normal");
  EXPECT_EQ(core.kind, OpKind::LayerNorm);
  EXPECT_EQ(core.saved_elements, kSize + 2 * 8);
  EXPECT_EQ(core.kernels_backward, 1) << "no weights";
  ModelSketch scaled = layer_norm_core();
  scaled.node("Mul", {"scale", "normal"}, {"y"}).output("y");
  EXPECT_EQ(work_of(scaled, "y").kind, OpKind::LayerNorm);
  EXPECT_EQ(work_of(scaled, "y").weight_elements, 16);
  EXPECT_EQ(work_of(scaled, "y").kernels_backward, 2);
}

TEST(CompositeLayerNorm, OverTheLastTwoAxesHasOneRowPerSample) {
  ModelSketch sketch;
  sketch.input("x", {3, 4, 5}).weight("w0", {5, 6}).node("MatMul", {"x", "w0"}, {"h"});
  sketch.scalar("two", 2).scalar("eps", 1e-5).weight("scale", {4, 6}).weight("bias", {4, 6});
  const ModelSketch::Attributes axes{{"axes", Ints{1, 2}}};
  sketch.node("ReduceMean", {"h"}, {"mean"}, axes).node("Sub", {"h", "mean"}, {"d"});
  sketch.node("Pow", {"d", "two"}, {"square"}).node("ReduceMean", {"square"}, {"variance"}, axes);
  sketch.node("Add", {"variance", "eps"}, {"safe"}).node("Sqrt", {"safe"}, {"deviation"});
  sketch.node("Div", {"d", "deviation"}, {"n"}).node("Mul", {"n", "scale"}, {"m"});
  sketch.node("Add", {"m", "bias"}, {"y"}).output("y");
  EXPECT_EQ(work_of(sketch, "y").kind, OpKind::LayerNorm);
  EXPECT_EQ(work_of(sketch, "y").saved_elements, 3 * 4 * 6 + 2 * 3);
}

TEST(CompositeLayerNorm, OverAnotherAxisStaysApart) {
  ModelSketch sketch = layer_norm(0);
  sketch.output("y");
  EXPECT_EQ(work_of(sketch, "y").kind, OpKind::Elementwise);
  EXPECT_EQ(work_of(sketch, "normal").kind, OpKind::Elementwise);
  EXPECT_EQ(work_of(sketch, "mean").kernels_forward, 1);
}

TEST(CompositeLayerNorm, StaysApartWhereAnIntermediateValueIsUsedElsewhere) {
  for (const char* value : {"mean", "d", "square", "variance", "safe", "deviation"}) {
    ModelSketch used = layer_norm();
    used.node("Neg", {value}, {"n"}).output("y").output("n");
    EXPECT_EQ(work_of(used, "y").kind, OpKind::Elementwise) << value;
    EXPECT_EQ(work_of(used, "normal").kind, OpKind::Elementwise) << value;
    ModelSketch shown = layer_norm();
    shown.output("y").output(value);
    EXPECT_EQ(work_of(shown, "normal").kind, OpKind::Elementwise) << value;
  }
}

TEST(CompositeLayerNorm, EndsBeforeAScaleThatIsNotItsOwn) {
  ModelSketch seen = layer_norm();
  seen.output("y").output("normal");
  ModelSketch per_row = layer_norm_core();
  per_row.weight("row", {8, 1}).node("Mul", {"normal", "row"}, {"y"}).output("y");
  ModelSketch computed = layer_norm_core();
  computed.input("gate", {1, 16}).node("Mul", {"normal", "gate"}, {"y"}).output("y");
  for (ModelSketch* sketch : {&seen, &per_row, &computed}) {
    EXPECT_EQ(work_of(*sketch, "normal").kind, OpKind::LayerNorm);
    EXPECT_EQ(work_of(*sketch, "y").kind, OpKind::Elementwise);
  }
}

TEST(CompositeLayerNorm, NeedsASquare) {
  ModelSketch sketch = layer_norm();
  for (Tensor& tensor : sketch.model().graph.initializers) {
    if (tensor.name == "two") tensor.floats = std::vector<double>{4};
  }
  sketch.output("y");
  EXPECT_EQ(work_of(sketch, "normal").kind, OpKind::Elementwise);
}

}  // namespace
}  // namespace horus::graph
