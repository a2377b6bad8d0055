// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/vision_transformer.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/position_network.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

/// What all blocks of one network read besides its tokens.
struct Sequence {
  std::int64_t side{};              ///< Patches along the image's side.
  std::int64_t prefix{};            ///< Class and register tokens, which come first.
  std::optional<Value> rotation{};  ///< Sines and cosines, (patches, 2 * width of a head).
  std::vector<Value> biases{};      ///< Added to the scores of every block.
};

bool on(VitOption option) { return option == VitOption::On; }

Value norm(Builder& b, const std::string& name, const Value& x, const VitPlan& plan) {
  if (plan.norm == VitNorm::RootMeanSquare) return rms_norm(b, name, x, plan.epsilon);
  return layer_norm(b, name, x, plan.epsilon);
}

Value scaled(Builder& b, const std::string& name, const Value& x, const VitPlan& plan) {
  return on(plan.layer_scale) ? layer_scale(b, name, x) : x;
}

Value network_bias(Builder& b, const std::string& name, const VitPlan& plan,
                   const Sequence& sequence) {
  return position_network(b, name,
                          {.height = sequence.side,
                           .width = sequence.side,
                           .heads = plan.heads,
                           .inner = plan.position_width,
                           .prefix = sequence.prefix});
}

std::vector<Value> project(Builder& b, const std::string& name, const Value& x,
                           VitProjection projection) {
  const std::int64_t width = x.shape.back();
  if (projection == VitProjection::Apart) {
    const Value query = linear(b, name + ".q_proj", x, width);
    const Value key = linear(b, name + ".k_proj", x, width, Bias::None);
    const Value value = linear(b, name + ".v_proj", x, width);
    return {query, key, value};
  }
  const Bias bias = projection == VitProjection::Joint ? Bias::Trained : Bias::None;
  const Value all = projection == VitProjection::JointKeyless
                        ? project_keyless(b, name, x)
                        : linear(b, name + ".qkv", x, 3 * width, bias);
  return split_last(b, name + ".qkv.split", all, 3);
}

/// Each pair of features of each patch, turned by an angle that its place gives. Tokens of the
/// prefix stay as they are.
Value rotate(Builder& b, const std::string& name, const Value& x, const Sequence& sequence) {
  const std::int64_t tokens = x.shape[2];
  const std::int64_t width = x.shape[3];
  const Value patches = slice(b, name + ".patches", x, 2, sequence.prefix, tokens);
  Shape pairs = patches.shape;
  pairs.back() = width / 2;
  pairs.push_back(2);
  const Value paired = shaped(b, name + ".pairs", patches, pairs);
  const Value even = slice(b, name + ".even", paired, 4, 0, 1);
  const Value odd = unary(b, name + ".odd.neg", "Neg", slice(b, name + ".odd", paired, 4, 1, 2));
  const Value turned = concat(b, name + ".turned", std::vector<Value>{odd, even}, 4);
  const std::vector<Value> waves = split_last(b, name + ".waves", *sequence.rotation, 2);
  const Value quarter = shaped(b, name + ".quarter", turned, patches.shape);
  const Value cosine = binary(b, name + ".cos", "Mul", patches, waves[1]);
  const Value sine = binary(b, name + ".sin", "Mul", quarter, waves[0]);
  const Value sum = binary(b, name + ".rotated", "Add", cosine, sine);
  if (sequence.prefix == 0) return sum;
  const Value prefix = slice(b, name + ".prefix", x, 2, 0, sequence.prefix);
  return concat(b, name + ".joined", std::vector<Value>{prefix, sum}, 2);
}

/// A query or key of the heads with its norm and rotation, where the plan has them.
Value prepared(Builder& b, const std::string& name, Value x, const VitPlan& plan,
               const Sequence& sequence) {
  if (on(plan.head_norm)) x = norm(b, name + "_norm", x, plan);
  return sequence.rotation ? rotate(b, name + "_rope", x, sequence) : x;
}

/// What is added to the scores of a block.
std::vector<Value> biases_of(Builder& b, const std::string& name, const VitPlan& plan,
                             const Sequence& sequence) {
  if (plan.positions == VitPositions::Table) {
    return {relative_bias(b, name, sequence.side, sequence.side, plan.heads, sequence.prefix)};
  }
  if (plan.positions == VitPositions::Network)
    return {network_bias(b, name + ".rel_pos", plan, sequence)};
  return sequence.biases;
}

/// Attention from projected queries, keys and values, heads joined again.
Value mix(Builder& b, const std::string& name, const std::vector<Value>& projected,
          const VitPlan& plan, const Sequence& sequence) {
  HeadTriple heads;
  heads.query = part_heads(b, name + ".query", projected[0], plan.heads);
  heads.key = part_heads(b, name + ".key", projected[1], plan.heads);
  heads.value = part_heads(b, name + ".value", projected[2], plan.heads);
  heads.query = prepared(b, name + ".q", heads.query, plan, sequence);
  heads.key = prepared(b, name + ".k", heads.key, plan, sequence);
  const std::vector<Value> biases = biases_of(b, name, plan, sequence);
  return unite_heads(b, name + ".context", attend(b, name + ".attend", heads, biases));
}

