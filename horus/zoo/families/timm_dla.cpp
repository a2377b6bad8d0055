// SPDX-License-Identifier: Apache-2.0
// Deep layer aggregation (Yu et al. 2017, arXiv:1707.06484), as huggingface/pytorch-image-models
// (timm, models/dla.py) builds it: blocks are the leaves of trees whose roots join their outputs.

#include <array>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

/// Hierarchical: the paths of Res2Net, arXiv:1904.01169.
enum class Block { Basic, Bottleneck, Hierarchical };
enum class RootShortcut { None, Added };

struct Plan {
  std::array<int, 4> levels{};  ///< Heights of the trees of levels 2 to 5.
  std::array<std::int64_t, 4> channels{128, 256, 512, 1024};
  Block block{Block::Bottleneck};
  std::int64_t groups{1};
  std::int64_t base_width{64};
  RootShortcut root{RootShortcut::None};
};

constexpr std::size_t kPaths = 4;  // Of a hierarchical block.

struct Tree {
  int height{};
  std::int64_t channels{};
  std::int64_t stride{1};
};

/// The parts that the plan decides, bound to one network under construction.
class Network {
 public:
  Network(Builder& b, const Plan& plan) : b_{b}, plan_{plan} {}

  Value conv_relu(const std::string& name, const Value& x, const ConvSpec& spec) {
    return relu(b_, name + ".2", batch_norm(b_, name + ".1", conv(b_, name + ".0", x, spec)));
  }
  /// `joined`: outputs of earlier blocks for the root at the far right.
  Value tree(const std::string& name, const Value& x, const Tree& tree, std::vector<Value> joined);
  Value pool(const std::string& name, const Value& x, std::int64_t stride) {
    return stride == 1 ? x : max_pool(b_, name, x, {.kernel = {stride}, .stride = {stride}});
  }

 private:
  Value step(const std::string& name, int index, const Value& x, const ConvSpec& spec) {
    const std::string number = std::to_string(index);
    return batch_norm(b_, name + ".bn" + number, conv(b_, name + ".conv" + number, x, spec));
  }
  Value step_relu(const std::string& name, int index, const Value& x, const ConvSpec& spec) {
    return relu(b_, name + ".relu" + std::to_string(index), step(name, index, x, spec));
  }
  Value leaf(const std::string& name, const Value& x, const Tree& tree);
  Value paths(const std::string& name, const Value& x, std::int64_t stride);
  Value block(const std::string& name, const Value& x, const Value& shortcut, const Tree& tree) {
    const Value sum = binary(b_, name + ".add", "Add", leaf(name, x, tree), shortcut);
    return relu(b_, name + ".relu", sum);
  }
  Value root(const std::string& name, const std::vector<Value>& joined, std::int64_t channels);

  Builder& b_;
  const Plan& plan_;
};

/// All paths but the last are convolved, each added to by the one before; a reducing block keeps
/// them apart and pools the last.
Value Network::paths(const std::string& name, const Value& x, std::int64_t stride) {
  const std::int64_t width = x.shape[1] / static_cast<std::int64_t>(kPaths);
  const auto parts = split(b_, name + ".split", x, 1, std::vector<std::int64_t>(kPaths, width));
  std::vector<Value> outputs;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const std::string number = std::to_string(i);
    Value y = parts[i];
    if (i > 0 && stride == 1) {
      y = binary(b_, name + ".add." + number, "Add", outputs.back(), y);
    }
    y = conv(b_, name + ".convs." + number, y, centred(width, 3, stride, plan_.groups));
    y = batch_norm(b_, name + ".bns." + number, y);
    outputs.push_back(relu(b_, name + ".relus." + number, y));
  }
  outputs.push_back(stride == 1 ? parts.back()
                                : average_pool(b_, name + ".pool", parts.back(),
                                               {.kernel = {3}, .stride = {2}, .padding = {1}}));
  return concat(b_, name + ".concat", outputs, 1);
}

Value Network::leaf(const std::string& name, const Value& x, const Tree& tree) {
  if (plan_.block == Block::Basic) {
    const Value y = step_relu(name, 1, x, centred(tree.channels, 3, tree.stride));
    return step(name, 2, y, centred(tree.channels, 3));
  }
  const std::int64_t inner = tree.channels * plan_.base_width / 64 * plan_.groups / 2;
  if (plan_.block == Block::Hierarchical) {
    const auto width = inner * static_cast<std::int64_t>(kPaths);
    const Value y = step_relu(name, 1, x, {.channels = width});
    return step(name, 3, paths(name, y, tree.stride), {.channels = tree.channels});
  }
  Value y = step_relu(name, 1, x, {.channels = inner});
  y = step_relu(name, 2, y, centred(inner, 3, tree.stride, plan_.groups));
  return step(name, 3, y, {.channels = tree.channels});
}

