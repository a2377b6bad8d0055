// SPDX-License-Identifier: Apache-2.0
// What a prediction costs: schedulers ask for one per job and GPU type.
#include <benchmark/benchmark.h>

#include "horus/predict/predict.hpp"
#include "horus/predict/sample_features.hpp"

namespace horus::predict {
namespace {

void predict_graph(benchmark::State& state) {
  const GraphFeatures features = sample::perceptron(32, static_cast<int>(state.range(0) / 2), 1024);
  const TrainingSetup setup{.precision = Precision::Amp};
  for (auto _ : state) {
    benchmark::DoNotOptimize(predict(features, setup, sample::gpu("V100-16GB")));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(predict_graph)->Arg(50)->Arg(500)->Arg(5000);

void predict_fused_attention(benchmark::State& state) {
  GraphFeatures features;
  for (int i = 0; i < 100; ++i) {
    for (const OpWork& op : sample::attention(96, 512, 64).ops) sample::add(features, op);
  }
  const TrainingSetup setup{.attention = Attention::Fused};
  for (auto _ : state) {
    benchmark::DoNotOptimize(predict(features, setup, sample::gpu("V100-16GB")));
  }
}
BENCHMARK(predict_fused_attention);

void predict_sharing(benchmark::State& state) {
  const Prediction job = predict(sample::perceptron(32, 10, 1024), {}, sample::gpu("V100-16GB"));
  const std::vector<Prediction> jobs(static_cast<std::size_t>(state.range(0)), job);
  for (auto _ : state) {
    benchmark::DoNotOptimize(predict_shared(jobs, sample::gpu("V100-16GB")));
  }
}
BENCHMARK(predict_sharing)->Arg(2)->Arg(3)->Arg(8);

}  // namespace
}  // namespace horus::predict
