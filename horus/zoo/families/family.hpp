// SPDX-License-Identifier: Apache-2.0
#pragma once
// The catalogue of architectures, family by family. A new family is one new file in this folder,
// one declaration here and one row in zoo.cpp.

#include <cstdint>
#include <string>
#include <vector>

#include "horus/zoo/builder.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::zoo {

struct Entry {
  Architecture architecture;
  std::int64_t sequence_max{0};  ///< Longest sequence, 0 where there is none.
  std::vector<std::string> aliases;
  /// Adds the whole network. `sequence` is 0 where the architecture has none.
  void (*build)(Builder& b, std::int64_t sequence){};
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
