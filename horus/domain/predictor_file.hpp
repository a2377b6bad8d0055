// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a file of a fitted predictor says, as plain values: numbers by name, where they came from,
// and how wrong they were. Room wire spells it as JSON, room predict makes a Model of it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horus/base/quantity.hpp"

namespace horus {

/// Raised when a key changes its meaning or goes away; other versions are refused.
inline constexpr int kPredictorSchemaVersion = 1;

/// One number of the analytical model, by the name that predict::constant_rows() gives it.
struct NamedConstant {
  std::string name;
  double value{};
  friend bool operator==(const NamedConstant&, const NamedConstant&) = default;
};

/// What was learned of one GPU type in one machine under one framework.
struct Site {
  std::string gpu;               ///< Catalogue name.
  std::string host;              ///< As the measurements call the machine; "" where they do not.
  std::string framework;         ///< "pytorch", ...
  double host_factor{1};         ///< Seconds that the host takes over those of the constants.
  double gpu_factor{1};          ///< Seconds that kernels take over those of the constants.
  double host_step_s{};          ///< Seconds of the training loop; 0: those of the constants.
  double loader_sample_s{};      ///< Seconds of the input pipeline per sample; 0: it never waits.
  double loader_element_s{};     ///< The same per element of a sample's tensors.
  std::optional<Bytes> context;  ///< Memory of a process before its first tensor.
  std::int64_t jobs{};           ///< Measured runs behind it.
  friend bool operator==(const Site&, const Site&) = default;
};

/// A law of sharing that was fitted to measured pairs (predict::CalibratedLaw).
struct MeasuredLaw {
  std::string gpu;   ///< Catalogue name.
  std::string mode;  ///< As name_of(SharingMode) spells it.
  double gain{};
  double own_exponent{};
  double others_exponent{};
  double sigma_slowdown{};  ///< Log-normal spread of measured slowdowns around the law.
  std::int64_t pairs{};     ///< Measured pairs behind it.
  friend bool operator==(const MeasuredLaw&, const MeasuredLaw&) = default;
};

/// A column of numbers that trees read.
struct TreeInput {
  std::string name;
  std::string unit;
  friend bool operator==(const TreeInput&, const TreeInput&) = default;
};

/// A node of a decision tree. Compared in single precision, as gradient boosting trains it.
struct TreeNode {
  std::int32_t input{-1};  ///< Which input is compared; -1: a leaf.
  float value{};           ///< A leaf: what the tree says. Else: the threshold.
  std::int32_t below{};    ///< Node for input < threshold; behind this one.
  std::int32_t above{};    ///< Node for input >= threshold; behind this one.
  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

using Tree = std::vector<TreeNode>;  ///< The root is first.

/// Why a correction was let in: squared errors of jobs whose group took no part in the fit.
struct GateEvidence {
  std::int64_t jobs{};
  std::int64_t groups{};
  double error_without{};  ///< Root mean square, in the unit of the correction.
  double error_with{};
  double gain{};        ///< Mean over groups of the squared error saved.
  double gain_error{};  ///< Standard error of the gain.
  friend bool operator==(const GateEvidence&, const GateEvidence&) = default;
};

/// A learned correction of one predicted quantity.
struct ResidualTable {
  std::string target;  ///< "utilization" (correction of the logit) or "step_time" (of the log).
  std::vector<TreeInput> inputs;
  double base{};  ///< Added to the sum over trees.
  std::vector<Tree> trees;
  double limit{};  ///< No correction is larger, above 0.
  /// Novelty. A job's distance to what was learned from is the root mean square, over inputs with a
  /// scale, of (input - known) / scale, to the nearest row of `known`. The correction counts in
  /// full up to distance `near`, not at all from `far` on, and in proportion between.
  std::vector<double> scales;              ///< By input; 0: does not count.
  std::vector<std::vector<double>> known;  ///< One row of inputs per group of the training data.
  double near{};
  double far{};
  GateEvidence evidence;
  friend bool operator==(const ResidualTable&, const ResidualTable&) = default;
};

/// One file that was read for the fit.
struct DataFileHash {
  std::string file;
  std::string sha256;  ///< 64 hexadecimal digits.
  friend bool operator==(const DataFileHash&, const DataFileHash&) = default;
};

/// One data set that the fit used.
struct TrainingData {
  std::string dataset;
  std::string licence;        ///< SPDX name or title.
  bool is_permissive{false};  ///< The licence lets numbers fitted on it be used for any purpose.
  std::int64_t rows{};
  std::int64_t models{};
  std::int64_t families{};
  std::vector<DataFileHash> files;
  friend bool operator==(const TrainingData&, const TrainingData&) = default;
};

/// One error figure of one way to hold data out.
struct HeldOutMetric {
  std::string protocol;  ///< "lomo", "family-out", "gpu-out", "random".
  std::string dataset;
  std::string name;  ///< "rmsle_utilization_percent", "mape_step_percent", ...
  double value{};
  std::optional<double> low;  ///< 95 % by resampling models.
  std::optional<double> high;
  friend bool operator==(const HeldOutMetric&, const HeldOutMetric&) = default;
};

/// A fitted predictor with its papers.
struct PredictorFile {
  std::string command;  ///< What makes this file again from the same data.
  std::string date;     ///< YYYY-MM-DD, given by whoever ran the fit; "" where it shall not matter.
  std::vector<NamedConstant> constants;  ///< All of them, in the order of constant_rows().
  std::vector<Site> sites;               ///< By gpu, host, framework.
  std::vector<MeasuredLaw> sharing;      ///< At most one per GPU and mode, in that order.
  std::vector<ResidualTable> residuals;  ///< At most one per target, by target.
  std::vector<TrainingData> data;        ///< By data set.
  std::vector<HeldOutMetric> metrics;    ///< By protocol, data set and name.
  std::vector<std::string> notes;        ///< What a reader must know, one sentence each.

  /// Whether every data set may be used for any purpose.
  [[nodiscard]] bool is_permissive() const {
    for (const TrainingData& set : data) {
      if (!set.is_permissive) return false;
    }
    return true;
  }
  friend bool operator==(const PredictorFile&, const PredictorFile&) = default;
};

}  // namespace horus
