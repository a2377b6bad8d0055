// SPDX-License-Identifier: Apache-2.0
// Reading: a graph of the size of ResNet-50, and the raw speed of the wire format.

#include <array>
#include <span>
#include <string>

#include <benchmark/benchmark.h>

#include "horus/base/check.hpp"
#include "horus/base/rng.hpp"
#include "horus/graph/onnx.hpp"
#include "horus/graph/wire_reader.hpp"

namespace horus::graph {
namespace {

/// `blocks` times convolution, normalization and activation, with weights as initializers without
/// contents: 53 blocks are about a ResNet-50.
Model chain_model(int blocks) {
  Model model;
  model.opsets = {{"", 17}};
  std::string value = "input";
  for (int i = 0; i < blocks; ++i) {
    const std::string stem = "layer" + std::to_string(i / 10) + "." + std::to_string(i);
    const auto weight = [&](const std::string& suffix, std::vector<std::int64_t> dims) {
      model.graph.initializers.push_back(
          Tensor{.name = stem + suffix, .type = ElementType::Float32, .dims = std::move(dims)});
      return stem + suffix;
    };
    Node conv{.name = "/" + stem + "/Conv", .op_type = "Conv"};
    conv.inputs = {value, weight(".conv.weight", {256, 256, 3, 3})};
    conv.outputs = {stem + ".conv"};
    conv.attributes = {{"dilations", std::vector<std::int64_t>{1, 1}},
                       {"group", std::int64_t{1}},
                       {"kernel_shape", std::vector<std::int64_t>{3, 3}},
                       {"pads", std::vector<std::int64_t>{1, 1, 1, 1}},
                       {"strides", std::vector<std::int64_t>{1, 1}}};
    Node norm{.name = "/" + stem + "/BatchNormalization", .op_type = "BatchNormalization"};
    norm.inputs = {stem + ".conv", weight(".weight", {256}), weight(".bias", {256}),
                   weight(".mean", {256}), weight(".var", {256})};
    norm.outputs = {stem + ".norm"};
    norm.attributes = {{"epsilon", 1e-5}, {"momentum", 0.9}};
    Node relu{.name = "/" + stem + "/Relu", .op_type = "Relu"};
    relu.inputs = {stem + ".norm"};
    relu.outputs = {stem + ".out"};
    value = stem + ".out";
    for (Node* node : {&conv, &norm, &relu}) model.graph.nodes.push_back(std::move(*node));
  }
  return model;
}

void BM_ReadChain(benchmark::State& state) {
  const Model model = chain_model(static_cast<int>(state.range(0)));
  const std::string bytes = write_onnx(model);
  const auto nodes = static_cast<std::int64_t>(model.graph.nodes.size());
  for (auto _ : state) {
    const auto read = read_onnx(std::as_bytes(std::span{bytes}));
    HORUS_CHECK(read.has_value(), "the model is whole");
    benchmark::DoNotOptimize(read);
  }
  state.SetItemsProcessed(state.iterations() * nodes);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(BM_ReadChain)->Arg(53)->Arg(5300)->Unit(benchmark::kMicrosecond);

void BM_WriteChain(benchmark::State& state) {
  const Model model = chain_model(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(write_onnx(model));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(model.graph.nodes.size()));
}
BENCHMARK(BM_WriteChain)->Arg(53)->Unit(benchmark::kMicrosecond);

/// One million bytes of varint fields, one to ten bytes each.
std::string varint_bytes() {
  Rng rng{1};
  std::string bytes;
  while (bytes.size() < 1'000'000) {
    bytes.push_back('\x08');
    std::uint64_t value = rng.next() >> rng.below(64);
    for (; value >= 0x80U; value >>= 7U) bytes.push_back(static_cast<char>(value | 0x80U));
    bytes.push_back(static_cast<char>(value));
  }
  return bytes;
}

void BM_WalkVarints(benchmark::State& state) {
  static constexpr std::array kFields{FieldSpec{"number", 1, FieldForm::Varint}};
  static constexpr MessageSpec kSpec{"BenchProto", kFields};
  const std::string bytes = varint_bytes();
  std::int64_t fields = 0;
  for (auto _ : state) {
    for (WireReader reader{kSpec, Slice{std::as_bytes(std::span{bytes}), 0}}; !reader.at_end();) {
      benchmark::DoNotOptimize(reader.next());
      ++fields;
    }
  }
  state.SetItemsProcessed(fields);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(BM_WalkVarints)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace horus::graph
