// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a body only hands on: values that it shows unchanged, conditions that always hold.

#include <map>
#include <string_view>

#include "horus/graph/model.hpp"

namespace horus::graph {

/// Views into a body, which must outlive it.
class PassThrough {
 public:
  /// Cost: linear in the nodes of the body, with a logarithm.
  explicit PassThrough(const Graph& body);

  /// The value that `name` shows through any number of Identity nodes; `name` where it is itself.
  [[nodiscard]] std::string_view source(std::string_view name) const;

  /// True when the value is a constant that holds, or comes from outside of the body: then it is
  /// the same in every trip.
  [[nodiscard]] bool always_holds(std::string_view name) const;

 private:
  std::map<std::string_view, std::string_view> shown_;  ///< By Identity nodes.
  std::map<std::string_view, const Node*> makers_;
  std::map<std::string_view, const Tensor*> constants_;
};

}  // namespace horus::graph
