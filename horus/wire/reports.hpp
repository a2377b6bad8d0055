// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the commands report, as plain values, and their JSON spelling. One value serves both the
// JSON and the tables of room report.
// Conventions of all JSON: utilizations are fractions 0 to 1, times seconds, memory bytes;
// percentages end in _percent; a predicted quantity is an object {expected, low, high}; every
// document carries schema_version.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "horus/base/quantity.hpp"
#include "horus/domain/gpu.hpp"
#include "horus/domain/prediction.hpp"

namespace horus::wire {

/// Raised when a key changes its meaning or goes away; new keys do not raise it.
inline constexpr int kSchemaVersion = 1;

/// All operators of one type.
struct OperatorRow {
  std::string op_type;
  std::int64_t nodes{};
  double macs{};
  double flops_training{};
  double parameters{};
  double kernels{};
  Bytes activation_bytes;
};

/// One node.
struct NodeRow {
  std::string name;
  std::string op_type;
  double macs{};
  double flops_training{};
  double share{};  ///< Of the model's training FLOPs.
};

struct GapRow {
  std::string name;
  std::string op_type;
  std::string reason;
};

struct InputRow {
  std::string name;
  std::string type;
  std::vector<std::int64_t> shape;  ///< -1 where unknown.
};

/// `horus inspect`.
struct InspectReport {
  std::string model;
  std::int64_t batch{1};
  std::int64_t opset{};
  std::int64_t ir_version{};
  std::int64_t nodes{};
  double parameters{};
  double buffers{};
  double macs{};
  double flops_forward{};
  double flops_training{};
  double kernels{};
  Bytes activation_bytes;
  std::vector<InputRow> inputs;
  std::vector<OperatorRow> by_operator;
  std::vector<NodeRow> costliest;
  std::vector<GapRow> nodes_without_cost;
  std::vector<std::string> warnings;
};

/// One GPU of `horus predict`.
struct PredictionRow {
  Prediction prediction;
  /// With --with: one slowdown per job, the model itself first. Empty without.
  std::vector<Interval> slowdowns;
  std::optional<MemoryPrediction> shared_memory;
  bool fits_together{};
  Origin sharing_origin{Origin::Unknown};
};

/// `horus predict`.
struct PredictReport {
  std::vector<std::string> jobs;  ///< The model first, then those of --with.
  std::int64_t batch{1};
  TrainingSetup setup;
  std::vector<PredictionRow> predictions;
  std::vector<std::string> warnings;
};

/// One architecture of `horus zoo`.
struct ZooRow {
  std::string name;
  std::string description;
  std::string input;
};

/// One policy of `horus simulate`. Field names are JSON keys; times in seconds.
struct PolicyRow {
  std::string policy;
  std::int64_t jobs_finished{};
  double makespan_s{};
  double jct_mean_s{};
  double jct_p50_s{};
  double jct_p99_s{};
  double wait_mean_s{};
  double wait_p99_s{};
  double first_start_mean_s{};
  double gpu_utilization{};
  double slowdown_mean{};
  double slowdown_p99{};
  double beyond_tolerance{};
  std::int64_t oom_deaths{};
  std::int64_t preemptions{};
  double lost_work_gpu_s{};
  std::int64_t jobs_rejected{};
};

/// `horus simulate`.
struct SimulateReport {
  std::string workload;  ///< The trace file's name or the generator's words.
  std::string cluster;
  std::int64_t jobs{};
  std::int64_t gpus{};
  /// Offered load of the workload on this cluster; absent when all jobs arrive at once.
  std::optional<double> load;
  double tolerance{};  ///< Slowdown beyond which a job counts in beyond_tolerance.
  std::uint64_t seed{};
  std::string models;  ///< Where the models of the jobs come from.
  std::string truth;   ///< What the world ran on.
  std::vector<PolicyRow> policies;
  std::vector<std::string> notes;
};

[[nodiscard]] std::string to_json(const InspectReport& report);
[[nodiscard]] std::string to_json(const PredictReport& report);
[[nodiscard]] std::string to_json(const std::vector<ZooRow>& rows);
[[nodiscard]] std::string to_json(const SimulateReport& report);
/// `horus predict --list-gpus`: rates in FLOP/s and bytes/s, memory in bytes.
[[nodiscard]] std::string to_json(std::span<const GpuSpec> gpus);

}  // namespace horus::wire
