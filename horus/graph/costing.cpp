// SPDX-License-Identifier: Apache-2.0
// From shapes and roles to work, node by node.

#include "horus/graph/costing.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "horus/graph/cost_view.hpp"
#include "horus/graph/lifetimes.hpp"
#include "horus/graph/op_rule.hpp"

namespace horus::graph {
namespace {

/// What the members of a composite add up to so far.
struct Gathered {
  bool has_begun{};
  bool meets_gradient{};  ///< Its input was used before, so that gradients meet there.
  double flops_forward{};
  double flops_backward{};
  double weight_elements{};
  double weights_first_used{};
  int weight_tensors{};
};

/// A state of a loop that is `next`, a value from around the loop, after every trip.
struct Steady {
  ValueIndex initial{};
  ValueIndex next{};
};

class Coster {
 public:
  Coster(const Model& model, const GraphIndex& index, const Inference& inference,
         const Training& training, const Composites& composites, const Runs& runs,
         const Structure& structure)
      : model_{model},
        index_{index},
        inference_{inference},
        training_{training},
        composites_{composites},
        runs_{runs},
        structure_{structure},
        gathered_(composites.list.size()),
        opset_{opset_of(model)} {
    const std::size_t values = index.names.size();
    storage_.resize(values);
    std::iota(storage_.begin(), storage_.end(), ValueIndex{0});
    keeper_.assign(values, kNone);
    keeps_output_.assign(values, false);
    is_linear_.assign(model.graph.nodes.size(), false);
    gradient_uses_.assign(values, 0);
    is_claimed_.assign(values, false);
    // What a trip hands on is what the next one is given: it is kept once per trip, not twice.
    for (const CarriedState& state : structure.carried) {
      const ValueIndex next = index.inputs[state.result][0];
      const ValueIndex entry = index.outputs[state.entry][0];
      if (is_made_inside(next, structure.region(state.entry))) {
        storage_[next] = entry;
      } else {
        steady_.emplace(entry, Steady{.initial = index.inputs[state.entry][0], .next = next});
      }
    }
  }

  std::vector<NodeWork> run() {
    std::vector<NodeWork> works;
    works.reserve(index_.order.size());
    for (const NodeIndex n : index_.order) {
      if (!inference_.gaps[n].empty() || runs_.of(n) == 0) continue;
      works.push_back({.node = n, .work = cost(n)});
    }
    // What only such nodes read that are done before training.
    for (NodeWork& work : works) work.work.weights_first_used += claim_weights(work.node);
    account_lifetimes(index_, inference_, training_, composites_, {storage_, keeper_}, works);
    return works;
  }

 private:
  OpWork cost(NodeIndex n) {
    const Node& node = model_.graph.nodes[n];
    const OpRule& rule = *find_rule(node);
    const CostView view = view_of(NodeView{node, opset_, *known_inputs(index_, inference_, n)},
                                  rule, index_.inputs[n], index_.outputs[n]);
    CostSheet sheet;
    sheet.work.name = std::string{name_of(node)};
    sheet.work.op_type = node.op_type;
    sheet.work.kind = rule.kind;
    sheet.work.needs_input_gradient = view.activation_gradients() > 0;
    if (view.output(0) == nullptr || is_prepared(n, view)) {
      sheet.work.kind = OpKind::Free;
    } else {
      rule.cost(view, sheet);
    }
    if (adds_bias(n, view)) fuse_bias(view, sheet.work);
    if (sheet.work.kind == OpKind::Linear) is_linear_[n] = true;
    account_weights(view, sheet.work);
    if (sheet.work.kind != OpKind::Free) sheet.work.weights_first_used = claim_weights(n);
    account_integers(view, sheet.work);
    if (composites_.of[n] != kNone) {
      sheet.work = cost_member(n, view, std::move(sheet.work));
    } else {
      share_storage(n, view, sheet.work);
      account_meeting_gradients(n, view, sheet.work);
      keep_tensors(n, index_.inputs[n], sheet);
    }
    repeat(runs_.of(n), sheet.work);
    return std::move(sheet.work);
  }

