// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "horus/graph/onnx.hpp"

namespace horus::graph {
namespace {

using onnx::AttributeProto;
using onnx::ModelProto;
using onnx::NodeProto;
using onnx::TensorProto;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::Pair;

Result<Model> read_bytes(std::string_view bytes, const ReadLimits& limits = {}) {
  return read_onnx(std::as_bytes(std::span{bytes}), limits);
}

Result<Model> read(const ModelProto& proto, const ReadLimits& limits = {}) {
  return read_bytes(proto.SerializeAsString(), limits);
}

NodeProto& add_node(onnx::GraphProto& graph, const std::string& op_type) {
  NodeProto& node = *graph.add_node();
  node.set_op_type(op_type);
  return node;
}

/// A model whose graph holds one Relu.
ModelProto small_model() {
  ModelProto proto;
  proto.set_ir_version(8);
  auto& opset = *proto.add_opset_import();
  opset.set_domain("ai.onnx");
  opset.set_version(17);
  NodeProto& node = add_node(*proto.mutable_graph(), "Relu");
  node.set_name("act");
  node.set_domain("ai.onnx");
  node.add_input("x");
  node.add_output("y");
  return proto;
}

std::string complaint(const Result<Model>& model) {
  return model ? "no error" : model.error().text();
}

// ---- Models.

TEST(ReadOnnx, ReadsWhatAModelSaysOfItself) {
  ModelProto proto = small_model();
  proto.set_producer_name("pytorch");
  proto.set_producer_version("2.1.0");
  auto& opset = *proto.add_opset_import();
  opset.set_domain("com.microsoft");
  opset.set_version(1);
  auto& entry = *proto.add_metadata_props();
  entry.set_key(kParametersKey);
  entry.set_value("w,b");
  const auto model = read(proto);
  ASSERT_TRUE(model) << complaint(model);
  EXPECT_EQ(model->ir_version, 8);
  EXPECT_EQ(model->producer, "pytorch 2.1.0");
  EXPECT_THAT(model->opsets, ElementsAre(Pair("", 17), Pair("com.microsoft", 1)));
  EXPECT_THAT(model->metadata, ElementsAre(Pair(kParametersKey, "w,b")));
}

TEST(ReadOnnx, ReadsNodesInFileOrderWithTheStandardDomainAsEmptyText) {
  ModelProto proto = small_model();
  NodeProto& add = add_node(*proto.mutable_graph(), "Clip");
  add.add_input("y");
  add.add_input("");
  add.add_input("max");
  add.add_output("z");
  const auto model = read(proto);
  ASSERT_TRUE(model) << complaint(model);
  ASSERT_EQ(model->graph.nodes.size(), 2U);
  EXPECT_EQ(model->graph.nodes[0].name, "act");
  EXPECT_EQ(model->graph.nodes[0].domain, "");
  EXPECT_EQ(model->graph.nodes[1].op_type, "Clip");
  EXPECT_THAT(model->graph.nodes[1].inputs, ElementsAre("y", "", "max"));
  EXPECT_THAT(model->graph.nodes[1].outputs, ElementsAre("z"));
}

TEST(ReadOnnx, ReadsSizesSymbolsAndUnknownAxesOfDeclaredShapes) {
  ModelProto proto = small_model();
  auto& input = *proto.mutable_graph()->add_input();
  input.set_name("x");
  auto& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(TensorProto::FLOAT);
  type.mutable_shape()->add_dim()->set_dim_param("N");
  type.mutable_shape()->add_dim()->set_dim_value(3);
  type.mutable_shape()->add_dim();
  proto.mutable_graph()->add_output()->set_name("y");
  const auto model = read(proto);
  ASSERT_TRUE(model) << complaint(model);
  const ValueInfo& x = model->graph.inputs.at(0);
  EXPECT_EQ(x.type, ElementType::Float32);
  EXPECT_THAT(x.shape, Optional(ElementsAre(dim("N"), dim(3), Dim{})));
  EXPECT_FALSE(model->graph.outputs.at(0).shape);
}

// ---- Attributes.

/// The value of the single attribute of a node that holds `attribute`.
Result<AttributeValue> value_of(const AttributeProto& attribute) {
  ModelProto proto = small_model();
  *proto.mutable_graph()->mutable_node(0)->add_attribute() = attribute;
  HORUS_TRY(const Model model, read(proto));
  return model.graph.nodes[0].attributes.at(attribute.name());
}

/// The same value with its type declared and, as old writers did, without.
void expect_value(AttributeProto attribute, const AttributeValue& expected) {
  attribute.set_name("a");
  const auto declared = value_of(attribute);
  ASSERT_TRUE(declared) << declared.error().text();
  EXPECT_EQ(*declared, expected);
  attribute.clear_type();
  const auto guessed = value_of(attribute);
  ASSERT_TRUE(guessed) << guessed.error().text();
  EXPECT_EQ(*guessed, expected);
}

AttributeProto attribute_of(AttributeProto::AttributeType type) {
  AttributeProto attribute;
  attribute.set_name("a");
  attribute.set_type(type);
  return attribute;
}

TEST(ReadOnnxAttribute, ReadsNumbersAndText) {
  AttributeProto integer = attribute_of(AttributeProto::INT);
  integer.set_i(-7);
  expect_value(integer, std::int64_t{-7});
  AttributeProto real = attribute_of(AttributeProto::FLOAT);
  real.set_f(0.25F);
  expect_value(real, 0.25);
  AttributeProto text = attribute_of(AttributeProto::STRING);
  text.set_s("SAME_UPPER");
  expect_value(text, std::string{"SAME_UPPER"});
}

TEST(ReadOnnxAttribute, ReadsLists) {
  AttributeProto integers = attribute_of(AttributeProto::INTS);
  integers.add_ints(3);
  integers.add_ints(-1);
  expect_value(integers, std::vector<std::int64_t>{3, -1});
  AttributeProto reals = attribute_of(AttributeProto::FLOATS);
  reals.add_floats(1.0F);
  reals.add_floats(0.5F);
  expect_value(reals, std::vector<double>{1.0, 0.5});
  AttributeProto words = attribute_of(AttributeProto::STRINGS);
  words.add_strings("Relu");
  expect_value(words, std::vector<std::string>{"Relu"});
}

TEST(ReadOnnxAttribute, ReadsATensor) {
  AttributeProto attribute = attribute_of(AttributeProto::TENSOR);
  attribute.mutable_t()->set_data_type(TensorProto::INT64);
  attribute.mutable_t()->add_dims(1);
  attribute.mutable_t()->add_int64_data(42);
  Tensor expected{.type = ElementType::Int64, .dims = {1}};
  expected.integers = {42};
  expect_value(attribute, expected);
}

TEST(ReadOnnxAttribute, ReadsALeftOutScalarAsItsDefault) {
  EXPECT_EQ(value_of(attribute_of(AttributeProto::INT)), AttributeValue{std::int64_t{0}});
  EXPECT_EQ(value_of(attribute_of(AttributeProto::INTS)),
            AttributeValue{std::vector<std::int64_t>{}});
  EXPECT_EQ(value_of(attribute_of(AttributeProto::STRING)), AttributeValue{std::string{}});
}

TEST(ReadOnnxAttribute, NamesTheKindOfWhatItDoesNotKeep) {
  AttributeProto type = attribute_of(AttributeProto::TYPE_PROTO);
  type.mutable_tp()->mutable_tensor_type()->set_elem_type(TensorProto::FLOAT);
  expect_value(type, OpaqueValue{"tp"});
  AttributeProto tensors = attribute_of(AttributeProto::TENSORS);
  tensors.add_tensors()->set_name("w");
  expect_value(tensors, OpaqueValue{"tensors"});
}

TEST(ReadOnnxAttribute, RefusesAValueOfAnotherTypeThanDeclared) {
  AttributeProto attribute = attribute_of(AttributeProto::INT);
  attribute.add_floats(1.0F);
  const auto value = value_of(attribute);
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().text(),
            "node 0 'act' (Relu), attribute 'a': declared as 'i', but holds a value in 'floats'");
}

TEST(ReadOnnxAttribute, RefusesATensorThatIsNotThere) {
  const auto value = value_of(attribute_of(AttributeProto::TENSOR));
  ASSERT_FALSE(value);
  EXPECT_THAT(value.error().text(), HasSubstr("declared as 't', but holds none"));
}

TEST(ReadOnnxAttribute, RefusesAnAttributeWithNeitherTypeNorValue) {
  AttributeProto attribute;
  attribute.set_name("a");
  EXPECT_FALSE(value_of(attribute));
}

TEST(ReadOnnxAttribute, RefusesTheSameNameTwice) {
  ModelProto proto = small_model();
  for (int i = 0; i < 2; ++i) {
    AttributeProto& attribute = *proto.mutable_graph()->mutable_node(0)->add_attribute();
    attribute = attribute_of(AttributeProto::INT);
    attribute.set_i(i);
  }
  EXPECT_THAT(complaint(read(proto)), HasSubstr("attribute 'a' is set twice"));
}

TEST(ReadOnnxAttribute, NamesTheTensorInsideThatIsDamaged) {
  AttributeProto attribute = attribute_of(AttributeProto::TENSOR);
  attribute.mutable_t()->set_name("w");
  attribute.mutable_t()->set_data_type(TensorProto::FLOAT);
  attribute.mutable_t()->add_dims(-5);
  const auto value = value_of(attribute);
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().where, "node 0 'act' (Relu), attribute 'a', tensor 'w'");
}

