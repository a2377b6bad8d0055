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
[[nodiscard]] std::vector<Entry> dcgan_family();
[[nodiscard]] std::vector<Entry> densenet_family();
[[nodiscard]] std::vector<Entry> efficientnet_family();
[[nodiscard]] std::vector<Entry> gpt2_family();
[[nodiscard]] std::vector<Entry> inception_family();
[[nodiscard]] std::vector<Entry> lstm_lm_family();
[[nodiscard]] std::vector<Entry> mobilenet_family();
[[nodiscard]] std::vector<Entry> neumf_family();
[[nodiscard]] std::vector<Entry> pointnet_family();
[[nodiscard]] std::vector<Entry> resnet_family();
[[nodiscard]] std::vector<Entry> transformer_family();
[[nodiscard]] std::vector<Entry> vgg_family();
[[nodiscard]] std::vector<Entry> vit_family();

}  // namespace horus::zoo
