// SPDX-License-Identifier: Apache-2.0
// Vision Transformer (Dosovitskiy et al. 2021, arXiv:2010.11929), as torchvision builds it: its
// dropout rates are 0 there.

#include <array>

#include "horus/zoo/attention_block.hpp"
#include "horus/zoo/families/image_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

struct Plan {
  std::int64_t patch{};
  std::int64_t depth{};
  std::int64_t heads{};
  std::int64_t width{};
};

constexpr double kEpsilon = 1e-6;
constexpr std::int64_t kFeedForward = 4;  // Times the width.

/// A row of `width` for each image, whatever the batch.
Value class_token(Builder& b, const Value& image, std::int64_t width) {
  const Value token = b.parameter("class_token", {1, 1, width});
  const Value batch = b.add({.name = "batch",
                             .op_type = "Shape",
                             .inputs = {image.name},
                             .attributes = {{"start", std::int64_t{0}}, {"end", std::int64_t{1}}}},
                            {1}, ElementType::Int64);
  const std::vector<Value> sizes{batch, b.integers({1, width})};
  const Value shape = concat(b, "class_token.shape", sizes, 0);
  return b.add(
      {.name = "class_token.expand", .op_type = "Expand", .inputs = {token.name, shape.name}},
      {kBatch, 1, width});
}

/// The image as a sequence of patches, class token first.
Value embed(Builder& b, const Plan& plan, std::int64_t side) {
  const Value image = b.input("input", {kBatch, 3, side, side});
  const Value patches = conv(b, "conv_proj", image,
                             {.channels = plan.width,
                              .kernel = {plan.patch},
                              .stride = {plan.patch},
                              .bias = Bias::Trained});
  const std::int64_t count = patches.shape[2] * patches.shape[3];
  const Value rows = reshape(b, "patches", patches, {0, 0, -1}, {kBatch, plan.width, count});
  const Value token = class_token(b, image, plan.width);
  const std::vector<Value> sequence{token, transpose(b, "patches.transpose", rows, {0, 2, 1})};
  const Value x = concat(b, "sequence", sequence, 1);
  const Value position = b.parameter("encoder.pos_embedding", {1, count + 1, plan.width});
  return binary(b, "encoder.add", "Add", x, position);
}

Value encoder_layer(Builder& b, const std::string& name, const Value& x, const Plan& plan) {
  Value y = layer_norm(b, name + ".ln_1", x, kEpsilon);
  const Projections projections = project_together(b, name + ".self_attention.in_proj", y);
  y = attention(b, name + ".self_attention", projections, {.heads = plan.heads});
  y = linear(b, name + ".self_attention.out_proj", y, plan.width);
  const Value middle = binary(b, name + ".add_1", "Add", y, x);
  y = layer_norm(b, name + ".ln_2", middle, kEpsilon);
  y = feed_forward(b, y,
                   {.expand = name + ".mlp.0",
                    .activation = name + ".mlp.1",
                    .contract = name + ".mlp.3",
                    .inner = kFeedForward * plan.width,
                    .activate = gelu});
  return binary(b, name + ".add_2", "Add", middle, y);
}

void build_vit(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = embed(b, plan, image);
  for (std::int64_t layer = 0; layer < plan.depth; ++layer) {
    x = encoder_layer(b, "encoder.layers.encoder_layer_" + std::to_string(layer), x, plan);
  }
  x = layer_norm(b, "encoder.ln", x, kEpsilon);
  const Value first = b.integer(0);
  x = b.add({.name = "class",
             .op_type = "Gather",
             .inputs = {x.name, first.name},
             .attributes = {{"axis", std::int64_t{1}}}},
            {kBatch, plan.width});
  b.output(linear(b, "heads.head", x, 1000));
}

struct Row {
  const char* name;
  const char* what;
  std::int64_t image{};
  Plan plan;
};

// Table 1 of the paper. H/14 is published for images of 518 pixels only.
constexpr auto kRows = std::to_array<Row>({{"vit-b-16", "ViT-B/16", 224, {16, 12, 12, 768}},
                                           {"vit-b-32", "ViT-B/32", 224, {32, 12, 12, 768}},
                                           {"vit-l-16", "ViT-L/16", 224, {16, 24, 16, 1024}},
                                           {"vit-l-32", "ViT-L/32", 224, {32, 24, 16, 1024}},
                                           {"vit-h-14", "ViT-H/14", 518, {14, 32, 16, 1280}}});

}  // namespace

std::vector<Entry> vit_family() {
  std::vector<Entry> entries;
  for (const Row& row : kRows) {
    entries.push_back(image_entry(
        row.name, row.what + std::string{", ImageNet (arXiv:2010.11929, torchvision)"}, row.image,
        {.min = row.plan.patch, .step = row.plan.patch},
        [plan = row.plan](Builder& b, std::int64_t image) { build_vit(b, plan, image); }));
  }
  return entries;
}

}  // namespace horus::zoo
