// SPDX-License-Identifier: Apache-2.0
#pragma once
// A whole network from a table of mobile blocks, scaled in width and depth as EfficientNet and its
// relatives are (Tan and Le 2019, arXiv:1905.11946). Names are those of timm.

#include <cstdint>
#include <vector>

#include "horus/zoo/builder.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/mobile_blocks.hpp"

namespace horus::zoo {

/// Rows of one stage. Only the first block of a stage has a stride.
using MobileStage = std::vector<MobileBlock>;

enum class Scaling { Scaled, Fixed };
/// How a scaled number of blocks becomes whole.
enum class DepthRounding { Up, Nearest };
/// Where the last convolution stands, and what follows it.
enum class MobileHead {
  None,                ///< No such convolution.
  BeforePool,          ///< Normalized and activated, then the pool.
  AfterPool,           ///< Behind the pool, activated.
  AfterPoolBiased,     ///< The same with a bias.
  AfterPoolNormalized  ///< Behind the pool, normalized and activated.
};

struct MobilePlan {
  std::vector<MobileStage> stages;
  MobileStyle style;
  double width{1};               ///< Factor of all channels.
  std::vector<double> depth{1};  ///< Factor of the blocks: one for all stages, or one for each.
  DepthRounding depth_rounding{DepthRounding::Up};
  Scaling outer_depth{Scaling::Scaled};  ///< Whether first and last stage are scaled in depth.
  std::int64_t divisor{8};               ///< Channels are multiples of it, ...
  double floor{0.9};                     ///< ... and not less than this share of the scaled width.
  std::int64_t stem{32};
  std::int64_t stem_kernel{3};
  Scaling stem_width{Scaling::Scaled};
  std::int64_t head_channels{1280};
  Scaling head_width{Scaling::Scaled};
  MobileHead head{MobileHead::BeforePool};
  double dropout{0};  ///< Before the classifier.
};

void build_mobile(Builder& b, const MobilePlan& plan, std::int64_t image);

/// One member of a family that differs from the others by its scale.
struct MobileVariant {
  const char* name;
  double width{1};
  double depth{1};
  std::int64_t image{224};
  Padding padding{Padding::Symmetric};
};

/// `plan` with the variant's scale and padding, as an entry of the catalogue.
Entry mobile_entry(const MobileVariant& variant, const char* description, MobilePlan plan);

}  // namespace horus::zoo
