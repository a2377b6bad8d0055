// SPDX-License-Identifier: Apache-2.0
#pragma once
// Model-local functions: FunctionProto to Function, and that none of them calls itself.

#include <span>
#include <string>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/graph/model.hpp"
#include "horus/graph/onnx_budget.hpp"
#include "horus/graph/wire_reader.hpp"

namespace horus::graph {

struct FunctionCalls {
  std::string id;                  ///< "domain:name" or "domain:name:overload".
  std::vector<std::string> calls;  ///< Operators its body uses, sorted, each once.
};

/// Reads a serialized FunctionProto and notes what it calls in `calls`.
[[nodiscard]] Result<Function> read_function(Slice message, ReadBudget& budget,
                                             FunctionCalls& calls);

/// Errors: Corrupt, naming the chain of calls, when a function calls itself, directly or through
/// others; or when two functions share an id. Cost: O(n log n) in functions and calls.
[[nodiscard]] Result<Done> check_no_recursion(std::span<const FunctionCalls> functions);

}  // namespace horus::graph
