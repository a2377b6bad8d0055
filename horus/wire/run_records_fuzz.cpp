// SPDX-License-Identifier: Apache-2.0
// Whatever a file of records says, it is read or refused; what is read is within its ranges.
#include <cstddef>
#include <cstdint>
#include <string>

#include "horus/base/check.hpp"
#include "horus/wire/run_records.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{data, data + size};
  const auto records = horus::wire::read_run_records(text, "fuzz.jsonl");
  if (!records) return 0;
  for (const horus::RunRecord& record : *records) {
    HORUS_CHECK(!record.run_id.empty() && !record.where.empty(), "a record has its names");
    HORUS_CHECK(!record.batch || *record.batch >= 1, "a batch is at least 1");
    HORUS_CHECK(!record.step_ms || *record.step_ms > 0, "a step takes time");
    HORUS_CHECK(!record.sm_active || (*record.sm_active >= 0 && *record.sm_active <= 1), "a share");
  }
  return 0;
}
