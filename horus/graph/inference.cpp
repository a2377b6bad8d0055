// SPDX-License-Identifier: Apache-2.0
// Runs the shape rule of every node in topological order; what fails is named and passed over.

#include "horus/graph/inference.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/graph/frozen_batch.hpp"
#include "horus/graph/limits.hpp"
#include "horus/graph/op_rule.hpp"
#include "horus/graph/ops/history.hpp"
#include "horus/graph/rounding.hpp"

namespace horus::graph {
namespace {

constexpr const char* kTooLarge = "an output is larger than any memory";

std::optional<Fact> fact_of(const Tensor& tensor) {
  if (!is_sound(tensor.dims)) return std::nullopt;
  Fact fact{.type = tensor.type, .shape = tensor.dims, .contents = std::nullopt};
  const auto size = static_cast<std::size_t>(elements(tensor.dims));
  if (size > static_cast<std::size_t>(kMaxContents)) return fact;
  if (tensor.integers && tensor.integers->size() == size) fact.contents = *tensor.integers;
  if (tensor.floats && tensor.floats->size() == size) fact.contents = *tensor.floats;
  return fact;
}

std::size_t length_of(const Contents& contents) {
  return std::visit([](const auto& list) { return list.size(); }, contents);
}

/// Contents that do not fill their shape are not believed.
bool fills(const Contents& contents, const Shape& shape) {
  return length_of(contents) == static_cast<std::size_t>(elements(shape));
}

std::optional<Contents> fold(const OpRule& rule, const NodeView& node, const Fact& output) {
  if (rule.fold == nullptr || elements(output.shape) > kMaxContents) return std::nullopt;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (slot_of(rule, i) == 'y' || !node.has_input(i)) continue;
    if (!node.input(i).contents) return std::nullopt;
  }
  auto contents = rule.fold(node, output);
  if (!contents || !fills(*contents, output.shape)) return std::nullopt;
  return contents;
}

/// Inputs that the rule requires are all given, and there are not more than it knows.
Result<Done> check_inputs(const OpRule& rule, const NodeView& node) {
  if (node.input_count() > rule.inputs_max || node.input_count() < rule.inputs_min) {
    return refuse(fmt::format("{} inputs, expected {} to {}", node.input_count(), rule.inputs_min,
                              rule.inputs_max));
  }
  for (std::size_t i = 0; i < rule.inputs_min; ++i) {
    if (!node.has_input(i)) return refuse(fmt::format("input {} is left out", i));
  }
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (node.has_input(i) && node.input(i).sequence && slot_of(rule, i) != 'q') {
      return refuse(fmt::format("input {} is a sequence of tensors, expected a tensor", i));
    }
  }
  return Done{};
}

bool has_bounds(const NodeView& node) {
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (node.has_input(i) && node.input(i).is_bound) return true;
  }
  return false;
}

/// Whatever is computed from a bound is one, but for a scalar that is not followed: it has no size.
void pass_bounds_on(const NodeView& node, Facts& facts) {
  if (!has_bounds(node)) return;
  for (Fact& fact : facts) {
    const bool has_sizes = !fact.shape.empty() || fact.contents || fact.sequence;
    fact.is_bound = fact.is_bound || has_sizes;
  }
}

bool is_sound_fact(const Fact& fact) {
  if (!fact.sequence) return is_sound(fact.shape);
  return fact.sequence->size() <= kMaxSequence &&
         std::ranges::all_of(*fact.sequence, [](const Shape& shape) { return is_sound(shape); });
}

Result<Facts> run_rule(const OpRule& rule, const NodeView& node) {
  HORUS_TRY_DONE(check_inputs(rule, node));
  auto facts = rule.infer(node);
  if (node.problem()) return refuse(*node.problem());
  if (!facts) return facts;
  for (Fact& fact : *facts) {
    if (!is_sound_fact(fact)) return refuse(kTooLarge);
    if (fact.contents && !fills(*fact.contents, fact.shape)) fact.contents.reset();
  }
  if (!facts->empty() && !facts->front().contents) {
    facts->front().contents = fold(rule, node, facts->front());
  }
  for (Fact& fact : *facts) {
    if (fact.contents) round_to(fact.type, *fact.contents);
  }
  pass_bounds_on(node, *facts);
  return facts;
}

/// What a fact holds beside its own shape, as kFollowedBytesMax counts it.
std::size_t bytes_followed(const Fact& fact) {
  std::size_t bytes = 0;
  if (fact.contents) {
    const std::size_t length = length_of(*fact.contents);
    if (length > kAlwaysFollowed) bytes += length * sizeof(std::int64_t);
  }
  if (!fact.sequence) return bytes;
  for (const Shape& shape : *fact.sequence) {
    bytes += sizeof(Shape) + shape.size() * sizeof(std::int64_t);
  }
  return bytes;
}

class Inferrer {
 public:
  Inferrer(const Model& model, const GraphIndex& index, const Binding& binding, AtBatch at,
           const Inference* reference)
      : model_{model}, index_{index}, binding_{binding}, at_{at}, reference_{reference} {}

