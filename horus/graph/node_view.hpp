// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the rule of an operator may see of its node: attributes with defaults and known inputs.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/graph/model.hpp"
#include "horus/graph/shape.hpp"

namespace horus::graph {

/// A setting that moved from an attribute to an input in version `since` of the operator set.
/// Reading takes the place that the version names and falls back to the other one, because
/// exporters are not always exact about the version that they claim.
struct Moved {
  const char* attribute;
  std::size_t input;
  std::int64_t since;
};

/// Reads one node. An attribute of the wrong type or beyond all reason does not end the reading:
/// the default is returned and `problem()` says what was wrong, so that rules stay short. Whoever
/// calls a rule looks at `problem()` afterwards.
class NodeView {
 public:
  /// `inputs` has one entry per input of `node`, nullptr where an optional input is left out. Both
  /// must outlive the view.
  NodeView(const Node& node, std::int64_t opset, std::vector<const Fact*> inputs)
      : node_{&node}, opset_{opset}, inputs_{std::move(inputs)} {}

  [[nodiscard]] const Node& node() const { return *node_; }
  [[nodiscard]] std::int64_t opset() const { return opset_; }
  [[nodiscard]] std::size_t input_count() const { return inputs_.size(); }
  [[nodiscard]] std::size_t output_count() const { return node_->outputs.size(); }
  [[nodiscard]] bool has_input(std::size_t i) const {
    return i < inputs_.size() && inputs_[i] != nullptr;
  }
  /// Requires has_input(i).
  [[nodiscard]] const Fact& input(std::size_t i) const;
  [[nodiscard]] const Shape& shape(std::size_t i) const { return input(i).shape; }

  [[nodiscard]] bool has_attribute(const char* name) const;
  /// Magnitudes up to 2^31; larger ones are a problem.
  [[nodiscard]] std::int64_t integer(const char* name, std::int64_t fallback) const;
  [[nodiscard]] double real(const char* name, double fallback) const;
  [[nodiscard]] std::string text(const char* name, std::string_view fallback) const;
  /// Empty where the attribute is absent. Magnitudes up to 2^31.
  [[nodiscard]] std::vector<std::int64_t> integers(const char* name) const;
  /// The tensor of a tensor attribute, or nullptr.
  [[nodiscard]] const Tensor* tensor(const char* name) const;

  /// Integers of an input, or nothing where the input is absent or its contents are unknown.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> contents(std::size_t i) const;
  /// The only number of an input of one element, whole or real, or nothing.
  [[nodiscard]] std::optional<double> scalar(std::size_t i) const;
  /// Integers of a setting; nothing where neither place gives it. A given input whose contents are
  /// unknown is a problem, because the setting then exists and cannot be guessed.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> setting(const Moved& place) const;

  /// What was wrong with the attributes read so far.
  [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }

 private:
  const AttributeValue* attribute(const char* name) const;
  void note(std::string problem) const;
  std::int64_t bounded(const char* name, std::int64_t value) const;

  const Node* node_;
  std::int64_t opset_;
  std::vector<const Fact*> inputs_;
  mutable std::optional<std::string> problem_;
};

}  // namespace horus::graph
