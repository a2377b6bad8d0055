// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/predictor_model.hpp"

namespace horus::predict {

const Model& shipped_model() {
  static const Model model;
  return model;
}

}  // namespace horus::predict
