// SPDX-License-Identifier: Apache-2.0
// Shapes and contents of single operators, through all versions of their settings.

#include "horus/graph/inference.hpp"

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/binding.hpp"
#include "horus/graph/graph_index.hpp"
#include "horus/graph/input_role.hpp"
#include "horus/graph/model_sketch.hpp"
#include "horus/graph/op_rule.hpp"
#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

using testing::HasSubstr;
using Ints = std::vector<std::int64_t>;

std::optional<Fact> fact_of(const Model& model, std::string_view name) {
  const auto index = index_graph(model.graph);
  if (!index) return std::nullopt;
  const auto binding = bind_inputs(model, *index, classify_inputs(model, *index), {});
  if (!binding) return std::nullopt;
  const Inference found = infer(model, *index, *binding, AtBatch::Wanted, nullptr);
  for (ValueIndex value = 0; value < index->names.size(); ++value) {
    if (index->names[value] == name) return found.facts[value];
  }
  return std::nullopt;
}

/// Shape of value "y"; {-1} where it is not known.
Ints shape_of_y(ModelSketch& sketch) {
  const auto fact = fact_of(sketch.model(), "y");
  return fact ? fact->shape : Ints{-1};
}

/// Integer contents of value "y"; {-99} where they are not known.
Ints contents_of_y(ModelSketch& sketch) {
  const auto fact = fact_of(sketch.model(), "y");
  const auto* list = fact ? integers_of(*fact) : nullptr;
  return list != nullptr ? *list : Ints{-99};
}

// An operator that only copies its input's shape is known because it stands here: each was looked
// up in the operator documentation of ONNX, which says "output: same shape as input".
// clang-format off
constexpr auto kSameShape = std::to_array<std::string_view>({
    "Abs", "Acos", "Acosh", "Affine", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot",
    "Ceil", "Celu", "Clip", "Cos", "Cosh", "CumProd", "CumSum", "Elu", "Erf", "Exp",
    "Floor", "Gelu", "HardSigmoid", "HardSwish", "ImageScaler", "LRN", "LeakyRelu", "Log",
    "LpNormalization", "MeanVarianceNormalization", "Mish", "Neg", "Not", "PRelu",
    "ParametricSoftplus", "Reciprocal", "Relu", "ReverseSequence", "RotaryEmbedding",
    "Round", "Scale", "ScaledTanh", "Scatter", "ScatterElements", "ScatterND", "Selu",
    "Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt", "Swish",
    "Tan", "Tanh", "ThresholdedRelu", "Trilu"});
// clang-format on

TEST(SameShape, IsClaimedOnlyForTheOperatorsListed) {
  const std::set<std::string_view> listed{kSameShape.begin(), kSameShape.end()};
  std::set<std::string_view> claimed;
  for (const OpRule& rule : standard_rules()) {
    if (rule.infer == infer_same) claimed.insert(rule.name);
  }
  EXPECT_EQ(claimed, listed);
}

TEST(SameShape, IsWhatComesOut) {
  for (const OpRule& rule : standard_rules()) {
    if (rule.infer != infer_same) continue;
    ModelSketch sketch;
    sketch.input("x", {2, 3, 4});
    std::vector<std::string> inputs{"x"};
    for (std::size_t i = 1; i < rule.inputs_min; ++i) {
      inputs.push_back("i" + std::to_string(i));
      sketch.input(inputs.back(), {2, 3, 4});
    }
    sketch.node(std::string{rule.name}, inputs, {"y"});
    EXPECT_EQ(shape_of_y(sketch), (Ints{2, 3, 4})) << rule.name;
  }
}

// --- Settings of single operators ----------------------------------------------------------------

TEST(Slice, CutsBackwardsFromTheEnd) {
  ModelSketch now{13};
  now.input("x", {10, 8}).integers("s", {-1}).integers("e", {INT64_MIN}).integers("a", {0});
  now.integers("t", {-3}).node("Slice", {"x", "s", "e", "a", "t"}, {"y"});
  EXPECT_EQ(shape_of_y(now), (Ints{4, 8})) << "9, 6, 3, 0";
}

TEST(Resize, FindsItsScalesOrSizes) {
  ModelSketch upsample7{7};
  upsample7.input("x", {1, 2, 3, 4});
  upsample7.node("Upsample", {"x"}, {"y"}, {{"scales", std::vector<double>{1, 1, 2, 2}}});
  EXPECT_EQ(shape_of_y(upsample7), (Ints{1, 2, 6, 8}));
  ModelSketch upsample9{9};
  upsample9.input("x", {1, 2, 3, 4}).reals("s", {1, 1, 2, 2}).node("Upsample", {"x", "s"}, {"y"});
  EXPECT_EQ(shape_of_y(upsample9), (Ints{1, 2, 6, 8}));
  ModelSketch resize{13};
  resize.input("x", {1, 2, 3, 4}).integers("z", {1, 2, 5, 5});
  resize.node("Resize", {"x", "", "", "z"}, {"y"});
  EXPECT_EQ(shape_of_y(resize), (Ints{1, 2, 5, 5}));
}

// --- Windows -------------------------------------------------------------------------------------

