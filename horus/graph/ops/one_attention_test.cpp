// SPDX-License-Identifier: Apache-2.0
// Attention as one operator: shapes by its definition, costs counted by hand.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "horus/graph/costed_sketch_test.hpp"
#include "horus/graph/one_node_test.hpp"

namespace horus::graph {
namespace {

using std::int64_t;
constexpr const char* kMicrosoft = "com.microsoft";

TEST(Attention, MultipliesQueriesWithKeysAndWeightsWithValues) {
  // 2 samples, 4 heads, 5 queries over 7 keys; keys of size 8, values of size 6.
  OneNode node{"Attention"};
  const Outcome found =
      node.data({2, 4, 5, 8}).data({2, 4, 7, 8}).data({2, 4, 7, 6}).outputs(4).run();
  EXPECT_EQ(found.shape(), (Ints{2, 4, 5, 6}));
  EXPECT_EQ(found.shape("y1"), (Ints{2, 4, 7, 8}));
  EXPECT_EQ(found.shape("y2"), (Ints{2, 4, 7, 6}));
  EXPECT_EQ(found.shape("y3"), (Ints{2, 4, 5, 7}));
  EXPECT_EQ(found.work.macs, 2 * 4 * 5 * 7 * (8 + 6));
  EXPECT_EQ(found.work.flops_forward, 2 * found.work.macs + 6 * 2 * 4 * 5 * 7);
  EXPECT_EQ(found.work.kernels_forward, 1);
}

TEST(Attention, SplitsThreeAxesIntoHeadsAndGroups) {
  // 8 query heads share 2 key heads of size 16.
  OneNode node{"Attention"};
  node.data({3, 10, 128}).data({3, 12, 32}).data({3, 12, 32});
  node.with("q_num_heads", int64_t{8}).with("kv_num_heads", int64_t{2}).outputs(2);
  const Outcome found = node.run();
  EXPECT_EQ(found.shape(), (Ints{3, 10, 128}));
  EXPECT_EQ(found.shape("y1"), (Ints{3, 2, 12, 16}));
  EXPECT_EQ(found.work.macs, 3 * 8 * 10 * 12 * (16 + 16)) << "groups share keys, not work";
}

TEST(Attention, SeesItsPast) {
  OneNode node{"Attention"};
  node.data({1, 4, 1, 8}).data({1, 4, 1, 8}).data({1, 4, 1, 8}).none();
  node.data({1, 4, 99, 8}).data({1, 4, 99, 8}).outputs(2);
  const Outcome found = node.run();
  EXPECT_EQ(found.shape("y1"), (Ints{1, 4, 100, 8}));
  EXPECT_EQ(found.work.macs, 4 * 100 * 16);
}

TEST(Attention, RefusesWhatDoesNotBelongTogether) {
  EXPECT_NE(OneNode("Attention").data({1, 4, 5, 8}).data({1, 3, 7, 8}).data({1, 3, 7, 8}).run().gap,
            "");
  EXPECT_NE(OneNode("Attention").data({1, 5, 32}).data({1, 5, 32}).data({1, 5, 32}).run().gap, "")
      << "three axes without a number of heads";
}

TEST(Attention, KeepsNoScoresAndRecomputesThemBackward) {
  ModelSketch sketch{23};
  sketch.input("x", {2, 64, 32}).weight("w", {32, 32}).node("MatMul", {"x", "w"}, {"q"});
  sketch.node("Attention", {"q", "q", "q"}, {"y"},
              {{"q_num_heads", int64_t{4}}, {"kv_num_heads", int64_t{4}}});
  sketch.output("y");
  const OpWork work = work_of(sketch, "y");
  // Kept: q (once), the output, and an FP32 number per row; no 64 x 64 scores of each head.
  EXPECT_EQ(work.saved_elements, 2 * 64 * 32 + 2 * 64 * 32);
  EXPECT_EQ(work.saved_index_bytes, Bytes{4 * 2 * 4 * 64});
  const double scores = 2 * 4 * 64 * 64;
  EXPECT_EQ(work.macs, scores * 16);
  // Five products instead of two, softmax again and its gradient; q is used three times, so that
  // two sums of gradients follow.
  EXPECT_EQ(work.flops_backward, 2.5 * 2 * work.macs + 10 * scores + 2 * (2 * 64 * 32));
}

TEST(LinearAttention, GrowsWithThePositionsNotWithTheirSquare) {
  const auto macs = [](int64_t positions) {
    OneNode node{"LinearAttention", 27};
    node.data({1, positions, 32}).data({1, positions, 32}).data({1, positions, 64});
    node.with("q_num_heads", int64_t{4}).with("kv_num_heads", int64_t{4}).outputs(2);
    const Outcome found = node.with("update_rule", std::string{"linear"}).run();
    EXPECT_EQ(found.shape(), (Ints{1, positions, 64}));
    EXPECT_EQ(found.shape("y1"), (Ints{1, 4, 8, 16}));
    return found.work.macs;
  };
  EXPECT_EQ(macs(10), 10 * 4 * 2 * 8 * 16) << "an update and a reading of 8 x 16 states";
  EXPECT_EQ(macs(20), 2 * macs(10));
}

TEST(CausalConvolution, IsDepthwise) {
  OneNode node{"CausalConvWithState", 27};
  const Outcome found = node.data({2, 6, 9}).weight({6, 1, 4}).weight({6}).outputs(2).run();
  EXPECT_EQ(found.shape(), (Ints{2, 6, 9}));
  EXPECT_EQ(found.shape("y1"), (Ints{2, 6, 3}));
  EXPECT_EQ(found.work.macs, 2 * 6 * 9 * 4);
  EXPECT_EQ(found.parameters, 6 * 4 + 6);
}

TEST(RotaryEmbedding, KeepsItsShapeAndCountsThreeOperations) {
  OneNode node{"RotaryEmbedding"};
  const Outcome found = node.data({2, 4, 6, 8}).weight({50, 4}).weight({50, 4}).run();
  EXPECT_EQ(found.shape(), (Ints{2, 4, 6, 8}));
  EXPECT_EQ(found.work.flops_forward, 3 * 2 * 4 * 6 * 8);
  EXPECT_EQ(found.parameters, 0) << "tables of angles do not train";
}

// --- com.microsoft -------------------------------------------------------------------------------

TEST(ProjectedAttention, CountsItsWeights) {
  // BERT-base: 768 features, 12 heads, 128 positions: three projections of 768 x 768, then QK^T and
  // AV over 128 keys.
  OneNode node{"Attention", 17, kMicrosoft};
  node.data({1, 128, 768}).weight({768, 2304}).weight({2304}).with("num_heads", int64_t{12});
  const Outcome found = node.outputs(2).run();
  EXPECT_EQ(found.shape(), (Ints{1, 128, 768}));
  EXPECT_EQ(found.shape("y1"), (Ints{2, 1, 12, 128, 64}));
  EXPECT_EQ(found.work.macs, 128.0 * 768 * 2304 + 2.0 * 128 * 128 * 768);
  EXPECT_EQ(found.parameters, 768 * 2304 + 2304);
}

TEST(ProjectedAttention, MayHaveNarrowerHeads) {
  OneNode node{"Attention", 17, kMicrosoft};
  node.data({2, 10, 64}).weight({64, 32 + 32 + 96}).weight({160}).with("num_heads", int64_t{4});
  const Outcome found = node.with("qkv_hidden_sizes", Ints{32, 32, 96}).run();
  EXPECT_EQ(found.shape(), (Ints{2, 10, 96}));
  EXPECT_EQ(found.work.macs, 20 * 64 * 160 + 2 * 4 * 100 * (8 + 24));
}

TEST(MultiHeadAttention, ReadsAllThreeLayouts) {
  OneNode plain{"MultiHeadAttention", 17, kMicrosoft};
  plain.data({2, 5, 32}).data({2, 7, 32}).data({2, 7, 48}).with("num_heads", int64_t{4});
  const Outcome found = plain.outputs(3).run();
  EXPECT_EQ(found.shape(), (Ints{2, 5, 48}));
  EXPECT_EQ(found.shape("y1"), (Ints{2, 4, 7, 8}));
  EXPECT_EQ(found.shape("y2"), (Ints{2, 4, 7, 12}));
  EXPECT_EQ(found.work.macs, 2 * 4 * 5 * 7 * (8 + 12));
  OneNode packed{"MultiHeadAttention", 17, kMicrosoft};
  packed.data({2, 5, 4, 3, 8}).with("num_heads", int64_t{4});
  EXPECT_EQ(packed.run().shape(), (Ints{2, 5, 32}));
  OneNode crossed{"MultiHeadAttention", 17, kMicrosoft};
  crossed.data({2, 5, 32}).data({2, 4, 9, 8}).data({2, 4, 9, 8}).with("num_heads", int64_t{4});
  EXPECT_EQ(crossed.run().work.macs, 2 * 4 * 5 * 9 * 16);
}

TEST(GroupQueryAttention, GrowsItsCache) {
  // 8 query heads, 2 key heads of size 16; 30 positions in the cache, 1 new one.
  OneNode node{"GroupQueryAttention", 17, kMicrosoft};
  node.data({1, 1, 128}).data({1, 1, 32}).data({1, 1, 32}).data({1, 2, 30, 16});
  node.data({1, 2, 30, 16}).data({1}, ElementType::Int32).integers({31}).outputs(3);
  node.with("num_heads", int64_t{8}).with("kv_num_heads", int64_t{2});
  const Outcome found = node.run();
  EXPECT_EQ(found.shape(), (Ints{1, 1, 128}));
  EXPECT_EQ(found.shape("y1"), (Ints{1, 2, 31, 16}));
  EXPECT_FALSE(found.is_bound("y1"));
  EXPECT_EQ(found.work.macs, 8 * 31 * 32);
}

TEST(LongformerAttention, SeesAWindow) {
  OneNode node{"LongformerAttention", 17, kMicrosoft};
  node.data({1, 512, 64}).weight({64, 192}).weight({192}).data({1, 512}).weight({64, 192});
  node.weight({192}).data({1, 512}, ElementType::Int32);
  node.with("num_heads", int64_t{4}).with("window", int64_t{32});
  const Outcome found = node.run();
  EXPECT_EQ(found.shape(), (Ints{1, 512, 64}));
  EXPECT_EQ(found.work.macs, 512.0 * 64 * 192 + 512.0 * 65 * 2 * 64);
}

}  // namespace
}  // namespace horus::graph
