// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a predictor has learned: the constants of its analytical core and what was fitted on top.

#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/predictor_file.hpp"
#include "horus/predict/constants.hpp"
#include "horus/predict/residual.hpp"

namespace horus::predict {

/// Immutable once made; shared freely between predictions and threads.
struct Model {
  Constants constants;
  std::vector<Site> sites;
  std::vector<Residual> residuals;  ///< At most one per target.
};

/// The model that a file describes. Errors, each with the field: Corrupt (a constant that is
/// missing, unknown, given twice or out of range; trees that lead nowhere), Unsupported (residuals
/// of a target or of inputs that this version does not compute).
[[nodiscard]] Result<Model> make_model(const PredictorFile& file);

/// What `model` says of `target`, or nullptr.
[[nodiscard]] const Residual* residual_of(const Model& model, ResidualTarget target);

/// Every constant by name, in the order of constant_rows().
[[nodiscard]] std::vector<NamedConstant> named_constants(const Constants& constants);

/// The laws that were fitted to measured pairs, by GPU and mode.
[[nodiscard]] std::vector<MeasuredLaw> measured_laws(const SharingConstants& constants);

/// The file that is compiled in (data/constants/shipped.json). Valid for the life of the process.
[[nodiscard]] const PredictorFile& shipped_file();

/// The model of shipped_file(). A constant that the file does not have yet has its prior, so that
/// one can be added before it was ever fitted. Valid for the life of the process.
[[nodiscard]] const Model& shipped_model();

}  // namespace horus::predict
