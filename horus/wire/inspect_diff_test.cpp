// SPDX-License-Identifier: Apache-2.0
#include "horus/wire/inspect_diff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace horus::wire {
namespace {

using nlohmann::json;

NodeRow conv(const std::string& name, std::int64_t channels, double macs) {
  return {.name = name,
          .op_type = "Conv",
          .kind = OpKind::Convolution,
          .shape = std::vector<std::int64_t>{1, channels, 8, 8},
          .macs = macs};
}

InspectReport with(std::vector<NodeRow> rows) {
  return {.model = "net", .in_order = std::move(rows)};
}

std::vector<std::string> changes_of(const InspectDiff& diff) {
  std::vector<std::string> texts;
  for (const LayerChange& layer : diff.layers) {
    texts.push_back(std::string{name_of(layer.change)} + " " +
                    (layer.before ? layer.before->name : "-") + " " +
                    (layer.after ? layer.after->name : "-"));
  }
  return texts;
}

TEST(InspectDiff, OfAModelWithItselfIsEmpty) {
  const auto diff = compare(with({conv("a", 4, 1), conv("a", 4, 1), conv("b", 8, 2)}),
                            with({conv("a", 4, 1), conv("a", 4, 1), conv("b", 8, 2)}));
  EXPECT_TRUE(diff.layers.empty());
  EXPECT_TRUE(diff.operators.empty());
  EXPECT_EQ(diff.layers_unchanged, 3);
}

TEST(InspectDiff, FindsWhatWasAddedRemovedAndChangedByName) {
  const auto diff = compare(with({conv("a", 4, 1), conv("old", 16, 9), conv("b", 8, 2)}),
                            with({conv("a", 4, 1), conv("b", 8, 5), conv("new", 32, 7)}));
  EXPECT_THAT(changes_of(diff),
              ::testing::ElementsAre("removed old -", "changed b b", "added - new"));
}

TEST(InspectDiff, PairsRenamedLayersByTypeAndShapeInOrder) {
  const auto diff = compare(with({conv("Conv_0", 4, 1), conv("Conv_1", 4, 2), conv("x", 8, 3)}),
                            with({conv("conv1", 4, 1), conv("conv2", 4, 6), conv("x", 8, 3)}));
  EXPECT_THAT(changes_of(diff), ::testing::ElementsAre("changed Conv_1 conv2"));
  EXPECT_EQ(diff.layers_renamed, 1);
  EXPECT_EQ(diff.layers_unchanged, 1);
}

TEST(InspectDiff, CallsAnotherShapeOrTypeAChange) {
  NodeRow gelu{.name = "act", .op_type = "Gelu", .kind = OpKind::Activation};
  NodeRow relu{.name = "act", .op_type = "Relu", .kind = OpKind::Activation};
  const auto diff = compare(with({conv("a", 4, 1), gelu}), with({conv("a", 8, 1), relu}));
  EXPECT_THAT(changes_of(diff), ::testing::ElementsAre("changed a a", "changed act act"));
}

TEST(InspectDiff, PassesOverNodesThatCostNothing) {
  const auto diff = compare(with({conv("a", 4, 1)}),
                            with({conv("a", 4, 1), {.name = "shape", .op_type = "Shape"}}));
  EXPECT_TRUE(diff.layers.empty());
}

TEST(InspectDiff, NamesEveryNodeWithoutCost) {
  InspectReport before = with({conv("a", 4, 1), conv("known", 4, 1)});
  InspectReport after = with({conv("a", 4, 1)});
  before.nodes_without_cost = {{.name = "odd", .op_type = "Warp", .reason = "unknown operator"}};
  after.nodes_without_cost = {{.name = "odd", .op_type = "Warp", .reason = "unknown operator"},
                              {.name = "known", .op_type = "Conv", .reason = "no shape"},
                              {.name = "new", .op_type = "Warp", .reason = "unknown operator"}};
  const auto diff = compare(before, after);
  EXPECT_THAT(changes_of(diff), ::testing::ElementsAre("cost unknown known known",
                                                       "cost unknown odd odd", "added - new"));
  EXPECT_EQ(diff.layers_unchanged, 1);
  const json layer = json::parse(to_json(diff))["layers"][0];
  EXPECT_EQ(layer["change"], "cost unknown");
  EXPECT_EQ(layer["before"]["macs"], 1);
  EXPECT_EQ(layer["after"]["gap"], "no shape");
  EXPECT_FALSE(layer["after"].contains("macs"));
}

TEST(InspectDiff, ComparesOperatorsByType) {
  InspectReport before = with({});
  InspectReport after = with({});
  before.by_operator = {{.op_type = "Conv", .nodes = 2}, {.op_type = "Relu", .nodes = 1}};
  after.by_operator = {{.op_type = "Add", .nodes = 1}, {.op_type = "Relu", .nodes = 1}};
  const auto diff = compare(before, after);
  ASSERT_EQ(diff.operators.size(), 2U);
  EXPECT_EQ(diff.operators[0].op_type, "Add");
  EXPECT_EQ(diff.operators[0].before.nodes, 0);
  EXPECT_EQ(diff.operators[1].op_type, "Conv");
  EXPECT_EQ(diff.operators[1].after.nodes, 0);
}

TEST(InspectDiffJson, GivesDifferencesAndNoShareOfNothing) {
  InspectReport before = with({conv("old", 4, 1)});
  InspectReport after = with({});
  before.parameters = 200;
  after.parameters = 150;
  after.buffers = 5;
  const json parsed = json::parse(to_json(compare(before, after)));
  EXPECT_EQ(parsed["schema_version"], 1);
  EXPECT_EQ(parsed["totals"]["parameters"]["difference"], -50);
  EXPECT_EQ(parsed["totals"]["parameters"]["relative"], -0.25);
  EXPECT_TRUE(parsed["totals"]["buffers"]["relative"].is_null());
  EXPECT_EQ(parsed["layers"][0]["change"], "removed");
  EXPECT_EQ(parsed["layers"][0]["before"]["shape"], json({1, 4, 8, 8}));
  EXPECT_TRUE(parsed["layers"][0]["after"].is_null());
}

}  // namespace
}  // namespace horus::wire
