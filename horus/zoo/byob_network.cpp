// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/byob_network.hpp"

#include <string>
#include <vector>

#include "horus/zoo/activating_norm.hpp"
#include "horus/zoo/attention_block.hpp"
#include "horus/zoo/channel_attention.hpp"

namespace horus::zoo::byob {
namespace {

constexpr double kContextSqueeze = 8;
constexpr std::int64_t kMlpWidth = 1024;
constexpr std::int64_t kHeadWidth = 64;
constexpr std::int64_t kEvoWidth = 16;  // Channels of a group.

/// A block's place in the network and what its stage says.
struct Place {
  std::string name;
  const Stage& stage;
  int index{};
  std::int64_t stride{1};
};

/// The parts that the plan decides, bound to one network under construction.
class Network {
 public:
  Network(Builder& b, const Plan& plan) : b_{b}, plan_{plan} {}

  Value stem(const Value& image);
  Value block(const Place& place, const Value& x);
  void head(const Value& x);

 private:
  Value conv_norm(const std::string& name, const Value& x, const ConvSpec& spec);
  Value conv_norm_act(const std::string& name, const Value& x, const ConvSpec& spec);
  Value reducing(const std::string& name, const Value& x, ConvSpec spec);
  Value attend(const std::string& name, const Value& x);
  Value shortcut(const Place& place, const Value& x);
  Value branch(const Place& place, const Value& x);
  Value basic(const Place& place, const Value& x);
  Value bottleneck(const Place& place, const Value& x);
  Value attending(const Place& place, const Value& x);
  Value norm_act(const std::string& name, const Value& x);
  Value edge(const Place& place, const Value& x);
  Value rep(const Place& place, const Value& x);
  Value stem_pool(const Value& x);
  Value attention_pool(const Value& x);
  [[nodiscard]] std::int64_t inner_width(const Place& place, const Value& x) const;
  [[nodiscard]] std::int64_t groups(const Place& place, std::int64_t channels) const;

