// SPDX-License-Identifier: Apache-2.0
#pragma once
// Entries of networks that read square images: the size of the image is part of
// the choice, and so is the batch that fits a GPU with it.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "horus/zoo/families/family.hpp"

namespace horus::zoo {

/// An entry for a network that builds itself from the image's side in pixels.
inline Entry image_entry(std::string name, std::string description, std::int64_t image,
                         ImageRange images,
                         std::function<void(Builder& b, std::int64_t image)> build) {
  constexpr std::int64_t kLarge = 320;  // From here on an image costs about twice 224 and more.
  const std::string side = std::to_string(image);
  return {.architecture = {.name = std::move(name),
                           .description = std::move(description),
                           .input = "3x" + side + "x" + side,
                           .default_batch = image < kLarge ? 64 : 16,
                           .default_image = image},
          .images = images,
          .build = [build = std::move(build)](Builder& b, const Sizes& sizes) {
            build(b, sizes.image);
          }};
}

}  // namespace horus::zoo
