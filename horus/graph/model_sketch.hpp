// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small models written down in a few words: for tests and benchmarks.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "horus/graph/model.hpp"

namespace horus::graph {

/// Builds a model node by node. Every call returns the sketch, so that calls can be chained.
class ModelSketch {
 public:
  using Attributes = std::map<std::string, AttributeValue>;
  using Sizes = std::vector<std::int64_t>;

  explicit ModelSketch(std::int64_t opset = 17) { model_.opsets[""] = opset; }

  /// A graph input of fixed shape.
  ModelSketch& input(std::string name, const Sizes& sizes,
                     ElementType type = ElementType::Float32) {
    std::vector<Dim> dims;
    for (const std::int64_t size : sizes) dims.push_back(dim(size));
    return open_input(std::move(name), std::move(dims), type);
  }
  /// A graph input whose axes may be named.
  ModelSketch& open_input(std::string name, std::vector<Dim> dims,
                          ElementType type = ElementType::Float32) {
    model_.graph.inputs.push_back(
        {.name = std::move(name), .type = type, .shape = std::move(dims)});
    return *this;
  }
  /// An initializer without contents.
  ModelSketch& weight(std::string name, Sizes sizes, ElementType type = ElementType::Float32) {
    model_.graph.initializers.push_back(Tensor{.name = std::move(name),
                                               .type = type,
                                               .dims = std::move(sizes),
                                               .external = false,
                                               .integers = std::nullopt,
                                               .floats = std::nullopt});
    return *this;
  }
  /// A constant vector of integers, such as a target shape.
  ModelSketch& integers(std::string name, std::vector<std::int64_t> values) {
    weight(std::move(name), {static_cast<std::int64_t>(values.size())}, ElementType::Int64);
    model_.graph.initializers.back().integers = std::move(values);
    return *this;
  }
  /// A constant vector of real numbers.
  ModelSketch& reals(std::string name, std::vector<double> values) {
    weight(std::move(name), {static_cast<std::int64_t>(values.size())});
    model_.graph.initializers.back().floats = std::move(values);
    return *this;
  }
  /// A scalar constant.
  ModelSketch& scalar(std::string name, double value) {
    weight(std::move(name), {});
    model_.graph.initializers.back().floats = std::vector<double>{value};
    return *this;
  }
  /// A node named after its first output.
  ModelSketch& node(std::string op_type, std::vector<std::string> inputs,
                    std::vector<std::string> outputs, Attributes attributes = {}) {
    Node node{.name = outputs.empty() ? "" : outputs.front(),
              .op_type = std::move(op_type),
              .domain = "",
              .inputs = std::move(inputs),
              .outputs = std::move(outputs),
              .attributes = std::move(attributes)};
    model_.graph.nodes.push_back(std::move(node));
    return *this;
  }
  ModelSketch& output(std::string name) {
    model_.graph.outputs.push_back(
        {.name = std::move(name), .type = ElementType::Float32, .shape = std::nullopt});
    return *this;
  }
  ModelSketch& metadata(std::string key, std::string value) {
    model_.metadata[std::move(key)] = std::move(value);
    return *this;
  }

  [[nodiscard]] Model& model() { return model_; }

 private:
  Model model_;
};

}  // namespace horus::graph
