// SPDX-License-Identifier: Apache-2.0
#pragma once
// Architectures by name, as graphs without weights.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/graph/model.hpp"

namespace horus::zoo {

struct Architecture {
  std::string name;                  ///< "resnet50", "bert-base", ...
  std::string description;           ///< One line: what it is, its input, its source.
  std::string input;                 ///< "3x224x224", "128 tokens", ...
  std::int64_t default_batch{1};     ///< A customary training batch for one GPU, for mixes of jobs.
  std::int64_t default_sequence{0};  ///< 0: the architecture has no sequence length.
  std::int64_t default_image{0};     ///< Side of the image in pixels; 0: it cannot be chosen.
  std::string family;                ///< "resnet", "bert", ...: the file that builds it.
};

struct BuildOptions {
  std::optional<std::int64_t> batch;     ///< Absent: a symbolic batch axis "N".
  std::optional<std::int64_t> sequence;  ///< Absent: the architecture's default.
  std::optional<std::int64_t> image;     ///< Side in pixels. Absent: the architecture's default.
};

/// All architectures in order of name.
[[nodiscard]] std::span<const Architecture> architectures();

/// The architecture that build(name) makes, null where none answers to the name. Builds nothing.
[[nodiscard]] const Architecture* known(std::string_view name);

/// Builds the graph in training form: BatchNormalization unfolded, Dropout switched on, attention
/// operator by operator. Weights are graph inputs after the data inputs, listed in the metadata
/// under kParametersKey and kBuffersKey. In names, letter case does not matter, nor do separators
/// except between two digits; common short forms ("bert") and timm's names before its version 0.8
/// ("convnext_tiny_in22ft1k") are known.
/// Errors: NotFound with the nearest name; InvalidArgument for a batch, sequence or image outside
/// of the architecture's limits, or one given to an architecture that has none.
[[nodiscard]] Result<graph::Model> build(std::string_view name, const BuildOptions& options = {});

}  // namespace horus::zoo