  Builder& b_;
  const Plan& plan_;
};

std::int64_t Network::inner_width(const Place& place, const Value& x) const {
  const std::int64_t side =
      plan_.inner_from == InnerFrom::Input ? x.shape[1] : place.stage.channels;
  return rounded_to(static_cast<double>(side) * place.stage.ratio, 8);
}

std::int64_t Network::groups(const Place& place, std::int64_t channels) const {
  if (place.stage.group == 0) return 1;
  if (plan_.grouping == Grouping::Width) return channels / place.stage.group;
  return place.index % 2 == 1 ? place.stage.group : 1;
}

Value Network::conv_norm(const std::string& name, const Value& x, const ConvSpec& spec) {
  if (plan_.norm == Norm::Batch) return conv_bn(b_, name, x, spec);
  const Value y = conv(b_, name + ".conv", x, spec);
  return evo_norm_linear(b_, name + ".bn", y, spec.channels / kEvoWidth);
}

Value Network::conv_norm_act(const std::string& name, const Value& x, const ConvSpec& spec) {
  if (plan_.norm == Norm::Batch) return conv_bn_act(b_, name, x, spec, plan_.activation);
  const Value y = conv(b_, name + ".conv", x, spec);
  return evo_norm(b_, name + ".bn", y, spec.channels / kEvoWidth);
}

/// Convolution, normalization, activation; the reduction may be an average behind them.
Value Network::reducing(const std::string& name, const Value& x, ConvSpec spec) {
  const bool averaged = plan_.reduction == Reduction::Average && spec.stride.front() == 2;
  if (averaged) spec.stride = {1};
  const Value y = conv_norm_act(name, x, spec);
  return averaged ? average_pool(b_, name + ".aa", y, {.kernel = {2}, .stride = {2}}) : y;
}

Value Network::attend(const std::string& name, const Value& x) {
  const auto channels = static_cast<double>(x.shape[1]);
  switch (plan_.attention) {
    case Attention::SqueezeExcite: {
      const double squeezed = channels / static_cast<double>(plan_.squeeze);
      return squeeze_excite(b_, name, x,
                            {.squeezed = rounded_to(squeezed, plan_.squeeze_divisor, 0)});
    }
    case Attention::Efficient:
      return efficient_channel_attention(b_, name, x);
    case Attention::GlobalContext:
      return global_context(b_, name, x, rounded_to(channels / kContextSqueeze, 1, 0));
    case Attention::None:
      break;
  }
  return x;
}

Value Network::basic(const Place& place, const Value& x) {
  const std::int64_t inner = inner_width(place, x);
  Value y = reducing(place.name + ".conv1_kxk", x, centred(inner, 3, place.stride));
  y = attend(place.name + ".attn", y);
  return conv_norm(place.name + ".conv2_kxk", y,
                   centred(place.stage.channels, 3, 1, groups(place, inner)));
}

Value Network::bottleneck(const Place& place, const Value& x) {
  const std::int64_t inner = inner_width(place, x);
  const std::int64_t parts = groups(place, inner);
  Value y = reducing(place.name + ".conv1_1x1", x, {.channels = inner});
  y = reducing(place.name + ".conv2_kxk", y, centred(inner, 3, place.stride, parts));
  if (plan_.spatial == Spatial::Twice) {
    y = reducing(place.name + ".conv2b_kxk", y, centred(inner, 3, 1, parts));
  }
  y = attend(place.name + ".attn", y);
  return conv_norm(place.name + ".conv3_1x1", y, {.channels = place.stage.channels});
}

Value Network::norm_act(const std::string& name, const Value& x) {
  if (plan_.norm == Norm::Evo) return evo_norm(b_, name, x, x.shape[1] / kEvoWidth);
  return plan_.activation(b_, name + ".act", batch_norm(b_, name, x));
}

Value Network::attending(const Place& place, const Value& x) {
  Value y = conv_norm_act(place.name + ".conv1_1x1", x, {.channels = inner_width(place, x)});
  y = image_attention(b_, place.name + ".self_attn", y, place.stage.attention, place.stride);
  y = norm_act(place.name + ".post_attn", y);
  return conv_norm(place.name + ".conv3_1x1", y, {.channels = place.stage.channels});
}

Value Network::edge(const Place& place, const Value& x) {
  const std::int64_t inner = inner_width(place, x);
  Value y =
      reducing(place.name + ".conv1_kxk", x, centred(inner, 3, place.stride, groups(place, inner)));
  y = attend(place.name + ".attn", y);
  return conv_norm(place.name + ".conv2_1x1", y, {.channels = place.stage.channels});
}

/// The branches that inference folds into one convolution: 1x1, 3x3 and, where shapes agree, a
/// normalization alone.
Value Network::rep(const Place& place, const Value& x) {
  const std::int64_t channels = place.stage.channels;
  const std::int64_t parts = groups(place, x.shape[1]);
  const Value narrow = conv_norm(place.name + ".conv_1x1", x,
                                 {.channels = channels, .stride = {place.stride}, .groups = parts});
  const Value wide =
      conv_norm(place.name + ".conv_kxk", x, centred(channels, 3, place.stride, parts));
  Value y = binary(b_, place.name + ".add", "Add", narrow, wide);
  if (place.stride == 1 && x.shape[1] == channels) {
    const Value same = batch_norm(b_, place.name + ".identity", x);
    y = binary(b_, place.name + ".add_1", "Add", y, same);
  }
  return plan_.activation(b_, place.name + ".act", attend(place.name + ".attn", y));
}

Value Network::branch(const Place& place, const Value& x) {
  const int every = place.stage.attend_every;
  if (every != 0 && (place.index + 1) % every == 0) return attending(place, x);
  switch (place.stage.block) {
    case Block::Basic:
      return basic(place, x);
    case Block::Edge:
      return edge(place, x);
    case Block::Bottleneck:
    case Block::Rep:
    case Block::None:
      break;
  }
  return bottleneck(place, x);
}

/// What is added to the branch where shapes do not agree.
Value Network::shortcut(const Place& place, const Value& x) {
  const std::string name = place.name + ".shortcut";
  const ConvSpec narrow{.channels = place.stage.channels};
  if (plan_.shortcut == Shortcut::Conv) {
    return conv_norm(name, x, {.channels = place.stage.channels, .stride = {place.stride}});
  }
  if (place.stride == 1) return conv_norm(name + ".conv", x, narrow);
  const Value pooled = halving_average(b_, name + ".pool", x);
  return conv_norm(name + ".conv", pooled, narrow);
}

Value Network::block(const Place& place, const Value& x) {
  if (place.stage.block == Block::Rep) return rep(place, x);
  Value y = branch(place, x);
  const bool agrees = place.stride == 1 && x.shape[1] == place.stage.channels;
  if (agrees || plan_.shortcut != Shortcut::WhereShapesAgree) {
    y = binary(b_, place.name + ".add", "Add", y, agrees ? x : shortcut(place, x));
  }
  return plan_.tail == Tail::Linear ? y : plan_.activation(b_, place.name + ".act", y);
}

Value Network::stem_pool(const Value& x) {
  switch (plan_.stem.pool) {
    case StemPool::Max:
      return max_pool(b_, "stem.pool", x, {.kernel = {3}, .stride = {2}, .padding = {1}});
    case StemPool::Average:
      return average_pool(b_, "stem.pool", x, {.kernel = {2}, .stride = {2}});
    case StemPool::None:
      break;
  }
  return x;
}

Value Network::stem(const Value& image) {
  const auto& channels = plan_.stem.channels;
  if (channels[1] == 0 && plan_.stem.pool == StemPool::None) {
    const Stage stage{.block = Block::Rep, .channels = channels[0]};
    if (plan_.stages[0].block == Block::Rep) return rep({"stem", stage, 0, 2}, image);
    return conv_norm_act("stem", image, centred(channels[0], 3, 2));
  }
  Value x = image;
  for (std::size_t i = 0; i < channels.size() && channels[i] != 0; ++i) {
    const std::string name = "stem.conv" + std::to_string(i + 1);
    const bool last = i + 1 == channels.size() || channels[i + 1] == 0;
    const bool halves = i == 0 || (last && plan_.stem.pool == StemPool::None);
    const ConvSpec spec = centred(channels[i], plan_.stem.kernel, halves ? 2 : 1);
    x = static_cast<int>(i) < plan_.stem.plain ? conv(b_, name, x, spec)
                                               : conv_norm_act(name, x, spec);
  }
  return stem_pool(x);
}

/// Attention over all positions and their mean, of which the mean's row is the result.
Value Network::attention_pool(const Value& x) {
  const std::int64_t batch = x.shape[0];
  const std::int64_t width = x.shape[1];
  const std::int64_t positions = x.shape[2] * x.shape[3];
  Value tokens = reshape(b_, "head.flat", x, {0, width, -1}, {batch, width, positions});
  tokens = transpose(b_, "head.tokens", tokens, {0, 2, 1});
  const Value mean = b_.add(
      {.name = "head.mean",
       .op_type = "ReduceMean",
       .inputs = {tokens.name},
       .attributes = {{"axes", std::vector<std::int64_t>{1}}, {"keepdims", std::int64_t{1}}}},
      {batch, 1, width});
  tokens = concat(b_, "head.concat", std::vector<Value>{mean, tokens}, 1);
  const Value places = b_.parameter("head.pos_embed", {positions + 1, width});
  tokens = binary(b_, "head.add", "Add", tokens, places);
  const Projections projections =
      project_apart(b_, {"head.q", "head.k", "head.v"}, tokens, tokens, Bias::Trained);
  tokens = attention(b_, "head.attn", projections, {.heads = width / kHeadWidth});
  tokens = linear(b_, "head.proj", tokens, plan_.classes);
  return b_.add({.name = "head.token",
                 .op_type = "Gather",
                 .inputs = {tokens.name, b_.integer(0).name},
                 .attributes = {{"axis", std::int64_t{1}}}},
                {batch, plan_.classes});
}

void Network::head(const Value& features) {
  Value x = features;
  if (plan_.features != 0) {
    x = reducing("final_conv", x, {.channels = plan_.features});
  }
  switch (plan_.head) {
    case Head::Classifier:
      return b_.output(classifier(b_, "head", "head.fc", x, 0, plan_.classes));
    case Head::AttentionPool:
      return b_.output(attention_pool(x));
    case Head::Features:
      return b_.output(flatten(b_, "head.flatten", global_average_pool(b_, "head.pool", x)));
    case Head::Mlp:
      break;
  }
  x = batch_norm(b_, "head.norm", global_average_pool(b_, "head.pool", x));
  x = linear(b_, "head.pre_logits.fc", flatten(b_, "head.flatten", x), kMlpWidth);
  x = plan_.activation(b_, "head.pre_logits.act", x);
  b_.output(linear(b_, "head.fc", x, plan_.classes));
}

}  // namespace

void build_network(Builder& b, const Plan& plan, std::int64_t image) {
  Network network{b, plan};
  Value x = network.stem(b.input("input", {kBatch, 3, image, image}));
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const Stage& stage = plan.stages[i];
    for (int block = 0; block < stage.depth; ++block) {
      const std::string name = "stages." + std::to_string(i) + "." + std::to_string(block);
      x = network.block({name, stage, block, block == 0 ? stage.stride : 1}, x);
    }
  }
  network.head(x);
}

}  // namespace horus::zoo::byob