struct WindowCase {
  const char* what;
  ModelSketch::Attributes attributes;
  Ints expected;
};

TEST(Windows, FollowTheirFormula) {
  const Ints k3{3, 3};
  const Ints s2{2, 2};
  const std::vector<WindowCase> cases{
      {"plain", {{"kernel_shape", k3}}, {1, 1, 5, 6}},
      {"strided", {{"kernel_shape", k3}, {"strides", s2}}, {1, 1, 3, 3}},
      {"padded", {{"kernel_shape", k3}, {"pads", Ints{1, 1, 1, 1}}}, {1, 1, 7, 8}},
      {"same",
       {{"kernel_shape", k3}, {"strides", s2}, {"auto_pad", std::string{"SAME_UPPER"}}},
       {1, 1, 4, 4}},
      {"valid", {{"kernel_shape", k3}, {"auto_pad", std::string{"VALID"}}}, {1, 1, 5, 6}},
      {"dilated", {{"kernel_shape", k3}, {"dilations", s2}}, {1, 1, 3, 4}},
      {"rounded up",
       {{"kernel_shape", k3}, {"strides", s2}, {"ceil_mode", std::int64_t{1}}},
       {1, 1, 3, 4}},
  };
  for (const WindowCase& one : cases) {
    ModelSketch sketch;
    sketch.input("x", {1, 1, 7, 8}).node("MaxPool", {"x"}, {"y"}, one.attributes);
    EXPECT_EQ(shape_of_y(sketch), one.expected) << one.what;
  }
}

TEST(Windows, ALastWindowInThePaddingIsLeftOut) {
  // torch.nn.MaxPool2d(2, stride=2, padding=1, ceil_mode=True) on 3 x 3 gives 2 x 2.
  ModelSketch sketch;
  sketch.input("x", {1, 1, 3, 3});
  sketch.node("MaxPool", {"x"}, {"y"},
              {{"kernel_shape", Ints{2, 2}},
               {"strides", Ints{2, 2}},
               {"pads", Ints{1, 1, 1, 1}},
               {"ceil_mode", std::int64_t{1}}});
  EXPECT_EQ(shape_of_y(sketch), (Ints{1, 1, 2, 2}));
}

TEST(Windows, WorkInOneAndThreeDimensions) {
  ModelSketch line;
  line.input("x", {2, 4, 10}).weight("w", {6, 4, 3}).node("Conv", {"x", "w"}, {"y"});
  EXPECT_EQ(shape_of_y(line), (Ints{2, 6, 8}));
  ModelSketch volume;
  volume.input("x", {2, 4, 10, 10, 10}).weight("w", {6, 2, 3, 3, 1});
  volume.node("Conv", {"x", "w"}, {"y"}, {{"group", std::int64_t{2}}});
  EXPECT_EQ(shape_of_y(volume), (Ints{2, 6, 8, 8, 10}));
}

// --- Shape arithmetic ----------------------------------------------------------------------------

TEST(Folding, FollowsAShapeThroughArithmetic) {
  // (2, 12, 8) -> [2, -1, 8 / 4 * 3] -> (2, 16, 6).
  ModelSketch sketch;
  sketch.input("x", {2, 12, 8}).integers("i0", {0}).integers("i2", {2}).integers("four", {4});
  sketch.integers("three", {3}).integers("open", {-1});
  sketch.node("Shape", {"x"}, {"s"}).node("Gather", {"s", "i0"}, {"a"});
  sketch.node("Gather", {"s", "i2"}, {"b"}).node("Div", {"b", "four"}, {"c"});
  sketch.node("Mul", {"c", "three"}, {"d"});
  sketch.node("Concat", {"a", "open", "d"}, {"t"}, {{"axis", std::int64_t{0}}});
  sketch.node("Reshape", {"x", "t"}, {"y"});
  EXPECT_EQ(shape_of_y(sketch), (Ints{2, 16, 6}));
}

struct FoldCase {
  const char* op;
  Ints left, right, expected;
};

TEST(Folding, ComputesBinaryOperatorsAsOnnxDefinesThem) {
  for (const FoldCase& one : std::vector<FoldCase>{{"Add", {1, 2}, {10}, {11, 12}},
                                                   {"Sub", {5, 1}, {2, 3}, {3, -2}},
                                                   {"Mul", {4, 5}, {3}, {12, 15}},
                                                   {"Div", {7, -7}, {2}, {3, -3}},
                                                   {"Mod", {7, -7}, {3}, {1, 2}},
                                                   {"Pow", {2, 3}, {3}, {8, 27}},
                                                   {"Max", {1, 9}, {5}, {5, 9}},
                                                   {"Min", {1, 9}, {5}, {1, 5}},
                                                   {"Equal", {1, -1}, {-1}, {0, 1}},
                                                   {"Less", {1, 9}, {5}, {1, 0}},
                                                   {"GreaterOrEqual", {5, 4}, {5}, {1, 0}},
                                                   {"Gather", {10, 20, 30}, {-1, 0}, {30, 10}},
                                                   {"Tile", {1, 2}, {2}, {1, 2, 1, 2}},
                                                   {"Expand", {7}, {3}, {7, 7, 7}}}) {
    ModelSketch sketch;
    sketch.integers("a", one.left).integers("b", one.right).node(one.op, {"a", "b"}, {"y"});
    EXPECT_EQ(contents_of_y(sketch), one.expected) << one.op;
  }
}