// ---- Subgraphs.

/// `depth` graphs, one inside the other, in If nodes.
ModelProto nested_model(int depth) {
  ModelProto proto = small_model();
  onnx::GraphProto* graph = proto.mutable_graph();
  for (int i = 0; i < depth; ++i) {
    AttributeProto& branch = *add_node(*graph, "If").add_attribute();
    branch.set_name("then_branch");
    branch.set_type(AttributeProto::GRAPH);
    graph = branch.mutable_g();
    graph->set_name("inner");
    add_node(*graph, "Neg");
  }
  return proto;
}

TEST(ReadOnnx, PutsSubgraphsBesideTheNodesThatNameThem) {
  const auto model = read(nested_model(2));
  ASSERT_TRUE(model) << complaint(model);
  const Graph& graph = model->graph;
  ASSERT_EQ(graph.subgraphs.size(), 1U);
  EXPECT_EQ(graph.nodes.at(1).attributes.at("then_branch"), AttributeValue{SubgraphRef{0}});
  EXPECT_EQ(graph.subgraphs[0].nodes.at(0).op_type, "Neg");
  EXPECT_EQ(graph.subgraphs[0].subgraphs.at(0).name, "inner");
}

TEST(ReadOnnx, RefusesSubgraphsNestedTooDeep) {
  const auto at_limit = read(nested_model(16));
  const auto beyond = read(nested_model(17));
  EXPECT_TRUE(at_limit) << complaint(at_limit);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, Errc::Unsupported);
  EXPECT_THAT(beyond.error().message, HasSubstr("nested more than 16 deep"));
}

