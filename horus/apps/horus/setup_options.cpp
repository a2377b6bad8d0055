// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/setup_options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/apps/horus/number_option.hpp"

namespace horus::apps {
namespace {

constexpr std::int64_t kMostWorkers = 1024;
constexpr std::int64_t kMostSteps = 1 << 20;
constexpr double kMostPasses = 1000;

std::string one_of(const std::vector<std::string>& words) {
  return fmt::format("One of {}", fmt::join(words, ", "));
}

}  // namespace

void SetupOptions::declare(CLI::App& app) {
  app.add_option("--precision", precision_, one_of(precision_words()))->capture_default_str();
  app.add_option("--optimizer", optimizer_, one_of(optimizer_words()))->capture_default_str();
  app.add_option("--update", update_,
                 "Kernels of the optimizer: per-tensor (PyTorch before 2.0) or multi-tensor")
      ->capture_default_str();
  app.add_option("--attention", attention_, "fused (flash attention) or eager")
      ->capture_default_str();
  app.add_option("--checkpointing", checkpointing_,
                 "What the forward pass keeps: none checkpointed, or the inputs of blocks only")
      ->capture_default_str();
  app.add_option("--accumulate", accumulation_steps_,
                 "Forward and backward passes before each update of the weights")
      ->transform(integer_between(1, kMostSteps))
      ->capture_default_str();
  app.add_option("--passes", passes_per_step_,
                 "Forward and backward passes over the graph in one step, e.g. 2 for a "
                 "discriminator that sees true and false samples")
      ->check(number_between(1, kMostPasses))
      ->capture_default_str();
  app.add_option("--step-end", step_end_,
                 "What the loop does after a step: runs-on, or waits (reads the loss back)")
      ->capture_default_str();
  app.add_option("--samples-per-second", samples_per_second_,
                 "What the input pipeline can deliver; default: never the bottleneck")
      ->check(number_between(1e-9, 1e12));
  app.add_option("--loader-workers", loader_workers_,
                 "Processes that load beside the step; 0: the training process loads, and waits")
      ->transform(integer_between(0, kMostWorkers))
      ->capture_default_str();
  app.add_option("--input-place", input_place_,
                 "Where a batch lies before its step: host (it is copied) or gpu")
      ->capture_default_str();
}

Result<TrainingSetup> SetupOptions::setup() const {
  TrainingSetup setup;
  HORUS_TRY(setup.precision, parse_precision(precision_));
  HORUS_TRY(setup.optimizer, parse_optimizer(optimizer_));
  HORUS_TRY(setup.attention, parse_attention(attention_));
  HORUS_TRY(setup.checkpointing, parse_checkpointing(checkpointing_));
  HORUS_TRY(setup.update, parse_update_kernels(update_));
  HORUS_TRY(setup.step_end, parse_step_end(step_end_));
  HORUS_TRY(setup.input_place, parse_input_place(input_place_));
  setup.samples_per_second = samples_per_second_;
  setup.loader_workers = static_cast<int>(loader_workers_);
  setup.accumulation_steps = static_cast<int>(accumulation_steps_);
  setup.passes_per_step = passes_per_step_;
  return setup;
}

}  // namespace horus::apps
