// SPDX-License-Identifier: Apache-2.0
// What one prediction of a real network for one GPU type costs once its graph is analysed, with the
// analytical model alone and with learned corrections on top.
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "horus/base/check.hpp"
#include "horus/base/rng.hpp"
#include "horus/graph/analysis.hpp"
#include "horus/lab/residual_fit.hpp"
#include "horus/predict/predict.hpp"
#include "horus/predict/tree_inputs.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::lab {
namespace {

constexpr std::size_t kModels = 300;  // That were measured: of about a large data set.

GraphFeatures network(const char* name) {
  const auto model = zoo::build(name);
  HORUS_CHECK(model.has_value(), "benchmarks name architectures of the zoo");
  auto analysis = graph::analyse(*model, {.batch = 32, .dims = {}});
  HORUS_CHECK(analysis.has_value(), "the zoo can be analysed");
  return std::move(analysis->features);
}

/// Corrections as training makes them, of jobs that are noise. They reach every job.
predict::Residual correction_of(predict::ResidualTarget target) {
  Rng rng{1};
  std::vector<ResidualJob> jobs(2 * kModels);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (std::size_t k = 0; k < predict::tree_inputs().size(); ++k) {
      jobs[i].inputs.push_back(rng.uniform());
    }
    jobs[i].group = jobs[i].place = std::to_string(i / 2);
    jobs[i].predicted = 0.5;
    jobs[i].measured = 0.3 + 0.4 * rng.uniform();
  }
  auto table = learn_correction(target, jobs, HeldOut::Groups, {});
  HORUS_CHECK(table.has_value(), "so many jobs are enough");
  table->near = table->far = 1e9;
  auto residual = predict::Residual::make(*std::move(table));
  HORUS_CHECK(residual.has_value(), "what is learned can be used");
  return *std::move(residual);
}

const predict::Model& model_with_trees() {
  static const predict::Model model = [] {
    predict::Model with_trees = predict::shipped_model();
    with_trees.residuals = {correction_of(predict::ResidualTarget::Utilization),
                            correction_of(predict::ResidualTarget::StepTime)};
    return with_trees;
  }();
  return model;
}

void predict_with(benchmark::State& state, const char* name, const predict::Model& model) {
  const GraphFeatures features = network(name);
  const GpuSpec gpu = *find_gpu("A100-40GB").value().spec;
  const TrainingSetup setup{.precision = Precision::Amp};
  for (auto _ : state) {
    benchmark::DoNotOptimize(predict::predict(features, setup, gpu, model));
  }
  state.counters["operators"] = static_cast<double>(features.ops.size());
}

void analytical(benchmark::State& state, const char* name) {
  predict_with(state, name, predict::shipped_model());
}
void with_trees(benchmark::State& state, const char* name) {
  predict_with(state, name, model_with_trees());
}
BENCHMARK_CAPTURE(analytical, resnet50, "resnet50");
BENCHMARK_CAPTURE(analytical, densenet121, "densenet121");
BENCHMARK_CAPTURE(analytical, bert_base, "bert-base");
BENCHMARK_CAPTURE(with_trees, resnet50, "resnet50");
BENCHMARK_CAPTURE(with_trees, densenet121, "densenet121");
BENCHMARK_CAPTURE(with_trees, bert_base, "bert-base");

}  // namespace
}  // namespace horus::lab