  /// Members give their FLOPs and weights to the whole; what is launched, moved and kept is that of
  /// the whole.
  OpWork cost_member(NodeIndex n, const CostView& view, OpWork work) {
    const Composite& composite = composites_.list[composites_.of[n]];
    Gathered& sum = gathered_[composites_.of[n]];
    // Whoever uses the input after the first member finds it used, and adds the gradients itself.
    if (!sum.has_begun) sum.meets_gradient = gradient_uses_[composite.inputs[0]] > 0;
    sum.has_begun = true;
    account_meeting_gradients(n, view, work);
    sum.flops_forward += work.flops_forward;
    sum.flops_backward += work.flops_backward;
    sum.weight_elements += work.weight_elements;
    sum.weights_first_used += work.weights_first_used;
    sum.weight_tensors += work.weight_tensors;
    CostSheet sheet;
    sheet.work.name = std::move(work.name);
    sheet.work.op_type = std::move(work.op_type);
    sheet.work.needs_input_gradient = work.needs_input_gradient;
    if (n == composite.last) cost_whole(composite, sum, sheet);
    return std::move(sheet.work);
  }

  void cost_whole(const Composite& composite, const Gathered& sum, CostSheet& sheet) {
    std::vector<const Fact*> facts;
    for (const ValueIndex value : composite.inputs) facts.push_back(fact(value));
    const auto& outputs = index_.outputs[composite.last];
    const OpRule& rule = *find_rule(composite.whole);
    const CostView view = view_of(NodeView{composite.whole, opset_, std::move(facts)}, rule,
                                  composite.inputs, outputs);
    OpWork& work = sheet.work;
    work.kind = rule.kind;
    work.needs_input_gradient = view.activation_gradients() > 0;
    rule.cost(view, sheet);
    work.flops_forward = sum.flops_forward;
    work.flops_backward = sum.flops_backward;
    work.weight_elements = sum.weight_elements;
    work.weights_first_used = sum.weights_first_used;
    work.weight_tensors = sum.weight_tensors;
    if (sum.meets_gradient) add_gradients(view.size(0), work);
    keep_tensors(composite.last, composite.inputs, sheet);
  }

  CostView view_of(NodeView node, const OpRule& rule, std::span<const ValueIndex> inputs,
                   std::span<const ValueIndex> results) const {
    std::vector<Operand> operands;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const ValueIndex value = inputs[i];
      if (value == kNone) {
        operands.emplace_back();
        continue;
      }
      // No gradient flows back to what lends its type alone.
      const bool needs_gradient = training_.needs_gradient[value] && slot_of(rule, i) != 'y';
      operands.push_back({.part = training_.part[value], .needs_gradient = needs_gradient});
    }
    std::vector<const Fact*> outputs;
    for (const ValueIndex value : results) outputs.push_back(fact(value));
    return {std::move(node), rule, std::move(operands), std::move(outputs)};
  }

  [[nodiscard]] const Fact* fact(ValueIndex value) const {
    return value != kNone && inference_.facts[value] ? &*inference_.facts[value] : nullptr;
  }

  /// True for what is done once, before training: shape arithmetic on the host, constants, and
  /// weights seen under another shape.
  [[nodiscard]] bool is_prepared(NodeIndex n, const CostView& view) const {
    if (view.output(0)->contents) return true;
    return std::ranges::all_of(index_.outputs[n], [&](ValueIndex value) {
      return value == kNone || training_.source[value] != kNone ||
             training_.part[value] != Part::Activation;
    });
  }

  /// MatMul and Add of a bias vector is how exporters write a linear layer of three axes;
  /// frameworks run it as one product with bias.
  [[nodiscard]] bool adds_bias(NodeIndex n, const CostView& view) const {
    if (view.node().op_type != "Add") return false;
    for (std::size_t i = 0; i < 2; ++i) {
      const ValueIndex product = index_.inputs[n][i];
      const NodeIndex maker = product == kNone ? kNone : index_.producer[product];
      const std::size_t other = 1 - i;
      if (maker != kNone && is_linear_[maker] && index_.consumers[product].size() == 1 &&
          view.operand(other).part == Part::Trained && view.shape(other).size() == 1) {
        return true;
      }
    }
    return false;
  }

  static void fuse_bias(const CostView& view, OpWork& work) {
    work.elements_read = work.elements_written = 0;
    work.kernels_forward = work.host_ops_forward = work.host_ops_backward = 0;
    work.kernels_backward = 1;  // The sum that is the gradient of the bias.
    work.flops_backward = work.elements_read_backward = view.result_size();
    work.elements_written_backward = 0;
    work.inplace = true;
  }

