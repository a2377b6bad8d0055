// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

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

}  // namespace
