// SPDX-License-Identifier: Apache-2.0
// Patterns as a table of steps, matched backwards from their last operator.

#include "horus/graph/composite.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "horus/graph/node_view.hpp"
#include "horus/graph/shape.hpp"

namespace horus::graph {
namespace {

/// What stands at an input of a step.
enum class Role {
  Absent,
  Data,    ///< The input of the whole pattern: the same value wherever it stands.
  Step,    ///< The result of another step.
  Number,  ///< A constant of one element.
  Weight,  ///< A parameter or constant, in the order of the steps.
};

struct Argument {
  Role role{Role::Absent};
  std::size_t step{};
  double number{std::numeric_limits<double>::quiet_NaN()};  ///< Not a number: any will do.
};

constexpr Argument kData{.role = Role::Data};
constexpr Argument kWeight{.role = Role::Weight};
constexpr Argument kAnyEpsilon{.role = Role::Number};
constexpr Argument step(std::size_t i) { return {.role = Role::Step, .step = i}; }
constexpr Argument number(double value) { return {.role = Role::Number, .number = value}; }

/// A setting of an operator: an input, or an attribute, or else what the standard says.
struct Setting {
  const char* attribute{nullptr};
  std::size_t input{};  ///< 0: never an input.
  double expected{};
  double fallback{};
};

struct Step {
  std::string_view op_type;
  std::array<Argument, 2> arguments;
  std::array<Setting, 2> settings{};
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array<Setting, 2> kZeroToSix{Setting{"min", 1, 0, -kInfinity},
                                            Setting{"max", 2, 6, kInfinity}};
constexpr std::array<Setting, 2> kSixths{Setting{"alpha", 0, 1.0 / 6, 0.2},
                                         Setting{"beta", 0, 0.5, 0.5}};

// 0.5 x (1 + erf(x / sqrt 2)), in the order of PyTorch's exporter. Code that halves x before the
// product runs operator by operator and keeps what those keep.
constexpr auto kGelu = std::to_array<Step>({{"Div", {kData, number(std::numbers::sqrt2)}},
                                            {"Erf", {step(0)}},
                                            {"Add", {step(1), number(1)}},
                                            {"Mul", {kData, step(2)}},
                                            {"Mul", {step(3), number(0.5)}}});
// The same behind optimizers of graphs that turn divisions into products.
constexpr auto kGeluByProduct =
    std::to_array<Step>({{"Mul", {kData, number(1 / std::numbers::sqrt2)}},
                         {"Erf", {step(0)}},
                         {"Add", {step(1), number(1)}},
                         {"Mul", {kData, step(2)}},
                         {"Mul", {step(3), number(0.5)}}});
// As PyTorch's exporter of torch.export writes it below version 20 of the operator set: the factor
// is halved, and not its product with x.
constexpr auto kGeluHalvedFactor =
    std::to_array<Step>({{"Div", {kData, number(std::numbers::sqrt2)}},
                         {"Erf", {step(0)}},
                         {"Add", {step(1), number(1)}},
                         {"Mul", {number(0.5), step(2)}},
                         {"Mul", {kData, step(3)}}});

// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), as PyTorch's exporters write its GELU with
// approximate="tanh". The code of GPT-2 and NewGELUActivation of HuggingFace's transformers, which
// run operator by operator, raise x to a power, too, but halve x before the product.
constexpr double kTanhSlope = 0.7978845608028654;  // sqrt(2 / pi)
constexpr double kTanhCubic = 0.044715;
constexpr auto kGeluTanh = std::to_array<Step>({{"Mul", {kData, kData}},
                                                {"Mul", {kData, step(0)}},
                                                {"Mul", {number(kTanhCubic), step(1)}},
                                                {"Add", {kData, step(2)}},
                                                {"Mul", {number(kTanhSlope), step(3)}},
                                                {"Tanh", {step(4)}},
                                                {"Add", {number(1), step(5)}},
                                                {"Mul", {kData, step(6)}},
                                                {"Mul", {number(0.5), step(7)}}});
constexpr auto kGeluTanhByPower = std::to_array<Step>({{"Pow", {kData, number(3)}},
                                                       {"Mul", {number(kTanhCubic), step(0)}},
                                                       {"Add", {kData, step(1)}},
                                                       {"Mul", {number(kTanhSlope), step(2)}},
                                                       {"Tanh", {step(3)}},
                                                       {"Add", {number(1), step(4)}},
                                                       {"Mul", {kData, step(5)}},
                                                       {"Mul", {number(0.5), step(6)}}});

constexpr auto kSilu = std::to_array<Step>({{"Sigmoid", {kData}}, {"Mul", {kData, step(0)}}});

// x min(max(x + 3, 0), 6) / 6, with the division last or before the product.
constexpr auto kHardSwish =
    std::to_array<Step>({{"HardSigmoid", {kData}, kSixths}, {"Mul", {kData, step(0)}}});
constexpr auto kHardSwishLast = std::to_array<Step>({{"Add", {kData, number(3)}},
                                                     {"Clip", {step(0)}, kZeroToSix},
                                                     {"Mul", {kData, step(1)}},
                                                     {"Div", {step(2), number(6)}}});
constexpr auto kHardSwishFirst = std::to_array<Step>({{"Add", {kData, number(3)}},
                                                      {"Clip", {step(0)}, kZeroToSix},
                                                      {"Div", {step(1), number(6)}},
                                                      {"Mul", {kData, step(2)}}});

constexpr std::size_t kMean = 0;
constexpr std::size_t kVariance = 3;
constexpr auto kLayerNorm = std::to_array<Step>({{"ReduceMean", {kData}},
                                                 {"Sub", {kData, step(kMean)}},
                                                 {"Pow", {step(1), number(2)}},
                                                 {"ReduceMean", {step(2)}},
                                                 {"Add", {step(kVariance), kAnyEpsilon}},
                                                 {"Sqrt", {step(4)}},
                                                 {"Div", {step(1), step(5)}},
                                                 {"Mul", {step(6), kWeight}},
                                                 {"Add", {step(7), kWeight}}});
constexpr std::span<const Step> kLayerNormSteps{kLayerNorm};

// Groups of channels in one row each, normalized without weights, and put back.
constexpr std::size_t kGrouped = 0;
constexpr auto kGroupNorm = std::to_array<Step>({{"Reshape", {kData}},
                                                 {"InstanceNormalization", {step(kGrouped)}},
                                                 {"Reshape", {step(1)}},
                                                 {"Mul", {step(2), kWeight}},
                                                 {"Add", {step(3), kWeight}}});
constexpr std::size_t kLongest = std::max(kLayerNorm.size(), kGeluTanh.size());

struct Pattern {
  std::string_view whole;  ///< The operator that it computes.
  std::span<const Step> steps;
};

constexpr std::string_view kLayerNormalization = "LayerNormalization";
constexpr std::string_view kGroupNormalization = "GroupNormalization";
constexpr auto kPatterns = std::to_array<Pattern>({
    {"Gelu", kGelu},
    {"Gelu", kGeluByProduct},
    {"Gelu", kGeluHalvedFactor},
    {"Gelu", kGeluTanh},
    {"Gelu", kGeluTanhByPower},
    {"Swish", kSilu},
    {"HardSwish", kHardSwish},
    {"HardSwish", kHardSwishLast},
    {"HardSwish", kHardSwishFirst},
    {kGroupNormalization, kGroupNorm},
    {kLayerNormalization, kLayerNormSteps},
    {kLayerNormalization, kLayerNormSteps.first(8)},  // Without a bias.
    {kLayerNormalization, kLayerNormSteps.first(7)},  // Without weights.
});

bool commutes(std::string_view op_type) { return op_type == "Add" || op_type == "Mul"; }

/// Constants in half precision are this close to what they stand for.
bool is_close(double found, double expected) { return std::abs(found - expected) <= 1e-3; }

std::optional<double> only_number(const Fact& fact) {
  if (!fact.contents) return std::nullopt;
  return std::visit(
      [](const auto& list) -> std::optional<double> {
        if (list.size() != 1) return std::nullopt;
        return static_cast<double>(list.front());
      },
      *fact.contents);
}

/// Nodes and values that one pattern is bound to so far.
struct Bound {
  std::array<NodeIndex, kLongest> nodes;
  ValueIndex data{kNone};
  std::array<ValueIndex, 2> weights{};
  std::size_t weight_count{};

