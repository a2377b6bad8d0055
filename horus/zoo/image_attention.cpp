// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/image_attention.hpp"

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "horus/base/check.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

/// Widths of one attention over `x`.
struct Widths {
  std::int64_t heads{};
  std::int64_t query{};  ///< Of a head's queries and keys.
  std::int64_t value{};  ///< Of a head's values.
};

Widths widths_of(const Value& x, const ImageAttention& spec) {
  const std::int64_t channels = x.shape.at(1);
  HORUS_CHECK(channels % spec.heads == 0, "channels divide evenly into heads");
  const std::int64_t queries = rounded_to(static_cast<double>(channels) * spec.query_ratio, 8);
  return {.heads = spec.heads,
          .query = spec.head_width != 0 ? spec.head_width : queries / spec.heads,
          .value = channels / spec.heads};
}

/// Reshape that keeps the batch axis.
Value shaped(Builder& b, const std::string& name, const Value& x, std::vector<std::int64_t> rest) {
  std::vector<std::int64_t> target{0};
  Shape shape{x.shape[0]};
  target.insert(target.end(), rest.begin(), rest.end());
  shape.insert(shape.end(), rest.begin(), rest.end());
  return reshape(b, name, x, target, std::move(shape));
}

/// Zeros behind the last axis.
Value pad_last(Builder& b, const std::string& name, const Value& x, std::int64_t count) {
  std::vector<std::int64_t> pads(2 * x.shape.size(), 0);
  pads.back() = count;
  Shape shape = x.shape;
  shape.back() += count;
  return b.add({.name = name, .op_type = "Pad", .inputs = {x.name, b.integers(pads).name}}, shape);
}

/// Positions `begin` to `end` of one axis.
Value slice(Builder& b, const std::string& name, const Value& x, std::int64_t axis,
            std::int64_t begin, std::int64_t end) {
  Shape shape = x.shape;
  shape.at(static_cast<std::size_t>(axis)) = end - begin;
  return b.add({.name = name,
                .op_type = "Slice",
                .inputs = {x.name, b.integers({begin}).name, b.integers({end}).name,
                           b.integers({axis}).name}},
               shape);
}

Value swap_last(Builder& b, const std::string& name, const Value& x) {
  std::vector<std::int64_t> order(x.shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 2], order.back());
  return transpose(b, name, x, order);
}

Value halved(Builder& b, const std::string& name, const Value& x) {
  return average_pool(b, name, x, {.kernel = {2}, .stride = {2}});
}

/// Which of a query's two positions a table of distances is about.
struct Distances {
  std::string name;
  std::int64_t window{};            ///< Keys along the axis.
  std::vector<std::int64_t> order;  ///< To (batch, group, height, width, key height, key width).
};

/// Logits of `query`, shape (batch, group, along, width, head), with each distance on the last
/// spatial axis: products with a table of 2 * window - 1 rows, shifted from distances to positions
/// and repeated for the other axis.
Value distance_logits(Builder& b, const Value& query, const Distances& about) {
  const std::string& name = about.name;
  const std::int64_t groups = query.shape[1];
  const std::int64_t along = query.shape[2];
  const std::int64_t width = query.shape[3];
  const std::int64_t window = about.window;
  const std::int64_t distances = 2 * window - 1;
  const Value table = b.parameter(name, {distances, query.shape[4]});
  Value y = matmul(b, name + ".product", query, transpose(b, name + ".transpose", table, {1, 0}));
  y = shaped(b, name + ".rows", y, {groups * along, width, distances});
  y = pad_last(b, name + ".pad", y, 1);
  y = shaped(b, name + ".line", y, {groups * along, width * (distances + 1)});
  y = pad_last(b, name + ".pad_1", y, distances - width);
  y = shaped(b, name + ".shifted", y, {groups * along, width + 1, distances});
  y = slice(b, name + ".slice", y, 2, 0, width);
  y = slice(b, name + ".slice_1", y, 3, window - 1, distances);
  y = shaped(b, name + ".keys", y, {groups, along, 1, width, window});
  Shape repeated = y.shape;
  repeated[3] = window;
  y = b.add({.name = name + ".expand",
             .op_type = "Expand",
             .inputs = {y.name, b.integers({1, 1, 1, window, 1, 1}).name}},
            repeated);
  return transpose(b, name + ".logits", y, about.order);
}

/// Logits of the relative position of all pairs: `query` has the shape (batch, group, side * side,
/// head), the result (batch, group, side * side, window * window).
Value position_logits(Builder& b, const std::string& name, const Value& query, std::int64_t side,
                      std::int64_t window) {
  const std::int64_t groups = query.shape[1];
  const Value grid = shaped(b, name + ".grid", query, {groups, side, side, query.shape.back()});
  const Value turned = transpose(b, name + ".turned", grid, {0, 1, 3, 2, 4});
  const Value across = distance_logits(b, grid, {name + ".width_rel", window, {0, 1, 2, 4, 3, 5}});
  const Value down = distance_logits(b, turned, {name + ".height_rel", window, {0, 1, 4, 2, 5, 3}});
  const Value sum = binary(b, name + ".add", "Add", down, across);
  return shaped(b, name, sum, {groups, side * side, window * window});
}

