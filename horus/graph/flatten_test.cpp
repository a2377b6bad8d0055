// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/flatten.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/structure_sketch_test.hpp"

namespace horus::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Node reference(Node node, const std::string& attribute, const std::string& parameter) {
  node.attributes[attribute] = AttributeRef{parameter, "f"};
  return node;
}

/// x -> layer(x, w) -> y, where layer is a MatMul and a Relu.
ModelSketch layered() {
  ModelSketch sketch;
  sketch.input("x", {8, 4}).weight("w", {4, 16});
  add_call(sketch, "layer", {"x", "w"}, {"y"});
  ModelSketch body;
  body.node("MatMul", {"a", "b"}, {"product"}).node("Relu", {"product"}, {"result"});
  sketch.output("y").model().functions = {function_of("layer", body, {"a", "b"}, {"result"})};
  return sketch;
}

TEST(Flatten, PutsTheBodyOfAFunctionInThePlaceOfItsCall) {
  const auto flat = flatten(layered().model());
  ASSERT_TRUE(flat) << flat.error().text();
  const auto& nodes = flat->model.graph.nodes;
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].name, "y/product");
  EXPECT_THAT(nodes[0].inputs, ElementsAre("x", "w"));
  EXPECT_THAT(nodes[0].outputs, ElementsAre("y/product"));
  EXPECT_THAT(nodes[1].outputs, ElementsAre("y"));
  EXPECT_TRUE(is_flat(flat->model));
}

TEST(Flatten, CostsACallAsItsBody) {
  ModelSketch sketch = layered();
  const Analysis analysis = analysis_of(sketch);
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(analysis.nodes, 1);
  EXPECT_EQ(analysis.features.parameters, 64);
  EXPECT_EQ(work_in(analysis, "y/product").macs, 8 * 4 * 16);
}

TEST(Flatten, KeepsTheNamesOfTwoCallsApart) {
  ModelSketch sketch = layered();
  sketch.weight("v", {16, 2}).output("z");
  add_call(sketch, "layer", {"y", "v"}, {"z"});
  const Analysis analysis = analysis_of(sketch);
  EXPECT_EQ(work_in(analysis, "y/product").macs, 8 * 4 * 16);
  EXPECT_EQ(work_in(analysis, "z/product").macs, 8 * 16 * 2);
}

TEST(Flatten, KeepsABodysNamesApartFromThoseOfTheFile) {
  ModelSketch sketch = layered();
  // The file happens to use the name that the body's value would get.
  sketch.node("Relu", {"x"}, {"y/product"}).output("y/product");
  const Analysis analysis = analysis_of(sketch);
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(analysis.features.ops.size(), 3U);
}

TEST(Flatten, BindsAttributesToTheCallOrTheDefaultOrTheOperatorsOwn) {
  for (const auto& [given, expected] :
       {std::pair{std::vector<std::int64_t>{2}, 2}, {std::vector<std::int64_t>{}, 3}}) {
    ModelSketch sketch;
    sketch.input("x", {1, 6, 10}).output("y");
    ModelSketch::Attributes attributes;
    if (!given.empty()) attributes["parts"] = given[0];
    add_call(sketch, "regroup", {"x"}, {"y"}, attributes);
    ModelSketch body;
    body.node("DepthToSpace", {"a"}, {"b"});
    // An axis that neither the call nor the function knows: the operator has its own default.
    body.node("Softmax", {"a"}, {"b"}, {{"axis", AttributeRef{"unknown", "i"}}});
    body.model().graph.nodes.erase(body.model().graph.nodes.begin());
    body.node("Split", {"b"}, {"c"},
              {{"axis", std::int64_t{1}}, {"num_outputs", AttributeRef{"parts", "i"}}});
    Function function = function_of("regroup", body, {"a"}, {"c"});
    function.defaults["parts"] = std::int64_t{3};
    sketch.model().functions = {function};
    const auto flat = flatten(sketch.model());
    ASSERT_TRUE(flat) << flat.error().text();
    const auto& nodes = flat->model.graph.nodes;
    EXPECT_FALSE(nodes[0].attributes.contains("axis"));
    EXPECT_EQ(nodes[1].attributes.at("num_outputs"), AttributeValue{std::int64_t{expected}});
  }
}