  Bound() { nodes.fill(kNone); }
  [[nodiscard]] std::span<const ValueIndex> given_weights() const {
    return std::span{weights}.first(weight_count);
  }
};

class Finder {
 public:
  Finder(const Model& model, const GraphIndex& index, const Inference& inference,
         const Training& training, const Structure& structure)
      : model_{model},
        index_{index},
        inference_{inference},
        training_{training},
        structure_{structure},
        opset_{opset_of(model)} {
    found_.of.assign(index.inputs.size(), kNone);
    is_visible_.assign(index.names.size(), false);
    for (const ValueIndex value : index.graph_outputs) is_visible_[value] = true;
  }

  /// Backwards, so that a layer norm is tried at its bias before it is tried without.
  Composites run() {
    for (std::size_t i = index_.order.size(); i-- > 0;) {
      const NodeIndex n = index_.order[i];
      for (const Pattern& pattern : kPatterns) {
        if (pattern.steps.back().op_type != op_type(n)) continue;
        if (try_at(n, pattern)) break;
      }
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::string_view op_type(NodeIndex n) const {
    return model_.graph.nodes[n].op_type;
  }
  /// Requires a value that is_usable() or matches() has passed.
  [[nodiscard]] const Fact& fact(ValueIndex value) const { return *inference_.facts[value]; }

  bool try_at(NodeIndex last, const Pattern& pattern) {
    Bound bound;
    const std::size_t end = pattern.steps.size() - 1;
    if (!matches(pattern, end, last, bound) || !is_closed(pattern, bound)) return false;
    const ValueIndex result = index_.outputs[last][0];
    if (fact(bound.data).shape != fact(result).shape) return false;
    Composite composite{.whole = {}, .inputs = {bound.data}, .last = last};
    composite.whole.op_type = std::string{pattern.whole};
    if (pattern.whole == kLayerNormalization) {
      const auto axis = normalized_axis(bound);
      if (!axis) return false;
      composite.whole.attributes["axis"] = *axis;
    }
    if (pattern.whole == kGroupNormalization) {
      const auto groups = normalized_groups(bound);
      if (!groups) return false;
      composite.whole.attributes["num_groups"] = *groups;
    }
    const auto weights = bound.given_weights();
    composite.inputs.insert(composite.inputs.end(), weights.begin(), weights.end());
    for (std::size_t i = 0; i <= end; ++i) {
      found_.of[bound.nodes[i]] = static_cast<std::uint32_t>(found_.list.size());
    }
    found_.list.push_back(std::move(composite));
    return true;
  }

  /// Binds step `i` to node `n` and what leads to it. What is bound is of no use after a failure.
  bool matches(const Pattern& pattern, std::size_t i, NodeIndex n, Bound& bound) const {
    if (n == kNone) return false;
    if (bound.nodes[i] != kNone) return bound.nodes[i] == n;
    const Step& step = pattern.steps[i];
    if (step.op_type != op_type(n) || !is_usable(n) || !has_settings(n, step)) return false;
    bound.nodes[i] = n;
    const auto& inputs = index_.inputs[n];
    const auto both = [&](ValueIndex first, ValueIndex second, Bound& trial) {
      return fits(pattern, step.arguments[0], first, trial) &&
             fits(pattern, step.arguments[1], second, trial);
    };
    const ValueIndex second = inputs.size() > 1 ? inputs[1] : kNone;
    Bound trial = bound;
    if (both(inputs[0], second, trial) ||
        (commutes(step.op_type) && both(second, inputs[0], trial = bound))) {
      bound = std::move(trial);
      return true;
    }
    return false;
  }

  bool fits(const Pattern& pattern, const Argument& argument, ValueIndex value,
            Bound& bound) const {
    if (argument.role == Role::Absent) return true;
    if (value == kNone || !inference_.facts[value]) return false;
    const Part part = training_.part[value];
    switch (argument.role) {
      case Role::Absent:
        break;
      case Role::Data:
        if (bound.data == kNone) bound.data = value;
        return bound.data == value && part == Part::Activation;
      case Role::Step:
        return matches(pattern, argument.step, index_.producer[value], bound);
      case Role::Number:
        return part == Part::Fixed && is_number(fact(value), argument.number);
      case Role::Weight:
        bound.weights.at(bound.weight_count++) = value;
        return part != Part::Activation;
    }
    return true;
  }

  /// A number that the file does not hold is believed: nothing else is written in these shapes.
  static bool is_number(const Fact& fact, double expected) {
    if (elements(fact.shape) != 1) return false;
    const auto found = only_number(fact);
    return !found || std::isnan(expected) || is_close(*found, expected);
  }

  /// One result of floating point, computed from data, whose shape is known.
  [[nodiscard]] bool is_usable(NodeIndex n) const {
    if (!inference_.gaps[n].empty() || found_.of[n] != kNone) return false;
    if (index_.inputs[n].empty() || index_.outputs[n].size() != 1) return false;
    const ValueIndex result = index_.outputs[n][0];
    return result != kNone && inference_.facts[result] && !fact(result).contents &&
           is_floating(fact(result).type) && training_.part[result] == Part::Activation;
  }

  [[nodiscard]] bool has_settings(NodeIndex n, const Step& step) const {
    if (step.settings.front().attribute == nullptr) return true;
    const auto inputs = known_inputs(index_, inference_, n);
    if (!inputs) return false;
    const NodeView view{model_.graph.nodes[n], opset_, *inputs};
    return std::ranges::all_of(step.settings, [&](const Setting& setting) {
      if (setting.attribute == nullptr) return true;
      if (setting.input > 0 && view.has_input(setting.input)) {
        return is_number(view.input(setting.input), setting.expected);
      }
      return is_close(view.real(setting.attribute, setting.fallback), setting.expected);
    });
  }

  /// True when no intermediate value is used outside the pattern or leaves the graph or the body of
  /// a loop.
  [[nodiscard]] bool is_closed(const Pattern& pattern, const Bound& bound) const {
    const auto members = std::span{bound.nodes}.first(pattern.steps.size());
    return std::ranges::all_of(members.first(members.size() - 1), [&](NodeIndex n) {
      const ValueIndex result = index_.outputs[n][0];
      return !is_visible_[result] && structure_.region(n) == structure_.region(members.back()) &&
             std::ranges::all_of(index_.consumers[result], [&](NodeIndex user) {
               return std::ranges::find(members, user) != members.end();
             });
    });
  }

  /// The first axis that the statistics of a layer norm run over: they must run over the last axes
  /// and keep them as 1, and weights must have one entry for each element there. The code of
  /// ConvNeXt, for one, normalizes axis 1, which frameworks have no single operator for.
  [[nodiscard]] std::optional<std::int64_t> normalized_axis(const Bound& bound) const {
    const Shape& data = fact(bound.data).shape;
    const Shape& mean = fact(index_.outputs[bound.nodes[kMean]][0]).shape;
    const Shape& variance = fact(index_.outputs[bound.nodes[kVariance]][0]).shape;
    if (mean != variance || mean.size() != data.size()) return std::nullopt;
    const auto differs = std::ranges::mismatch(mean, data);
    const bool is_tail =
        std::ranges::all_of(differs.in1, mean.end(), [](std::int64_t size) { return size == 1; });
    if (!is_tail || differs.in1 == mean.end()) return std::nullopt;
    const std::int64_t size = elements({differs.in2, data.end()});
    const bool fits = std::ranges::all_of(bound.given_weights(), [&](ValueIndex weight) {
      return elements(fact(weight).shape) == size;
    });
    if (!fits) return std::nullopt;
    return differs.in1 - mean.begin();
  }

  /// Groups of channels that were normalized, each over all of its elements, where weights have one
  /// entry for each channel.
  [[nodiscard]] std::optional<std::int64_t> normalized_groups(const Bound& bound) const {
    const Shape& data = fact(bound.data).shape;
    const Shape& grouped = fact(index_.outputs[bound.nodes[kGrouped]][0]).shape;
    if (data.size() < 3 || grouped.size() < 3 || grouped[0] != data[0]) return std::nullopt;
    if (grouped[1] < 1 || data[1] % grouped[1] != 0) return std::nullopt;
    const bool fits = std::ranges::all_of(bound.given_weights(), [&](ValueIndex weight) {
      return elements(fact(weight).shape) == data[1];
    });
    if (!fits) return std::nullopt;
    return grouped[1];
  }

  const Model& model_;
  const GraphIndex& index_;
  const Inference& inference_;
  const Training& training_;
  const Structure& structure_;
  std::int64_t opset_;
  std::vector<bool> is_visible_;  // Per value: the graph's caller sees it.
  Composites found_;
};

}  // namespace

Composites find_composites(const Model& model, const GraphIndex& index, const Inference& inference,
                           const Training& training, const Structure& structure) {
  return Finder{model, index, inference, training, structure}.run();
}

}  // namespace horus::graph