/// softmax(q k^T / sqrt(width) + positions) v over the last two axes.
Value weighted_values(Builder& b, const std::string& name, const Value& q, const Value& k,
                      const Value& v, const Value& positions) {
  const double scale = 1 / std::sqrt(static_cast<double>(q.shape.back()));
  Value scores = matmul(b, name + ".scores", q, swap_last(b, name + ".k.transpose", k));
  scores = binary(b, name + ".scale", "Mul", scores, b.number(scale));
  scores = binary(b, name + ".biased", "Add", scores, positions);
  return matmul(b, name + ".values", softmax(b, name + ".softmax", scores), v);
}

/// (batch, heads * width, height, width) to (batch, heads, positions, width).
Value by_head(Builder& b, const std::string& name, const Value& x, const Widths& widths) {
  const std::int64_t positions = x.shape[2] * x.shape[3];
  const Value y = shaped(b, name, x, {widths.heads, x.shape[1] / widths.heads, positions});
  return swap_last(b, name + ".by_head", y);
}

Value global_attention(Builder& b, const std::string& name, const Value& x,
                       const ImageAttention& spec, std::int64_t stride) {
  const Widths widths = widths_of(x, spec);
  const std::int64_t side = x.shape[2];
  const std::int64_t keys = widths.heads * widths.query;
  const Value all = conv(b, name + ".qkv", x, {.channels = 2 * keys + x.shape[1]});
  const auto parts = split(b, name + ".split", all, 1, {keys, keys, x.shape[1]});
  const Value q = by_head(b, name + ".q", parts[0], widths);
  const Value k = by_head(b, name + ".k", parts[1], widths);
  const Value v = by_head(b, name + ".v", parts[2], widths);
  const Value positions = position_logits(b, name + ".pos_embed", q, side, side);
  Value y = weighted_values(b, name, q, k, v, positions);
  y = shaped(b, name + ".image", swap_last(b, name + ".channels", y), {x.shape[1], side, side});
  return stride == 1 ? y : halved(b, name + ".pool", y);
}

/// Overlapping windows along one axis: `axis` becomes (windows, window).
Value windows_along(Builder& b, const std::string& name, const Value& x, std::int64_t axis,
                    std::int64_t window, std::int64_t step) {
  const std::int64_t size = x.shape.at(static_cast<std::size_t>(axis));
  std::vector<Value> parts;
  for (std::int64_t begin = 0; begin + window <= size; begin += step) {
    const std::string place = name + "." + std::to_string(parts.size());
    const Value part = slice(b, place, x, axis, begin, begin + window);
    Shape shape = part.shape;
    shape.insert(shape.begin() + axis, 1);
    parts.push_back(b.add({.name = place + ".stack",
                           .op_type = "Unsqueeze",
                           .inputs = {part.name, b.integers({axis}).name}},
                          shape));
  }
  return concat(b, name, parts, axis);
}

/// (batch, heads * width, rows, side, columns, side) to (batch, heads, blocks, side * side, width).
Value by_block(Builder& b, const std::string& name, const Value& x, std::int64_t heads) {
  const std::int64_t width = x.shape[1] / heads;
  const std::int64_t side = x.shape[3];
  const Value y = shaped(b, name, x, {heads, width, x.shape[2], side, x.shape[4], side});
  const Value turned = transpose(b, name + ".by_block", y, {0, 1, 3, 5, 4, 6, 2});
  return shaped(b, name + ".blocks", turned, {heads, x.shape[2] * x.shape[4], side * side, width});
}

/// How the image is cut for a halo attention.
struct Cut {
  std::int64_t blocks{};  ///< Along one axis.
  std::int64_t side{};    ///< Queries along one axis of a block.
  std::int64_t window{};  ///< Keys along one axis of a block.
  /// Of the queries. Blocks of odd side cannot be reduced so; the result is averaged instead.
  std::int64_t stride{1};
};

Cut cut_of(const Value& x, const ImageAttention& spec, std::int64_t stride) {
  HORUS_CHECK(x.shape[2] % spec.block == 0, "the image divides evenly into blocks");
  const std::int64_t query_stride = spec.block % stride == 0 ? stride : 1;
  return {.blocks = x.shape[2] / spec.block,
          .side = spec.block / query_stride,
          .window = spec.block + 2 * spec.halo,
          .stride = query_stride};
}

Value halo_queries(Builder& b, const std::string& name, const Value& x, const Widths& widths,
                   const Cut& cut) {
  const std::int64_t channels = widths.heads * widths.query;
  const Value q = conv(b, name, x, {.channels = channels, .stride = {cut.stride}});
  const Value grid =
      shaped(b, name + ".grid", q, {channels, cut.blocks, cut.side, cut.blocks, cut.side});
  return by_block(b, name + ".heads", grid, widths.heads);
}

