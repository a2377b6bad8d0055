// SPDX-License-Identifier: Apache-2.0
#pragma once
// A measured run as horus profile and tools/gpu_campaign write it down, one JSON object a line
// (docs/reference/profile-record.md, data/campaign/README.md). Absent: null there.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace horus {

enum class RunStatus { Ok, OutOfMemory, Failed, Unknown };

/// One of the jobs of a run that several shared.
struct SharedStep {
  std::string run_id;              ///< Of the job's run alone.
  std::optional<double> slowdown;  ///< Step time together over step time alone.
};

struct RunRecord {
  std::string where;   ///< "file:line".
  std::string run_id;  ///< Unique in its file.
  std::string kind;    ///< "solo", "edge", "pair", ...; "" for a run of horus profile.
  RunStatus status{RunStatus::Unknown};
  bool shared_with_others{};  ///< Processes that are not the run's were on its GPUs.

  std::string cpu;  ///< "" where not known, as all texts here.
  std::string framework;
  std::string framework_version;
  std::string gpu;   ///< As NVML calls it.
  bool mig{};        ///< The GPU is partitioned.
  std::string mode;  ///< "exclusive", "timeslice", "mps".

  std::string onnx_sha256;
  std::string model;
  std::string family;
  std::optional<std::int64_t> batch;  ///< Samples of one pass on one GPU.
  std::optional<std::int64_t> sequence;
  std::string precision;
  std::string optimizer;
  std::string attention;
  std::string checkpointing;
  std::optional<std::int64_t> accumulation_steps;
  std::optional<double> passes_per_step;
  std::optional<double> samples_per_second;
  std::optional<std::int64_t> loader_workers;

  std::optional<double> step_ms;              ///< Mean.
  std::optional<double> utilization_percent;  ///< Mean, NVML.
  std::optional<double> memory_use_percent;   ///< Mean, NVML: time in which memory was busy.
  std::optional<double> memory_peak_mib;
  std::optional<double> sm_active;  ///< 0 to 1.

  std::vector<SharedStep> shared;                   ///< Of a set; empty for a run alone.
  std::optional<double> joint_utilization_percent;  ///< Of the GPU while the set ran.
  std::optional<double> joint_memory_peak_mib;
};

}  // namespace horus
