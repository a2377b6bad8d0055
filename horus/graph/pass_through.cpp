// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/pass_through.hpp"

#include <cstddef>
#include <string>
#include <variant>

namespace horus::graph {
namespace {

bool holds(const Tensor& tensor) {
  return tensor.integers && tensor.integers->size() == 1 && tensor.integers->front() != 0;
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
}

std::string_view PassThrough::source(std::string_view name) const {
  // Bounded, because a damaged body may have a circle.
  for (std::size_t steps = 0; steps < shown_.size(); ++steps) {
    const auto found = shown_.find(name);
    if (found == shown_.end()) return name;
    name = found->second;
  }
  return name;
}

bool PassThrough::always_holds(std::string_view name) const {
  name = source(name);
  if (const auto tensor = constants_.find(name); tensor != constants_.end()) {
    return holds(*tensor->second);
  }
  const auto maker = makers_.find(name);
  if (maker == makers_.end()) return true;
  const Node& node = *maker->second;
  const auto value = node.attributes.find("value");
  if (node.op_type != "Constant" || value == node.attributes.end()) return false;
  const auto* tensor = std::get_if<Tensor>(&value->second);
  return tensor != nullptr && holds(*tensor);
}

}  // namespace horus::graph
