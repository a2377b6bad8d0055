// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/traces/trace_property_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  horus::sim::check_trace_of("tiresias", data, size);
  return 0;
}
