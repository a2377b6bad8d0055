// SPDX-License-Identifier: Apache-2.0
// LeViT (Graham et al. 2021, arXiv:2104.01136) as timm builds it: attention with wide values and
// batch normalization in place of layer normalization. "levit_conv" keeps maps instead of tokens.

#include <array>
#include <cmath>
#include <string>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

enum class Layout { Tokens, Map };
/// Whether a second head learns from a teacher; the result is then the mean of both.
enum class Teacher { Absent, Present };

using PerStage = std::array<std::int64_t, 3>;

struct Plan {
  PerStage widths{};
  std::int64_t key{};  ///< Width of a head's queries and keys.
  PerStage heads{};
  PerStage depths{};
  Activation activation{hard_swish};
  int stem{4};  ///< Convolutions of stride 2 before the first stage.
  Teacher teacher{Teacher::Present};
  Layout layout{Layout::Tokens};
};

constexpr std::int64_t kValueRatio = 2;         // Width of values over that of keys.
constexpr std::int64_t kValueRatioBetween = 4;  // The same between two stages.
constexpr std::int64_t kExpansion = 2;

constexpr Plan maps(Plan plan) {
  plan.layout = Layout::Map;
  return plan;
}

/// A linear layer without bias, and batch normalization over all tokens of the batch.
Value linear_norm(Builder& b, const std::string& name, const Value& x, std::int64_t width,
                  Layout layout) {
  if (layout == Layout::Map) {
    return batch_norm(b, name + ".bn", conv(b, name + ".linear", x, {.channels = width}));
  }
  const Value y = linear(b, name + ".linear", x, width, Bias::None);
  // Rows of the whole batch: an axis of unknown length, as the batch is.
  Value rows = reshape(b, name + ".flatten", y, {-1, width}, {kBatch, width});
  rows = batch_norm(b, name + ".bn", rows);
  return reshape(b, name + ".unflatten", rows, {-1, x.shape[1], width}, y.shape);
}

/// A projection parted into heads of the given widths: (batch, heads, tokens, width) each, or
/// (batch, heads, width, places) of maps.
std::vector<Value> project(Builder& b, const std::string& name, const Value& x, std::int64_t heads,
                           const std::vector<std::int64_t>& widths, Layout layout) {
  std::int64_t width = 0;
  for (const std::int64_t part : widths) width += part;
  const Value y = linear_norm(b, name, x, heads * width, layout);
  if (layout == Layout::Tokens) {
    return split(b, name + ".split", part_heads(b, name + ".heads", y, heads), 3, widths);
  }
  const Shape shape{kBatch, heads, width, y.shape[2] * y.shape[3]};
  return split(b, name + ".split", shaped(b, name + ".heads", y, shape), 2, widths);
}

/// A trained number for each distance between two tokens and each head, spread by a fixed index.
Value distance_bias(Builder& b, const std::string& name, std::int64_t heads, std::int64_t queries,
                    std::int64_t keys) {
  const Value table = b.parameter(name + ".attention_biases", {heads, keys});
  const Value index = b.buffer(name + ".attention_bias_idxs", {queries, keys}, ElementType::Int64);
  return b.add({.name = name + ".bias",
                .op_type = "Gather",
                .inputs = {table.name, index.name},
                .attributes = {{"axis", std::int64_t{1}}}},
               {heads, queries, keys});
}

/// Attention of projected heads, joined again to the layout they came from; `side` is that of the
/// queries' map.
Value mix(Builder& b, const std::string& name, const HeadTriple& parts, const Value& bias,
          std::int64_t key, std::int64_t side, Layout layout) {
  const double scale = 1 / std::sqrt(static_cast<double>(key));
  if (layout == Layout::Tokens) {
    return unite_heads(b, name + ".context", attend(b, name + ".attend", parts, {bias}, scale));
  }
  const Value query = swap_last(b, name + ".q", parts.query);
  Value weights = matmul(b, name + ".scores", query, parts.key);
  weights = binary(b, name + ".scale", "Mul", weights, b.number(scale));
  weights = softmax(b, name + ".softmax", binary(b, name + ".biased", "Add", weights, bias));
  const Value y =
      matmul(b, name + ".context", parts.value, swap_last(b, name + ".weights", weights));
  return shaped(b, name + ".map", y, {kBatch, y.shape[1] * y.shape[2], side, side});
}

