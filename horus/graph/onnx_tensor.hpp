// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorProto to Tensor: shape and type always, contents only of small constants.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/graph/limits.hpp"
#include "horus/graph/model.hpp"
#include "horus/graph/onnx_budget.hpp"
#include "horus/graph/wire_reader.hpp"

namespace horus::graph {

enum class ContentKind : std::uint8_t { Integer, Float, Other };

/// How ONNX stores the elements of one type.
struct ContentRule {
  ElementType type{};
  std::string_view name;
  std::uint64_t width{};        ///< Bytes per element in raw_data; 0: never in raw_data.
  std::uint32_t typed_field{};  ///< TensorProto's list for it.
  std::uint64_t per_element{};  ///< Entries of that list for one element.
  ContentKind kind{};
};

/// The rule for `type`, or null for a type that came after ONNX 1.12.
[[nodiscard]] const ContentRule* content_rule(ElementType type);

/// Product of `dims`; 1 for a scalar.
/// Errors: Corrupt for a negative dim or more than kElementsMax elements.
[[nodiscard]] Result<std::uint64_t> element_count(std::span<const std::int64_t> dims);

/// Reads a serialized TensorProto. Contents that are absent (weight-less files) stay absent.
/// Contents beyond the sizes above are neither copied nor touched, whatever their size.
/// Errors: Corrupt (contents that contradict dims and type, impossible dims), Unsupported (limits).
[[nodiscard]] Result<Tensor> read_tensor(Slice message, ReadBudget& budget);

/// Reads a serialized SparseTensorProto: name, type and dims, never contents.
[[nodiscard]] Result<Tensor> read_sparse_tensor(Slice message, ReadBudget& budget);

}  // namespace horus::graph
