// SPDX-License-Identifier: Apache-2.0
#pragma once
// What tests of functions and control flow share: bodies written down as sketches.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/graph/model_sketch.hpp"

namespace horus::graph {

using Strings = std::vector<std::string>;

/// A subgraph with the nodes and weights of `sketch`, whose inputs and outputs have no types.
inline Graph body_of(ModelSketch sketch, const Strings& inputs, const Strings& outputs) {
  Graph graph = std::move(sketch.model().graph);
  for (const std::string& name : inputs) graph.inputs.push_back({.name = name, .shape = {}});
  for (const std::string& name : outputs) graph.outputs.push_back({.name = name, .shape = {}});
  return graph;
}

/// Adds a node with subgraphs, by the names of their attributes, to the graph of a file or a body.
inline void add_flow(ModelSketch& sketch, const std::string& op_type, Strings inputs,
                     Strings outputs, std::map<std::string, Graph> bodies,
                     ModelSketch::Attributes attributes = {}) {
  Graph& graph = sketch.model().graph;
  for (auto& [name, body] : bodies) {
    attributes[name] = SubgraphRef{graph.subgraphs.size()};
    graph.subgraphs.push_back(std::move(body));
  }
  sketch.node(op_type, std::move(inputs), std::move(outputs), std::move(attributes));
}

/// A function of domain "local" with the nodes of `sketch`.
inline Function function_of(std::string name, ModelSketch sketch, Strings inputs, Strings outputs) {
  Function function;
  function.domain = "local";
  function.name = std::move(name);
  function.inputs = std::move(inputs);
  function.outputs = std::move(outputs);
  function.body = std::move(sketch.model().graph);
  return function;
}

/// Adds a call of a function of domain "local".
inline void add_call(ModelSketch& sketch, const std::string& name, Strings inputs, Strings outputs,
                     ModelSketch::Attributes attributes = {}) {
  sketch.node(name, std::move(inputs), std::move(outputs), std::move(attributes));
  sketch.model().graph.nodes.back().domain = "local";
}

inline Analysis analysis_of(ModelSketch& sketch, const AnalysisOptions& options = {}) {
  auto analysis = analyse(sketch.model(), options);
  EXPECT_TRUE(analysis) << (analysis ? "" : analysis.error().text());
  return analysis ? std::move(*analysis) : Analysis{};
}

/// A boolean scalar.
inline Tensor truth(std::int64_t value) {
  Tensor tensor{.name = "", .type = ElementType::Bool, .dims = {}};
  tensor.integers = std::vector<std::int64_t>{value};
  return tensor;
}

/// An initializer of one integer, without axes.
inline ModelSketch& with_number(ModelSketch& sketch, const std::string& name, std::int64_t value,
                                ElementType type = ElementType::Int64) {
  sketch.weight(name, {}, type);
  sketch.model().graph.initializers.back().integers = std::vector<std::int64_t>{value};
  return sketch;
}

/// The work of the node of that name, which must be there.
inline OpWork work_in(const Analysis& analysis, const std::string& name) {
  for (const OpWork& work : analysis.features.ops) {
    if (work.name == name) return work;
  }
  std::string known;
  for (const OpWork& work : analysis.features.ops) known += " " + work.name;
  ADD_FAILURE() << "no node " << name << " among" << known;
  return {};
}

inline bool has_node(const Analysis& analysis, const std::string& name) {
  for (const OpWork& work : analysis.features.ops) {
    if (work.name == name) return true;
  }
  return false;
}

/// Shape of a value, by name; {-1} where it is not known.
inline std::vector<std::int64_t> shape_in(const Analysis& analysis, const std::string& name) {
  for (const ListedValue& value : analysis.values) {
    if (value.name == name) return value.shape;
  }
  return {-1};
}

inline AnalysisOptions with_values() {
  AnalysisOptions options;
  options.values = ListValues::Yes;
  return options;
}

inline AnalysisOptions with_trips(const std::string& loop, std::int64_t trips) {
  AnalysisOptions options = with_values();
  options.dims["trips:" + loop] = trips;
  return options;
}

}  // namespace horus::graph
