// SPDX-License-Identifier: Apache-2.0
// One walk forward over storages, one backward over the buffers of gradients.

#include "horus/graph/lifetimes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "horus/graph/shape.hpp"

namespace horus::graph {
namespace {

/// Position in the list of works.
using Place = std::uint32_t;

/// What a step does to tensors at one place: a composite acts as one at its last member.
struct Act {
  std::span<const ValueIndex> inputs;
  std::span<const ValueIndex> outputs;
};

std::vector<Act> acts_of(const GraphIndex& index, const Composites& composites,
                         const std::vector<NodeWork>& works) {
  std::vector<Act> acts(works.size());
  for (Place at = 0; at < works.size(); ++at) {
    const NodeIndex n = works[at].node;
    const std::uint32_t of = composites.of[n];
    if (of == kNone) {
      acts[at] = {index.inputs[n], index.outputs[n]};
    } else if (composites.list[of].last == n) {
      acts[at] = {composites.list[of].inputs, index.outputs[n]};
    }
  }
  return acts;
}

/// Elements of floating-point activations; 0 for all that is no such tensor.
std::vector<double> sizes_of(const Inference& inference, const Training& training) {
  std::vector<double> sizes(inference.facts.size(), 0.0);
  for (ValueIndex value = 0; value < sizes.size(); ++value) {
    const auto& fact = inference.facts[value];
    const bool is_tensor = fact && !fact->sequence && is_floating(fact->type);
    if (is_tensor && training.part[value] == Part::Activation) sizes[value] = count(fact->shape);
  }
  return sizes;
}

/// Whether the gradient of an input of `size` is the gradient of the output, of `output_size`,
/// under another shape or in part. What is broadcast gets a sum, which is a tensor of its own.
bool passes_gradient_on(const OpWork& work, double size, double output_size) {
  if (work.kind == OpKind::DataMovement && work.op_type == "Concat") return true;
  if (size != output_size) return false;
  constexpr std::array<std::string_view, 3> kSums{"Add", "Identity", "Sum"};
  const bool is_sum =
      work.kind == OpKind::Elementwise && std::ranges::find(kSums, work.op_type) != kSums.end();
  return is_sum || work.kind == OpKind::Free || work.op_type == "Transpose";
}

/// Tensors that are computed, not kept, and still wait for a user.
class Forward {
 public:
  Forward(const std::vector<double>& sizes, const Training& training, const Storage& storage,
          std::vector<NodeWork>& works)
      : sizes_{sizes}, training_{training}, storage_{storage}, works_{works} {
    const std::size_t values = sizes.size();
    first_.assign(values, kNone);
    last_.assign(values, kNone);
    size_.assign(values, 0.0);
  }

  void run(const std::vector<Act>& acts) {
    for (Place at = 0; at < acts.size(); ++at) {
      for (const ValueIndex value : acts[at].outputs) touch(value, at, true);
      for (const ValueIndex value : acts[at].inputs) touch(value, at, false);
    }
    const std::vector<Place> kept_at = keeping_places();
    std::vector<Change> changes(works_.size() + 1);
    for (ValueIndex root = 0; root < size_.size(); ++root) {
      if (first_[root] == kNone || size_[root] == 0) continue;
      const Place end = std::min(kept_at[root], last_[root] + 1);
      if (end > first_[root]) add(root, first_[root], end, &Change::live, changes);
      // Masks and the like are not computed again.
      if (!training_.needs_gradient[root]) continue;
      add(root, first_[root], last_[root], &Change::needed, changes);
      changes[first_[root]].needed_tensors += 1;
      changes[last_[root]].needed_tensors -= 1;
    }
    fill(acts, changes);
  }

 private:
  /// What becomes more at a place.
  struct Change {
    double live{};    ///< Elements that wait for a user or are being used, unless they are kept.
    double needed{};  ///< Elements that later places use.
    int needed_tensors{};
  };

  void add(ValueIndex root, Place from, Place to, double Change::*sum,
           std::vector<Change>& changes) const {
    changes[from].*sum += size_[root];
    changes[to].*sum -= size_[root];
  }

  void fill(const std::vector<Act>& acts, const std::vector<Change>& changes) {
    Change now;
    for (Place at = 0; at < works_.size(); ++at) {
      now.live += changes[at].live;
      now.needed += changes[at].needed;
      now.needed_tensors += changes[at].needed_tensors;
      if (acts[at].outputs.empty()) continue;  // Inside of a composite nothing is stored.
      OpWork& work = works_[at].work;
      work.live_elements = std::max(now.live, 0.0);
      if (work.kind != OpKind::Free && now.needed_tensors == 1) work.cut_elements = now.needed;
    }
  }