Value project_back(Builder& b, const std::string& name, const Value& x, std::int64_t width,
                   const Plan& plan) {
  return linear_norm(b, name + ".proj.ln", plan.activation(b, name + ".proj.act", x), width,
                     plan.layout);
}

Value attention_branch(Builder& b, const std::string& name, const Value& x, std::int64_t width,
                       std::int64_t heads, std::int64_t side, const Plan& plan) {
  const std::vector<std::int64_t> widths{plan.key, plan.key, kValueRatio * plan.key};
  const std::vector<Value> parts = project(b, name + ".qkv", x, heads, widths, plan.layout);
  const Value bias = distance_bias(b, name, heads, side * side, side * side);
  const Value y = mix(b, name, {parts[0], parts[1], parts[2]}, bias, plan.key, side, plan.layout);
  return project_back(b, name, y, width, plan);
}

Value feed_forward_branch(Builder& b, const std::string& name, const Value& x, std::int64_t width,
                          const Plan& plan) {
  Value y = linear_norm(b, name + ".ln1", x, kExpansion * width, plan.layout);
  return linear_norm(b, name + ".ln2", plan.activation(b, name + ".act", y), width, plan.layout);
}

/// Every second token of each row and column.
Value thin_out(Builder& b, const std::string& name, const Value& x, std::int64_t side,
               Layout layout) {
  if (layout == Layout::Map) {
    return average_pool(b, name, x, {.kernel = {1}, .stride = {2}});
  }
  const std::int64_t width = x.shape.back();
  Value y = shaped(b, name + ".map", x, {kBatch, side, side, width});
  y = every(b, name + ".columns", every(b, name + ".rows", y, 1, 2), 2, 2);
  return shaped(b, name, y, {kBatch, y.shape[1] * y.shape[2], width});
}

/// Attention from every second token to all: half the side, another width.
Value halve(Builder& b, const std::string& name, const Value& x, std::int64_t from, std::int64_t to,
            std::int64_t side, const Plan& plan) {
  const std::string place = name + ".attn_downsample";
  const std::int64_t heads = from / plan.key;
  const std::int64_t half = (side + 1) / 2;
  const std::vector<Value> pair =
      project(b, place + ".kv", x, heads, {plan.key, kValueRatioBetween * plan.key}, plan.layout);
  const Value some = thin_out(b, place + ".q.down", x, side, plan.layout);
  const Value query = project(b, place + ".q.ln", some, heads, {plan.key}, plan.layout).front();
  const Value bias = distance_bias(b, place, heads, half * half, side * side);
  Value y = mix(b, place, {query, pair[0], pair[1]}, bias, plan.key, half, plan.layout);
  y = project_back(b, place, y, to, plan);
  return binary(b, name + ".add", "Add", y, feed_forward_branch(b, name + ".mlp", y, to, plan));
}

Value stem(Builder& b, Value x, const Plan& plan) {
  for (int layer = 1; layer <= plan.stem; ++layer) {
    const std::string number = std::to_string(layer);
    const std::int64_t width = plan.widths[0] >> (plan.stem - layer);
    x = conv(b, "stem.conv" + number + ".linear", x,
             {.channels = width, .kernel = {3}, .stride = {2}, .padding = {1}});
    x = batch_norm(b, "stem.conv" + number + ".bn", x);
    if (layer < plan.stem) x = plan.activation(b, "stem.act" + number, x);
  }
  return x;
}

Value head(Builder& b, const std::string& name, const Value& x) {
  return linear(b, name + ".linear", batch_norm(b, name + ".bn", x), 1000);
}

