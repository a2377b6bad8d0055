// SPDX-License-Identifier: Apache-2.0
// Constants that freeze the batch, in the forms in which exporters of PyTorch write them.

#include "horus/graph/frozen_batch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/graph/model_sketch.hpp"

namespace horus::graph {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Ints = std::vector<std::int64_t>;

Analysis at_batch(const Model& model, std::int64_t batch) {
  auto analysis = analyse(model, {.batch = batch, .dims = {}});
  EXPECT_TRUE(analysis) << (analysis ? "" : analysis.error().text());
  if (!analysis) return {};
  for (const CostGap& gap : analysis->gaps) ADD_FAILURE() << gap.node << ": " << gap.reason;
  return *std::move(analysis);
}

double macs(const Analysis& analysis) { return totals_of(analysis.features).macs; }

/// The end of an attention whose steps come first: [5 steps, batch, 2 heads, 4] to rows of 8
/// features, a linear layer to 3, and back to steps and samples.
ModelSketch steps_first(Dim batch, const Ints& rows, const Ints& unfolded) {
  ModelSketch sketch;
  sketch.open_input("x", {std::move(batch), dim(5), dim(2), dim(4)}).weight("w", {8, 3});
  sketch.integers("rows", rows).integers("unfolded", unfolded);
  sketch.node("Transpose", {"x"}, {"t"}, {{"perm", Ints{1, 0, 2, 3}}});
  sketch.node("Reshape", {"t", "rows"}, {"r"}).node("Gemm", {"r", "w"}, {"g"});
  sketch.node("Reshape", {"g", "unfolded"}, {"y"}).output("y");
  return sketch;
}

TEST(FrozenSteps, ABatchOfOneJoinsTheStepsAndNotTheFeatures) {
  ModelSketch sketch = steps_first(dim(1), {5, 8}, {5, 1, 3});
  const Analysis analysis = at_batch(sketch.model(), 4);
  EXPECT_EQ(macs(analysis), 4 * 5 * 8 * 3);
  EXPECT_EQ(analysis.features.output_elements, 4 * 5 * 3);
  EXPECT_EQ(analysis.features.ops[2].elements_written, 4 * 5 * 3) << "rows of the linear layer";
  EXPECT_THAT(analysis.warnings, ElementsAre(HasSubstr("freeze batch 1")));
}

TEST(FrozenSteps, ALargerBatchJoinsTheStepsToo) {
  ModelSketch sketch = steps_first(dim(2), {10, 8}, {5, 2, 3});
  const Analysis analysis = at_batch(sketch.model(), 6);
  EXPECT_EQ(macs(analysis), 6 * 5 * 8 * 3);
  EXPECT_EQ(analysis.features.ops[2].elements_written, 6 * 5 * 3);
}

TEST(FrozenSteps, OpenTargetsAreNotCalledFrozen) {
  ModelSketch sketch = steps_first(dim("batch"), {-1, 8}, {5, -1, 3});
  const Analysis analysis = at_batch(sketch.model(), 4);
  EXPECT_EQ(macs(analysis), 4 * 5 * 8 * 3);
  EXPECT_EQ(analysis.features.output_elements, 4 * 5 * 3);
  EXPECT_THAT(analysis.warnings, IsEmpty());
}

TEST(FrozenHeads, ABatchOfOneJoinsTheHeadsWhereAnAxisOfFeaturesFollows) {
  ModelSketch sketch;
  sketch.input("x", {1, 5, 8}).integers("heads", {5, 2, 4});
  sketch.node("Transpose", {"x"}, {"t"}, {{"perm", Ints{1, 0, 2}}});
  sketch.node("Reshape", {"t", "heads"}, {"h"});
  sketch.node("Transpose", {"h"}, {"q"}, {{"perm", Ints{1, 0, 2}}});
  sketch.node("Transpose", {"h"}, {"k"}, {{"perm", Ints{1, 2, 0}}});
  sketch.node("MatMul", {"q", "k"}, {"y"}).output("y");
  // For each sample and head, five steps with five steps over four features.
  EXPECT_EQ(macs(at_batch(sketch.model(), 3)), 3 * 2 * 5 * 5 * 4);
}

/// as_strided of torch.export: all elements in one row, and indices in the shape of the result.
ModelSketch strided(std::int64_t batch) {
  ModelSketch sketch;
  sketch.input("x", {batch, 6, 2, 2}).integers("row", {-1}).weight("w", {6, 3});
  sketch.weight("indices", {batch, 6, 1, 1}, ElementType::Int64).integers("flat", {batch, 6});
  sketch.node("GlobalAveragePool", {"x"}, {"p"}).node("Reshape", {"p", "row"}, {"r"});
  sketch.node("Gather", {"r", "indices"}, {"s"}, {{"axis", std::int64_t{0}}});
  sketch.node("Reshape", {"s", "flat"}, {"f"}).node("Gemm", {"f", "w"}, {"y"}).output("y");
  return sketch;
}

TEST(FrozenIndices, OfAnAxisThatHoldsTheBatchFollowIt) {
  for (const std::int64_t batch : {std::int64_t{1}, std::int64_t{2}}) {
    ModelSketch sketch = strided(batch);
    for (const std::int64_t wanted : {std::int64_t{1}, std::int64_t{4}}) {
      const Analysis analysis = at_batch(sketch.model(), wanted);
      EXPECT_EQ(macs(analysis), static_cast<double>(wanted * 6 * 3)) << batch << " " << wanted;
    }
  }
}

TEST(FrozenIndices, ThatPickOneSampleStay) {
  ModelSketch sketch;
  sketch.input("x", {4, 6}).integers("first", {0}).weight("w", {6, 3});
  sketch.node("Gather", {"x", "first"}, {"s"}, {{"axis", std::int64_t{0}}});
  sketch.node("MatMul", {"s", "w"}, {"y"}).output("y");
  const Analysis analysis = at_batch(sketch.model(), 8);
  EXPECT_EQ(macs(analysis), 6 * 3);
  EXPECT_THAT(analysis.warnings, IsEmpty());
}

TEST(FrozenNodes, WithoutDataAreBrokenAndNotFrozen) {
  // What they miss is a gap; the output that the file declares must not hide that.
  for (const char* op : {"Reshape", "Slice"}) {
    ModelSketch sketch;
    sketch.open_input("x", {dim("n"), dim(2)}).integers("ends", {1});
    sketch.node(op, {"", "x", "ends"}, {"y"}).output("y");
    sketch.model().graph.outputs.back().shape = std::vector<Dim>{dim(1), dim(2)};
    const auto analysis = analyse(sketch.model(), {.batch = 3, .dims = {}});
    ASSERT_TRUE(analysis) << op << ": " << analysis.error().text();
    ASSERT_EQ(analysis->gaps.size(), 1U) << op;
    EXPECT_THAT(analysis->warnings, Not(Contains(HasSubstr("freeze")))) << op;
  }
}

/// Initial states of a recurrent layer: frozen zeros that are expanded to the size of the input.
ModelSketch expanded_state(std::int64_t batch) {
  ModelSketch sketch;
  sketch.input("x", {batch, 5, 4}).weight("w", {1, 12, 4}).weight("r", {1, 12, 3});
  sketch.weight("zeros", {1, batch, 3}).integers("axis", {1}).integers("one", {1});
  sketch.integers("width", {3});
  sketch.node("Transpose", {"x"}, {"t"}, {{"perm", Ints{1, 0, 2}}});
  sketch.node("Shape", {"t"}, {"sizes"}).node("Gather", {"sizes", "axis"}, {"n"});
  sketch.node("Concat", {"one", "n", "width"}, {"target"}, {{"axis", std::int64_t{0}}});
  sketch.node("Expand", {"zeros", "target"}, {"h0"});
  sketch.node("LSTM", {"t", "w", "r", "", "", "h0", "h0"}, {"y"},
              {{"hidden_size", std::int64_t{3}}});
  sketch.output("y");
  return sketch;
}

TEST(FrozenState, ThatIsExpandedToAComputedShapeFollowsTheBatch) {
  for (const std::int64_t batch : {std::int64_t{1}, std::int64_t{3}}) {
    ModelSketch sketch = expanded_state(batch);
    for (const std::int64_t wanted : {std::int64_t{1}, std::int64_t{3}, std::int64_t{4}}) {
      const Analysis analysis = at_batch(sketch.model(), wanted);
      EXPECT_EQ(macs(analysis), static_cast<double>(wanted * 5 * 12 * (4 + 3)))
          << batch << " " << wanted;
    }
  }
}

}  // namespace
}  // namespace horus::graph
