// SPDX-License-Identifier: Apache-2.0
#pragma once
// What tests of costs share: sketches that are analysed without a gap, and their nodes by name.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/graph/model_sketch.hpp"

namespace horus::graph {

using Ints = std::vector<std::int64_t>;

inline GraphFeatures features_of(ModelSketch& sketch) {
  const auto analysis = analyse(sketch.model());
  EXPECT_TRUE(analysis) << (analysis ? "" : analysis.error().text());
  if (!analysis) return {};
  for (const CostGap& gap : analysis->gaps) ADD_FAILURE() << gap.node << ": " << gap.reason;
  return analysis->features;
}

inline OpWork work_of(ModelSketch& sketch, const std::string& name) {
  for (OpWork& work : features_of(sketch).ops) {
    if (work.name == name) return work;
  }
  ADD_FAILURE() << "no node " << name;
  return {};
}

/// A sketch whose value "h" carries a gradient: a linear layer of 8 samples and 16 features.
inline ModelSketch with_gradient() {
  ModelSketch sketch;
  sketch.input("x", {8, 4}).weight("w0", {4, 16}).node("MatMul", {"x", "w0"}, {"h"});
  return sketch;
}

}  // namespace horus::graph
