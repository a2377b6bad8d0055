// SPDX-License-Identifier: Apache-2.0
// How fast rows come out of text: the shape and size of the largest public trace.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "horus/table/csv.hpp"

namespace {

std::string trace_like(int rows) {
  std::string text = "timestamp,duration,num_gpus,gpu_time,cluster\n";
  for (int i = 0; i < rows; ++i) {
    text += fmt::format("2017-10-09 07:01:{:02},{}.0,1,{}.0,{:06x}\n", i % 60, i, i, i % 15);
  }
  return text;
}

void read_rows(benchmark::State& state) {
  const std::string text = trace_like(82'247);
  for ([[maybe_unused]] auto step : state) {
    auto reader = horus::table::Reader::open(text, "bench.csv");
    const auto duration = *reader->column("duration");
    double sum = 0.0;
    while (auto row = reader->next()) sum += (*row)->number(duration, 0, 1e11).value();
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * 82'247);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(read_rows)->Unit(benchmark::kMillisecond);

}  // namespace
