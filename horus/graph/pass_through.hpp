// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a body only hands on: values that it shows unchanged, conditions that it does not compute.

#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "horus/graph/model.hpp"

namespace horus::graph {

/// Views into a body, which must outlive it.
class PassThrough {
 public:
  /// Cost: linear in the nodes of the body, with a logarithm, however long its chains are.
  explicit PassThrough(const Graph& body);

  /// The value that `name` shows through any number of Identity nodes; `name` where it is itself.
  [[nodiscard]] std::string_view source(std::string_view name) const;

  /// The truth of a constant of the body, of one element; nothing for all that a trip may change or
  /// that comes from elsewhere.
  [[nodiscard]] std::optional<bool> constant(std::string_view name) const;

  /// True for a value from around the body, which is the same in every trip: none of its nodes,
  /// constants and inputs has this name.
  [[nodiscard]] bool is_from_outside(std::string_view name) const;

 private:
  void shorten(std::string_view name);

  std::set<std::string_view> inputs_;
  std::map<std::string_view, std::string_view> shown_;  ///< By Identity nodes: to sources.
  std::map<std::string_view, const Node*> makers_;
  std::map<std::string_view, const Tensor*> constants_;
};

}  // namespace horus::graph
