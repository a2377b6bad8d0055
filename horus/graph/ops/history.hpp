// SPDX-License-Identifier: Apache-2.0
#pragma once
// In which versions of the standard operator set an operator exists and was defined anew.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace horus::graph {

/// The newest version of the standard operator set whose operators Horus was compared with.
inline constexpr std::int64_t kNewestOpset = 28;

/// Source: the operator changelog of ONNX 1.23 (docs/Changelog.md), and that of ONNX 1.4 for the
/// experimental operators that left with version 10.
struct OperatorHistory {
  std::string_view op;
  /// Ascending, padded with zeros; the first brought the operator.
  std::array<std::uint8_t, 10> versions;
  std::uint8_t removed{0};  ///< The version that took it away again; 0: it is still there.
};

/// Sorted by operator.
[[nodiscard]] std::span<const OperatorHistory> operator_histories();

/// nullptr for an operator that no version of the standard set has.
/// Cost: logarithmic in the number of operators.
[[nodiscard]] const OperatorHistory* history_of(std::string_view op);

/// Whether version `opset` has the operator. True for operators without a history: they are not of
/// the standard, so no version forbids them.
[[nodiscard]] bool exists_in(std::string_view op, std::int64_t opset);

}  // namespace horus::graph