Value attention_branch(Builder& b, const std::string& name, const Value& x, const VitPlan& plan,
                       const Sequence& sequence) {
  Value y = mix(b, name, project(b, name, x, plan.projection), plan, sequence);
  if (on(plan.context_norm)) y = norm(b, name + ".norm", y, plan);
  return linear(b, name + ".proj", y, plan.width);
}

/// Two layers side by side, the activation of the first times the second, and a third.
Value gated_branch(Builder& b, const std::string& name, const Value& x, const VitPlan& plan) {
  Value gate;
  Value value;
  if (plan.feed_forward == VitFeedForward::PackedGate) {
    const Value both = linear(b, name + ".fc1", x, 2 * plan.inner);
    const std::vector<Value> halves = split_last(b, name + ".chunk", both, 2);
    gate = halves[0];
    value = halves[1];
  } else {
    gate = linear(b, name + ".fc1_g", x, plan.inner);
    value = linear(b, name + ".fc1_x", x, plan.inner);
  }
  const Activation activate = plan.feed_forward == VitFeedForward::GeluGate ? gelu : silu;
  Value y = binary(b, name + ".gated", "Mul", activate(b, name + ".act", gate), value);
  if (plan.feed_forward == VitFeedForward::NormedGate) y = norm(b, name + ".norm", y, plan);
  return linear(b, name + ".fc2", y, plan.width);
}

Value feed_forward_branch(Builder& b, const std::string& name, const Value& x,
                          const VitPlan& plan) {
  if (plan.feed_forward == VitFeedForward::Plain) {
    return mlp(b, name, x, plan.inner, plan.activation);
  }
  const bool own_norm = plan.feed_forward == VitFeedForward::GeluGate;
  return gated_branch(b, name, own_norm ? norm(b, name + ".norm", x, plan) : x, plan);
}

/// Attention, then feed-forward, each added to its input; the norm before or after each.
Value block_in_turn(Builder& b, const std::string& name, const Value& x, const VitPlan& plan,
                    const Sequence& sequence) {
  const bool after = plan.block == VitBlock::PostNorm;
  Value y = after ? x : norm(b, name + ".norm1", x, plan);
  y = attention_branch(b, name + ".attn", y, plan, sequence);
  y = after ? norm(b, name + ".norm1", y, plan) : scaled(b, name + ".ls1", y, plan);
  const Value middle = binary(b, name + ".add1", "Add", x, y);
  y = after ? middle : norm(b, name + ".norm2", middle, plan);
  y = feed_forward_branch(b, name + ".mlp", y, plan);
  y = after ? norm(b, name + ".norm2", y, plan) : scaled(b, name + ".ls2", y, plan);
  return binary(b, name + ".add2", "Add", middle, y);
}

/// One projection feeds attention and feed-forward; both results are added to the input together.
Value block_at_once(Builder& b, const std::string& name, const Value& x, const VitPlan& plan,
                    const Sequence& sequence) {
  const bool biased = plan.projection == VitProjection::Joint;
  const std::int64_t width = plan.width;
  Value y = norm(b, name + ".in_norm", x, plan);
  y = linear(b, name + ".in_proj", y, plan.inner + 3 * width, biased ? Bias::Trained : Bias::None);
  const std::vector<Value> parts =
      split(b, name + ".in_split", y, 2, {plan.inner, width, width, width});
  Value wide = parts[0];
  if (!biased) {
    wide = binary(b, name + ".mlp_add", "Add", wide, b.parameter(name + ".mlp_bias", {plan.inner}));
  }
  const Value context = mix(b, name, {parts[1], parts[2], parts[3]}, plan, sequence);
  const Value attended = linear(b, name + ".attn_out_proj", context, width);
  wide = plan.activation(b, name + ".mlp_act", wide);
  const Value fed = linear(b, name + ".mlp_out_proj", wide, width);
  y = scaled(b, name + ".ls", binary(b, name + ".sum", "Add", attended, fed), plan);
  return binary(b, name + ".add", "Add", x, y);
}

/// Two branches of each kind side by side.
Value block_doubled(Builder& b, const std::string& name, const Value& x, const VitPlan& plan,
                    const Sequence& sequence) {
  Value sum = x;
  for (const std::string branch : {".attns.0", ".attns.1"}) {
    Value y = norm(b, name + branch + ".norm", x, plan);
    y = attention_branch(b, name + branch + ".attn", y, plan, sequence);
    y = scaled(b, name + branch + ".ls", y, plan);
    sum = binary(b, name + branch + ".add", "Add", sum, y);
  }
  const Value middle = sum;
  for (const std::string branch : {".ffns.0", ".ffns.1"}) {
    Value y = norm(b, name + branch + ".norm", middle, plan);
    y = feed_forward_branch(b, name + branch + ".mlp", y, plan);
    y = scaled(b, name + branch + ".ls", y, plan);
    sum = binary(b, name + branch + ".add", "Add", sum, y);
  }
  return sum;
}

