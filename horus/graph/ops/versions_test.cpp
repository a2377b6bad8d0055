// SPDX-License-Identifier: Apache-2.0
// Every row of the table of versions: the old and the new form of an operator give the same shape
// and the same cost, and what a version changed is changed in that version.

#include "horus/graph/ops/versions.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "horus/graph/one_node_test.hpp"
#include "horus/graph/ops/history.hpp"

namespace horus::graph {
namespace {

using Ints = std::vector<std::int64_t>;
using Reals = std::vector<double>;
constexpr std::int64_t kOne = 1;

/// One node in its old and in its new form.
struct Pair {
  std::string op;
  std::string setting;
  Model before;
  Model after;
  Ints expected;
};

/// The node `op` of version `opset` on "x" of shape `data`; `inputs` are integer constants.
Model plain(const std::string& op, std::int64_t opset, const Ints& data,
            ModelSketch::Attributes attributes, const std::vector<Ints>& inputs = {}) {
  ModelSketch sketch{opset};
  sketch.input("x", data);
  std::vector<std::string> names{"x"};
  for (const Ints& input : inputs) {
    names.push_back(input.empty() ? "" : "i" + std::to_string(names.size()));
    if (!input.empty()) sketch.integers(names.back(), input);
  }
  sketch.node(op, names, {"y"}, std::move(attributes)).output("y");
  return sketch.model();
}

Model with_reals(const std::string& op, std::int64_t opset, const Ints& data, std::size_t place,
                 const Reals& values, const ModelSketch::Attributes& attributes = {}) {
  ModelSketch sketch{opset};
  sketch.input("x", data).reals("s", values);
  std::vector<std::string> names(place + 1);
  names.front() = "x";
  names.back() = "s";
  sketch.node(op, names, {"y"}, attributes).output("y");
  return sketch.model();
}

Model aligned(const std::string& op, std::int64_t opset, const Ints& right,
              ModelSketch::Attributes attributes) {
  ModelSketch sketch{opset};
  sketch.input("x", {2, 3, 4}).input("r", right);
  sketch.node(op, {"x", "r"}, {"y"}, std::move(attributes)).output("y");
  return sketch.model();
}

void add_moved(std::vector<Pair>& pairs) {
  const auto scales = Reals{1, 1, 2, 2};
  const Ints image{1, 2, 3, 4};
  const auto add = [&](std::string op, std::string setting, Model before, Model after, Ints y) {
    pairs.push_back(
        {std::move(op), std::move(setting), std::move(before), std::move(after), std::move(y)});
  };
  add("Squeeze", "axes", plain("Squeeze", 11, {1, 3, 1}, {{"axes", Ints{0}}}),
      plain("Squeeze", 13, {1, 3, 1}, {}, {{0}}), {3, 1});
  add("Unsqueeze", "axes", plain("Unsqueeze", 11, {3, 4}, {{"axes", Ints{0, -1}}}),
      plain("Unsqueeze", 13, {3, 4}, {}, {{0, -1}}), {1, 3, 4, 1});
  add("Reshape", "shape", plain("Reshape", 1, {2, 6}, {{"shape", Ints{3, -1}}}),
      plain("Reshape", 5, {2, 6}, {}, {{3, -1}}), {3, 4});
  add("Pad", "pads", plain("Pad", 2, {2, 3}, {{"pads", Ints{0, 1, 0, 2}}}),
      plain("Pad", 11, {2, 3}, {}, {{0, 1, 0, 2}}), {2, 6});
  add("Pad", "axes", plain("Pad", 13, {2, 3}, {}, {{0, 1, 0, 2}}),
      plain("Pad", 18, {2, 3}, {}, {{1, 2}, {}, {-1}}), {2, 6});
  add("Split", "split", plain("Split", 11, {6, 2}, {{"split", Ints{6}}}),
      plain("Split", 13, {6, 2}, {}, {{6}}), {6, 2});
  add("TopK", "k", plain("TopK", 1, {4, 9}, {{"k", std::int64_t{3}}}),
      plain("TopK", 10, {4, 9}, {}, {{3}}), {4, 3});
  add("DFT", "axis", plain("DFT", 17, {2, 10, 1}, {{"axis", kOne}}),
      plain("DFT", 20, {2, 10, 1}, {}, {{}, {1}}), {2, 10, 2});
  add("Upsample", "scales", plain("Upsample", 7, image, {{"scales", scales}}),
      with_reals("Upsample", 9, image, 1, scales), {1, 2, 6, 8});
  add("Resize", "scales", with_reals("Resize", 10, image, 1, scales),
      with_reals("Resize", 11, image, 2, scales), {1, 2, 6, 8});
  add("Resize", "sizes", with_reals("Resize", 10, image, 1, scales),
      plain("Resize", 11, image, {}, {{}, {}, {1, 2, 6, 8}}), {1, 2, 6, 8});
  add("Dropout", "ratio", plain("Dropout", 10, {4, 5}, {{"ratio", 0.25}}),
      with_reals("Dropout", 12, {4, 5}, 1, {0.25}), {4, 5});
  const Model slice9 =
      plain("Slice", 9, {10, 8}, {{"starts", Ints{2}}, {"ends", Ints{1 << 30}}, {"axes", Ints{0}}});
  const Model slice10 = plain("Slice", 10, {10, 8}, {}, {{2}, {1 << 30}, {0}, {1}});
  for (const char* setting : {"starts", "ends", "axes", "steps"}) {
    add("Slice", setting, slice9, slice10, {8, 8});
  }
}

void add_alike(std::vector<Pair>& pairs) {
  for (const VersionChange& row : version_changes()) {
    const std::string op{row.op};
    if (row.setting == "axes" && op.starts_with("Reduce")) {
      pairs.push_back({op,
                       "axes",
                       plain(op, row.since - 1, {3, 4, 5}, {{"axes", Ints{1}}}),
                       plain(op, row.since, {3, 4, 5}, {}, {{1}}),
                       {3, 1, 5}});
    }
    if (row.setting == "aligns at axis" && row.number == 0) {
      pairs.push_back({op,
                       "aligns at axis",
                       aligned(op, row.since - 1, {3}, {{"broadcast", kOne}, {"axis", kOne}}),
                       aligned(op, row.since, {3, 1}, {}),
                       {2, 3, 4}});
    }
    if (row.setting == "flattens" && row.number == 0) {
      // Behind axis 1 nothing is left to flatten in a matrix.
      const Model after = plain(op, row.since, {4, 6}, {});
      pairs.push_back({op, "flattens", plain(op, row.since - 1, {4, 6}, {}), after, {4, 6}});
      pairs.push_back({op, "axis", plain(op, row.since - 1, {4, 6}, {}), after, {4, 6}});
    }
  }
}

void add_behaviours(std::vector<Pair>& pairs) {
  ModelSketch concat3{3};
  concat3.input("x", {2, 3}).node("Concat", {"x", "x"}, {"y"}).output("y");
  ModelSketch concat4{4};
  concat4.input("x", {2, 3}).node("Concat", {"x", "x"}, {"y"}, {{"axis", kOne}}).output("y");
  pairs.push_back({"Concat", "axis", concat3.model(), concat4.model(), {2, 6}});
  pairs.push_back({"Tile",
                   "repeats one axis",
                   plain("Tile", 1, {2, 3}, {}, {{4}, {1}}),
                   plain("Tile", 6, {2, 3}, {}, {{1, 4}}),
                   {2, 12}});
  pairs.push_back({"Split",
                   "unequal parts",
                   plain("Split", 17, {6, 2}, {}),
                   plain("Split", 18, {6, 2}, {{"num_outputs", kOne}}),
                   {6, 2}});
  pairs.push_back({"Dropout",
                   "boolean mask",
                   plain("Dropout", 7, {4, 5}, {{"ratio", 0.5}}),
                   plain("Dropout", 10, {4, 5}, {{"ratio", 0.5}}),
                   {4, 5}});
}

std::vector<Pair> all_pairs() {
  std::vector<Pair> pairs;
  add_moved(pairs);
  add_alike(pairs);
  add_behaviours(pairs);
  return pairs;
}

TEST(Versions, TheOldAndTheNewFormGiveTheSameShapeAndCost) {
  for (const Pair& pair : all_pairs()) {
    const Outcome before = outcome_of(pair.before);
    const Outcome after = outcome_of(pair.after);
    const std::string what = pair.op + " " + pair.setting;
    EXPECT_EQ(before.shape(), pair.expected) << what << " before: " << before.gap;
    EXPECT_EQ(after.shape(), pair.expected) << what << " after: " << after.gap;
    EXPECT_TRUE(before.work == after.work) << what;
  }
}

TEST(Versions, EveryRowOfTheTableHasAPair) {
  std::set<std::string> covered;
  for (const Pair& pair : all_pairs()) covered.insert(pair.op + " " + pair.setting);
  for (const VersionChange& row : version_changes()) {
    EXPECT_TRUE(covered.contains(fmt::format("{} {}", row.op, row.setting)))
        << row.op << " " << row.setting;
  }
}

TEST(Versions, EveryRowBelongsToAVersionThatDefinesTheOperatorAnew) {
  for (const VersionChange& row : version_changes()) {
    const OperatorHistory* history = history_of(row.op);
    ASSERT_NE(history, nullptr) << row.op;
    EXPECT_TRUE(std::ranges::count(history->versions, row.since) > 0) << row.op << " " << row.since;
  }
}

TEST(Versions, ADefaultIsThatOfTheVersion) {
  // Softmax over a vector: axis 1 splits it in version 12, and does not exist in 13.
  EXPECT_EQ(outcome_of(plain("Softmax", 12, {5}, {{"axis", kOne}})).shape(), (Ints{5}));
  EXPECT_EQ(outcome_of(plain("Softmax", 13, {5}, {{"axis", kOne}})).shape(), (Ints{-1}));
  // DFT works along axis 1 in version 17 and along the last but one since 20.
  const ModelSketch::Attributes onesided{{"onesided", kOne}};
  EXPECT_EQ(outcome_of(plain("DFT", 17, {2, 4, 10, 1}, onesided)).shape(), (Ints{2, 3, 10, 2}));
  EXPECT_EQ(outcome_of(plain("DFT", 20, {2, 4, 10, 1}, onesided)).shape(), (Ints{2, 4, 6, 2}));
}

TEST(Versions, ARequiredSettingThatIsMissingIsAGap) {
  ModelSketch sketch{4};
  sketch.input("x", {2, 3}).node("Concat", {"x", "x"}, {"y"}).output("y");
  EXPECT_EQ(outcome_of(sketch.model()).gap, "attribute 'axis' is missing");
}

TEST(Versions, UnequalPartsCameWithEighteen) {
  for (const std::int64_t version : {17, 18}) {
    ModelSketch sketch{version};
    sketch.input("x", {7, 2}).node("Split", {"x"}, {"a", "y"}).output("y");
    EXPECT_EQ(outcome_of(sketch.model()).shape(), version < 18 ? (Ints{-1}) : (Ints{3, 2}));
  }
}

TEST(Versions, AnOperatorOfAnotherVersionIsCostedAndTold) {
  const Model model = plain("Gelu", 17, {2, 3}, {});
  const auto analysis = analyse(model);
  ASSERT_TRUE(analysis);
  EXPECT_EQ(analysis->features.ops[0].flops_forward, 5 * 6);
  ASSERT_EQ(analysis->warnings.size(), 1U);
  EXPECT_EQ(analysis->warnings[0],
            "1 nodes use operators that version 17 of the operator set does not have (first Gelu "
            "'y'): they are read as in the nearest version that has them");
}

TEST(Versions, AVersionBeyondTheNewestIsTold) {
  const auto analysis = analyse(plain("Relu", kNewestOpset + 1, {2, 3}, {}));
  ASSERT_TRUE(analysis);
  EXPECT_TRUE(analysis->gaps.empty());
  ASSERT_EQ(analysis->warnings.size(), 1U);
  EXPECT_TRUE(analysis->warnings[0].starts_with(
      fmt::format("version {} of the operator set is newer than", kNewestOpset + 1)));
}

TEST(History, KnowsWhichVersionHasAnOperator) {
  EXPECT_FALSE(exists_in("Gelu", 19));
  EXPECT_TRUE(exists_in("Gelu", 20));
  EXPECT_TRUE(exists_in("Upsample", 9));
  EXPECT_FALSE(exists_in("Upsample", 10)) << "deprecated in favour of Resize";
  EXPECT_TRUE(exists_in("NoSuchOperator", 1)) << "what no version has, no version forbids";
}

}  // namespace
}  // namespace horus::graph
