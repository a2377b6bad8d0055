// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much of its limits one read of a model has used up.

#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "horus/base/result.hpp"
#include "horus/graph/onnx.hpp"

namespace horus::graph {

class ReadBudget {
 public:
  explicit ReadBudget(const ReadLimits& limits) : limits_{limits} {}

  [[nodiscard]] const ReadLimits& limits() const { return limits_; }

  [[nodiscard]] Result<Done> take_node() { return take(nodes_, 1, limits_.nodes, "nodes"); }
  [[nodiscard]] Result<Done> take_tensor() {
    return take(tensors_, 1, limits_.tensors, "tensors and declared values");
  }
  [[nodiscard]] Result<Done> take_values(std::size_t count) {
    return take(values_, count, limits_.values, "names and list elements");
  }

  [[nodiscard]] Result<Done> take_function() {
    return take(functions_, 1, limits_.functions, "functions");
  }

  /// Whether `count` more elements of constant tensors may be kept; if so they are counted.
  [[nodiscard]] bool keeps_contents(std::size_t count) {
    if (count > limits_.contents - contents_) return false;
    contents_ += count;
    return true;
  }

 private:
  static Result<Done> take(std::size_t& used, std::size_t count, std::size_t limit,
                           std::string_view what) {
    if (count > limit - used) {
      return fail(
          Errc::Unsupported,
          fmt::format("the model has more than {} {}, the most that Horus reads", limit, what));
    }
    used += count;
    return Done{};
  }

  ReadLimits limits_;
  std::size_t nodes_{};
  std::size_t tensors_{};
  std::size_t values_{};
  std::size_t contents_{};
  std::size_t functions_{};
};

/// `error` as seen from the outside: `place` goes in front of where it was.
[[nodiscard]] inline Error inside(std::string_view place, Error error) {
  error.where =
      error.where.empty() ? std::string{place} : fmt::format("{}, {}", place, error.where);
  return error;
}

}  // namespace horus::graph
