// SPDX-License-Identifier: Apache-2.0
// What it costs to build architectures, to analyse all of them, and to read one from its bytes.

#include <span>
#include <string>

#include <benchmark/benchmark.h>

#include "horus/graph/analysis.hpp"
#include "horus/graph/onnx.hpp"
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

/// What `horus inspect` does with a file in memory: read and analyse it.
void read_and_analyse(benchmark::State& state, const char* name) {
  const auto model = horus::zoo::build(name);
  const std::string bytes = horus::graph::write_onnx(*model);
  for (auto _ : state) {
    const auto read = horus::graph::read_onnx(std::as_bytes(std::span{bytes}));
    auto analysis = horus::graph::analyse(*read);
    benchmark::DoNotOptimize(analysis);
  }
  state.counters["nodes"] = static_cast<double>(model->graph.nodes.size());
}

BENCHMARK_CAPTURE(read_and_analyse, resnet50, "resnet50")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_and_analyse, gpt2_xl, "gpt2-xl")->Unit(benchmark::kMillisecond);

/// The whole way of an architecture: built, written to bytes, read back and analysed.
void build_write_read_and_analyse(benchmark::State& state, const char* name) {
  for (auto _ : state) {
    const std::string bytes = horus::graph::write_onnx(*horus::zoo::build(name));
    const auto read = horus::graph::read_onnx(std::as_bytes(std::span{bytes}));
    auto analysis = horus::graph::analyse(*read);
    benchmark::DoNotOptimize(analysis);
  }
}

BENCHMARK_CAPTURE(build_write_read_and_analyse, gpt2_xl, "gpt2-xl")->Unit(benchmark::kMillisecond);

}  // namespace
