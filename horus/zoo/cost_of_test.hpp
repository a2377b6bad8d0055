// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an architecture costs by the analysis of room graph, for tests that know the right figure.

#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::zoo {

struct Cost {
  double parameters{};
  double macs{};  ///< Forward, of one sample.
};

inline Cost cost_of(const char* name, const BuildOptions& options = {}) {
  const auto model = build(name, options);
  EXPECT_TRUE(model) << name << ": " << model.error().text();
  if (!model) return {};
  const auto analysis = graph::analyse(*model, {.batch = 1, .dims = {}});
  EXPECT_TRUE(analysis) << name << ": " << analysis.error().text();
  if (!analysis) return {};
  EXPECT_EQ(analysis->features.ops_without_cost, 0) << name;
  return {.parameters = analysis->features.parameters,
          .macs = graph::totals_of(analysis->features).macs};
}

}  // namespace horus::zoo