  static void account_weights(const CostView& view, OpWork& work) {
    if (work.kind == OpKind::Free) return;
    for (std::size_t i = 0; i < view.input_count(); ++i) {
      if (!view.has_input(i) || view.operand(i).part != Part::Trained) continue;
      work.weight_elements += view.size(i);
      work.weight_tensors += 1;
    }
  }

  /// Elements of the parameters that node `n` reads and nobody before it read: over all nodes these
  /// add up to the parameters of the model, as far as any node with a cost reads them.
  double claim_weights(NodeIndex n) {
    double elements = 0.0;
    for (const ValueIndex value : index_.inputs[n]) {
      const ValueIndex source = value == kNone ? kNone : training_.source[value];
      if (source == kNone || is_claimed_[source]) continue;
      if (training_.part[source] != Part::Trained || fact(source) == nullptr) continue;
      is_claimed_[source] = true;
      elements += count(fact(source)->shape);
    }
    return elements;
  }

  static void account_integers(const CostView& view, OpWork& work) {
    if (work.kind == OpKind::Free) return;
    const auto add = [&work](const Fact& fact) {
      if (is_floating(fact.type)) return;
      add_bytes(count(fact.shape) * static_cast<double>(element_bytes(fact.type)),
                work.index_bytes);
    };
    for (std::size_t i = 0; i < view.input_count(); ++i) {
      if (view.is_activation(i)) add(view.input(i));
    }
    add(view.result());
  }

  /// Views share the storage of their input; so do activations that overwrite an input which nobody
  /// else needs.
  void share_storage(NodeIndex n, const CostView& view, OpWork& work) {
    if (work.op_type == structure_op::kLoopState) return enter_loop(index_.outputs[n][0]);
    const std::size_t shown = shown_input(n, view.node());
    const ValueIndex input = index_.inputs[n].empty() ? kNone : index_.inputs[n][shown];
    const ValueIndex output = index_.outputs[n].empty() ? kNone : index_.outputs[n][0];
    if (input == kNone || output == kNone || !view.is_activation(shown)) return;
    if (shows_part(view)) return share_parts(n, input);
    if (work.kind == OpKind::Free && view.output(0) != nullptr &&
        elements(view.result().shape) == elements(view.shape(shown))) {
      share(input, output);
    }
    work.inplace = work.inplace || (overwrites(work.op_type) && storage_[input] == input &&
                                    index_.producer[input] != kNone &&
                                    index_.consumers[input].size() == 1 && !keeps_output_[input]);
    if (work.inplace) share(input, output);
  }

  /// Frameworks cut tensors without a copy: whoever keeps a piece keeps the whole.
  static bool shows_part(const CostView& view) {
    const std::string_view op = view.node().op_type;
    return op == "Split" || op == "Slice" || (op == "Gather" && view.shape(1).empty());
  }

  void share_parts(NodeIndex n, ValueIndex input) {
    for (const ValueIndex piece : index_.outputs[n]) {
      if (piece != kNone && storage_[piece] == piece) storage_[piece] = storage_[input];
    }
  }

  /// Each trip has its own, unless all but the first are given the same value from around the loop.
  void enter_loop(ValueIndex entry) {
    const auto state = steady_.find(entry);
    if (state != steady_.end()) storage_[entry] = storage_[state->second.next];
  }

  [[nodiscard]] bool is_made_inside(ValueIndex value, std::uint32_t outer) const {
    const NodeIndex maker = index_.producer[value];
    std::uint32_t region = maker == kNone ? 0 : structure_.region(maker);
    while (region > outer) region = structure_.regions[region].parent;  // Parents come first.
    return region == outer;
  }

  /// True where a value from around a loop would be laid where each trip has a value of its own.
  [[nodiscard]] bool leaves_loop(ValueIndex input, ValueIndex output) const {
    const NodeIndex maker = index_.producer[storage_[output]];
    return maker != kNone && !is_made_inside(input, structure_.region(maker));
  }

  /// The result of a loop's body lies where the next trip reads it, so its maker writes there too.
  void share(ValueIndex input, ValueIndex output) {
    if (storage_[output] == output || storage_[input] != input || leaves_loop(input, output)) {
      storage_[output] = storage_[input];
      return;
    }
    if (keeper_[storage_[output]] == kNone) keeper_[storage_[output]] = keeper_[input];
    storage_[input] = storage_[output];
  }

