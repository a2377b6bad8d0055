// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measured runs of training jobs, whatever data set they come from.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/graph_features.hpp"
#include "horus/domain/prediction.hpp"
#include "horus/domain/sharing.hpp"

namespace horus::lab {

/// What was measured of one job alone on one GPU. Absent: not measured.
struct Measured {
  std::optional<double> utilization;            ///< NVML utilization, 0 to 1.
  std::optional<double> bandwidth_utilization;  ///< NVML memory utilization, 0 to 1.
  std::optional<double> sm_active;              ///< DCGM SMACT, 0 to 1.
  std::optional<double> step_s;                 ///< Seconds per training step, above 0.
  std::optional<double> memory_mib;             ///< Peak memory of the device, context included.
  bool out_of_memory{false};                    ///< The run ended because memory ran out.
};

/// One run. Groups that a protocol holds out together have equal names.
struct Row {
  std::string id;         ///< Unique in its data set: file and line.
  std::string model;      ///< As the data set calls it; all batches and precisions share it.
  std::string family;     ///< Related models: "resnet"; for random networks their architecture.
  std::string gpu;        ///< Catalogue name.
  std::string host;       ///< Machine, as far as it is known: a key for calibration.
  std::string framework;  ///< "pytorch", "tensorflow", ...
  TrainingSetup setup;
  /// Samples of one pass over the data, where it is known: the last batch of a pass is smaller.
  std::optional<std::int64_t> samples_per_epoch;
  Measured measured;
  /// The graph at the row's batch. Built anew at each call: thousands of rows do not fit in memory.
  std::function<Result<GraphFeatures>()> features;
};

/// Two rows that shared one GPU.
struct Pair {
  std::string id;
  std::size_t first{};   ///< Index into Dataset::rows.
  std::size_t second{};  ///< The same row twice where two copies shared.
  /// Step time when sharing over step time alone; 0: the pair did not run (out of memory).
  double slowdown_first{};
  double slowdown_second{};
  SharingMode mode{SharingMode::TimeSlice};
  std::optional<double> utilization;  ///< Of the shared GPU, 0 to 1.
  std::optional<double> memory_mib;   ///< Of both together.
};

/// Rows that no architecture stands for, by the name that the data set gives them.
struct Unmapped {
  std::string model;
  std::size_t rows{};
  std::string reason;
};

/// May numbers fitted on it be part of the program?
enum class Licence { Permissive, NonCommercial };

/// Where the data came from.
struct Source {
  std::string file;    ///< Name within the folder of the data set.
  std::string sha256;  ///< Of the file as it lies, hexadecimal.
};

struct Dataset {
  std::string name;  ///< "lucid", "gpumemnet-timm", ...
  Licence licence{Licence::NonCommercial};
  std::string licence_name;  ///< SPDX name or title.
  std::vector<Source> sources;
  std::vector<Row> rows;  ///< In the order of the files.
  std::vector<Pair> pairs;
  std::vector<Unmapped> unmapped;  ///< By name.
  /// Rows left out by a stated rule, by rule.
  std::vector<Unmapped> left_out;
};

}  // namespace horus::lab
