// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a job is trained, and what Horus believes it does to a GPU.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/interval.hpp"

namespace horus {

enum class Precision { Fp32, Tf32, Fp16, Amp, Bf16 };
enum class Optimizer { None, Sgd, Momentum, Adam, AdamW };
enum class Attention { Eager, Fused };
/// What the forward pass keeps: all that autograd saves, or only what enters each block, which is
/// then computed again during the backward pass (torch.utils.checkpoint per block).
enum class Checkpointing { None, Blocks };

/// How the optimizer's update reaches the GPU.
enum class UpdateKernels {
  PerTensor,    ///< A loop of kernels over parameter tensors: PyTorch before 2.0.
  MultiTensor,  ///< Few kernels over all tensors at once ("foreach"): PyTorch from 2.0 on.
};
/// What the training loop does at the end of each step.
enum class StepEnd {
  RunsOn,  ///< Dispatches the next step while the GPU still works on this one.
  Waits,   ///< Reads the loss back or synchronizes: nothing of two steps overlaps.
};

/// Where a batch lies before its step.
enum class InputPlace {
  Host,  ///< Each step copies it.
  Gpu,   ///< Already there: synthetic batches, data sets that fit.
};

/// What the graph does not say about a training job.
struct TrainingSetup {
  Precision precision{Precision::Fp32};
  Optimizer optimizer{Optimizer::Momentum};
  Attention attention{Attention::Eager};
  /// Rate at which the input pipeline can deliver samples, samples/s. Absent: never the bottleneck.
  std::optional<double> samples_per_second;
  /// Processes that load beside the step; 0: the training process loads, and the GPU waits.
  int loader_workers{2};
  Checkpointing checkpointing{Checkpointing::None};
  /// Forward and backward passes whose gradients are added up before one update; at least 1.
  int accumulation_steps{1};
  /// Forward and backward passes over the graph in one step, e.g. of the discriminator of a GAN
  /// that sees true and false images; at least 1.
  double passes_per_step{1};
  UpdateKernels update{UpdateKernels::MultiTensor};
  StepEnd step_end{StepEnd::RunsOn};
  InputPlace input_place{InputPlace::Host};
  friend bool operator==(const TrainingSetup&, const TrainingSetup&) = default;
};

[[nodiscard]] std::string_view name_of(Precision precision);
[[nodiscard]] std::string_view name_of(Optimizer optimizer);
[[nodiscard]] std::string_view name_of(Attention attention);
[[nodiscard]] std::string_view name_of(Checkpointing checkpointing);
[[nodiscard]] std::string_view name_of(UpdateKernels update);
[[nodiscard]] std::string_view name_of(StepEnd end);
[[nodiscard]] std::string_view name_of(InputPlace place);
/// What parse_...() reads, in the order of the enumerators.
[[nodiscard]] std::vector<std::string> precision_words();
[[nodiscard]] std::vector<std::string> optimizer_words();
[[nodiscard]] std::vector<std::string> attention_words();
[[nodiscard]] std::vector<std::string> checkpointing_words();
[[nodiscard]] std::vector<std::string> update_kernels_words();
[[nodiscard]] std::vector<std::string> step_end_words();
[[nodiscard]] std::vector<std::string> input_place_words();
[[nodiscard]] Result<Precision> parse_precision(std::string_view text);
[[nodiscard]] Result<Optimizer> parse_optimizer(std::string_view text);
[[nodiscard]] Result<Attention> parse_attention(std::string_view text);
[[nodiscard]] Result<Checkpointing> parse_checkpointing(std::string_view text);
[[nodiscard]] Result<UpdateKernels> parse_update_kernels(std::string_view text);
[[nodiscard]] Result<StepEnd> parse_step_end(std::string_view text);
[[nodiscard]] Result<InputPlace> parse_input_place(std::string_view text);

/// What one process of a job does to one GPU that it has to itself.
struct Prediction {
  std::string gpu;                        ///< Catalogue name.
  Interval gpu_utilization;               ///< NVML sense: share of time with a kernel running.
  Interval memory_bandwidth_utilization;  ///< Share of peak bandwidth, over the step.
  /// DCGM's SMACT: share of the multiprocessors with work, over the step. Absent: not predicted.
  std::optional<Interval> sm_active;
  Interval step_time_s;  ///< Seconds for forward, backward and update.
  MemoryPrediction memory;
  bool fits{};  ///< memory.bound is within the GPU's memory.
  Origin origin{Origin::Unknown};
};

}  // namespace horus
