// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/mobile_blocks.hpp"

#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "horus/base/check.hpp"
#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/multi_query.hpp"
#include "horus/zoo/same_padding.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kWidthStep = 8;  // Inner widths are multiples of it.

/// Low-pass filter before a reduction by two, as blur_pool() of conv_block.hpp, with edges of
/// zeros.
Value zero_edged_blur(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t channels = x.shape[1];
  const Value pads = b.integers({0, 0, 1, 1, 0, 0, 1, 1});
  const Value padded =
      b.add({.name = name + ".pad", .op_type = "Pad", .inputs = {x.name, pads.name}},
            {x.shape[0], channels, x.shape[2] + 2, x.shape[3] + 2});
  const Value kernel = b.buffer(name + ".filt", {channels, 1, 3, 3});
  return conv_by(b, name, padded, kernel, std::nullopt,
                 {.channels = channels, .kernel = {3}, .stride = {2}, .groups = channels});
}

/// Scales channels by a gate made from a mean of all positions, each weighted by a softmax of one
/// number that a convolution computes for it.
Value weighted_squeeze(Builder& b, const std::string& name, const Value& x, std::int64_t squeezed,
                       Activation activation, Activation gate) {
  constexpr double kEpsilon = 1e-6;
  const std::int64_t channels = x.shape[1];
  const std::int64_t positions = x.shape[2] * x.shape[3];
  Value weights = conv(b, name + ".conv_attn", x, {.channels = 1, .bias = Bias::Trained});
  weights = reshape(b, name + ".weights", weights, {0, 1, -1}, {kBatch, 1, positions});
  weights = softmax(b, name + ".softmax", weights);
  weights = transpose(b, name + ".column", weights, {0, 2, 1});
  Value y = reshape(b, name + ".rows", x, {0, 0, -1}, {kBatch, channels, positions});
  y = transpose(b, name + ".mean", matmul(b, name + ".context", y, weights), {0, 2, 1});
  y = linear(b, name + ".mlp_scale.fc1", y, squeezed);
  y = activation(b, name + ".mlp_scale.act", layer_norm(b, name + ".mlp_scale.norm", y, kEpsilon));
  y = gate(b, name + ".gate", linear(b, name + ".mlp_scale.fc2", y, channels));
  y = reshape(b, name + ".view", y, {0, channels, 1, 1}, {kBatch, channels, 1, 1});
  return binary(b, name, "Mul", x, y);
}

/// `channels` in `parts`; the first takes what does not divide.
Extent shares(std::int64_t channels, std::size_t parts) {
  const auto count = static_cast<std::int64_t>(parts);
  Extent sizes(parts, channels / count);
  sizes.front() += channels - count * sizes.front();
  return sizes;
}

/// Writes the steps of one block.
class Block {
 public:
  Block(Builder& b, std::string name, const MobileBlock& block, const MobileStyle& style)
      : b_{b},
        name_{std::move(name)},
        block_{block},
        style_{style},
        activation_{block.activation != nullptr ? block.activation : style.activation} {}

  Value conv(const Value& x);
  Value separable(const Value& x);
  Value inverted(const Value& x);
  Value fused(const Value& x);
  Value universal(const Value& x);
  Value multi_query(const Value& x);

  /// The sum with the input, where block and shapes allow it.
  Value skip(const Value& x, const Value& y) {
    const bool agrees = block_.stride == 1 && x.shape[1] == block_.channels;
    if (block_.skip == Skip::Never || !agrees) return y;
    return binary(b_, at("add"), "Add", y, x);
  }

 private:
  [[nodiscard]] std::string at(const std::string& part) const { return name_ + "." + part; }

  [[nodiscard]] std::int64_t inner(const Value& x) const {
    const std::int64_t base = block_.expand_from != 0 ? block_.expand_from : x.shape[1];
    return rounded_to(static_cast<double>(base) * block_.expansion, kWidthStep);
  }

