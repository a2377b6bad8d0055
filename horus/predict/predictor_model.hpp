// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a predictor has learned: the constants of its analytical core and what was fitted on top.

#include "horus/predict/constants.hpp"

namespace horus::predict {

/// Immutable once made; shared freely between predictions.
struct Model {
  Constants constants;
};

/// The model that is compiled in. Valid for the life of the process.
[[nodiscard]] const Model& shipped_model();

}  // namespace horus::predict
