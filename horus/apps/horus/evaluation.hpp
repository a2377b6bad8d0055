// SPDX-License-Identifier: Apache-2.0
#pragma once
// One evaluation: the data that it needs, the protocols that it runs, and what comes out as a
// report.

#include <optional>
#include <string>
#include <vector>

#include "horus/apps/horus/dataset_source.hpp"
#include "horus/base/result.hpp"
#include "horus/lab/dataset_kinds.hpp"
#include "horus/lab/evaluate.hpp"
#include "horus/lab/method.hpp"
#include "horus/lab/protocols.hpp"
#include "horus/predict/predictor_model.hpp"
#include "horus/wire/evaluate_report.hpp"

namespace horus::apps {

/// Whether rows keep the rates of their input pipelines.
enum class LoaderRates { Given, Withheld };

struct EvaluationRequest {
  const lab::DatasetKind* kind{};
  std::string path;
  std::string pool;                      ///< Folder above the permissive data sets.
  std::vector<lab::Protocol> protocols;  ///< At least one.
  LoaderRates loader_rates{LoaderRates::Given};
  const predict::Model* model{};           ///< Judged by protocol shipped.
  std::string model_name;                  ///< "shipped", or its file.
  const lab::OtherPredictions* against{};  ///< Null: nobody.
  std::string against_name;
  std::uint64_t seed{1};
  std::size_t resamples{1000};
  Progress progress;
};

/// Reads, fits and judges. A protocol that the data do not allow is an error where it is the only
/// one that was asked for, and else a row that says why it was skipped.
[[nodiscard]] Result<wire::EvaluateReport> evaluate(const EvaluationRequest& request);

}  // namespace horus::apps