/// Keys and values of each block's window.
std::vector<Value> halo_keys(Builder& b, const std::string& name, const Value& x,
                             const Widths& widths, const ImageAttention& spec) {
  Value kv = conv(b, name, x, {.channels = widths.heads * (widths.query + widths.value)});
  Shape padded = kv.shape;
  padded[2] += 2 * spec.halo;
  padded[3] += 2 * spec.halo;
  const Value pads = b.integers({0, 0, spec.halo, spec.halo, 0, 0, spec.halo, spec.halo});
  kv = b.add({.name = name + ".pad", .op_type = "Pad", .inputs = {kv.name, pads.name}}, padded);
  const std::int64_t window = spec.block + 2 * spec.halo;
  kv = windows_along(b, name + ".rows", kv, 2, window, spec.block);
  kv = windows_along(b, name + ".columns", kv, 4, window, spec.block);
  kv = by_block(b, name + ".heads", kv, widths.heads);
  return split(b, name + ".split", kv, 4, {widths.query, widths.value});
}

Value halo_attention(Builder& b, const std::string& name, const Value& x,
                     const ImageAttention& spec, std::int64_t stride) {
  const Widths widths = widths_of(x, spec);
  const Cut cut = cut_of(x, spec, stride);
  const std::int64_t blocks = cut.blocks * cut.blocks;
  const std::int64_t queries = cut.side * cut.side;
  const Value q = halo_queries(b, name + ".q", x, widths, cut);
  const auto keys_and_values = halo_keys(b, name + ".kv", x, widths, spec);
  const Value flat = shaped(b, name + ".q.flat", q, {widths.heads * blocks, queries, widths.query});
  Value positions = position_logits(b, name + ".pos_embed", flat, cut.side, cut.window);
  positions = shaped(b, name + ".positions", positions,
                     {widths.heads, blocks, queries, cut.window * cut.window});
  Value y = weighted_values(b, name, q, keys_and_values[0], keys_and_values[1], positions);
  y = shaped(b, name + ".grid", y,
             {widths.heads, cut.blocks, cut.blocks, cut.side, cut.side, widths.value});
  y = transpose(b, name + ".channels", y, {0, 1, 6, 2, 4, 3, 5});
  const std::int64_t side = cut.blocks * cut.side;
  y = shaped(b, name + ".image", y, {x.shape[1], side, side});
  return cut.stride == stride ? y : halved(b, name + ".pool", y);
}

/// A lambda of the content for the whole image and one of the positions around each, applied to
/// the queries.
Value lambda_layer(Builder& b, const std::string& name, const Value& x, const ImageAttention& spec,
                   std::int64_t stride) {
  const Widths widths = widths_of(x, spec);
  const std::int64_t side = x.shape[2];
  const std::int64_t positions = side * side;
  const std::int64_t queries = widths.heads * widths.query;
  const Value all = conv(b, name + ".qkv", x, {.channels = queries + widths.query + widths.value});
  const auto parts = split(b, name + ".split", all, 1, {queries, widths.query, widths.value});
  const Value q = by_head(b, name + ".q", batch_norm(b, name + ".norm_q", parts[0]), widths);
  const Value k =
      softmax(b, name + ".k.softmax", shaped(b, name + ".k", parts[1], {widths.query, positions}));
  Value v = batch_norm(b, name + ".norm_v", parts[2]);
  v = swap_last(b, name + ".v.by_position", shaped(b, name + ".v", v, {widths.value, positions}));

  Value content = matmul(b, name + ".content_lam", k, v);
  content = shaped(b, name + ".content_lam.heads", content, {1, widths.query, widths.value});
  content = matmul(b, name + ".content_out", q, content);

  Value around = shaped(b, name + ".v.image", v, {1, side, side, widths.value});
  around = conv(b, name + ".conv_lambda", around,
                {.channels = widths.query,
                 .kernel = {spec.reach, spec.reach, 1},
                 .padding = {spec.reach / 2, spec.reach / 2, 0},
                 .bias = Bias::Trained});
  around = shaped(b, name + ".position_lam", around, {1, widths.query, positions, widths.value});
  around = transpose(b, name + ".position_lam.by_position", around, {0, 1, 3, 2, 4});
  Value applied = shaped(b, name + ".q.row", q, {widths.heads, positions, 1, widths.query});
  applied = matmul(b, name + ".position_out", applied, around);
  applied =
      shaped(b, name + ".position_out.squeeze", applied, {widths.heads, positions, widths.value});

  Value y = binary(b, name + ".add", "Add", content, applied);
  y = shaped(b, name + ".image", swap_last(b, name + ".channels", y), {x.shape[1], side, side});
  return stride == 1 ? y : halved(b, name + ".pool", y);
}

}  // namespace

Value image_attention(Builder& b, const std::string& name, const Value& x,
                      const ImageAttention& spec, std::int64_t stride) {
  HORUS_CHECK(x.shape.size() == 4 && x.shape[2] == x.shape[3], "images are square");
  switch (spec.kind) {
    case ImageAttentionKind::Halo:
      return halo_attention(b, name, x, spec, stride);
    case ImageAttentionKind::Lambda:
      return lambda_layer(b, name, x, spec, stride);
    case ImageAttentionKind::Global:
      break;
  }
  return global_attention(b, name, x, spec, stride);
}

}  // namespace horus::zoo
