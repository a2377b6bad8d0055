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

Result<Done> add_name(const WireField& field, ReadScope scope, std::vector<std::string>& names) {
  HORUS_TRY_DONE(scope.budget->take_values(1));
  names.push_back(text_of(field.payload));
  return Done{};
}

Result<Done> read_function_field(const WireField& field, ReadScope scope, Function& function) {
  switch (field.number) {
    case function_field::kName:
      function.name = text_of(field.payload);
      return Done{};
    case function_field::kDomain:
      function.domain = text_of(field.payload);
      return Done{};
    case function_field::kOverload:
      function.overload = text_of(field.payload);
      return Done{};
    case function_field::kInput:
      return add_name(field, scope, function.inputs);
    case function_field::kOutput:
      return add_name(field, scope, function.outputs);
    case function_field::kAttribute:
      return add_name(field, scope, function.attributes);
    case function_field::kAttributeProto:
      return read_attribute(field.payload, scope, function.defaults, function.body);
    case function_field::kOpsetImport:
      HORUS_TRY_DONE(scope.budget->take_values(1));
      return read_opset(field.payload, function.opsets);
    case function_field::kNode:
      return read_node(field.payload, scope, function.body);
    case function_field::kValueInfo: {
      HORUS_TRY(ValueInfo info, read_value_info(field.payload, *scope.budget));
      function.body.value_infos.push_back(std::move(info));
      return Done{};
    }
    default:
      return Done{};
  }
}

}  // namespace

Result<Function> read_function(Slice message, ReadBudget& budget, FunctionCalls& calls) {
  Function function;
  const ReadScope scope{.budget = &budget, .depth = 1, .calls = &calls.calls};
  for (WireReader reader{function_field::kSpec, message}; !reader.at_end();) {
    HORUS_TRY(const WireField field, reader.next());
    auto read = read_function_field(field, scope, function);
    if (read) continue;
    return tl::make_unexpected(
        inside(fmt::format("function '{}'", printable(function.name)), std::move(read).error()));
  }
  function.domain = standard_domain(std::move(function.domain));
  calls.id = operator_id(function.domain, function.name, function.overload);
  std::sort(calls.calls.begin(), calls.calls.end());
  calls.calls.erase(std::unique(calls.calls.begin(), calls.calls.end()), calls.calls.end());
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