  /// Groups of the main convolution over `channels`; `fallback` where no width of a group is set.
  [[nodiscard]] std::int64_t groups(std::int64_t channels, std::int64_t fallback) const {
    const std::int64_t width = block_.group_width != 0 ? block_.group_width : style_.group_width;
    if (width == 0) return fallback;
    HORUS_CHECK(channels % width == 0, "channels divide evenly into groups");
    return channels / width;
  }

  Value norm(const std::string& part, const Value& x) {
    return styled_norm(b_, at(part), x, style_);
  }
  Value norm_act(const std::string& part, const Value& x) {
    return activation_(b_, at(part) + ".act", norm(part, x));
  }
  Value pointwise(const std::string& part, const Value& x, std::int64_t channels,
                  std::int64_t parts);
  Value depthwise(const std::string& part, const Value& x, const Extent& kernels,
                  std::int64_t stride);
  [[nodiscard]] std::int64_t conv_stride(std::int64_t stride) const {
    return style_.antialias == Antialias::None ? stride : 1;
  }
  Value reduce(const std::string& part, const Value& x, std::int64_t stride);
  Value squeeze(const Value& x);
  Value scale(const Value& x);

  Builder& b_;
  std::string name_;
  const MobileBlock& block_;
  const MobileStyle& style_;
  Activation activation_;
};

Value Block::pointwise(const std::string& part, const Value& x, std::int64_t channels,
                       std::int64_t parts) {
  if (parts == 1) return zoo::conv(b_, at(part), x, {.channels = channels});
  const auto count = static_cast<std::size_t>(parts);
  const std::vector<Value> pieces = split(b_, at(part) + ".split", x, 1, shares(x.shape[1], count));
  const Extent widths = shares(channels, count);
  std::vector<Value> results;
  for (std::size_t i = 0; i < count; ++i) {
    results.push_back(
        zoo::conv(b_, at(part) + "." + std::to_string(i), pieces[i], {.channels = widths[i]}));
  }
  return concat(b_, at(part), results, 1);
}

Value Block::depthwise(const std::string& part, const Value& x, const Extent& kernels,
                       std::int64_t stride) {
  const auto convolve = [this, stride](const std::string& name, const Value& piece,
                                       std::int64_t kernel) {
    const std::int64_t channels = piece.shape[1];
    return styled_conv(b_, name, piece,
                       {.channels = channels,
                        .kernel = {kernel},
                        .stride = {conv_stride(stride)},
                        .groups = groups(channels, channels)},
                       style_);
  };
  if (kernels.size() == 1) return convolve(at(part), x, kernels.front());
  const std::vector<Value> pieces =
      split(b_, at(part) + ".split", x, 1, shares(x.shape[1], kernels.size()));
  std::vector<Value> results;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    results.push_back(convolve(at(part) + "." + std::to_string(i), pieces[i], kernels[i]));
  }
  return concat(b_, at(part), results, 1);
}

/// What stands in for the stride of the convolution before it, where the network smooths.
Value Block::reduce(const std::string& part, const Value& x, std::int64_t stride) {
  if (stride == 1 || style_.antialias == Antialias::None) return x;
  if (style_.antialias == Antialias::Blur) return zero_edged_blur(b_, at(part), x);
  return average_pool(b_, at(part), x, {.kernel = {stride}, .stride = {stride}});
}

Value Block::squeeze(const Value& x) {
  if (block_.squeeze == 0) return x;
  const bool from_input = style_.squeeze_base == SqueezeBase::Input;
  const double width =
      block_.squeeze / (from_input ? block_.expansion : 1) * static_cast<double>(x.shape[1]);
  const std::int64_t squeezed =
      style_.squeeze_divisor == 1 ? static_cast<std::int64_t>(std::nearbyint(width))
                                  : rounded_to(width, style_.squeeze_divisor, style_.squeeze_floor);
  const Activation own = style_.squeeze_activation;
  const Activation activation = own != nullptr ? own : activation_;
  if (style_.squeeze_mean == SqueezeMean::Weighted) {
    return weighted_squeeze(b_, at("se"), x, squeezed, activation, style_.gate);
  }
  return squeeze_excite(b_, at("se"), x,
                        {.squeezed = squeezed, .activation = activation, .gate = style_.gate});
}

