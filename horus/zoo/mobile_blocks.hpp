// SPDX-License-Identifier: Apache-2.0
#pragma once
// The blocks of networks for phones and small accelerators - separable convolution, inverted
// residual, its fused and its universal form - as timm builds them. A network is a table of them:
// see mobile_network.hpp.

#include <cstdint>
#include <string>

#include "horus/zoo/builder.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {

enum class BlockKind {
  Conv,                ///< One convolution.
  Separable,           ///< Depthwise, then pointwise without activation.
  SeparableActivated,  ///< The same with an activation behind the pointwise convolution.
  Inverted,            ///< Pointwise expansion, depthwise, pointwise projection (MobileNetV2).
  Fused,               ///< One wide convolution that expands, pointwise projection.
  Universal,           ///< Inverted with depthwise convolutions that may be left out (MobileNetV4).
  MultiQuery,          ///< Attention over the image; all heads share keys and values.
};
enum class Skip { WhereShapesAgree, Never };

/// One row of a network's table: `depth` equal blocks, of which only the first has the stride.
struct MobileBlock {
  BlockKind kind{BlockKind::Conv};
  int depth{1};
  Extent kernels{3};  ///< Sides; with several the channels are shared out among them (MixNet).
  std::int64_t stride{1};
  double expansion{1};  ///< Inner width over the input's channels.
  std::int64_t channels{};
  double squeeze{0};  ///< Width of the squeeze over MobileStyle::squeeze_base; 0: none.
  Skip skip{Skip::WhereShapesAgree};
  Activation activation{nullptr};  ///< Null: that of the network.
  std::int64_t group_width{0};     ///< Channels of a group; 0: MobileStyle::group_width.
  std::int64_t expand_parts{1};    ///< Convolutions that the pointwise expansion is cut into.
  std::int64_t project_parts{1};   ///< The same of the projection.
  std::int64_t expand_from{0};     ///< Channels that `expansion` multiplies; 0: the input's.
  std::int64_t start_kernel{0};    ///< Universal: depthwise kernel before the expansion; 0: none.
  std::int64_t heads{0};           ///< MultiQuery: heads, ...
  std::int64_t head_width{0};      ///< ... their width, ...
  std::int64_t key_stride{1};      ///< ... and how much coarser keys and values are than queries.
};

enum class Padding { Symmetric, Same };
enum class Antialias { None, Average, Blur };
enum class SqueezeBase { Input, Expanded };
enum class LayerScale { None, Trained };
/// What a squeeze is made of: the mean over the image, or a weighted one (arXiv:1904.11492).
enum class SqueezeMean { Plain, Weighted };

/// What all blocks of a network have in common.
struct MobileStyle {
  Activation activation{relu};
  Padding padding{Padding::Symmetric};
  std::int64_t norm_group{0};   ///< Channels of a group of the normalization; 0: batch norm.
  std::int64_t group_width{0};  ///< Of the main convolution; 0: one channel, Fused and Conv: all.
  Antialias antialias{Antialias::None};  ///< In place of strides inside of blocks.
  SqueezeBase squeeze_base{SqueezeBase::Input};
  std::int64_t squeeze_divisor{1};         ///< Squeezes are multiples of it, ...
  double squeeze_floor{0.9};               ///< ... and not less than this share of what was asked.
  Activation squeeze_activation{nullptr};  ///< Null: that of the block.
  Activation gate{sigmoid};
  SqueezeMean squeeze_mean{SqueezeMean::Plain};
  LayerScale layer_scale{LayerScale::None};  ///< Read by Universal and MultiQuery.
};

MobileBlock conv_row(int depth, std::int64_t kernel, std::int64_t stride, std::int64_t channels);
MobileBlock separable_row(int depth, std::int64_t kernel, std::int64_t stride,
                          std::int64_t channels, double squeeze = 0);
MobileBlock inverted_row(int depth, Extent kernels, std::int64_t stride, double expansion,
                         std::int64_t channels, double squeeze = 0);
MobileBlock fused_row(int depth, std::int64_t kernel, std::int64_t stride, double expansion,
                      std::int64_t channels);
/// `start` and `middle`: depthwise kernels before and behind the expansion, 0 for none.
MobileBlock universal_row(int depth, std::int64_t start, std::int64_t middle, std::int64_t stride,
                          double expansion, std::int64_t channels);
MobileBlock query_row(std::int64_t heads, std::int64_t head_width, std::int64_t key_stride,
                      std::int64_t channels);

MobileBlock with_skip(MobileBlock block, Skip skip);
MobileBlock with_activation(MobileBlock block, Activation activation);
MobileBlock with_groups(MobileBlock block, std::int64_t group_width);
MobileBlock with_parts(MobileBlock block, std::int64_t expand, std::int64_t project);

/// Convolution with the network's padding.
Value styled_conv(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec,
                  const MobileStyle& style);
/// The network's normalization.
Value styled_norm(Builder& b, const std::string& name, const Value& x, const MobileStyle& style);

/// One block (`block.depth` is not read).
Value mobile_block(Builder& b, const std::string& name, const Value& x, const MobileBlock& block,
                   const MobileStyle& style);

}  // namespace horus::zoo