  /// Which input a view shows: the first, but of two branches the one that runs.
  [[nodiscard]] std::size_t shown_input(NodeIndex n, const Node& node) const {
    if (node.op_type != structure_op::kMerge || node.domain != kStructureDomain) return 0;
    const ValueIndex thens = index_.inputs[n][0];
    const NodeIndex maker = thens == kNone ? kNone : index_.producer[thens];
    return maker != kNone && runs_.of(maker) == 0 ? 1 : 0;
  }

  /// Where a value is used twice, its gradients are added: one more kernel per further use.
  void account_meeting_gradients(NodeIndex n, const CostView& view, OpWork& work) {
    if (!view.runs_backward()) return;
    for (std::size_t i = 0; i < view.input_count(); ++i) {
      if (!view.is_activation(i) || !view.operand(i).needs_gradient) continue;
      const bool is_first = gradient_uses_[index_.inputs[n][i]]++ == 0;
      if (is_first || work.kind == OpKind::Free) continue;
      work.flops_backward += view.size(i);
      add_gradients(view.size(i), work);
    }
  }

  /// The kernel that adds two gradients of `size` elements, but for its FLOPs.
  static void add_gradients(double size, OpWork& work) {
    work.kernels_backward += 1;
    work.elements_read_backward += 2 * size;
    work.elements_written_backward += size;
  }

  /// The sheet is that of node `n`, or of a composite that ends with it and has other `inputs`.
  void keep_tensors(NodeIndex n, std::span<const ValueIndex> inputs, CostSheet& sheet) {
    for (const std::size_t i : sheet.kept_inputs) keep(inputs[i], n, sheet.work);
    for (const std::size_t i : sheet.kept_outputs) {
      keeps_output_[index_.outputs[n][i]] = true;
      keep(index_.outputs[n][i], n, sheet.work);
    }
    sheet.work.saved_elements += sheet.kept_elements * runs_.of(n);
    add_bytes(static_cast<double>(sheet.kept_bytes) * runs_.of(n), sheet.work.saved_index_bytes);
  }

  void keep(ValueIndex value, NodeIndex n, OpWork& work) {
    if (const auto state = steady_.find(value); state != steady_.end()) {
      keep(state->second.initial, n, work);
    }
    const ValueIndex root = value == kNone ? kNone : storage_[value];
    if (root == kNone || training_.part[value] != Part::Activation || keeper_[root] != kNone) {
      return;
    }
    keeper_[root] = n;
    const Fact& kept = *inference_.facts[inference_.facts[root] ? root : value];
    // A value from outside of a loop is kept once, one from inside once per trip.
    const NodeIndex maker = index_.producer[root];
    const double runs = maker == kNone ? 1.0 : runs_.of(maker);
    if (is_floating(kept.type)) {
      work.saved_elements += count(kept.shape) * runs;
    } else {
      add_bytes(count(kept.shape) * static_cast<double>(element_bytes(kept.type)) * runs,
                work.saved_index_bytes);
    }
  }

  /// Activations whose gradient can be taken from their output, as the model libraries write them
  /// (torch.nn.ReLU(inplace=True) and its kin). Others take their gradient from their input:
  /// written in place, they first copy it (ReLU6 of PyTorch 1.13 and later), which is no gain.
  static bool overwrites(std::string_view op_type) {
    return op_type == "Relu" || op_type == "LeakyRelu";
  }

  const Model& model_;
  const GraphIndex& index_;
  const Inference& inference_;
  const Training& training_;
  const Composites& composites_;
  const Runs& runs_;
  const Structure& structure_;
  std::map<ValueIndex, Steady> steady_;
  std::vector<Gathered> gathered_;  // Per composite.
  std::int64_t opset_;
  std::vector<ValueIndex> storage_;  // Per value: the value whose memory it shares.
  std::vector<NodeIndex> keeper_;    // Per storage: who keeps it first.
  std::vector<bool> keeps_output_;   // Per value: its producer needs it backward.
  std::vector<bool> is_linear_;      // Per node.
  std::vector<bool> is_claimed_;     // Per source: a node counts it as its own.
  std::vector<std::uint32_t> gradient_uses_;
};

}  // namespace

std::vector<NodeWork> cost_nodes(const Model& model, const GraphIndex& index,
                                 const Inference& inference, const Training& training,
                                 const Composites& composites, const Runs& runs,
                                 const Structure& structure) {
  return Coster{model, index, inference, training, composites, runs, structure}.run();
}

}  // namespace horus::graph
