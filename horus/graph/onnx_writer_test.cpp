// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "horus/graph/onnx.hpp"

namespace horus::graph {
namespace {

Tensor integer_tensor(std::string name, ElementType type, std::vector<std::int64_t> values) {
  Tensor tensor{.name = std::move(name), .type = type};
  tensor.dims = {static_cast<std::int64_t>(values.size())};
  tensor.integers = std::move(values);
  return tensor;
}

Tensor float_tensor(std::string name, ElementType type, std::vector<double> values) {
  Tensor tensor{.name = std::move(name), .type = type};
  tensor.dims = {static_cast<std::int64_t>(values.size())};
  tensor.floats = std::move(values);
  return tensor;
}

/// A model with one of everything that a Model can hold.
Model rich_model() {
  Model model{.ir_version = 7};
  model.opsets = {{"", 13}, {"com.microsoft", 1}};
  model.producer = "horus";
  model.metadata = {{"b", "2"}, {"a", "1"}, {kParametersKey, "w"}};
  Graph& graph = model.graph;
  graph.name = "main";
  graph.inputs = {ValueInfo{"x", ElementType::Float32, {{dim("N"), dim(3), Dim{}}}},
                  ValueInfo{"rank_unknown", ElementType::Int64, std::nullopt},
                  ValueInfo{"scalar", ElementType::Bool, std::vector<Dim>{}}};
  graph.outputs = {ValueInfo{.name = "y"}};
  graph.value_infos = {ValueInfo{"h", ElementType::Float16, {{dim(0)}}}};
  graph.initializers = {
      integer_tensor("i8", ElementType::Int8, {-128, 127}),
      integer_tensor("u8", ElementType::Uint8, {0, 255}),
      integer_tensor("i16", ElementType::Int16, {-32768}),
      integer_tensor("u16", ElementType::Uint16, {65535}),
      integer_tensor("i32", ElementType::Int32, {-2147483648LL}),
      integer_tensor("u32", ElementType::Uint32, {4294967295LL}),
      integer_tensor("i64", ElementType::Int64, {INT64_MIN, INT64_MAX}),
      integer_tensor("u64", ElementType::Uint64, {INT64_MAX}),
      integer_tensor("flags", ElementType::Bool, {1, 0}),
      integer_tensor("none", ElementType::Int64, {}),
      float_tensor("f16", ElementType::Float16, {0.5, -65504.0}),
      float_tensor("bf16", ElementType::BFloat16, {-1.5}),
      float_tensor("f32", ElementType::Float32, {0.15625, -0.0}),
      float_tensor("f64", ElementType::Float64, {0.1, 1e300}),
      Tensor{.name = "w", .type = ElementType::Float32, .dims = {64, 3, 7, 7}},
      Tensor{.name = "far", .type = ElementType::Float32, .dims = {9}, .external = true},
  };
  Node node{.name = "n", .op_type = "Everything", .domain = "com.microsoft"};
  node.inputs = {"x", "", "w"};
  node.outputs = {"y"};
  node.attributes = {{"i", std::int64_t{-1}},
                     {"f", 0.5},
                     {"s", std::string{"text\0with zero", 14}},
                     {"ints", std::vector<std::int64_t>{1, 2}},
                     {"no_ints", std::vector<std::int64_t>{}},
                     {"floats", std::vector<double>{0.25}},
                     {"strings", std::vector<std::string>{"a", ""}},
                     {"t", integer_tensor("", ElementType::Int64, {5})},
                     {"body", SubgraphRef{0}},
                     {"type", OpaqueValue{"tp"}}};
  graph.nodes = {node};
  Graph body{.name = "body"};
  body.nodes = {Node{.op_type = "Relu", .inputs = {"a"}, .outputs = {"b"}}};
  graph.subgraphs = {body};
  Function function;
  function.domain = "local";
  function.name = "f";
  function.overload = "second";
  function.inputs = {"a", "b"};
  function.outputs = {"c"};
  function.attributes = {"alpha"};
  function.defaults = {{"beta", 0.5}, {"sizes", std::vector<std::int64_t>{1, 2}}};
  function.opsets = {{"", 11}, {"local", 1}};
  Node inner{.name = "inner", .op_type = "g", .domain = "local"};
  inner.inputs = {"a"};
  inner.outputs = {"c"};
  inner.overload = "first";
  inner.attributes = {{"slope", AttributeRef{"alpha", "f"}}, {"untyped", AttributeRef{"x", ""}}};
  function.body.nodes = {inner};
  function.body.value_infos = {ValueInfo{.name = "c", .type = ElementType::Float32, .shape = {}}};
  model.functions = {function};
  return model;
}

TEST(WriteOnnx, IsUndoneByReading) {
  const Model model = rich_model();
  const std::string bytes = write_onnx(model);
  const auto again = read_onnx(std::as_bytes(std::span{bytes}));
  ASSERT_TRUE(again) << again.error().text();
  // Part by part first, so that a failure says which.
  EXPECT_EQ(again->opsets, model.opsets);
  EXPECT_EQ(again->metadata, model.metadata);
  EXPECT_EQ(again->graph.initializers, model.graph.initializers);
  EXPECT_EQ(again->graph.inputs, model.graph.inputs);
  EXPECT_EQ(again->graph.nodes, model.graph.nodes);
  EXPECT_EQ(again->graph.subgraphs, model.graph.subgraphs);
  EXPECT_EQ(again->functions, model.functions);
  EXPECT_EQ(*again, model);
}

TEST(WriteOnnx, GivesTheSameBytesForTheSameModel) {
  EXPECT_EQ(write_onnx(rich_model()), write_onnx(rich_model()));
}

TEST(WriteOnnx, WritesWhatThePackagedClassesRead) {
  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(write_onnx(rich_model())));
  EXPECT_EQ(proto.ir_version(), 7);
  EXPECT_EQ(proto.graph().node(0).attribute_size(), 10);
  EXPECT_EQ(proto.graph().node(0).attribute(0).name(), "body");
  EXPECT_EQ(proto.graph().initializer(14).name(), "w");
  EXPECT_FALSE(proto.graph().initializer(14).has_raw_data());
  EXPECT_EQ(proto.graph().initializer(15).data_location(), onnx::TensorProto::EXTERNAL);
  EXPECT_EQ(proto.graph().input(0).type().tensor_type().shape().dim(0).dim_param(), "N");
}

TEST(WriteOnnxDeathTest, RefusesContentsThatDoNotFillTheShape) {
  Model model = rich_model();
  model.graph.initializers[0].dims = {3};
  EXPECT_DEATH(static_cast<void>(write_onnx(model)), "contents must fill the shape");
}

}  // namespace
}  // namespace horus::graph
