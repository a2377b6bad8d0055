// SPDX-License-Identifier: Apache-2.0
#pragma once
// Residual networks composed of interchangeable blocks, as the "bring your own blocks" networks of
// timm (models/byobnet.py) are: a plan says which blocks, and one builder follows it. Names are
// timm's.

#include <array>
#include <cstddef>
#include <cstdint>

#include "horus/zoo/builder.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/image_attention.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo::byob {

enum class Block { None, Basic, Bottleneck, Edge, Rep };
/// Groups of a convolution: of so many channels each (Width), or so many in every other block of a
/// stage (Alternating).
enum class Grouping { Width, Alternating };
enum class StemPool { None, Max, Average };
/// Evo brings its own activation; it has groups of 16 channels.
enum class Norm { Batch, Evo };
enum class Attention { None, SqueezeExcite, Efficient, GlobalContext };
/// Which side of a block its inner width is a multiple of.
enum class InnerFrom { Output, Input };
enum class Tail { Activated, Linear };
enum class Shortcut { Conv, Average, WhereShapesAgree };
enum class Reduction { Stride, Average };
enum class Head { Classifier, Features, Mlp, AttentionPool };
/// Whether a bottleneck has one spatial convolution or two.
enum class Spatial { Once, Twice };

struct Stage {
  Block block{Block::None};
  int depth{};
  std::int64_t channels{};
  std::int64_t stride{2};
  std::int64_t group{0};  ///< Channels of a group, or number of groups; 0: no groups.
  double ratio{1};        ///< Inner width over that of a side.
  /// One bottleneck of so many, the last of them, has an attention in the place of its spatial
  /// convolution; 0: none.
  int attend_every{0};
  ImageAttention attention{};
};

constexpr std::size_t kStagesMax = 5;
using Stages = std::array<Stage, kStagesMax>;

/// Convolutions before the stages. One alone halves the image; several, with or without a pool
/// behind them, quarter it.
struct Stem {
  std::array<std::int64_t, 4> channels{};  ///< 0: no further convolution.
  StemPool pool{StemPool::None};
  int plain{0};  ///< Convolutions at the front without normalization and activation.
  std::int64_t kernel{3};
};

struct Plan {
  Stages stages{};
  Stem stem{};
  std::int64_t features{0};     ///< Width of a last 1x1 convolution; 0: there is none.
  Activation activation{relu};  ///< Of batch normalizations.
  Norm norm{Norm::Batch};
  Attention attention{Attention::None};
  std::int64_t squeeze{16};         ///< Channels over those of the squeeze.
  std::int64_t squeeze_divisor{8};  ///< The squeeze is a multiple of it.
  Grouping grouping{Grouping::Width};
  InnerFrom inner_from{InnerFrom::Output};
  Tail tail{Tail::Activated};
  Shortcut shortcut{Shortcut::Conv};
  Reduction reduction{Reduction::Stride};
  Spatial spatial{Spatial::Once};
  Head head{Head::Classifier};
  std::int64_t classes{1000};
};

/// Adds the whole network for square images of `image` pixels.
void build_network(Builder& b, const Plan& plan, std::int64_t image);

}  // namespace horus::zoo::byob
