// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/pass_through.hpp"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace horus::graph {
namespace {

std::optional<bool> truth_of(const Tensor& tensor) {
  if (!tensor.integers || tensor.integers->size() != 1) return std::nullopt;
  return tensor.integers->front() != 0;
}

}  // namespace

PassThrough::PassThrough(const Graph& body) {
  for (const Node& node : body.nodes) {
    for (const std::string& output : node.outputs) makers_.emplace(output, &node);
    const bool is_identity = node.op_type == "Identity" && node.domain.empty();
    if (!is_identity || node.inputs.size() != 1 || node.outputs.size() != 1) continue;
    shown_.emplace(node.outputs[0], node.inputs[0]);
  }
  for (const Tensor& tensor : body.initializers) constants_.emplace(tensor.name, &tensor);
  // The constant of an input is a value to fall back on, and bodies are always given theirs.
  for (const ValueInfo& input : body.inputs) {
    inputs_.insert(input.name);
    constants_.erase(input.name);
  }
  for (const Node& node : body.nodes) {
    if (!node.outputs.empty()) shorten(node.outputs[0]);
  }
}

/// Lets all names of a chain show its end at once: each step is walked only once, whatever the
/// order of the nodes is.
void PassThrough::shorten(std::string_view name) {
  std::vector<std::string_view> chain;
  for (auto at = shown_.find(name); at != shown_.end(); at = shown_.find(name)) {
    if (chain.size() > shown_.size()) {
      // A damaged body may have a circle: none of its values shows another.
      for (const std::string_view link : chain) shown_.erase(link);
      return;
    }
    chain.push_back(name);
    name = at->second;
  }
  for (const std::string_view link : chain) shown_.find(link)->second = name;
}

std::string_view PassThrough::source(std::string_view name) const {
  const auto found = shown_.find(name);
  return found == shown_.end() ? name : found->second;
}

std::optional<bool> PassThrough::constant(std::string_view name) const {
  name = source(name);
  if (const auto tensor = constants_.find(name); tensor != constants_.end()) {
    return truth_of(*tensor->second);
  }
  const auto maker = makers_.find(name);
  if (maker == makers_.end()) return std::nullopt;
  const Node& node = *maker->second;
  const auto value = node.attributes.find("value");
  if (node.op_type != "Constant" || value == node.attributes.end()) return std::nullopt;
  const auto* tensor = std::get_if<Tensor>(&value->second);
  return tensor == nullptr ? std::nullopt : truth_of(*tensor);
}

bool PassThrough::is_from_outside(std::string_view name) const {
  return !makers_.contains(name) && !constants_.contains(name) && !inputs_.contains(name);
}

}  // namespace horus::graph
