// SPDX-License-Identifier: Apache-2.0
// Any bytes: reading ends with a model or an error, a model survives being written and read, and
// its analysis ends with numbers or an error.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "horus/base/check.hpp"
#include "horus/graph/analysis.hpp"
#include "horus/graph/onnx.hpp"

namespace {

using horus::graph::Model;

void check_round_trip(const Model& model) {
  // Bytes are compared, not models: a NaN differs from itself.
  const std::string written = horus::graph::write_onnx(model);
  const auto again = horus::graph::read_onnx(std::as_bytes(std::span{written}));
  HORUS_CHECK(again.has_value(), "what was written can be read");
  HORUS_CHECK(horus::graph::write_onnx(*again) == written, "writing is undone by reading");
}

void check_analysis(const Model& model, horus::graph::AnalysisOptions options) {
  // Functions that call each other without end are refused within the fuzzer's patience.
  options.limits.nodes = 20'000;
  options.limits.bytes = std::size_t{16} << 20U;
  const auto analysis = horus::graph::analyse(model, options);
  if (analysis) {
    // A cost is a finite number that is not negative; what is unknown is a gap.
    const double flops = horus::graph::totals_of(analysis->features).flops_training;
    HORUS_CHECK(std::isfinite(flops) && flops >= 0, "costs are finite");
  } else {
    HORUS_CHECK(!analysis.error().message.empty(), "an error says what is wrong");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto model = horus::graph::read_onnx(std::as_bytes(std::span{data, size}));
  if (!model) {
    HORUS_CHECK(!model.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  check_round_trip(*model);
  check_analysis(*model, {});
  check_analysis(*model, {.batch = 4});
  return 0;
}