TEST(Flatten, BindsAttributesThroughNestedCalls) {
  ModelSketch inner;
  inner.model().graph.nodes.push_back(
      reference(Node{.op_type = "LeakyRelu", .inputs = {"a"}, .outputs = {"b"}}, "alpha", "slope"));
  ModelSketch outer;
  add_call(outer, "inner", {"a"}, {"b"}, {{"slope", AttributeRef{"steepness", "f"}}});
  ModelSketch sketch;
  sketch.input("x", {4}).output("y");
  add_call(sketch, "outer", {"x"}, {"y"}, {{"steepness", 0.25}});
  sketch.model().functions = {function_of("outer", outer, {"a"}, {"b"}),
                              function_of("inner", inner, {"a"}, {"b"})};
  const auto flat = flatten(sketch.model());
  ASSERT_TRUE(flat) << flat.error().text();
  ASSERT_EQ(flat->model.graph.nodes.size(), 1U);
  EXPECT_EQ(flat->model.graph.nodes[0].attributes.at("alpha"), AttributeValue{0.25});
}

TEST(Flatten, LeavesOutWhatTheCallLeavesOut) {
  ModelSketch body;
  body.node("Clip", {"a", "low", "high"}, {"b"});
  ModelSketch sketch;
  sketch.input("x", {4}).scalar("six", 6).output("y");
  add_call(sketch, "bound", {"x", "", "six"}, {"y"});
  add_call(sketch, "bound", {"x"}, {"z"});
  sketch.model().functions = {function_of("bound", body, {"a", "low", "high"}, {"b"})};
  const auto flat = flatten(sketch.model());
  ASSERT_TRUE(flat) << flat.error().text();
  EXPECT_THAT(flat->model.graph.nodes[0].inputs, ElementsAre("x", "", "six"));
  EXPECT_THAT(flat->model.graph.nodes[1].inputs, ElementsAre("x", "", ""));
  const Analysis analysis = analysis_of(sketch);
  EXPECT_THAT(analysis.gaps, IsEmpty());
}

TEST(Flatten, ReadsABodyByTheVersionOfItsOwnOperatorSet) {
  // Softmax flattens to two axes until version 12 and works along one axis from 13 on; Squeeze has
  // its axes as an attribute until 12.
  ModelSketch body;
  body.node("Squeeze", {"a"}, {"b"}, {{"axes", std::vector<std::int64_t>{0}}});
  ModelSketch sketch{17};
  sketch.input("x", {1, 5}).output("y");
  add_call(sketch, "old", {"x"}, {"y"});
  sketch.model().functions = {function_of("old", body, {"a"}, {"b"})};
  sketch.model().functions[0].opsets = {{"", 11}};
  const auto flat = flatten(sketch.model());
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->model.graph.nodes[0].opset, 11);
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_EQ(shape_in(analysis, "y"), (std::vector<std::int64_t>{5}));
}

TEST(Flatten, NamesTheVersionOfTheBodyWhereItsOperatorIsNotInIt) {
  ModelSketch body{11};
  body.node("Gelu", {"a"}, {"b"});
  ModelSketch sketch{20};  // The first version that has Gelu.
  sketch.input("x", {2, 3}).output("y");
  add_call(sketch, "f", {"x"}, {"y"});
  Function function = function_of("f", body, {"a"}, {"b"});
  function.opsets = {{"", 11}};
  sketch.model().functions = {function};
  EXPECT_THAT(analysis_of(sketch).warnings,
              ElementsAre(HasSubstr("version 11 of the operator set does not have (first Gelu")));
}

TEST(Flatten, ShowsAnInputThatAFunctionReturnsUnchanged) {
  ModelSketch body;
  body.node("Relu", {"a"}, {"b"});
  ModelSketch sketch;
  sketch.input("x", {4}).output("same").output("also").output("rect");
  add_call(sketch, "both", {"x"}, {"rect", "same", "also"});
  sketch.model().functions = {function_of("both", body, {"a"}, {"b", "a", "b"})};
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(shape_in(analysis, "same"), (std::vector<std::int64_t>{4}));
  EXPECT_EQ(shape_in(analysis, "also"), (std::vector<std::int64_t>{4}));
}

TEST(Flatten, PrefersTheModelsOwnDefinitionToTheRuleOfAnOperator) {
  // The model redefines Gelu as something without cost.
  ModelSketch body;
  body.node("Identity", {"a"}, {"b"});
  ModelSketch sketch;
  sketch.input("x", {4}).output("y").node("Gelu", {"x"}, {"y"});
  sketch.model().functions = {function_of("Gelu", body, {"a"}, {"b"})};
  sketch.model().functions[0].domain = "";
  const Analysis analysis = analysis_of(sketch);
  ASSERT_EQ(analysis.features.ops.size(), 1U);
  EXPECT_EQ(analysis.features.ops[0].op_type, "Identity");
}

TEST(Flatten, PrefersTheRuleWhereTheBodyHasOperatorsThatNobodyKnows) {
  ModelSketch body;
  body.node("Enigma", {"a"}, {"b"});
  ModelSketch sketch;
  sketch.input("x", {4}).output("y").node("Relu", {"x"}, {"y"});
  sketch.model().functions = {function_of("Relu", body, {"a"}, {"b"})};
  sketch.model().functions[0].domain = "";
  const Analysis analysis = analysis_of(sketch);
  EXPECT_THAT(analysis.gaps, IsEmpty());
  ASSERT_EQ(analysis.features.ops.size(), 1U);
  EXPECT_EQ(analysis.features.ops[0].op_type, "Relu");
}

