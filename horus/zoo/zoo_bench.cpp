// SPDX-License-Identifier: Apache-2.0
// What it costs to build architectures, and to analyse all of them.

#include <benchmark/benchmark.h>

#include "horus/graph/analysis.hpp"
#include "horus/zoo/zoo.hpp"

namespace {

void build(benchmark::State& state, const char* name) {
  std::size_t nodes = 0;
  for (auto _ : state) {
    const auto model = horus::zoo::build(name);
    nodes = model->graph.nodes.size();
    benchmark::DoNotOptimize(nodes);
  }
  state.counters["nodes"] = static_cast<double>(nodes);
}

BENCHMARK_CAPTURE(build, resnet50, "resnet50");
BENCHMARK_CAPTURE(build, bert_base, "bert-base");

/// Every architecture of the zoo once, from its name to its features.
void analyse_all(benchmark::State& state) {
  double nodes = 0;
  for (auto _ : state) {
    nodes = 0;
    for (const auto& architecture : horus::zoo::architectures()) {
      const auto model = horus::zoo::build(architecture.name);
      const auto analysis = horus::graph::analyse(*model);
      nodes += static_cast<double>(analysis->nodes);
    }
  }
  const auto graphs = static_cast<double>(horus::zoo::architectures().size());
  state.counters["graphs"] = graphs;
  state.counters["nodes"] = nodes;
  state.counters["graphs/s"] =
      benchmark::Counter(graphs, benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(analyse_all)->Unit(benchmark::kMillisecond);

}  // namespace