  void touch(ValueIndex value, Place at, bool makes) {
    if (value == kNone) return;
    const ValueIndex root = storage_.of[value];
    if (makes && first_[root] == kNone) first_[root] = at;
    last_[root] = at;
    size_[root] = std::max(size_[root], sizes_[value]);
  }

  /// Per storage: where it is kept, kNone where it is not.
  [[nodiscard]] std::vector<Place> keeping_places() const {
    std::vector<Place> of_node;
    for (Place at = 0; at < works_.size(); ++at) {
      const NodeIndex n = works_[at].node;
      if (n >= of_node.size()) of_node.resize(n + 1, kNone);
      of_node[n] = at;
    }
    std::vector<Place> places(size_.size(), kNone);
    for (ValueIndex root = 0; root < places.size(); ++root) {
      const NodeIndex n = storage_.keeper[root];
      if (n != kNone && n < of_node.size()) places[root] = of_node[n];
    }
    return places;
  }

  const std::vector<double>& sizes_;
  const Training& training_;
  const Storage& storage_;
  std::vector<NodeWork>& works_;
  std::vector<Place> first_;  // Per storage, as are the others.
  std::vector<Place> last_;
  std::vector<double> size_;
};

/// Buffers of gradients, counted references and all.
class Backward {
 public:
  Backward(const std::vector<double>& sizes, const Training& training)
      : sizes_{sizes}, training_{training}, buffer_(sizes.size(), kNone) {}

  /// The loss hands a gradient to every output of the graph.
  void seed(const std::vector<ValueIndex>& graph_outputs) {
    for (const ValueIndex value : graph_outputs) {
      if (carries(value) && buffer_[value] == kNone) buffer_[value] = fresh(sizes_[value]);
    }
  }

  /// The most elements that stand while `act` runs backward.
  double run(const Act& act, const OpWork& work) {
    most_ = live_;
    std::uint32_t source = kNone;
    double source_size = 0;
    for (const ValueIndex value : act.outputs) {
      if (value == kNone || buffer_[value] == kNone) continue;
      source = buffer_[value];
      source_size = sizes_[value];
    }
    if (source == kNone) return live_;
    for (const ValueIndex value : act.inputs) {
      if (!carries(value)) continue;
      give(value, passes_gradient_on(work, sizes_[value], source_size), source);
    }
    for (const ValueIndex value : act.outputs) {
      if (value != kNone) drop(buffer_[value]);
      if (value != kNone) buffer_[value] = kNone;
    }
    return most_;
  }

 private:
  struct Buffer {
    double size{};
    int users{};
  };

  [[nodiscard]] bool carries(ValueIndex value) const {
    return value != kNone && sizes_[value] > 0 && training_.needs_gradient[value];
  }

  std::uint32_t fresh(double size) {
    buffers_.push_back({.size = size, .users = 1});
    live_ += size;
    most_ = std::max(most_, live_);
    return static_cast<std::uint32_t>(buffers_.size() - 1);
  }

  void drop(std::uint32_t buffer) {
    if (buffer == kNone) return;
    if (--buffers_[buffer].users == 0) live_ -= buffers_[buffer].size;
  }

  void give(ValueIndex value, bool shares, std::uint32_t source) {
    std::uint32_t given = source;
    if (shares) {
      buffers_[source].users += 1;
    } else {
      given = fresh(sizes_[value]);
    }
    std::uint32_t& held = buffer_[value];
    if (held == kNone) {
      held = given;
    } else if (buffers_[held].users == 1) {
      drop(given);  // Added in place.
    } else {
      const std::uint32_t sum = fresh(sizes_[value]);
      drop(held);
      drop(given);
      held = sum;
    }
  }

  const std::vector<double>& sizes_;
  const Training& training_;
  std::vector<std::uint32_t> buffer_;  // Per value.
  std::vector<Buffer> buffers_;
  double live_{};
  double most_{};
};

}  // namespace

void account_lifetimes(const GraphIndex& index, const Inference& inference,
                       const Training& training, const Composites& composites,
                       const Storage& storage, std::vector<NodeWork>& works) {
  const std::vector<double> sizes = sizes_of(inference, training);
  const std::vector<Act> acts = acts_of(index, composites, works);
  Forward{sizes, training, storage, works}.run(acts);
  Backward backward{sizes, training};
  backward.seed(index.graph_outputs);
  for (Place at = static_cast<Place>(works.size()); at-- > 0;) {
    if (acts[at].outputs.empty()) continue;
    works[at].work.gradient_elements = std::max(backward.run(acts[at], works[at].work), 0.0);
  }
}

}  // namespace horus::graph