Value Network::root(const std::string& name, const std::vector<Value>& joined,
                    std::int64_t channels) {
  Value y =
      conv(b_, name + ".conv", concat(b_, name + ".concat", joined, 1), {.channels = channels});
  y = batch_norm(b_, name + ".bn", y);
  if (plan_.root == RootShortcut::Added) {
    y = binary(b_, name + ".add", "Add", y, joined.front());
  }
  return relu(b_, name + ".relu", y);
}

Value Network::tree(const std::string& name, const Value& x, const Tree& tree,
                    std::vector<Value> joined) {
  if (tree.height > 1) {
    const Tree left{tree.height - 1, tree.channels, tree.stride};
    const Value y = this->tree(name + ".tree1", x, left, {});
    joined.push_back(y);
    return this->tree(name + ".tree2", y, {tree.height - 1, tree.channels}, std::move(joined));
  }
  // A reducing leaf whose root sees the pooled input has it already.
  const bool pooled = tree.stride != 1 && !joined.empty();
  Value shortcut = pooled ? joined.front() : pool(name + ".downsample", x, tree.stride);
  if (x.shape[1] != tree.channels) {
    shortcut = conv(b_, name + ".project.0", shortcut, {.channels = tree.channels});
    shortcut = batch_norm(b_, name + ".project.1", shortcut);
  }
  const Value first = block(name + ".tree1", x, shortcut, tree);
  const Value second = block(name + ".tree2", first, first, {1, tree.channels});
  std::vector<Value> all{second, first};
  all.insert(all.end(), joined.begin(), joined.end());
  return root(name + ".root", all, tree.channels);
}

void build_network(Builder& b, const Plan& plan, std::int64_t image) {
  Network network{b, plan};
  Value x = b.input("input", {kBatch, 3, image, image});
  x = network.conv_relu("base_layer", x, centred(16, 7));
  x = network.conv_relu("level0", x, centred(16, 3));
  x = network.conv_relu("level1", x, centred(32, 3, 2));
  for (std::size_t i = 0; i < plan.levels.size(); ++i) {
    const std::string name = "level" + std::to_string(i + 2);
    // From the second tree on the root also sees the tree's own, pooled, input.
    std::vector<Value> joined;
    if (i > 0) joined.push_back(network.pool(name + ".bottom", x, 2));
    x = network.tree(name, x, {plan.levels[i], plan.channels[i], 2}, std::move(joined));
  }
  x = global_average_pool(b, "global_pool", x);
  x = conv(b, "fc", x, {.channels = 1000, .bias = Bias::Trained});
  b.output(flatten(b, "flatten", x));
}

constexpr std::array<std::int64_t, 4> kNarrow{64, 128, 256, 512};
constexpr std::array<std::int64_t, 4> kCompact{64, 64, 128, 256};

constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"dla102", 224, {.levels = {1, 3, 4, 1}, .root = RootShortcut::Added}},
    {"dla102x",
     224,
     {.levels = {1, 3, 4, 1}, .groups = 32, .base_width = 4, .root = RootShortcut::Added}},
    {"dla102x2",
     224,
     {.levels = {1, 3, 4, 1}, .groups = 64, .base_width = 4, .root = RootShortcut::Added}},
    {"dla169", 224, {.levels = {2, 3, 5, 1}, .root = RootShortcut::Added}},
    {"dla34", 224, {.levels = {1, 2, 2, 1}, .channels = kNarrow, .block = Block::Basic}},
    {"dla46_c", 224, {.levels = {1, 2, 2, 1}, .channels = kCompact}},
    {"dla46x_c",
     224,
     {.levels = {1, 2, 2, 1}, .channels = kCompact, .groups = 32, .base_width = 4}},
    {"dla60", 224, {.levels = {1, 2, 3, 1}}},
    {"dla60_res2net",
     224,
     {.levels = {1, 2, 3, 1}, .block = Block::Hierarchical, .base_width = 28}},
    {"dla60_res2next",
     224,
     {.levels = {1, 2, 3, 1}, .block = Block::Hierarchical, .groups = 8, .base_width = 4}},
    {"dla60x", 224, {.levels = {1, 2, 3, 1}, .groups = 32, .base_width = 4}},
    {"dla60x_c",
     224,
     {.levels = {1, 2, 3, 1}, .channels = kCompact, .groups = 32, .base_width = 4}},
});

}  // namespace

std::vector<Entry> timm_dla_family() {
  return timm_entries(kModels, "deep layer aggregation, ImageNet (timm, models/dla.py)",
                      build_network);
}

}  // namespace horus::zoo
