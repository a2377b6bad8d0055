// SPDX-License-Identifier: Apache-2.0
#pragma once
// Model-local functions: their names, and that none of them calls itself.

#include <span>
#include <string>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/graph/onnx_budget.hpp"
#include "horus/graph/wire_reader.hpp"

namespace horus::graph {

struct FunctionCalls {
  std::string id;                  ///< As in Model::functions.
  std::vector<std::string> calls;  ///< Operators its body uses, sorted, each once.
};

/// Reads a serialized FunctionProto; its body is checked but not kept.
[[nodiscard]] Result<FunctionCalls> read_function(Slice message, ReadBudget& budget);

/// Errors: Corrupt, naming the chain of calls, when a function calls itself, directly or through
/// others; or when two functions share an id. Cost: O(n log n) in functions and calls.
[[nodiscard]] Result<Done> check_no_recursion(std::span<const FunctionCalls> functions);

}  // namespace horus::graph
