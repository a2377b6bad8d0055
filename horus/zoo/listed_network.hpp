// SPDX-License-Identifier: Apache-2.0
#pragma once
// A network rebuilt from the list of its layers: kernels and strides are found by the parameters
// and outputs that the list states, and every stated number is held against the rebuilt layer.

#include <cstdint>
#include <optional>
#include <span>

#include "horus/base/result.hpp"
#include "horus/graph/model.hpp"
#include "horus/zoo/layer_list.hpp"

namespace horus::zoo {

/// The graph in training form, as zoo::build() makes it. `batch` absent: a symbolic batch axis "N".
/// Poolings, sums and concatenations, which lists leave out, are added as the wiring says.
/// Errors: InvalidArgument for an empty list or a wrong batch; Corrupt with "layer N" (from 1) as
/// its place where a layer's numbers fit no layer that could stand there; Unsupported for a kind
/// that is not known.
[[nodiscard]] Result<graph::Model> build_listed(const ListedInput& input,
                                                std::span<const ListedLayer> layers,
                                                std::optional<std::int64_t> batch = {});

/// Sizes of a transformer encoder that classifies sequences of tokens.
struct EncoderSizes {
  std::int64_t classes{};
  std::int64_t embedding{};
  std::int64_t layers{};
  std::int64_t heads{};
  std::int64_t feed_forward{};
  std::int64_t sequence{};
  std::int64_t vocabulary{};
};

/// Token embedding, encoder layers as torch.nn.TransformerEncoderLayer builds them, mean over the
/// tokens, linear layer.
/// Errors: InvalidArgument for a size outside of 1..1e9 (layers: 1..1024), or heads that do not
/// share the embedding evenly.
[[nodiscard]] Result<graph::Model> build_encoder(const EncoderSizes& sizes,
                                                 std::optional<std::int64_t> batch = {});

}  // namespace horus::zoo
