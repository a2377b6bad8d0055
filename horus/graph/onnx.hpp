// SPDX-License-Identifier: Apache-2.0
#pragma once
// ONNX bytes to Model and back. Reading never copies, hashes or even touches weights.

#include <cstddef>
#include <span>
#include <string>

#include "horus/base/result.hpp"
#include "horus/graph/limits.hpp"
#include "horus/graph/model.hpp"

namespace horus::graph {

/// Reads a serialized ModelProto. `bytes` may be a mapped file of any size: length-delimited fields
/// are skipped by their length, so only the structure is paged in.
/// Errors: Corrupt (truncated, not ONNX, lengths beyond the file, a tensor whose contents
/// contradict its shape, a function that calls itself), Unsupported (a limit). `where` names the
/// node, tensor or value; the message gives the field and its byte offset in the file.
/// Cost: linear in the number of fields; memory linear in the structure, never in the weights.
[[nodiscard]] Result<Model> read_onnx(std::span<const std::byte> bytes,
                                      const ReadLimits& limits = {});

/// Serializes `model` as a ModelProto. Deterministic: same model, same bytes. Reading them back
/// gives an equal model as long as its numbers fit the types that ONNX has for them (attributes are
/// 32-bit floats) and its constants are within what a reader keeps.
[[nodiscard]] std::string write_onnx(const Model& model);

}  // namespace horus::graph