Value block(Builder& b, const std::string& name, const Value& x, const VitPlan& plan,
            const Sequence& sequence) {
  if (plan.block == VitBlock::Fused) return block_at_once(b, name, x, plan, sequence);
  if (plan.block == VitBlock::Doubled) return block_doubled(b, name, x, plan, sequence);
  return block_in_turn(b, name, x, plan, sequence);
}

/// The tokens of the first block: class token, registers, patches, with their positions.
Value embed(Builder& b, const VitPlan& plan, const Sequence& sequence, const Value& patches) {
  const auto placed = [&](const Value& x) {
    const Value place = b.parameter("pos_embed", {1, x.shape[1], plan.width});
    return binary(b, "pos_embed.add", "Add", x, place);
  };
  Value x = plan.positions == VitPositions::Patches ? placed(patches) : patches;
  std::vector<Value> parts;
  if (plan.class_token == VitClassToken::Present) {
    parts.push_back(
        repeat_for_batch(b, "cls_token.expand", b.parameter("cls_token", {1, 1, plan.width}), x));
  }
  if (plan.registers != 0) {
    const Value token = b.parameter("reg_token", {1, plan.registers, plan.width});
    parts.push_back(repeat_for_batch(b, "reg_token.expand", token, x));
  }
  parts.push_back(x);
  if (sequence.prefix != 0) x = concat(b, "tokens", parts, 1);
  if (plan.positions == VitPositions::AllTokens) x = placed(x);
  return on(plan.first_norm) ? norm(b, "norm_pre", x, plan) : x;
}

/// One trained query that attends to all tokens, and a feed-forward (SigLIP, arXiv:2303.15343).
Value attention_pool(Builder& b, const Value& x, const VitPlan& plan) {
  const std::string name = "attn_pool";
  const Value latent = repeat_for_batch(b, name + ".latent.expand",
                                        b.parameter(name + ".latent", {1, 1, plan.width}), x);
  HeadTriple heads;
  heads.query =
      part_heads(b, name + ".query", linear(b, name + ".q", latent, plan.width), plan.heads);
  const std::vector<Value> pair =
      split_last(b, name + ".kv.split", linear(b, name + ".kv", x, 2 * plan.width), 2);
  heads.key = part_heads(b, name + ".key", pair[0], plan.heads);
  heads.value = part_heads(b, name + ".value", pair[1], plan.heads);
  Value y = unite_heads(b, name + ".context", attend(b, name + ".attend", heads));
  y = linear(b, name + ".proj", y, plan.width);
  const Value fed = mlp(b, name + ".mlp", norm(b, name + ".norm", y, plan), plan.inner);
  return pick(b, "pool", binary(b, name + ".add", "Add", y, fed), 1, 0);
}

Value pooled(Builder& b, const Value& x, const VitPlan& plan, const Sequence& sequence) {
  if (plan.head == VitHead::Class) return pick(b, "pool", x, 1, 0);
  const Value patches =
      sequence.prefix == 0 ? x : slice(b, "pool.patches", x, 1, sequence.prefix, x.shape[1]);
  if (plan.head == VitHead::Attention) return attention_pool(b, patches, plan);
  return mean_over(b, "pool", patches, 1);
}

}  // namespace

void build_vision_transformer(Builder& b, const VitPlan& plan, std::int64_t image) {
  const Value input = b.input("input", {kBatch, 3, image, image});
  const Bias bias = on(plan.first_norm) ? Bias::None : Bias::Trained;
  continue_vision_transformer(b, plan,
                              patchify(b, "patch_embed.proj", input, plan.width, plan.patch, bias));
}

Value vit_block(Builder& b, const std::string& name, const Value& x, const VitPlan& plan) {
  return block(b, name, x, plan, {});
}

void continue_vision_transformer(Builder& b, const VitPlan& plan, const Value& map) {
  Sequence sequence{.side = map.shape[2], .prefix = plan.registers};
  if (plan.class_token == VitClassToken::Present) ++sequence.prefix;
  Value x = embed(b, plan, sequence, map_to_tokens(b, "patch_embed", map));
  if (on(plan.rotary)) {
    const std::int64_t patches = sequence.side * sequence.side;
    sequence.rotation = b.buffer("rope.pos_embed", {patches, 2 * plan.width / plan.heads});
  }
  if (plan.positions == VitPositions::OneNetwork) {
    sequence.biases.push_back(network_bias(b, "shared_rel_pos", plan, sequence));
  }
  for (std::int64_t layer = 0; layer < plan.depth; ++layer) {
    x = block(b, "blocks." + std::to_string(layer), x, plan, sequence);
  }
  const bool norm_last = plan.head == VitHead::AverageThenNorm;
  if (!norm_last) x = norm(b, "norm", x, plan);
  x = pooled(b, x, plan, sequence);
  if (norm_last) x = norm(b, "fc_norm", x, plan);
  b.output(plan.classes == 0 ? x : linear(b, "head", x, plan.classes));
}

}  // namespace horus::zoo
