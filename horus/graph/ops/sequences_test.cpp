// SPDX-License-Identifier: Apache-2.0
// Sequences of tensors: lengths and shapes through every operator that makes or takes one.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "horus/graph/one_node_test.hpp"

namespace horus::graph {
namespace {

using Ints = std::vector<std::int64_t>;
constexpr std::int64_t kOne = 1;

/// Two tensors, (2, 3) and (2, 5), as sequence "s".
ModelSketch sequence() {
  ModelSketch sketch{23};
  sketch.input("a", {2, 3}).input("b", {2, 5}).node("SequenceConstruct", {"a", "b"}, {"s"});
  return sketch;
}

TEST(Sequences, RememberTheShapeOfEachTensor) {
  ModelSketch sketch = sequence();
  sketch.integers("i", {-1}).node("SequenceAt", {"s", "i"}, {"y"}).output("y");
  EXPECT_EQ(outcome_of(sketch.model()).shape(), (Ints{2, 5}));
}

TEST(Sequences, AreJoinedAlongAnAxis) {
  ModelSketch sketch = sequence();
  sketch.node("ConcatFromSequence", {"s"}, {"y"}, {{"axis", kOne}}).output("y");
  EXPECT_EQ(outcome_of(sketch.model()).shape(), (Ints{2, 8}));
}

TEST(Sequences, AreStackedWhereTheirTensorsAreAlike) {
  ModelSketch sketch{23};
  sketch.input("a", {2, 3}).node("SequenceConstruct", {"a", "a", "a"}, {"s"});
  sketch.node("ConcatFromSequence", {"s"}, {"y"}, {{"axis", std::int64_t{-1}}, {"new_axis", kOne}});
  EXPECT_EQ(outcome_of(sketch.output("y").model()).shape(), (Ints{2, 3, 3}));
  ModelSketch unlike = sequence();
  unlike.node("ConcatFromSequence", {"s"}, {"y"}, {{"axis", kOne}, {"new_axis", kOne}});
  EXPECT_NE(outcome_of(unlike.output("y").model()).gap, "");
}

TEST(Sequences, GrowAndShrink) {
  ModelSketch sketch = sequence();
  sketch.integers("zero", {0}).input("c", {7, 7});
  sketch.node("SequenceInsert", {"s", "c", "zero"}, {"t"});
  sketch.node("SequenceAt", {"t", "zero"}, {"first"}).node("SequenceErase", {"t"}, {"u"});
  sketch.node("SequenceLength", {"u"}, {"n"}).integers("last", {-1});
  sketch.node("SequenceAt", {"u", "last"}, {"y"}).output("y").output("first").output("n");
  const Outcome found = outcome_of(sketch.model());
  EXPECT_EQ(found.gap, "");
  EXPECT_EQ(found.shape("first"), (Ints{7, 7}));
  EXPECT_EQ(found.shape(), (Ints{2, 3})) << "the last of three was erased";
  EXPECT_EQ(found.type("n"), ElementType::Int64);
}

TEST(Sequences, StartEmpty) {
  ModelSketch sketch{23};
  sketch.input("a", {4, 2}).node("SequenceEmpty", {}, {"s"});
  sketch.node("SequenceInsert", {"s", "a"}, {"t"}).node("SequenceLength", {"t"}, {"n"});
  sketch.node("ConstantOfShape", {"n"}, {"ignored"}).integers("i", {0});
  sketch.node("SequenceAt", {"t", "i"}, {"y"}).output("y");
  EXPECT_EQ(outcome_of(sketch.model()).shape(), (Ints{4, 2}));
}

/// The lengths of the parts of a SplitToSequence along axis 1 of (2, 7).
Ints parts(ModelSketch::Attributes attributes, const std::vector<std::string>& inputs) {
  Ints lengths;
  for (std::int64_t i = 0; i < 8; ++i) {
    ModelSketch sketch{23};
    sketch.input("x", {2, 7}).integers("list", {3, 4}).integers("three", {3}).integers("i", {i});
    sketch.model().graph.initializers[1].dims.clear();  // "three" is a scalar.
    sketch.node("SplitToSequence", inputs, {"s"}, attributes);
    sketch.node("SequenceAt", {"s", "i"}, {"y"}).output("y");
    const Outcome found = outcome_of(sketch.model());
    if (found.gap.empty()) lengths.push_back(found.shape().size() == 2 ? found.shape()[1] : -1);
  }
  return lengths;
}

TEST(SplitToSequence, CutsEqualPiecesOrListedOnes) {
  EXPECT_EQ(parts({{"axis", kOne}}, {"x", "list"}), (Ints{3, 4}));
  EXPECT_EQ(parts({{"axis", kOne}}, {"x", "three"}), (Ints{3, 3, 1})) << "the last may be smaller";
}

TEST(SplitToSequence, DropsTheAxisOnDemand) {
  ModelSketch sketch{23};
  sketch.input("x", {2, 7}).integers("i", {6});
  sketch.node("SplitToSequence", {"x"}, {"s"}, {{"axis", kOne}, {"keepdims", std::int64_t{0}}});
  sketch.node("SequenceAt", {"s", "i"}, {"y"}).output("y");
  EXPECT_EQ(outcome_of(sketch.model()).shape(), (Ints{2}));
}

TEST(Sequences, AreNoTensors) {
  ModelSketch sketch = sequence();
  sketch.node("Relu", {"s"}, {"y"}).output("y");
  EXPECT_EQ(outcome_of(sketch.model()).gap, "input 0 is a sequence of tensors, expected a tensor");
  ModelSketch tensor{23};
  tensor.input("x", {2}).node("SequenceLength", {"x"}, {"y"}).output("y");
  EXPECT_EQ(outcome_of(tensor.model()).gap, "input 0 is a tensor, expected a sequence of tensors");
}

TEST(Sequences, EndAtTheirLength) {
  ModelSketch sketch = sequence();
  sketch.integers("i", {2}).node("SequenceAt", {"s", "i"}, {"y"}).output("y");
  EXPECT_EQ(outcome_of(sketch.model()).gap, "position 2 is outside a sequence of 2");
}

TEST(Optionals, AreTheValueThatTheyHold) {
  ModelSketch sketch{23};
  sketch.input("x", {2, 3}).node("Optional", {"x"}, {"o"});
  sketch.node("OptionalHasElement", {"o"}, {"has"});
  sketch.node("OptionalGetElement", {"o"}, {"y"}).output("y").output("has");
  const Outcome found = outcome_of(sketch.model());
  EXPECT_EQ(found.shape(), (Ints{2, 3}));
  EXPECT_EQ(found.type("has"), ElementType::Bool);
}

// --- Text ----------------------------------------------------------------------------------------

TEST(Text, RunsOnTheHost) {
  OneNode join{"StringConcat"};
  const Outcome found = join.data({2, 1}, ElementType::String).data({3}, ElementType::String).run();
  EXPECT_EQ(found.shape(), (Ints{2, 3}));
  EXPECT_EQ(found.work.kernels_forward, 0);
  EXPECT_EQ(found.work.host_ops_forward, 1);
  const Outcome match = OneNode("RegexFullMatch").data({4}, ElementType::String).run();
  EXPECT_EQ(match.type(), ElementType::Bool);
}

TEST(Text, HasBoundsWhereWordsDecide) {
  OneNode split{"StringSplit"};
  split.data({4}, ElementType::String).with("maxsplit", std::int64_t{2}).outputs(2);
  const Outcome found = split.run();
  EXPECT_EQ(found.shape(), (Ints{4, 3}));
  EXPECT_TRUE(found.is_bound());
  EXPECT_FALSE(found.is_bound("y1"));
  EXPECT_NE(OneNode("StringSplit").data({4}, ElementType::String).outputs(2).run().gap, "");
}

TEST(Text, CountsWordsIntoColumns) {
  OneNode words{"TfIdfVectorizer"};
  words.data({6, 12}, ElementType::String).with("ngram_indexes", Ints{0, 4, 2});
  EXPECT_EQ(words.run().shape(), (Ints{6, 5}));
}

}  // namespace
}  // namespace horus::graph
