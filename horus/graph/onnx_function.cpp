// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/onnx_function.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/graph/onnx_fields.hpp"
#include "horus/graph/onnx_graph.hpp"

namespace horus::graph {
namespace {

/// Depth-first search for a cycle of calls, with its own stack: depth is foreign input.
class CallSearch {
 public:
  explicit CallSearch(std::span<const FunctionCalls> functions)
      : functions_{functions}, states_(functions.size(), State::New) {
    for (std::size_t i = 0; i < functions.size(); ++i) index_.emplace(functions[i].id, i);
  }

  [[nodiscard]] bool ids_are_unique() const { return index_.size() == functions_.size(); }

  /// "a -> b -> a" for a cycle reachable from function `start`, or nothing.
  std::optional<std::string> cycle_from(std::size_t start) {
    if (states_[start] != State::New) return std::nullopt;
    enter(start);
    while (!path_.empty()) {
      const std::optional<std::size_t> callee = next_callee();
      if (!callee) {
        states_[path_.back().function] = State::Done;
        path_.pop_back();
      } else if (states_[*callee] == State::OnPath) {
        return chain_to(*callee);
      } else if (states_[*callee] == State::New) {
        enter(*callee);
      }
    }
    return std::nullopt;
  }

 private:
  enum class State : std::uint8_t { New, OnPath, Done };
  struct Step {
    std::size_t function;
    std::size_t next_call;
  };

  void enter(std::size_t function) {
    states_[function] = State::OnPath;
    path_.push_back(Step{function, 0});
  }

  /// The next model-local function that the last function of the path calls.
  std::optional<std::size_t> next_callee() {
    Step& step = path_.back();
    const std::vector<std::string>& calls = functions_[step.function].calls;
    while (step.next_call < calls.size()) {
      const auto found = index_.find(calls[step.next_call++]);
      if (found != index_.end()) return found->second;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string chain_to(std::size_t again) const {
    const auto first = std::find_if(path_.begin(), path_.end(),
                                    [again](const Step& step) { return step.function == again; });
    std::string chain;
    for (auto step = first; step != path_.end(); ++step) {
      chain += functions_[step->function].id + " -> ";
    }
    return printable(chain + functions_[again].id, 400);
  }

  std::span<const FunctionCalls> functions_;
  std::map<std::string, std::size_t> index_;
  std::vector<State> states_;
  std::vector<Step> path_;
};

}  // namespace

Result<FunctionCalls> read_function(Slice message, ReadBudget& budget) {
  std::string name;
  std::string domain;
  std::string overload;
  Graph body;
  FunctionCalls function;
  const ReadScope scope{.budget = &budget, .depth = 1, .calls = &function.calls};
  for (WireReader reader{function_field::kSpec, message}; !reader.at_end();) {
    HORUS_TRY(const WireField field, reader.next());
    switch (field.number) {
      case function_field::kName:
        name = text_of(field.payload);
        break;
      case function_field::kDomain:
        domain = text_of(field.payload);
        break;
      case function_field::kOverload:
        overload = text_of(field.payload);
        break;
      case function_field::kNode: {
        auto node = read_node(field.payload, scope, body);
        if (node) break;
        return tl::make_unexpected(
            inside(fmt::format("function '{}'", printable(name)), std::move(node).error()));
      }
      default:
        break;
    }
  }
  function.id = operator_id(standard_domain(domain), name, overload);
  std::sort(function.calls.begin(), function.calls.end());
  function.calls.erase(std::unique(function.calls.begin(), function.calls.end()),
                       function.calls.end());
  return function;
}

Result<Done> check_no_recursion(std::span<const FunctionCalls> functions) {
  CallSearch search{functions};
  if (!search.ids_are_unique()) {
    return fail(Errc::Corrupt, "two model-local functions have the same name");
  }
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (const auto chain = search.cycle_from(i)) {
      return fail(Errc::Corrupt,
                  fmt::format("a model-local function calls itself: {}; ONNX functions must not "
                              "recurse",
                              *chain));
    }
  }
  return Done{};
}

}  // namespace horus::graph