  Inference run() {
    found_.facts.resize(index_.names.size());
    found_.cause.resize(index_.names.size(), kNone);
    found_.gaps.resize(model_.graph.nodes.size());
    seed();
    for (const NodeIndex n : index_.order) visit(n);
    return std::move(found_);
  }

 private:
  void seed() {
    for (ValueIndex value = 0; value < index_.names.size(); ++value) {
      if (index_.initializer[value] == nullptr) continue;
      found_.facts[value] = fact_of(*index_.initializer[value]);
      if (!found_.facts[value]) {
        blame(value, fmt::format("initializer '{}' has an impossible shape",
                                 printable(index_.names[value])));
      }
    }
    for (const BoundInput& input : binding_.inputs) {
      if (!input.gap.empty()) {
        blame(input.value, input.gap);
        continue;
      }
      found_.facts[input.value] =
          Fact{.type = index_.declared[input.value]->type,
               .shape = at_ == AtBatch::Reference ? input.reference : input.wanted,
               .contents = std::nullopt};
    }
  }

  void blame(ValueIndex value, std::string cause) {
    found_.cause[value] = static_cast<std::uint32_t>(found_.causes.size());
    found_.causes.push_back(std::move(cause));
  }

  void visit(NodeIndex n) {
    const auto inputs = known_inputs(index_, found_, n);
    if (!inputs) return pass_over(n);
    auto facts = facts_of(n, *inputs);
    if (!facts) return give_up(n, facts.error().message);
    const auto& outputs = index_.outputs[n];
    if (facts->empty() && !outputs.empty()) return give_up(n, "its outputs are not inferred");
    if (!cut_to_budget(n, *facts)) {
      return give_up(n,
                     fmt::format("the sequences and contents of small tensors in this model take "
                                 "more than {} MiB, the most that Horus follows",
                                 kFollowedBytesMax >> 20U));
    }
    const auto is_bound = [](const Fact& fact) { return fact.is_bound; };
    if (std::ranges::any_of(*facts, is_bound)) found_.bounded.push_back(n);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] == kNone) continue;
      if (i < facts->size()) {
        found_.facts[outputs[i]] = std::move((*facts)[i]);
      } else {
        blame(outputs[i], fmt::format("output {} of {} is not inferred", i, label(n)));
      }
    }
  }

  /// Drops contents that the budget has no room for; false where there is none for a sequence.
  bool cut_to_budget(NodeIndex n, Facts& facts) {
    for (Fact& fact : facts) {
      const std::size_t bytes = bytes_followed(fact);
      if (bytes <= budget_) {
        budget_ -= bytes;
        continue;
      }
      if (fact.sequence) return false;
      fact.contents.reset();
      if (found_.unfollowed.empty() || found_.unfollowed.back() != n)
        found_.unfollowed.push_back(n);
    }
    return true;
  }

  Result<Facts> facts_of(NodeIndex n, const std::vector<const Fact*>& inputs) {
    const Node& node = model_.graph.nodes[n];
    const std::int64_t version = opset_of(model_, node);
    if (node.domain.empty() && !exists_in(node.op_type, version)) found_.misplaced.push_back(n);
    const OpRule* rule = find_rule(node);
    if (rule == nullptr && rules_of(node.domain).empty()) {
      return refuse(fmt::format("operators of domain '{}' are not known", printable(node.domain)));
    }
    if (rule == nullptr) {
      return refuse(fmt::format("operator '{}' is not known", printable(node.op_type)));
    }
    const NodeView view{node, opset_of(model_, node), inputs};
    auto facts = run_rule(*rule, view);
    if (reference_ == nullptr) return facts;
    return thaw(n, *rule, view, std::move(facts));
  }

  /// Looks whether a constant keeps this node at the file's batch, and scales it if so.
  Result<Facts> thaw(NodeIndex n, const OpRule& rule, const NodeView& view, Result<Facts> facts) {
    // Too large a batch is no frozen one.
    if (!facts && facts.error().message == kTooLarge) return facts;
    const auto before = known_inputs(index_, *reference_, n);
    const ValueIndex output = index_.outputs[n].empty() ? kNone : index_.outputs[n][0];
    if (!before || output == kNone || !reference_->facts[output]) return facts;
    const NodeView reference{view.node(), view.opset(), *before};
    const Fact& reference_output = *reference_->facts[output];
    const FrozenNode frozen{.now = view,
                            .before = reference,
                            .output_before = reference_output,
                            .batch = binding_.batch,
                            .batch_before = binding_.reference_batch};
    if (!keeps_old_batch(frozen, facts)) return facts;
    if (view.node().op_type == "Reshape") {
      auto shape = scaled_reshape(frozen);
      if (!shape) return still_frozen(facts);
      found_.repaired.push_back(n);
      Facts scaled;
      scaled.push_back({.type = view.input(0).type, .shape = std::move(*shape)});
      return scaled;
    }
    return thaw_inputs(n, rule, frozen, std::move(facts));
  }

  Result<Facts> thaw_inputs(NodeIndex n, const OpRule& rule, const FrozenNode& frozen,
                            Result<Facts> facts) {
    std::vector<std::optional<Fact>> scaled = scaled_inputs(frozen);
    std::vector<const Fact*> inputs;
    for (std::size_t i = 0; i < scaled.size(); ++i) {
      const Fact* given = frozen.now.has_input(i) ? &frozen.now.input(i) : nullptr;
      inputs.push_back(scaled[i] ? &*scaled[i] : given);
    }
    const NodeView view{frozen.now.node(), frozen.now.opset(), inputs};
    auto again = run_rule(rule, view);
    if (!again || keeps_old_batch(frozen, again)) return still_frozen(facts);
    found_.repaired.push_back(n);
    for (std::size_t i = 0; i < scaled.size(); ++i) {
      const ValueIndex value = index_.inputs[n][i];
      // What a node made is repaired where it was made; a weight keeps its shape.
      if (scaled[i] && index_.producer[value] != kNone) found_.facts[value] = std::move(scaled[i]);
    }
    return again;
  }

  [[nodiscard]] Result<Facts> still_frozen(const Result<Facts>& facts) const {
    return refuse(fmt::format(
        "{}; a constant seems to freeze batch {}, and batch {} cannot be derived from it: export "
        "the model with an open batch",
        facts ? "the output would keep the batch of the file" : facts.error().message,
        binding_.reference_batch, binding_.batch));
  }

  /// An input is unknown: names it and the root of the ignorance.
  void pass_over(NodeIndex n) {
    std::uint32_t cause = kNone;
    for (const ValueIndex value : index_.inputs[n]) {
      if (value == kNone || found_.facts[value]) continue;
      cause = found_.cause[value];
      found_.gaps[n] = fmt::format("the shape of '{}' is unknown: {}",
                                   printable(index_.names[value]), found_.causes[cause]);
      break;
    }
    leave_unknown(n, cause);
  }

  void give_up(NodeIndex n, const std::string& reason) {
    found_.gaps[n] = reason;
    const auto cause = static_cast<std::uint32_t>(found_.causes.size());
    found_.causes.push_back(fmt::format("{}: {}", label(n), reason));
    leave_unknown(n, cause);
  }

  /// Outputs of a gap fall back to what the file declares for them.
  void leave_unknown(NodeIndex n, std::uint32_t cause) {
    for (const ValueIndex value : index_.outputs[n]) {
      if (value == kNone) continue;
      found_.cause[value] = cause;
      const ValueInfo* info = index_.declared[value];
      if (info == nullptr || !declaration_holds(*info)) continue;
      if (auto shape = declared_shape(*info, symbols())) {
        found_.facts[value] = Fact{.type = info->type, .shape = std::move(*shape)};
      }
    }
  }

  /// Declared sizes are those of the file's own batch, unless a symbol carries the batch.
  [[nodiscard]] bool declaration_holds(const ValueInfo& info) const {
    if (binding_.batch == binding_.reference_batch || at_ == AtBatch::Reference) return true;
    return info.shape && std::ranges::any_of(*info.shape, [](const Dim& dim) {
             return !dim.size && !dim.symbol.empty();
           });
  }

  [[nodiscard]] const Symbols& symbols() const {
    return at_ == AtBatch::Reference ? binding_.reference_symbols : binding_.symbols;
  }

  [[nodiscard]] std::string label(NodeIndex n) const {
    const Node& node = model_.graph.nodes[n];
    return fmt::format("{} '{}'", printable(node.op_type), printable(name_of(node)));
  }

  const Model& model_;
  const GraphIndex& index_;
  const Binding& binding_;
  AtBatch at_;
  const Inference* reference_;
  std::size_t budget_{kFollowedBytesMax};
  Inference found_;
};

}  // namespace

Inference infer(const Model& model, const GraphIndex& index, const Binding& binding, AtBatch at,
                const Inference* reference) {
  return Inferrer{model, index, binding, at, reference}.run();
}

std::optional<std::vector<const Fact*>> known_inputs(const GraphIndex& index,
                                                     const Inference& inference, NodeIndex n) {
  std::vector<const Fact*> facts;
  facts.reserve(index.inputs[n].size());
  for (const ValueIndex value : index.inputs[n]) {
    const bool is_known = value != kNone && inference.facts[value];
    if (value != kNone && !is_known && !index.takes_unknown[n]) return std::nullopt;
    facts.push_back(is_known ? &*inference.facts[value] : nullptr);
  }
  // Trailing inputs left out are as if they were not written.
  while (!facts.empty() && facts.back() == nullptr) facts.pop_back();
  return facts;
}

std::int64_t opset_of(const Model& model) {
  const auto found = model.opsets.find("");
  return found == model.opsets.end() ? kNewestOpset : found->second;
}

std::int64_t opset_of(const Model& model, const Node& node) {
  return node.opset == 0 ? opset_of(model) : node.opset;
}

}  // namespace horus::graph
