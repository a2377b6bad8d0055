// SPDX-License-Identifier: Apache-2.0
#pragma once
// One run of training: the data that it finds, what their licences allow, and what comes out.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "horus/apps/horus/dataset_source.hpp"
#include "horus/base/result.hpp"
#include "horus/domain/predictor_file.hpp"
#include "horus/lab/dataset_kinds.hpp"

namespace horus::apps {

/// What to do with data for non-commercial use only.
enum class LicenceRule { Refuse, LeaveOut, Accept };

enum class Purpose {
  OwnUse,    ///< Starts from the shipped constants, keeps what was learned of machines.
  Shipping,  ///< Starts from the priors, keeps what holds for all machines.
};

struct TrainingRequest {
  std::vector<std::string> paths;  ///< Folders, at least one.
  const lab::DatasetKind* kind{};  ///< Null: every kind that lies there.
  LicenceRule licence{LicenceRule::Refuse};
  Purpose purpose{Purpose::OwnUse};
  std::string command;
  std::string date;
  std::uint64_t seed{1};
  Progress progress;
};

struct TrainingOutcome {
  PredictorFile file;
  std::vector<std::string> notes;  ///< What was left out, and why.
};

/// Errors: NotFound (no data), InvalidArgument (a licence that the request does not accept, too few
/// jobs), and those of the data.
[[nodiscard]] Result<TrainingOutcome> train(const TrainingRequest& request);

}  // namespace horus::apps