Value Block::scale(const Value& x) {
  if (style_.layer_scale == LayerScale::None) return x;
  const Value gamma = b_.parameter(at("layer_scale.gamma"), {x.shape[1]});
  const Value shaped =
      reshape(b_, at("layer_scale.view"), gamma, {1, -1, 1, 1}, {1, x.shape[1], 1, 1});
  return binary(b_, at("layer_scale"), "Mul", x, shaped);
}

Value Block::conv(const Value& x) {
  const Value y = styled_conv(b_, at("conv"), x,
                              {.channels = block_.channels,
                               .kernel = block_.kernels,
                               .stride = {conv_stride(block_.stride)},
                               .groups = groups(x.shape[1], 1)},
                              style_);
  return reduce("aa", norm_act("bn1", y), block_.stride);
}

Value Block::separable(const Value& x) {
  Value y = depthwise("conv_dw", x, block_.kernels, block_.stride);
  y = reduce("aa", norm_act("bn1", y), block_.stride);
  y = pointwise("conv_pw", squeeze(y), block_.channels, block_.project_parts);
  return block_.kind == BlockKind::SeparableActivated ? norm_act("bn2", y) : norm("bn2", y);
}

Value Block::inverted(const Value& x) {
  Value y = pointwise("conv_pw", x, inner(x), block_.expand_parts);
  y = norm_act("bn1", y);
  y = depthwise("conv_dw", y, block_.kernels, block_.stride);
  y = reduce("aa", norm_act("bn2", y), block_.stride);
  y = pointwise("conv_pwl", squeeze(y), block_.channels, block_.project_parts);
  return norm("bn3", y);
}

Value Block::fused(const Value& x) {
  const std::int64_t width = inner(x);
  Value y = styled_conv(b_, at("conv_exp"), x,
                        {.channels = width,
                         .kernel = block_.kernels,
                         .stride = {conv_stride(block_.stride)},
                         .groups = groups(width, 1)},
                        style_);
  y = reduce("aa", norm_act("bn1", y), block_.stride);
  y = pointwise("conv_pwl", squeeze(y), block_.channels, block_.project_parts);
  return norm("bn2", y);
}

Value Block::universal(const Value& x) {
  const std::int64_t middle = block_.kernels.front();
  HORUS_CHECK(block_.stride == 1 || middle != 0 || block_.start_kernel != 0,
              "a depthwise convolution carries the stride");
  Value y = x;
  if (block_.start_kernel != 0) {
    const std::int64_t stride = middle == 0 ? block_.stride : 1;
    y = depthwise("dw_start.conv", y, {block_.start_kernel}, stride);
    y = reduce("dw_start.aa", norm("dw_start.bn", y), stride);
  }
  y = norm_act("pw_exp.bn", pointwise("pw_exp.conv", y, inner(x), 1));
  if (middle != 0) {
    y = depthwise("dw_mid.conv", y, block_.kernels, block_.stride);
    y = reduce("dw_mid.aa", norm_act("dw_mid.bn", y), block_.stride);
  }
  y = norm("pw_proj.bn", pointwise("pw_proj.conv", squeeze(y), block_.channels, 1));
  return scale(y);
}

Value Block::multi_query(const Value& x) {
  const MultiQuerySpec spec{.heads = block_.heads,
                            .head_width = block_.head_width,
                            .key_stride = block_.key_stride,
                            .kernel = block_.kernels.front(),
                            .channels = block_.channels};
  return scale(multi_query_attention(b_, at("attn"), norm("norm", x), spec));
}

}  // namespace

