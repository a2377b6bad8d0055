// SPDX-License-Identifier: Apache-2.0
#pragma once
// From the name of an architecture to the graph of a row.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "horus/base/result.hpp"
#include "horus/domain/graph_features.hpp"

namespace horus::lab {

/// An architecture of the zoo as a row trains it.
struct GraphSource {
  std::string architecture;  ///< A name that zoo::known() answers to.
  std::int64_t batch{1};
  std::optional<std::int64_t> image;     ///< Absent: the architecture's default.
  std::optional<std::int64_t> sequence;  ///< Absent: the architecture's default.
};

/// Builds and analyses the graph at each call. Errors: as zoo::build and graph::analyse.
[[nodiscard]] std::function<Result<GraphFeatures>()> features_of(GraphSource source);

/// The group that a family protocol holds out together with `architecture`, a name that
/// zoo::known() answers to, by data/mappings/families.csv: the zoo's families with near relatives
/// joined. Error NotFound: no such architecture, or its family has no row.
[[nodiscard]] Result<std::string> family_group(std::string_view architecture);

}  // namespace horus::lab
