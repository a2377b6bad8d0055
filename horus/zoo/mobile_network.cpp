// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/mobile_network.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "horus/base/check.hpp"

namespace horus::zoo {
namespace {

constexpr int kClasses = 1000;

std::int64_t scaled(const MobilePlan& plan, std::int64_t channels) {
  return rounded_to(static_cast<double>(channels) * plan.width, plan.divisor, plan.floor);
}

std::int64_t by(Scaling scaling, const MobilePlan& plan, std::int64_t channels) {
  return scaling == Scaling::Scaled ? scaled(plan, channels) : channels;
}

int whole(double blocks, DepthRounding rounding) {
  const double count = rounding == DepthRounding::Up ? std::ceil(blocks) : std::nearbyint(blocks);
  return std::max(1, static_cast<int>(count));
}

/// Blocks of each row once the stage is scaled. The last rows are served first: the first block of
/// a stage changes its shape and gains least by repetition.
std::vector<int> scaled_depths(const MobileStage& stage, double factor, DepthRounding rounding) {
  int left = 0;
  for (const MobileBlock& row : stage) left += row.depth;
  int scaled_left = whole(left * factor, rounding);
  std::vector<int> depths(stage.size());
  for (std::size_t i = stage.size(); i-- > 0;) {
    const double share = static_cast<double>(stage[i].depth) / left * scaled_left;
    depths[i] = whole(share, DepthRounding::Nearest);
    left -= stage[i].depth;
    scaled_left -= depths[i];
  }
  return depths;
}

double depth_factor(const MobilePlan& plan, std::size_t stage) {
  const bool outer = stage == 0 || stage + 1 == plan.stages.size();
  if (outer && plan.outer_depth == Scaling::Fixed) return 1;
  HORUS_CHECK(plan.depth.size() == 1 || plan.depth.size() == plan.stages.size(),
              "depths are scaled by one factor, or by one for each stage");
  return plan.depth.size() == 1 ? plan.depth.front() : plan.depth[stage];
}

MobileBlock scaled_row(const MobilePlan& plan, MobileBlock row) {
  row.channels = scaled(plan, row.channels);
  if (row.expand_from != 0) row.expand_from = scaled(plan, row.expand_from);
  return row;
}

Value build_stage(Builder& b, const Value& x, const MobilePlan& plan, std::size_t stage) {
  const MobileStage& rows = plan.stages[stage];
  const std::vector<int> depths =
      scaled_depths(rows, depth_factor(plan, stage), plan.depth_rounding);
  Value y = x;
  int index = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    MobileBlock row = scaled_row(plan, rows[i]);
    for (int repeat = 0; repeat < depths[i]; ++repeat) {
      if (index > 0) row.stride = 1;
      const std::string name = "blocks." + std::to_string(stage) + "." + std::to_string(index++);
      y = mobile_block(b, name, y, row, plan.style);
    }
  }
  return y;
}

Value head(Builder& b, const Value& x, const MobilePlan& plan) {
  const Activation activation = plan.style.activation;
  const std::int64_t channels = by(plan.head_width, plan, plan.head_channels);
  if (plan.head == MobileHead::None || plan.head == MobileHead::BeforePool) {
    Value y = x;
    if (plan.head == MobileHead::BeforePool) {
      y = styled_norm(b, "bn2", conv(b, "conv_head", y, {.channels = channels}), plan.style);
      y = activation(b, "bn2.act", y);
    }
    return flatten(b, "flatten", global_average_pool(b, "global_pool", y));
  }
  const Bias bias = plan.head == MobileHead::AfterPoolBiased ? Bias::Trained : Bias::None;
  Value y = global_average_pool(b, "global_pool", x);
  y = conv(b, "conv_head", y, {.channels = channels, .bias = bias});
  if (plan.head == MobileHead::AfterPoolNormalized) y = styled_norm(b, "norm_head", y, plan.style);
  return flatten(b, "flatten", activation(b, "act2", y));
}

}  // namespace

void build_mobile(Builder& b, const MobilePlan& plan, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = styled_conv(b, "conv_stem", x,
                  {.channels = by(plan.stem_width, plan, plan.stem),
                   .kernel = {plan.stem_kernel},
                   .stride = {2}},
                  plan.style);
  x = plan.style.activation(b, "bn1.act", styled_norm(b, "bn1", x, plan.style));
  for (std::size_t stage = 0; stage < plan.stages.size(); ++stage) {
    x = build_stage(b, x, plan, stage);
  }
  x = dropout(b, "dropout", head(b, x, plan), plan.dropout);
  b.output(linear(b, "classifier", x, kClasses));
}

Entry mobile_entry(const MobileVariant& variant, const char* description, MobilePlan plan) {
  plan.width = variant.width;
  if (plan.depth.size() == 1) plan.depth = {variant.depth};
  plan.style.padding = variant.padding;
  const std::string side = std::to_string(variant.image);
  return {.architecture = {.name = variant.name,
                           .description = description,
                           .input = "3x" + side + "x" + side,
                           .default_batch = 32,
                           .default_image = variant.image},
          .build = [plan = std::move(plan)](Builder& b, const Sizes& sizes) {
            build_mobile(b, plan, sizes.image);
          }};
}

}  // namespace horus::zoo
