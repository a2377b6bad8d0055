// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plain vision transformer (Dosovitskiy et al. 2021, arXiv:2010.11929) and its many variants: a
// sequence of patches, equal blocks, a head. Parameter names are timm's.

#include <cstdint>
#include <string>

#include "horus/zoo/builder.hpp"
#include "horus/zoo/conv_block.hpp"

namespace horus::zoo {

/// How attention and feed-forward follow each other in a block.
enum class VitBlock {
  Sequential,  ///< One after the other, each normalized before.
  PostNorm,    ///< One after the other, each normalized after.
  Fused,       ///< Side by side from one projection (ViT-22B, arXiv:2302.05442).
  Doubled,     ///< Two attentions side by side, then two feed-forwards (arXiv:2203.09795).
};
enum class VitNorm { Layer, RootMeanSquare };
/// Biases of the projections to queries, keys and values.
enum class VitProjection {
  Joint,          ///< One layer with a bias.
  JointUnbiased,  ///< One layer without.
  JointKeyless,   ///< One layer, a bias for queries and values only (BEiT, EVA).
  Apart,          ///< Three layers, a bias for queries and values only (EVA-02).
};
enum class VitFeedForward {
  Plain,
  PackedGate,  ///< SiLU-gated, gate and value from one layer.
  NormedGate,  ///< SiLU-gated, two layers, and a norm before the last one.
  GeluGate,    ///< GELU-gated, two layers, and a norm of its own before them.
};
enum class VitPositions {
  AllTokens,  ///< A trained vector for each token.
  Patches,    ///< For each patch; not for class and register tokens.
  None,
  Table,       ///< A trained bias for each relative position, in each block.
  Network,     ///< That bias from a small network over log-distances, in each block.
  OneNetwork,  ///< The same for all blocks.
};
/// How the sequence becomes one vector. Norms come before, or after where it says so.
enum class VitHead { Class, Average, AverageThenNorm, Attention };
enum class VitClassToken { Present, Absent };
enum class VitOption { Off, On };

struct VitPlan {
  std::int64_t width{};
  std::int64_t depth{};
  std::int64_t heads{};
  std::int64_t inner{};  ///< Width of the feed-forward; of one of the two halves of a gated one.
  std::int64_t patch{16};
  std::int64_t registers{0};
  std::int64_t classes{1000};  ///< Width of the last layer; 0: there is none.
  VitBlock block{VitBlock::Sequential};
  VitNorm norm{VitNorm::Layer};
  double epsilon{1e-6};
  VitProjection projection{VitProjection::Joint};
  VitFeedForward feed_forward{VitFeedForward::Plain};
  Activation activation{gelu};
  VitPositions positions{VitPositions::AllTokens};
  std::int64_t position_width{128};  ///< Inner width of a position network.
  VitHead head{VitHead::Class};
  VitClassToken class_token{VitClassToken::Present};
  VitOption first_norm{VitOption::Off};    ///< A norm before the first block; patches unbiased.
  VitOption layer_scale{VitOption::Off};   ///< A trained factor after each branch.
  VitOption head_norm{VitOption::Off};     ///< Queries and keys are normalized in each head.
  VitOption context_norm{VitOption::Off};  ///< Attention is normalized before its projection.
  VitOption rotary{VitOption::Off};        ///< Queries and keys are turned by their position.
};

/// Adds the whole network for square images of side `image`: floor(image / patch) patches a side.
void build_vision_transformer(Builder& b, const VitPlan& plan, std::int64_t image);
/// The network behind `map`, (batch, width, side, side), in which another network has put patches.
void continue_vision_transformer(Builder& b, const VitPlan& plan, const Value& map);
/// One block of it over a sequence of tokens, without positions.
Value vit_block(Builder& b, const std::string& name, const Value& x, const VitPlan& plan);

}  // namespace horus::zoo
