// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the rule of an operator may see of its node: attributes with defaults and known inputs.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "horus/graph/model.hpp"
#include "horus/graph/ops/history.hpp"
#include "horus/graph/shape.hpp"

namespace horus::graph {

/// Reads one node. An attribute of the wrong type or beyond all reason does not end the reading:
/// the default is returned and `problem()` says what was wrong, so that rules stay short. Whoever
/// calls a rule looks at `problem()` afterwards.
class NodeView {
 public:
  /// `inputs` has one entry per input of `node`, nullptr where an optional input is left out. Both
  /// must outlive the view. `opset` is the version of the standard operator set; the few settings
  /// that operators of other domains share with it are read as in its newest version.
  NodeView(const Node& node, std::int64_t opset, std::vector<const Fact*> inputs)
      : node_{&node}, opset_{version_for(node, opset)}, inputs_{std::move(inputs)} {}

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

  /// Integers of an input, or nothing where the input is absent or its contents are unknown. The
  /// first versions of a few operators have counts as real numbers: whole ones are integers.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> contents(std::size_t i) const;
  /// The only number of an input of one element, whole or real, or nothing.
  [[nodiscard]] std::optional<double> scalar(std::size_t i) const;
  /// Integers of a setting that is an attribute or an input, as the table of versions says; nothing
  /// where neither place gives it. Reading takes the place that the version names and falls back to
  /// the other one, because exporters are not always exact about the version that they claim. A
  /// given input whose contents are unknown is a problem, because the setting then exists and
  /// cannot be guessed. Magnitudes are those of the file.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> setting(const char* name) const;
  /// The same for a setting of real numbers; an attribute of one number is a list of one.
  [[nodiscard]] std::optional<std::vector<double>> real_setting(const char* name) const;
  /// True where the setting is given as an input of unknown contents.
  [[nodiscard]] bool depends_on_data(const char* name) const;
  /// The integer attribute, or the default that the table of versions gives it, or `fallback` where
  /// the table has none. A required attribute that is left out is a problem.
  [[nodiscard]] std::int64_t defaulted(const char* name, std::int64_t fallback) const;
  /// Whether the version behaves so; false where the table does not say.
  [[nodiscard]] bool behaves(const char* behaviour) const;

  /// What was wrong with the attributes read so far.
  [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }

 private:
  static std::int64_t version_for(const Node& node, std::int64_t opset) {
    if (!node.domain.empty()) return kNewestOpset;
    return node.opset != 0 ? node.opset : opset;
  }
  const AttributeValue* attribute(const char* name) const;
  void note(std::string problem) const;
  const Fact* input_of_setting(const char* name) const;
  std::int64_t bounded(const char* name, std::int64_t value) const;

  const Node* node_;
  std::int64_t opset_;
  std::vector<const Fact*> inputs_;
  mutable std::optional<std::string> problem_;
};

}  // namespace horus::graph
