// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a fit may see of the jobs that it is judged on: each protocol is one answer.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/lab/error_figures.hpp"
#include "horus/lab/method.hpp"
#include "horus/predict/predictor_model.hpp"

namespace horus::lab {

enum class Protocol {
  Shipped,         ///< Nothing is fitted: the given model as it is.
  ZeroShot,        ///< Fitted on permissive data, without the target's GPU and without its host.
  ModelOut,        ///< The model held out, at all batches and precisions.
  FamilyOut,       ///< The family held out; of random networks, the architecture.
  GpuOut,          ///< The GPU held out.
  CalibratedFive,  ///< Zero-shot, and five jobs of the target. The mean of twenty draws.
  Random,          ///< Rows held out at random: other rows of the same model are in training.
};

/// How people call a protocol, and what they should know of it.
struct ProtocolRule {
  Protocol protocol;
  std::string_view name;
  std::string_view summary;
};

/// In the order of reports: from what knows nothing of the data to what knows almost all of it.
[[nodiscard]] std::span<const ProtocolRule> protocol_rules();
[[nodiscard]] std::vector<std::string> protocol_names();
/// Errors: InvalidArgument with the nearest name.
[[nodiscard]] Result<Protocol> parse_protocol(std::string_view name);

/// Everything measured that a protocol may draw on. All spans outlive the run.
struct Evidence {
  std::span<const Sample> judged;
  std::span<const Pair> pairs;         ///< Of judged samples, by index.
  std::span<const Sample> companions;  ///< Of the same machine: they train, they are not judged.
  std::span<const Sample> permissive;  ///< Of all data sets whose licence lets constants ship.
};

/// What is judged.
struct Methods {
  const Method* time{};    ///< Utilization, bandwidth, SM activity, step time.
  const Method* memory{};  ///< Peak memory.
  const SharingMethod* sharing{};
  const predict::Model* model{};  ///< What Shipped judges.
};

struct ProtocolOptions {
  std::uint64_t seed{1};
  std::size_t folds_max{100};  ///< Groups beyond share folds.
  std::size_t draws{20};       ///< Of CalibratedFive.
  Training::Wanted wanted_of_time{Training::Wanted::Intervals};
  /// Told after each fit: the share that is done, 0 to 1.
  std::function<void(double share)> progress;
};

/// What a protocol predicted.
struct ProtocolRun {
  std::vector<Scores> draws;  ///< One, but for CalibratedFive.
  std::size_t folds{};        ///< Times that the methods were fitted.
  std::vector<std::string> notes;
};

/// Runs `protocol`. Errors: InvalidArgument where the evidence does not allow it, with the reason
/// (one GPU only, no permissive data).
/// Cost: folds x (fit of time + fit of memory) + fits of pairs.
[[nodiscard]] Result<ProtocolRun> run_protocol(Protocol protocol, const Evidence& evidence,
                                               const Methods& methods,
                                               const ProtocolOptions& options = {});

/// The models of the judged samples, each once, in order of name: RowScore::model is an index.
[[nodiscard]] std::vector<std::string> models_of(std::span<const Sample> samples);

}  // namespace horus::lab