TEST(Flatten, MakesAGapOfACallThatDoesNotFit) {
  ModelSketch sketch = layered();
  sketch.model().graph.nodes[0].inputs.push_back("x");
  const Analysis analysis = analysis_of(sketch);
  ASSERT_EQ(analysis.gaps.size(), 1U);
  EXPECT_EQ(analysis.gaps[0].node, "y");
  EXPECT_EQ(analysis.gaps[0].op_type, "layer");
  EXPECT_THAT(analysis.gaps[0].reason, HasSubstr("the call has 3 inputs and 1 outputs"));
}

TEST(Flatten, MakesAGapOfABodyThatUsesWhatNobodyMakes) {
  ModelSketch sketch = layered();
  sketch.model().functions[0].body.nodes[1].inputs[0] = "w";  // Of the file: not to be seen.
  const Analysis analysis = analysis_of(sketch);
  ASSERT_EQ(analysis.gaps.size(), 1U);
  EXPECT_THAT(analysis.gaps[0].reason, HasSubstr("value 'w' is used in its body"));
}

/// Functions f0 to f<depth>, each of which calls the next one twice.
ModelSketch doubling(int depth, const ModelSketch& last) {
  ModelSketch sketch;
  sketch.input("x", {4}).output("y");
  add_call(sketch, "f0", {"x"}, {"y"});
  for (int i = 0; i < depth; ++i) {
    ModelSketch body;
    add_call(body, "f" + std::to_string(i + 1), {"a"}, {"b"});
    add_call(body, "f" + std::to_string(i + 1), {"b"}, {"c"});
    sketch.model().functions.push_back(function_of("f" + std::to_string(i), body, {"a"}, {"c"}));
  }
  sketch.model().functions.push_back(function_of("f" + std::to_string(depth), last, {"a"}, {"b"}));
  return sketch;
}

TEST(Flatten, RefusesAMillionLaughs) {
  ModelSketch last;
  last.node("Relu", {"a"}, {"b"});
  const auto flat = flatten(doubling(40, last).model(), {}, FlattenLimits{.nodes = 1000});
  ASSERT_FALSE(flat);
  EXPECT_EQ(flat.error().code, Errc::Unsupported);
  EXPECT_THAT(flat.error().message, HasSubstr("more than 1000 nodes"));
}

TEST(Flatten, RefusesCallsWithoutEndOfFunctionsWithoutNodes) {
  // Nothing is ever written to the flat graph, so that only the calls can be counted.
  const auto flat = flatten(doubling(40, ModelSketch{}).model(), {}, FlattenLimits{.nodes = 1000});
  ASSERT_FALSE(flat);
  EXPECT_THAT(flat.error().message, HasSubstr("more than 1000 nodes"));
}

TEST(Flatten, RefusesConstantsThatEveryCallCopies) {
  ModelSketch last;
  Tensor table{.name = "", .type = ElementType::Int64, .dims = {1000}};
  table.integers = std::vector<std::int64_t>(1000, 7);
  last.node("Constant", {}, {"k"}, {{"value", table}}).node("Relu", {"a"}, {"b"});
  const auto flat = flatten(doubling(10, last).model(), {}, FlattenLimits{.bytes = 1'000'000});
  ASSERT_FALSE(flat);
  EXPECT_THAT(flat.error().message, HasSubstr("more than 1000000 bytes"));
}

TEST(Flatten, RefusesFunctionsThatNestTooDeeply) {
  // A function that calls itself is refused by the reader; a model in memory can still hold one.
  ModelSketch body;
  add_call(body, "f", {"a"}, {"b"});
  ModelSketch sketch;
  sketch.input("x", {4}).output("y");
  add_call(sketch, "f", {"x"}, {"y"});
  sketch.model().functions = {function_of("f", body, {"a"}, {"b"})};
  const auto flat = flatten(sketch.model());
  ASSERT_FALSE(flat);
  EXPECT_THAT(flat.error().message, HasSubstr("nested more than 64 deep"));
}

TEST(Flatten, RefusesTripsOfALoopThatIsNotThere) {
  ModelSketch sketch = layered();
  const auto analysis = analyse(sketch.model(), with_trips("Loop_9", 3));
  ASSERT_FALSE(analysis);
  EXPECT_EQ(analysis.error().code, Errc::InvalidArgument);
  EXPECT_THAT(analysis.error().message, HasSubstr("no loop 'Loop_9'"));
}

}  // namespace
}  // namespace horus::graph