MobileBlock conv_row(int depth, std::int64_t kernel, std::int64_t stride, std::int64_t channels) {
  return {.kind = BlockKind::Conv,
          .depth = depth,
          .kernels = {kernel},
          .stride = stride,
          .channels = channels,
          .skip = Skip::Never};
}

MobileBlock separable_row(int depth, std::int64_t kernel, std::int64_t stride,
                          std::int64_t channels, double squeeze) {
  return {.kind = BlockKind::Separable,
          .depth = depth,
          .kernels = {kernel},
          .stride = stride,
          .channels = channels,
          .squeeze = squeeze};
}

MobileBlock inverted_row(int depth, Extent kernels, std::int64_t stride, double expansion,
                         std::int64_t channels, double squeeze) {
  return {.kind = BlockKind::Inverted,
          .depth = depth,
          .kernels = std::move(kernels),
          .stride = stride,
          .expansion = expansion,
          .channels = channels,
          .squeeze = squeeze};
}

MobileBlock fused_row(int depth, std::int64_t kernel, std::int64_t stride, double expansion,
                      std::int64_t channels) {
  return {.kind = BlockKind::Fused,
          .depth = depth,
          .kernels = {kernel},
          .stride = stride,
          .expansion = expansion,
          .channels = channels};
}

MobileBlock universal_row(int depth, std::int64_t start, std::int64_t middle, std::int64_t stride,
                          double expansion, std::int64_t channels) {
  return {.kind = BlockKind::Universal,
          .depth = depth,
          .kernels = {middle},
          .stride = stride,
          .expansion = expansion,
          .channels = channels,
          .start_kernel = start};
}

MobileBlock query_row(std::int64_t heads, std::int64_t head_width, std::int64_t key_stride,
                      std::int64_t channels) {
  return {.kind = BlockKind::MultiQuery,
          .kernels = {3},
          .channels = channels,
          .heads = heads,
          .head_width = head_width,
          .key_stride = key_stride};
}

MobileBlock with_skip(MobileBlock block, Skip skip) {
  block.skip = skip;
  return block;
}

MobileBlock with_activation(MobileBlock block, Activation activation) {
  block.activation = activation;
  return block;
}

MobileBlock with_groups(MobileBlock block, std::int64_t group_width) {
  block.group_width = group_width;
  return block;
}

MobileBlock with_parts(MobileBlock block, std::int64_t expand, std::int64_t project) {
  block.expand_parts = expand;
  block.project_parts = project;
  return block;
}

Value styled_conv(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec,
                  const MobileStyle& style) {
  if (style.padding == Padding::Same) return conv_same(b, name, x, spec);
  ConvSpec centred = spec;
  centred.padding = {spec.kernel.front() / 2};
  return conv(b, name, x, centred);
}

Value styled_norm(Builder& b, const std::string& name, const Value& x, const MobileStyle& style) {
  if (style.norm_group == 0) return batch_norm(b, name, x);
  return group_norm(b, name, x, x.shape[1] / style.norm_group);
}

Value mobile_block(Builder& b, const std::string& name, const Value& x, const MobileBlock& block,
                   const MobileStyle& style) {
  Block writer{b, name, block, style};
  switch (block.kind) {
    case BlockKind::Conv:
      return writer.skip(x, writer.conv(x));
    case BlockKind::Separable:
    case BlockKind::SeparableActivated:
      return writer.skip(x, writer.separable(x));
    case BlockKind::Inverted:
      return writer.skip(x, writer.inverted(x));
    case BlockKind::Fused:
      return writer.skip(x, writer.fused(x));
    case BlockKind::Universal:
      return writer.skip(x, writer.universal(x));
    case BlockKind::MultiQuery:
      return writer.skip(x, writer.multi_query(x));
  }
  return x;
}

}  // namespace horus::zoo
