// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a file is that is not ONNX: people hand over the checkpoint, the archive or the error page.

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace horus::graph {

/// "a PyTorch checkpoint ...: export the model with torch.onnx.export", or nothing where the first
/// bytes are those of no format known here. Meant for bytes that are known not to be ONNX.
[[nodiscard]] std::optional<std::string> describe_foreign(std::span<const std::byte> bytes);

}  // namespace horus::graph
