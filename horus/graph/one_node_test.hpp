// SPDX-License-Identifier: Apache-2.0
#pragma once
// What tests of single operators share: a model of one node, and what comes out of it.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horus/graph/analysis.hpp"
#include "horus/graph/model_sketch.hpp"

namespace horus::graph {

/// What the analysis of a model says of its last node and of its values.
struct Outcome {
  std::string gap;  ///< Empty where all is known.
  OpWork work;      ///< Of the last node.
  double parameters{};
  std::vector<std::string> warnings;
  std::vector<ListedValue> values;

  [[nodiscard]] const ListedValue* find(const std::string& name) const {
    for (const ListedValue& value : values) {
      if (value.name == name) return &value;
    }
    return nullptr;
  }
  /// The shape of a value; {-1} where it is not known.
  [[nodiscard]] std::vector<std::int64_t> shape(const std::string& name = "y") const {
    const ListedValue* value = find(name);
    return value == nullptr ? std::vector<std::int64_t>{-1} : value->shape;
  }
  [[nodiscard]] ElementType type(const std::string& name = "y") const {
    const ListedValue* value = find(name);
    return value == nullptr ? ElementType::Undefined : value->type;
  }
  [[nodiscard]] bool is_bound(const std::string& name = "y") const {
    const ListedValue* value = find(name);
    return value != nullptr && value->is_bound;
  }
};

inline Outcome outcome_of(const Model& model) {
  const auto analysis =
      analyse(model, {.batch = std::nullopt, .dims = {}, .values = ListValues::Yes});
  Outcome outcome;
  if (!analysis) {
    outcome.gap = analysis.error().text();
    return outcome;
  }
  for (const CostGap& gap : analysis->gaps) outcome.gap += gap.reason;
  outcome.parameters = analysis->features.parameters;
  outcome.warnings = analysis->warnings;
  outcome.values = analysis->values;
  if (!analysis->features.ops.empty()) outcome.work = analysis->features.ops.back();
  return outcome;
}

/// A model of one node with outputs "y", "y1", "y2", ..., built input by input.
class OneNode {
 public:
  using Sizes = std::vector<std::int64_t>;

  explicit OneNode(std::string op, std::int64_t opset = 23, std::string domain = "")
      : op_{std::move(op)}, domain_{std::move(domain)}, sketch_{opset} {}

  OneNode& data(const Sizes& sizes, ElementType type = ElementType::Float32) {
    sketch_.input(next(), sizes, type);
    return *this;
  }
  OneNode& weight(Sizes sizes, ElementType type = ElementType::Float32) {
    sketch_.weight(next(), std::move(sizes), type);
    return *this;
  }
  OneNode& integers(std::vector<std::int64_t> values) {
    sketch_.integers(next(), std::move(values));
    return *this;
  }
  OneNode& reals(std::vector<double> values) {
    sketch_.reals(next(), std::move(values));
    return *this;
  }
  /// An input left out.
  OneNode& none() {
    inputs_.emplace_back();
    return *this;
  }
  OneNode& with(std::string attribute, AttributeValue value) {
    attributes_[std::move(attribute)] = std::move(value);
    return *this;
  }
  OneNode& outputs(int number) {
    outputs_ = number;
    return *this;
  }
  [[nodiscard]] Outcome run() {
    std::vector<std::string> names{"y"};
    for (int i = 1; i < outputs_; ++i) names.push_back("y" + std::to_string(i));
    sketch_.node(op_, inputs_, names, attributes_).output("y");
    sketch_.model().graph.nodes.back().domain = domain_;
    return outcome_of(sketch_.model());
  }

 private:
  std::string next() {
    inputs_.push_back("i" + std::to_string(inputs_.size()));
    return inputs_.back();
  }

  std::string op_;
  std::string domain_;
  ModelSketch sketch_;
  std::vector<std::string> inputs_;
  ModelSketch::Attributes attributes_;
  int outputs_{1};
};

}  // namespace horus::graph
