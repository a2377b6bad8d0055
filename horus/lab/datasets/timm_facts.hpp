// SPDX-License-Identifier: Apache-2.0
#pragma once
// What timm (huggingface/pytorch-image-models) does with its models when it is not told otherwise.

#include <cstdint>
#include <optional>
#include <string_view>

#include "horus/base/result.hpp"
#include "horus/domain/prediction.hpp"

namespace horus::lab {

/// `usual`, or Eager where data/mappings/timm_attention.csv says that timm computes the attention
/// of `model` (a name that zoo::known() answers to) operator by operator in any case.
[[nodiscard]] Result<Attention> timm_attention(std::string_view model, Attention usual);

/// The side in pixels for which timm trains `model`, by data/mappings/timm_images.csv; absent where
/// that is the default of the zoo's architecture.
[[nodiscard]] Result<std::optional<std::int64_t>> timm_image(std::string_view model);

}  // namespace horus::lab
