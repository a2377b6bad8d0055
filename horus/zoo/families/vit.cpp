// SPDX-License-Identifier: Apache-2.0
// Vision Transformer (Dosovitskiy et al. 2021, arXiv:2010.11929), as torchvision builds it: its
// dropout rates are 0 there.

#include "horus/zoo/attention_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

struct Plan {
  std::int64_t patch{};
  std::int64_t depth{};
  std::int64_t heads{};
  std::int64_t width{};
};

constexpr Plan kVitB16{16, 12, 12, 768};
constexpr Plan kVitB32{32, 12, 12, 768};
constexpr Plan kVitL16{16, 24, 16, 1024};

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
Value embed(Builder& b, const Plan& plan) {
  const Value image = b.input("input", {kBatch, 3, 224, 224});
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

void build_vit(Builder& b, const Plan& plan) {
  Value x = embed(b, plan);
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

Entry vit(std::string name, const std::string& what, void (*build)(Builder&, const Sizes&)) {
  return {.architecture = {.name = std::move(name),
                           .description = what + ", ImageNet (arXiv:2010.11929, torchvision)",
                           .input = "3x224x224",
                           .default_batch = 64},
          .build = build};
}

}  // namespace

std::vector<Entry> vit_family() {
  return {
      vit("vit-b-16", "ViT-B/16", [](Builder& b, const Sizes&) { build_vit(b, kVitB16); }),
      vit("vit-b-32", "ViT-B/32", [](Builder& b, const Sizes&) { build_vit(b, kVitB32); }),
      vit("vit-l-16", "ViT-L/16", [](Builder& b, const Sizes&) { build_vit(b, kVitL16); }),
  };
}

}  // namespace horus::zoo
