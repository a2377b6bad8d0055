// SPDX-License-Identifier: Apache-2.0
// Next-ViT (Li et al. 2022, arXiv:2207.05501), as timm builds it for training: stages of grouped
// convolutions, each closed by a block with attention over coarser keys. Stochastic depth is left
// out.

#include <array>

#include "horus/zoo/attention_block.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/image_entry.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

struct Stage {
  std::int64_t convolution_width{};
  std::int64_t attention_width{};  ///< 0: no block with attention.
  std::int64_t key_stride{};       ///< Along each axis.
  std::int64_t period{};           ///< Blocks up to and with one that attends; 0: the last only.
};

constexpr std::array<std::int64_t, 4> kStem{64, 32, 64, 64};
constexpr std::array<std::int64_t, 4> kStemStrides{2, 1, 1, 2};
constexpr std::array<Stage, 4> kStages{
    {{96, 0, 8, 0}, {192, 256, 4, 0}, {384, 512, 2, 5}, {768, 1024, 1, 0}}};
constexpr std::int64_t kHeadWidth = 32;
constexpr std::int64_t kConvolutionExpansion = 3;
constexpr std::int64_t kAttentionExpansion = 2;
constexpr double kAttentionShare = 0.75;  // Of the channels of a block that attends.

using Depths = std::array<int, 4>;

Value conv_norm(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  return batch_norm(b, name + ".norm", conv(b, name + ".conv", x, spec));
}

/// To `channels` at half the side where the stride is 2.
Value embed(Builder& b, const std::string& name, const Value& x, std::int64_t channels,
            std::int64_t stride) {
  if (stride == 1 && x.shape[1] == channels) return x;
  Value y = x;
  if (stride == 2) {
    y = average_pool(b, name + ".pool", y,
                     {.kernel = {2},
                      .stride = {2},
                      .rounding = Rounding::Up,
                      .padding_counts = PaddingCounts::No});
  }
  return conv_norm(b, name, y, {.channels = channels});
}

/// A grouped 3x3 convolution, one group a head.
Value conv_attention(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t channels = x.shape[1];
  Value y = conv(b, name + ".group_conv3x3", x, centred(channels, 3, 1, channels / kHeadWidth));
  y = relu(b, name + ".act", batch_norm(b, name + ".norm", y));
  return conv(b, name + ".projection", y, {.channels = channels});
}

/// x + mlp(norm(x)).
Value feed_forward_of_map(Builder& b, const std::string& name, const std::string& norm,
                          const Value& x, std::int64_t expansion) {
  const Value y = mlp_of_map(b, name + ".mlp", batch_norm(b, name + "." + norm, x),
                             expansion * x.shape[1], relu);
  return binary(b, name + ".add_mlp", "Add", x, y);
}

Value convolution_block(Builder& b, const std::string& name, const Value& x, std::int64_t channels,
                        std::int64_t stride) {
  const Value y = embed(b, name + ".patch_embed", x, channels, stride);
  const Value sum = binary(b, name + ".add", "Add", y, conv_attention(b, name + ".mhca", y));
  return feed_forward_of_map(b, name, "norm", sum, kConvolutionExpansion);
}

/// Attention of tokens (batch, tokens, width) to means over neighbouring ones.
Value coarse_attention(Builder& b, const std::string& name, const Value& x,
                       std::int64_t key_stride) {
  const std::int64_t width = x.shape.back();
  Value memory = x;
  const Value query = linear(b, name + ".q", x, width);
  if (key_stride > 1) {
    const std::int64_t window = key_stride * key_stride;
    memory = transpose(b, name + ".sr.transpose", memory, {0, 2, 1});
    memory = average_pool(b, name + ".sr", memory, {.kernel = {window}, .stride = {window}});
    memory = batch_norm(b, name + ".norm", memory);
    memory = transpose(b, name + ".norm.transpose", memory, {0, 2, 1});
  }
  const Value key = linear(b, name + ".k", memory, width);
  const Value value = linear(b, name + ".v", memory, width);
  const Value y = attention(b, name, {.query = query, .key = key, .value = value},
                            {.heads = width / kHeadWidth});
  return linear(b, name + ".proj", y, width);
}

Value attention_block(Builder& b, const std::string& name, const Value& x, const Stage& stage,
                      std::int64_t stride) {
  const std::int64_t channels = stage.attention_width;
  const std::int64_t attending =
      rounded_to(kAttentionShare * static_cast<double>(channels), kHeadWidth);
  Value first = embed(b, name + ".patch_embed", x, attending, stride);
  Value y = map_to_tokens(b, name + ".tokens", batch_norm(b, name + ".norm1", first));
  y = coarse_attention(b, name + ".e_mhsa", y, stage.key_stride);
  y = tokens_to_map(b, name + ".map", y, first.shape[2], first.shape[3]);
  first = binary(b, name + ".add", "Add", first, y);
  Value second = embed(b, name + ".projection", first, channels - attending, 1);
  second = binary(b, name + ".add_1", "Add", second, conv_attention(b, name + ".mhca", second));
  y = concat(b, name + ".concat", std::vector<Value>{first, second}, 1);
  return feed_forward_of_map(b, name, "norm2", y, kAttentionExpansion);
}

void build_nextvit(Builder& b, const Depths& depths, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  for (std::size_t i = 0; i < kStem.size(); ++i) {
    const std::string name = "stem." + std::to_string(i);
    x = conv_norm(b, name, x, centred(kStem[i], 3, kStemStrides[i]));
    x = relu(b, name + ".act", x);
  }
  for (std::size_t stage = 0; stage < kStages.size(); ++stage) {
    const Stage& spec = kStages[stage];
    const std::int64_t period = spec.period == 0 ? depths[stage] : spec.period;
    for (int i = 0; i < depths[stage]; ++i) {
      const std::string name = "stages." + std::to_string(stage) + ".blocks." + std::to_string(i);
      const std::int64_t stride = i == 0 && stage > 0 ? 2 : 1;
      const bool attends = spec.attention_width != 0 && (i + 1) % period == 0;
      x = attends ? attention_block(b, name, x, spec, stride)
                  : convolution_block(b, name, x, spec.convolution_width, stride);
    }
  }
  b.output(classifier(b, "head", "head.fc", batch_norm(b, "norm", x)));
}

struct Row {
  const char* name;
  Depths depths{};
};

constexpr auto kRows = std::to_array<Row>({{"nextvit_small", {3, 4, 10, 3}},
                                           {"nextvit_base", {3, 4, 20, 3}},
                                           {"nextvit_large", {3, 4, 30, 3}}});

}  // namespace

std::vector<Entry> nextvit_family() {
  std::vector<Entry> entries;
  for (const Row& row : kRows) {
    // The first map that attends must hold at least one window of keys.
    entries.push_back(image_entry(row.name, "Next-ViT, ImageNet (arXiv:2207.05501, timm)", 224,
                                  {.min = 64},
                                  [depths = row.depths](Builder& b, std::int64_t image) {
                                    build_nextvit(b, depths, image);
                                  }));
  }
  return entries;
}

}  // namespace horus::zoo