TEST(ReadOnnx, SurvivesGraphsNestedTwoThousandDeep) {
  // {graph, node, attribute, g}, each inside the one before, lengths as varints.
  const auto wrap = [](char tag, const std::string& inner) {
    std::string bytes(1, tag);
    std::size_t size = inner.size();
    for (; size >= 0x80U; size >>= 7U) bytes.push_back(static_cast<char>((size & 0x7FU) | 0x80U));
    bytes.push_back(static_cast<char>(size));
    return bytes + inner;
  };
  std::string bytes;
  for (int i = 0; i < 2'000; ++i) bytes = wrap('\x0a', wrap('\x2a', wrap('\x32', bytes)));
  const auto model = read_bytes(wrap('\x3a', bytes));
  EXPECT_THAT(complaint(model), HasSubstr("nested more than 16 deep"));
}

// ---- Functions.

void add_function(ModelProto& proto, const std::string& name, const std::string& callee) {
  auto& function = *proto.add_functions();
  function.set_domain("local");
  function.set_name(name);
  NodeProto& node = *function.add_node();
  node.set_domain("local");
  node.set_op_type(callee);
}

TEST(ReadOnnxFunctions, KeepsThemWhole) {
  ModelProto proto = small_model();
  add_function(proto, "f", "g");
  add_function(proto, "g", "h");
  auto& first = *proto.mutable_functions(0);
  first.add_input("a");
  first.add_output("b");
  first.add_attribute("alpha");
  auto& opset = *first.add_opset_import();
  opset.set_domain("ai.onnx");
  opset.set_version(11);
  const auto model = read(proto);
  ASSERT_TRUE(model) << complaint(model);
  ASSERT_EQ(model->functions.size(), 2U);
  const Function& function = model->functions[0];
  EXPECT_EQ(function.domain, "local");
  EXPECT_EQ(function.name, "f");
  EXPECT_THAT(function.inputs, ElementsAre("a"));
  EXPECT_THAT(function.outputs, ElementsAre("b"));
  EXPECT_THAT(function.attributes, ElementsAre("alpha"));
  EXPECT_EQ(function.opsets, (std::map<std::string, std::int64_t>{{"", 11}}));
  ASSERT_EQ(function.body.nodes.size(), 1U);
  EXPECT_EQ(function.body.nodes[0].op_type, "g");
  EXPECT_EQ(model->functions[1].name, "g");
}

TEST(ReadOnnxFunctions, HoldTheirLimit) {
  ModelProto proto = small_model();
  add_function(proto, "f", "g");
  add_function(proto, "g", "h");
  EXPECT_THAT(complaint(read(proto, ReadLimits{.functions = 1})),
              HasSubstr("more than 1 functions"));
}

TEST(ReadOnnxFunctions, RefusesOneThatCallsItself) {
  ModelProto proto = small_model();
  add_function(proto, "f", "f");
  EXPECT_THAT(complaint(read(proto)), HasSubstr("local:f -> local:f"));
}

TEST(ReadOnnxFunctions, RefusesACircleOfCallsAndNamesIt) {
  ModelProto proto = small_model();
  add_function(proto, "start", "a");
  add_function(proto, "a", "b");
  add_function(proto, "b", "c");
  add_function(proto, "c", "a");
  const auto model = read(proto);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, Errc::Corrupt);
  EXPECT_THAT(model.error().message,
              HasSubstr("calls itself: local:a -> local:b -> local:c -> local:a;"));
}

