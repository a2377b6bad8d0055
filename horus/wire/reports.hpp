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
#include "horus/base/result.hpp"
#include "horus/domain/gpu.hpp"
#include "horus/domain/graph_features.hpp"
#include "horus/domain/prediction.hpp"
#include "horus/domain/sharing.hpp"

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
  OpKind kind{OpKind::Free};
  std::optional<std::vector<std::int64_t>> shape;  ///< Of the first output; absent: not known.
  double parameters{};                             ///< Trainable, first used by this node.
  double macs{};
  double flops_forward{};
  double flops_backward{};
  double kernels{};        ///< Forward and backward.
  Bytes activation_bytes;  ///< Newly kept for the backward pass, at 4 bytes per element.
  double share{};          ///< Of the model's training FLOPs.
  std::string gap;         ///< Why the cost is not known; empty: it is.

  [[nodiscard]] double flops_training() const { return flops_forward + flops_backward; }
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

/// One value of a graph: an input, an initializer or the output of a node.
struct ValueRow {
  std::string name;
  std::string type;
  std::vector<std::int64_t> shape;
  bool is_bound{};  ///< The sizes depend on data: these are the largest that they can be.
};

/// `horus inspect`.
struct InspectReport {
  std::string model;
  std::int64_t batch{1};
  std::int64_t opset{};
  std::int64_t ir_version{};
  std::int64_t nodes{};
  double parameters{};
  double parameters_unread{};  ///< Of these: read by no node, or by nodes without cost only.
  double buffers{};
  double macs{};
  double flops_forward{};
  double flops_training{};
  double kernels{};
  Bytes activation_bytes;
  std::vector<InputRow> inputs;
  std::vector<OperatorRow> by_operator;
  std::vector<NodeRow> costliest;
  std::vector<NodeRow> in_order;  ///< All nodes with a cost, in topological order; not in the JSON.
  std::vector<GapRow> nodes_without_cost;
  std::int64_t nodes_with_bounds{};  ///< Their sizes depend on data, and are the largest possible.
  std::optional<std::vector<ValueRow>> values;  ///< With --shapes.
  std::vector<std::string> warnings;
};

/// The mode that `horus predict --mode all` recommends.
struct ModeAdvice {
  SharingMode mode{SharingMode::Exclusive};
  std::string reason;
};

/// One GPU of `horus predict`.
struct PredictionRow {
  Prediction prediction;           ///< Of the first job, alone.
  std::vector<Prediction> others;  ///< Of the other jobs, each alone, in order.
  /// With several jobs or --mode: one per mode that was asked for, at most one of each.
  std::vector<SharedPrediction> modes;
  std::optional<ModeAdvice> advice;
};

/// `horus predict`.
struct PredictReport {
  std::vector<std::string> jobs;  ///< In the order of the command line, those of --with last.
  std::int64_t batch{1};
  TrainingSetup setup;
  std::int64_t nodes{};               ///< Of all jobs.
  std::int64_t nodes_without_cost{};  ///< Of these: missing in the predictions.
  std::vector<PredictionRow> predictions;
  std::vector<std::string> warnings;
};

/// What one sample of an architecture costs. The last four are what fvcore counts beside
/// multiply-accumulates, each by a rule of its own (docs/reference/zoo.md).
struct ZooCost {
  double parameters{};
  double macs{};
  double batch_norm_elements{};  ///< Written by batch normalization.
  double norm_operations{};      ///< Of other normalization: 5 per element, 4 if not scaled.
  double pooled_elements{};      ///< Read by global average pools.
  double resize_operations{};    ///< 1 per element written by nearest, 4 by linear upsampling.
};

/// One architecture of `horus zoo`.
struct ZooRow {
  std::string name;
  std::string family;
  std::string description;
  std::string input;
  std::int64_t image{};         ///< Side in pixels; 0: it cannot be chosen.
  std::int64_t sequence{};      ///< 0: the architecture has no sequence length.
  std::optional<ZooCost> cost;  ///< With --costs.
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
/// The same document on one line, for JSON Lines.
[[nodiscard]] std::string to_json_line(const InspectReport& report);
/// What stands in JSON Lines for a model that could not be analysed.
[[nodiscard]] std::string to_json_line(const std::string& model, const Error& error);
[[nodiscard]] std::string to_json(const PredictReport& report);
[[nodiscard]] std::string to_json(const std::vector<ZooRow>& rows);
[[nodiscard]] std::string to_json(const SimulateReport& report);
/// `horus predict --list-gpus`: rates in FLOP/s and bytes/s, memory in bytes.
[[nodiscard]] std::string to_json(std::span<const GpuSpec> gpus);

}  // namespace horus::wire