TEST(Folding, RefusesWhatHasNoAnswer) {
  for (const FoldCase& one : std::vector<FoldCase>{{"Div", {1}, {0}, {}},
                                                   {"Mod", {1}, {0}, {}},
                                                   {"Add", {INT64_MAX}, {1}, {}},
                                                   {"Mul", {INT64_MAX}, {2}, {}},
                                                   {"Gather", {1, 2}, {5}, {}}}) {
    ModelSketch sketch;
    sketch.integers("a", one.left).integers("b", one.right).node(one.op, {"a", "b"}, {"y"});
    EXPECT_EQ(contents_of_y(sketch), (Ints{-99})) << one.op;
  }
}

TEST(Folding, KnowsTheOtherOperatorsOfShapeArithmetic) {
  ModelSketch slice;
  slice.integers("a", {1, 2, 3, 4, 5}).integers("s", {-1}).integers("e", {-6}).integers("x", {0});
  slice.integers("t", {-2}).node("Slice", {"a", "s", "e", "x", "t"}, {"y"});
  EXPECT_EQ(contents_of_y(slice), (Ints{5, 3, 1}));
  ModelSketch where;
  where.integers("c", {1, 0}).integers("a", {3, 4}).integers("b", {5, 6});
  where.node("Where", {"c", "a", "b"}, {"y"});
  EXPECT_EQ(contents_of_y(where), (Ints{3, 6}));
  ModelSketch product;
  product.integers("a", {2, 3, 7}).node("ReduceProd", {"a"}, {"y"});
  EXPECT_EQ(contents_of_y(product), (Ints{42}));
  ModelSketch cast;
  cast.reals("a", {2.9, -2.9}).node("Cast", {"a"}, {"y"}, {{"to", std::int64_t{7}}});
  EXPECT_EQ(contents_of_y(cast), (Ints{2, -2}));
  ModelSketch range;
  range.scalar("a", 2).scalar("b", 9).scalar("c", 3).node("Range", {"a", "b", "c"}, {"y"});
  EXPECT_EQ(shape_of_y(range), (Ints{3}));
  ModelSketch filling;
  filling.integers("a", {2, 3}).node("ConstantOfShape", {"a"}, {"y"});
  EXPECT_EQ(shape_of_y(filling), (Ints{2, 3}));
  ModelSketch size;
  size.input("x", {4, 5}).node("Size", {"x"}, {"y"});
  EXPECT_EQ(contents_of_y(size), (Ints{20}));
  ModelSketch transpose;
  transpose.integers("a", {1, 2, 3, 4, 5, 6}).integers("s", {2, 3});
  transpose.node("Reshape", {"a", "s"}, {"m"}).node("Transpose", {"m"}, {"y"});
  EXPECT_EQ(contents_of_y(transpose), (Ints{1, 4, 2, 5, 3, 6}));
}

// --- Nonsense ------------------------------------------------------------------------------------

TEST(Nonsense, IsRefusedNotComputed) {
  const Ints huge{std::int64_t{1} << 40, std::int64_t{1} << 40};
  ModelSketch product;
  product.input("x", {std::int64_t{1} << 40, 2}).input("z", {2, std::int64_t{1} << 40});
  product.node("MatMul", {"x", "z"}, {"y"});
  EXPECT_EQ(shape_of_y(product), (Ints{-1})) << "2^80 elements";
  ModelSketch expand;
  expand.input("x", {1, 1}).integers("s", huge).node("Expand", {"x", "s"}, {"y"});
  EXPECT_EQ(shape_of_y(expand), (Ints{-1}));
  ModelSketch axis;
  axis.input("x", {2, 2}).node("Concat", {"x", "x"}, {"y"}, {{"axis", std::int64_t{-3}}});
  EXPECT_EQ(shape_of_y(axis), (Ints{-1}));
  ModelSketch nothing;
  nothing.node("Concat", {}, {"y"}, {{"axis", std::int64_t{0}}});
  EXPECT_EQ(shape_of_y(nothing), (Ints{-1}));
  ModelSketch type;
  type.input("x", {2, 2, 2, 2}).node("MaxPool", {"x"}, {"y"}, {{"kernel_shape", 2.5}});
  EXPECT_EQ(shape_of_y(type), (Ints{-1}));
  ModelSketch scalar;
  scalar.input("x", {}).node("MatMul", {"x", "x"}, {"y"});
  EXPECT_EQ(shape_of_y(scalar), (Ints{-1}));
}

TEST(Nonsense, AnEmptyTensorIsNoError) {
  ModelSketch sketch;
  sketch.input("x", {0, 3, 4, 4}).weight("w", {2, 3, 3, 3}).node("Conv", {"x", "w"}, {"y"});
  EXPECT_EQ(shape_of_y(sketch), (Ints{0, 2, 2, 2}));
}

}  // namespace
}  // namespace horus::graph