TEST(ReadOnnxFunctions, SeesACallHiddenInASubgraph) {
  ModelProto proto = small_model();
  add_function(proto, "f", "If");
  AttributeProto& branch = *proto.mutable_functions(0)->mutable_node(0)->add_attribute();
  branch.set_name("then_branch");
  branch.set_type(AttributeProto::GRAPH);
  NodeProto& call = add_node(*branch.mutable_g(), "f");
  call.set_domain("local");
  EXPECT_THAT(complaint(read(proto)), HasSubstr("local:f -> local:f"));
}

TEST(ReadOnnxFunctions, AcceptsAttributesThatReferToTheCallersAttributes) {
  ModelProto proto = small_model();
  add_function(proto, "f", "g");
  AttributeProto& attribute = *proto.mutable_functions(0)->mutable_node(0)->add_attribute();
  attribute.set_name("alpha");
  attribute.set_ref_attr_name("alpha");
  attribute.set_type(AttributeProto::FLOAT);
  const auto model = read(proto);
  ASSERT_TRUE(model) << complaint(model);
  EXPECT_EQ(model->functions[0].body.nodes[0].attributes.at("alpha"),
            (AttributeValue{AttributeRef{"alpha", "f"}}));
}

// ---- Damaged files.

TEST(ReadOnnx, RefusesEveryTruncationAndSaysWhere) {
  ModelProto proto = small_model();
  proto.mutable_graph()->set_name("g");
  TensorProto& weight = *proto.mutable_graph()->add_initializer();
  weight.set_name("w");
  weight.set_data_type(TensorProto::FLOAT);
  weight.add_dims(2);
  weight.set_raw_data("12345678");
  // The graph last, so that no shorter file is a model by itself.
  ModelProto head = proto;
  head.clear_graph();
  ModelProto tail;
  *tail.mutable_graph() = proto.graph();
  const std::string whole = head.SerializeAsString() + tail.SerializeAsString();
  ASSERT_TRUE(read_bytes(whole));
  const std::size_t graph_at = head.SerializeAsString().size();
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const auto model = read_bytes(std::string_view{whole}.substr(0, size));
    ASSERT_FALSE(model) << size;
    EXPECT_EQ(model.error().code, Errc::Corrupt) << size;
    if (size <= graph_at + 1) continue;
    EXPECT_THAT(model.error().message,
                HasSubstr("ModelProto.graph at byte " + std::to_string(graph_at)))
        << size;
  }
}

TEST(ReadOnnx, NamesTheFieldThatLiesAboutItsLength) {
  ModelProto proto = small_model();
  std::string bytes = proto.SerializeAsString();
  const std::size_t at = bytes.find("Relu") - 1;
  ASSERT_EQ(bytes[at], 4);
  bytes[at] = 100;
  EXPECT_THAT(complaint(read_bytes(bytes)), HasSubstr("NodeProto.op_type at byte"));
}

TEST(ReadOnnx, RefusesAModelWithoutGraph) {
  ModelProto proto = small_model();
  proto.clear_graph();
  EXPECT_THAT(complaint(read(proto)), HasSubstr("no graph found"));
}

TEST(ReadOnnx, RefusesAGraphWithoutNodes) {
  ModelProto proto = small_model();
  proto.mutable_graph()->clear_node();
  EXPECT_THAT(complaint(read(proto)), HasSubstr("the graph has no nodes"));
}

