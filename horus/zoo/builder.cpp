// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/builder.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/base/check.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kIrVersion = 8;  // ONNX 1.10 to 1.12
constexpr std::int64_t kOpset = 17;     // The first with LayerNormalization.

graph::Tensor tensor_of(ElementType type, Shape shape) {
  graph::Tensor tensor;
  tensor.type = type;
  tensor.dims = std::move(shape);
  return tensor;
}

}  // namespace

Builder::Builder(std::string graph_name, std::optional<std::int64_t> batch) : batch_{batch} {
  graph_.name = std::move(graph_name);
}

void Builder::claim(const std::string& name) {
  HORUS_CHECK(names_.insert(name).second, "every value of a graph has a name of its own");
}

graph::ValueInfo Builder::declare(const Value& value) const {
  std::vector<graph::Dim> dims;
  dims.reserve(value.shape.size());
  for (const std::int64_t size : value.shape) {
    const bool symbolic = size == kBatch && !batch_;
    dims.push_back(symbolic ? graph::dim("N") : graph::dim(size == kBatch ? *batch_ : size));
  }
  return {.name = value.name, .type = value.type, .shape = std::move(dims)};
}

Value Builder::input(std::string name, Shape shape, ElementType type) {
  claim(name);
  Value value{.name = std::move(name), .shape = std::move(shape), .type = type};
  graph_.inputs.push_back(declare(value));
  return value;
}

Value Builder::weight(Value value, std::string& list) {
  if (const auto known = by_name_.find(value.name); known != by_name_.end() && !suffix_.empty()) {
    HORUS_CHECK(known->second.shape == value.shape, "a weight has one shape in all passes");
    return known->second;
  }
  claim(value.name);
  by_name_.emplace(value.name, value);
  if (!list.empty()) list += ',';
  list += value.name;
  weights_.push_back(declare(value));
  return value;
}

Value Builder::parameter(std::string name, Shape shape) {
  return weight({.name = std::move(name), .shape = std::move(shape)}, parameter_names_);
}

Value Builder::buffer(std::string name, Shape shape, ElementType type) {
  return weight({.name = std::move(name), .shape = std::move(shape), .type = type}, buffer_names_);
}

Value Builder::constant(const std::string& content, graph::Tensor tensor) {
  if (const auto known = constants_.find(content); known != constants_.end()) return known->second;
  const ElementType type = tensor.type;
  Shape shape = tensor.dims;
  NodeSpec node{.name = fmt::format("constant_{}", constants_.size()),
                .op_type = "Constant",
                .inputs = {},
                .attributes = {{"value", std::move(tensor)}}};
  Value value = add(std::move(node), std::move(shape), type);
  constants_.emplace(content, value);
  return value;
}

Value Builder::integers(const std::vector<std::int64_t>& values) {
  auto tensor = tensor_of(ElementType::Int64, {std::ssize(values)});
  tensor.integers = values;
  return constant(fmt::format("integers {}", fmt::join(values, ",")), std::move(tensor));
}

Value Builder::integer(std::int64_t value) {
  auto tensor = tensor_of(ElementType::Int64, {});
  tensor.integers = {value};
  return constant(fmt::format("integer {}", value), std::move(tensor));
}

Value Builder::number(double value) {
  auto tensor = tensor_of(ElementType::Float32, {});
  tensor.floats = {value};
  return constant(fmt::format("number {}", value), std::move(tensor));
}

Value Builder::truth() {
  auto tensor = tensor_of(ElementType::Bool, {});
  tensor.integers = {1};
  return constant("truth", std::move(tensor));
}

Value Builder::filled(double value, std::int64_t count) {
  const std::string name = fmt::format("filled_{}_{}", value, count);
  const auto known = by_name_.find(name);
  return known != by_name_.end() ? known->second : buffer(name, {count});
}

Value Builder::numbers(std::string name, Shape shape, std::vector<double> values) {
  auto tensor = tensor_of(ElementType::Float32, shape);
  tensor.floats = std::move(values);
  NodeSpec node{.name = std::move(name),
                .op_type = "Constant",
                .inputs = {},
                .attributes = {{"value", std::move(tensor)}}};
  return add(std::move(node), std::move(shape));
}

Value Builder::add(NodeSpec node, Shape shape, ElementType type) {
  Value value = std::move(add_many(std::move(node), {std::move(shape)}).front());
  value.type = type;
  return value;
}

std::vector<Value> Builder::add_many(NodeSpec node, const std::vector<Shape>& shapes) {
  HORUS_CHECK(!shapes.empty(), "a node without outputs computes nothing");
  node.name += suffix_;
  std::vector<Value> values;
  std::vector<std::string> outputs;
  for (const Shape& shape : shapes) {
    outputs.push_back(outputs.empty() ? node.name
                                      : fmt::format("{}:{}", node.name, outputs.size()));
    claim(outputs.back());
    values.push_back({.name = outputs.back(), .shape = shape});
  }
  graph_.nodes.push_back({.name = std::move(node.name),
                          .op_type = std::move(node.op_type),
                          .domain = {},
                          .inputs = std::move(node.inputs),
                          .outputs = std::move(outputs),
                          .attributes = std::move(node.attributes)});
  return values;
}

void Builder::begin_pass(std::string_view pass) {
  suffix_ = pass.empty() ? "" : fmt::format("@{}", pass);
}

void Builder::output(const Value& value) { graph_.outputs.push_back(declare(value)); }

graph::Model Builder::finish() && {
  std::move(weights_.begin(), weights_.end(), std::back_inserter(graph_.inputs));
  graph::Model model;
  model.ir_version = kIrVersion;
  model.opsets = {{"", kOpset}};
  model.producer = "horus zoo";
  model.graph = std::move(graph_);
  model.metadata.emplace(graph::kParametersKey, std::move(parameter_names_));
  if (!buffer_names_.empty()) {
    model.metadata.emplace(graph::kBuffersKey, std::move(buffer_names_));
  }
  return model;
}

}  // namespace horus::zoo