void build_levit(Builder& b, const Plan& plan, std::int64_t image) {
  const bool as_map = plan.layout == Layout::Map;
  Value x = stem(b, b.input("input", {kBatch, 3, image, image}), plan);
  std::int64_t side = x.shape[2];
  if (!as_map) x = map_to_tokens(b, "tokens", x);
  for (std::size_t stage = 0; stage < plan.widths.size(); ++stage) {
    const std::string name = "stages." + std::to_string(stage);
    const std::int64_t width = plan.widths[stage];
    if (stage > 0) {
      x = halve(b, name + ".downsample", x, plan.widths[stage - 1], width, side, plan);
      side = (side + 1) / 2;
    }
    for (std::int64_t index = 0; index < plan.depths[stage]; ++index) {
      const std::string block = name + ".blocks." + std::to_string(index);
      Value y = attention_branch(b, block + ".attn", x, width, plan.heads[stage], side, plan);
      x = binary(b, block + ".add1", "Add", x, y);
      y = feed_forward_branch(b, block + ".mlp", x, width, plan);
      x = binary(b, block + ".add2", "Add", x, y);
    }
  }
  x = as_map ? flatten(b, "pool.flatten", spatial_mean(b, "pool", x)) : mean_over(b, "pool", x, 1);
  const Value from_labels = head(b, "head", x);
  if (plan.teacher == Teacher::Absent) return b.output(from_labels);
  const Value sum = binary(b, "heads.add", "Add", from_labels, head(b, "head_dist", x));
  b.output(binary(b, "heads", "Div", sum, b.number(2)));
}

constexpr Plan k128s{{128, 256, 384}, 16, {4, 6, 8}, {2, 3, 4}};
constexpr Plan k128{{128, 256, 384}, 16, {4, 8, 12}, {4, 4, 4}};
constexpr Plan k192{{192, 288, 384}, 32, {3, 5, 6}, {4, 4, 4}};
constexpr Plan k256{{256, 384, 512}, 32, {4, 6, 8}, {4, 4, 4}};
constexpr Plan k256d{{256, 384, 512}, 32, {4, 6, 8}, {4, 8, 6}, silu, 4, Teacher::Absent};
constexpr Plan k384{{384, 512, 768}, 32, {6, 9, 12}, {4, 4, 4}};
constexpr Plan k384s8{{384, 512, 768}, 32, {6, 9, 12}, {4, 4, 4}, silu, 3};
constexpr Plan k512{{512, 768, 1024}, 64, {8, 12, 16}, {4, 4, 4}, silu, 4, Teacher::Absent};
constexpr Plan k512s8{{512, 640, 896}, 64, {8, 10, 14}, {4, 4, 4}, silu, 3, Teacher::Absent};
constexpr Plan k512d{{512, 640, 768}, 64, {8, 10, 12}, {4, 8, 6}, silu, 4, Teacher::Absent};

constexpr auto kModels = std::to_array<TimmModel<Plan>>({{"levit_128s", 224, k128s},
                                                         {"levit_128", 224, k128},
                                                         {"levit_192", 224, k192},
                                                         {"levit_256", 224, k256},
                                                         {"levit_256d", 224, k256d},
                                                         {"levit_384", 224, k384},
                                                         {"levit_384_s8", 224, k384s8},
                                                         {"levit_512", 224, k512},
                                                         {"levit_512_s8", 224, k512s8},
                                                         {"levit_512d", 224, k512d},
                                                         {"levit_conv_128s", 224, maps(k128s)},
                                                         {"levit_conv_128", 224, maps(k128)},
                                                         {"levit_conv_192", 224, maps(k192)},
                                                         {"levit_conv_256", 224, maps(k256)},
                                                         {"levit_conv_256d", 224, maps(k256d)},
                                                         {"levit_conv_384", 224, maps(k384)},
                                                         {"levit_conv_384_s8", 224, maps(k384s8)},
                                                         {"levit_conv_512", 224, maps(k512)},
                                                         {"levit_conv_512_s8", 224, maps(k512s8)},
                                                         {"levit_conv_512d", 224, maps(k512d)}});

}  // namespace

std::vector<Entry> timm_levit_family() {
  return timm_entries(kModels, "LeViT, ImageNet (arXiv:2104.01136, timm)", build_levit,
                      {.min = 64, .step = 16});
}

}  // namespace horus::zoo