TEST(ReadOnnx, TakesAnAxisOfMinusOneForUnknown) {
  ModelProto proto = small_model();
  auto& input = *proto.mutable_graph()->add_input();
  input.set_name("x");
  auto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.add_dim()->set_dim_value(-1);
  shape.add_dim()->set_dim_value(2);
  const auto model = read(proto);
  ASSERT_TRUE(model) << complaint(model);
  EXPECT_EQ(model->graph.inputs.back().shape, (std::vector<Dim>{dim(""), dim(2)}));
}

TEST(ReadOnnx, RefusesNegativeAndHugeDimsOfDeclaredShapes) {
  for (const std::int64_t size : {std::int64_t{-2}, std::int64_t{1} << 62}) {
    ModelProto proto = small_model();
    auto& input = *proto.mutable_graph()->add_input();
    input.set_name("x");
    auto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
    shape.add_dim()->set_dim_value(size);
    shape.add_dim()->set_dim_value(2);
    EXPECT_THAT(complaint(read(proto)), HasSubstr("value 'x': ")) << size;
  }
}

TEST(ReadOnnx, HoldsItsLimits) {
  ModelProto proto = small_model();
  add_node(*proto.mutable_graph(), "Relu");
  EXPECT_TRUE(read(proto, ReadLimits{.nodes = 2}));
  EXPECT_THAT(complaint(read(proto, ReadLimits{.nodes = 1})), HasSubstr("more than 1 nodes"));
  proto.mutable_graph()->add_value_info()->set_name("a");
  proto.mutable_graph()->add_value_info()->set_name("b");
  EXPECT_THAT(complaint(read(proto, ReadLimits{.tensors = 1})), HasSubstr("more than 1 tensors"));
  EXPECT_THAT(complaint(read(proto, ReadLimits{.values = 1})), HasSubstr("more than 1 names"));
}

TEST(ReadOnnx, EscapesControlCharactersOfForeignNames) {
  ModelProto proto = small_model();
  NodeProto& node = *proto.mutable_graph()->mutable_node(0);
  node.set_name("evil\x1b[2J");
  node.add_attribute()->set_name("a");
  EXPECT_EQ(complaint(read(proto)).find('\x1b'), std::string::npos);
}

TEST(ReadOnnx, SurvivesRandomDamage) {
  ModelProto proto = nested_model(3);
  add_function(proto, "f", "g");
  const std::string whole = proto.SerializeAsString();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {0x01, 0x08, 0x80, 0xFF}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      const auto model = read_bytes(damaged);
      if (!model) {
        EXPECT_FALSE(model.error().message.empty());
      }
    }
  }
}

// ---- Files that are something else.

struct ForeignFile {
  std::string_view bytes;
  std::string_view what;
};

TEST(ReadOnnx, SaysWhatAForeignFileLooksLike) {
  using std::string_view_literals::operator""sv;
  const ForeignFile files[] = {
      {""sv, "empty"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"sv,
       "git lfs pull"},
      {"PK\x03\x04\x00\x00\x08\x08\x00\x00archive/data.pkl"sv, "PyTorch checkpoints"},
      {"\x80\x02}q\x00(X\x05\x00\x00\x00stateq\x01"sv, "pickle"},
      {"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00}"sv, "pickle"},
      {"{\"model\": [1, 2]}"sv, "JSON"},
      {"\n  [1, 2, 3]"sv, "JSON"},
      {"<!DOCTYPE html><html>404</html>"sv, "HTML"},
      {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"sv, "PNG"},
      {"\x89HDF\r\n\x1a\n"sv, "HDF5"},
      {"\x1c\x00\x00\x00TFL3\x14\x00"sv, "TensorFlow Lite"},
      {"\x40\x00\x00\x00\x00\x00\x00\x00{\"w\":{\"dtype\":\"F32\"}}"sv, "safetensors"},
      {"\x1f\x8b\x08\x00\x00\x00"sv, "gzip"},
      {"ir_version: 8\ngraph { }"sv, "text format"},
      {"just a few words\n"sv, "text"},
  };
  for (const ForeignFile& file : files) {
    const auto model = read_bytes(file.bytes);
    ASSERT_FALSE(model) << file.what;
    EXPECT_EQ(model.error().code, Errc::Corrupt);
    EXPECT_THAT(model.error().message, HasSubstr(std::string{file.what}));
    EXPECT_THAT(model.error().message, HasSubstr(":")) << "and what to do";
  }
}

TEST(ReadOnnx, SaysThatRandomBytesAreNoModel) {
  const auto model = read_bytes("\x9f\x03\xde\xad\xbe\xef\x00\x11\x22\x33\xff");
  ASSERT_FALSE(model);
  EXPECT_THAT(model.error().message, HasSubstr("not an ONNX model"));
}

}  // namespace
}  // namespace horus::graph
