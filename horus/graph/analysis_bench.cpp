// SPDX-License-Identifier: Apache-2.0
// How long an analysis takes: a ResNet-50, and long graphs to show that time is linear in nodes.

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "horus/graph/analysis.hpp"
#include "horus/graph/model_sketch.hpp"

namespace horus::graph {
namespace {

using Ints = std::vector<std::int64_t>;

/// Writes convolution layers with names of their own.
class Layers {
 public:
  explicit Layers(ModelSketch& sketch) : sketch_{sketch} {}

  std::string conv_norm(const std::string& x, std::int64_t in, std::int64_t out,
                        std::int64_t kernel, std::int64_t stride) {
    const std::string c = "c" + std::to_string(++count_);
    sketch_.weight(c + ".w", {out, in, kernel, kernel});
    sketch_.node("Conv", {x, c + ".w"}, {c},
                 {{"pads", Ints(4, kernel / 2)}, {"strides", Ints{stride, stride}}});
    std::vector<std::string> inputs{c};
    for (const char* part : {".s", ".b", ".m", ".v"}) {
      sketch_.weight(c + part, {out});
      inputs.push_back(c + part);
    }
    sketch_.node("BatchNormalization", inputs, {c + ".n"});
    return c + ".n";
  }
  std::string relu(const std::string& x) {
    sketch_.node("Relu", {x}, {x + ".r"});
    return x + ".r";
  }
  std::string add(const std::string& x, const std::string& y) {
    sketch_.node("Add", {x, y}, {x + ".a"});
    return x + ".a";
  }

 private:
  ModelSketch& sketch_;
  int count_{0};
};

std::string bottleneck(Layers& layers, std::string x, std::int64_t& in, std::int64_t width,
                       std::int64_t stride) {
  std::string y = layers.relu(layers.conv_norm(x, in, width, 1, 1));
  y = layers.relu(layers.conv_norm(y, width, width, 3, stride));
  y = layers.conv_norm(y, width, 4 * width, 1, 1);
  if (in != 4 * width) x = layers.conv_norm(x, in, 4 * width, 1, stride);
  in = 4 * width;
  return layers.relu(layers.add(y, x));
}

Model resnet50() {
  ModelSketch sketch;
  Layers layers{sketch};
  sketch.input("x", {1, 3, 224, 224});
  std::string x = layers.relu(layers.conv_norm("x", 3, 64, 7, 2));
  sketch.node("MaxPool", {x}, {"pool"},
              {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints(4, 1)}});
  x = "pool";
  std::int64_t in = 64;
  std::int64_t width = 64;
  for (const int blocks : {3, 4, 6, 3}) {
    for (int i = 0; i < blocks; ++i) {
      x = bottleneck(layers, x, in, width, i == 0 && width > 64 ? 2 : 1);
    }
    width *= 2;
  }
  sketch.weight("fc", {2048, 1000}).weight("fc.b", {1000}).integers("flat", {1, -1});
  sketch.node("GlobalAveragePool", {x}, {"g"}).node("Reshape", {"g", "flat"}, {"f"});
  sketch.node("Gemm", {"f", "fc", "fc.b"}, {"y"}).output("y");
  return sketch.model();
}

void analyse_resnet50(benchmark::State& state) {
  const Model model = resnet50();
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(analyse(model));
}
BENCHMARK(analyse_resnet50)->Unit(benchmark::kMicrosecond);

void analyse_resnet50_at_another_batch(benchmark::State& state) {
  const Model model = resnet50();
  const AnalysisOptions options{.batch = 32, .dims = {}};
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(analyse(model, options));
}
BENCHMARK(analyse_resnet50_at_another_batch)->Unit(benchmark::kMicrosecond);

void analyse_chain(benchmark::State& state) {
  ModelSketch sketch;
  sketch.input("v0", {32, 64}).weight("w", {64, 64});
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    const std::string from = "v" + std::to_string(i);
    const std::string to = "v" + std::to_string(i + 1);
    if (i % 2 == 0)
      sketch.node("MatMul", {from, "w"}, {to});
    else
      sketch.node("Relu", {from}, {to});
  }
  sketch.output("v" + std::to_string(state.range(0)));
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(analyse(sketch.model()));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(analyse_chain)
    ->RangeMultiplier(10)
    ->Range(1000, 100'000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);

}  // namespace
}  // namespace horus::graph
