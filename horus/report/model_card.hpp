// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a fitted predictor is, for people: where it comes from, how wrong it is, what it believes.

#include <string>
#include <vector>

#include "horus/domain/predictor_file.hpp"
#include "horus/report/document.hpp"

namespace horus::report {

/// What a constant was before any fit.
struct ConstantPrior {
  std::string name;
  std::string unit;
  double value{};
};

struct ModelCard {
  std::string name;  ///< As it was asked for: "shipped" or a file.
  PredictorFile file;
  std::vector<ConstantPrior> priors;  ///< In any order.
};

[[nodiscard]] Document document(const ModelCard& card);
[[nodiscard]] std::string page(const ModelCard& card, Colour colour);

}  // namespace horus::report
