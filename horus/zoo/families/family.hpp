// SPDX-License-Identifier: Apache-2.0
#pragma once
// The catalogue of architectures, family by family. A new family is one new file in this folder,
// one declaration here and one row in zoo.cpp.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "horus/zoo/builder.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::zoo {

/// Sizes of the input that a user may choose, 0 where the architecture has no such choice.
struct Sizes {
  std::int64_t sequence{0};
  std::int64_t image{0};  ///< Side in pixels.
};

/// Sides that an architecture can be built for, in pixels.
struct ImageRange {
  std::int64_t min{32};
  std::int64_t max{4096};
  std::int64_t step{1};  ///< Sides are multiples of it: the patch, or patch times window.
};

struct Entry {
  Architecture architecture;
  std::int64_t sequence_max{0};  ///< Longest sequence, 0 where there is none.
  ImageRange images{};           ///< Read where architecture.default_image is not 0.
  std::vector<std::string> aliases;
  /// Adds the whole network.
  std::function<void(Builder& b, const Sizes& sizes)> build;
};

[[nodiscard]] std::vector<Entry> alexnet_family();
[[nodiscard]] std::vector<Entry> bert_family();
[[nodiscard]] std::vector<Entry> cifar_family();
[[nodiscard]] std::vector<Entry> convnext_family();
[[nodiscard]] std::vector<Entry> cyclegan_family();
[[nodiscard]] std::vector<Entry> dcgan_family();
[[nodiscard]] std::vector<Entry> deepspeech_family();
[[nodiscard]] std::vector<Entry> densenet_family();
[[nodiscard]] std::vector<Entry> efficientnet_family();
[[nodiscard]] std::vector<Entry> fastvit_family();
[[nodiscard]] std::vector<Entry> ghostnet_family();
[[nodiscard]] std::vector<Entry> googlenet_family();
[[nodiscard]] std::vector<Entry> gpt2_family();
[[nodiscard]] std::vector<Entry> hardcorenas_family();
[[nodiscard]] std::vector<Entry> inception_family();
[[nodiscard]] std::vector<Entry> inception_next_family();
[[nodiscard]] std::vector<Entry> inception_v4_family();
[[nodiscard]] std::vector<Entry> keras_examples_family();
[[nodiscard]] std::vector<Entry> lstm_lm_family();
[[nodiscard]] std::vector<Entry> maxvit_family();
[[nodiscard]] std::vector<Entry> message_passing_family();
[[nodiscard]] std::vector<Entry> mnasnet_family();
[[nodiscard]] std::vector<Entry> mobilenet_family();
[[nodiscard]] std::vector<Entry> mobilenet_v4_family();
[[nodiscard]] std::vector<Entry> neumf_family();
[[nodiscard]] std::vector<Entry> nextvit_family();
[[nodiscard]] std::vector<Entry> overfeat_family();
[[nodiscard]] std::vector<Entry> pointnet_family();
[[nodiscard]] std::vector<Entry> recoder_family();
[[nodiscard]] std::vector<Entry> regnet_family();
[[nodiscard]] std::vector<Entry> reinforcement_family();
[[nodiscard]] std::vector<Entry> repvit_family();
[[nodiscard]] std::vector<Entry> resnet_family();
[[nodiscard]] std::vector<Entry> rexnet_family();
[[nodiscard]] std::vector<Entry> shufflenet_family();
[[nodiscard]] std::vector<Entry> squeezenet_family();
[[nodiscard]] std::vector<Entry> swin_family();
[[nodiscard]] std::vector<Entry> t5_family();
[[nodiscard]] std::vector<Entry> timm_byoanet_family();
[[nodiscard]] std::vector<Entry> timm_byobnet_family();
[[nodiscard]] std::vector<Entry> timm_cspnet_family();
[[nodiscard]] std::vector<Entry> timm_davit_family();
[[nodiscard]] std::vector<Entry> timm_dla_family();
[[nodiscard]] std::vector<Entry> timm_dpn_family();
[[nodiscard]] std::vector<Entry> timm_edgenext_family();
[[nodiscard]] std::vector<Entry> timm_efficientnet_family();
[[nodiscard]] std::vector<Entry> timm_efficientvit_family();
[[nodiscard]] std::vector<Entry> timm_hgnet_family();
[[nodiscard]] std::vector<Entry> timm_hiera_family();
[[nodiscard]] std::vector<Entry> timm_hrnet_family();
[[nodiscard]] std::vector<Entry> timm_hybrid_vit_family();
[[nodiscard]] std::vector<Entry> timm_levit_family();
[[nodiscard]] std::vector<Entry> timm_maxvit_family();
[[nodiscard]] std::vector<Entry> timm_metaformer_family();
[[nodiscard]] std::vector<Entry> timm_mixer_family();
[[nodiscard]] std::vector<Entry> timm_mobile_family();
[[nodiscard]] std::vector<Entry> timm_mobilevit_family();
[[nodiscard]] std::vector<Entry> timm_multipath_family();
[[nodiscard]] std::vector<Entry> timm_mvit_family();
[[nodiscard]] std::vector<Entry> timm_nfnet_family();
[[nodiscard]] std::vector<Entry> timm_pit_family();
[[nodiscard]] std::vector<Entry> timm_resnet_family();
[[nodiscard]] std::vector<Entry> timm_resnet_pruned_family();
[[nodiscard]] std::vector<Entry> timm_resnetv2_family();
[[nodiscard]] std::vector<Entry> timm_selecsls_family();
[[nodiscard]] std::vector<Entry> timm_senet_family();
[[nodiscard]] std::vector<Entry> timm_swin_family();
[[nodiscard]] std::vector<Entry> timm_tinyvit_family();
[[nodiscard]] std::vector<Entry> timm_twins_family();
[[nodiscard]] std::vector<Entry> timm_vit_family();
[[nodiscard]] std::vector<Entry> timm_vitamin_family();
[[nodiscard]] std::vector<Entry> timm_volo_family();
[[nodiscard]] std::vector<Entry> timm_vovnet_family();
[[nodiscard]] std::vector<Entry> timm_xception_family();
[[nodiscard]] std::vector<Entry> timm_xcit_family();
[[nodiscard]] std::vector<Entry> transformer_family();
[[nodiscard]] std::vector<Entry> transformer_xl_family();
[[nodiscard]] std::vector<Entry> unet_family();
[[nodiscard]] std::vector<Entry> vgg_family();
[[nodiscard]] std::vector<Entry> vit_family();
[[nodiscard]] std::vector<Entry> xlnet_family();
[[nodiscard]] std::vector<Entry> yolo_family();

}  // namespace horus::zoo
