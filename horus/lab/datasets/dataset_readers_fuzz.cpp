// SPDX-License-Identifier: Apache-2.0
// Whatever a file of a data set says, its reader answers with rows or with an error, and the rows
// keep the promises of row.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/check.hpp"
#include "horus/base/text.hpp"
#include "horus/lab/dataset_kinds.hpp"

namespace {

bool is_share(const std::optional<double>& value) { return !value || (*value >= 0 && *value <= 1); }

void check(const horus::lab::Dataset& data) {
  for (const horus::lab::Row& row : data.rows) {
    HORUS_CHECK(!row.id.empty() && !row.model.empty() && !row.gpu.empty(), "a row has its names");
    HORUS_CHECK(is_share(row.measured.utilization), "utilization is a share");
    HORUS_CHECK(is_share(row.measured.sm_active), "activity is a share");
    HORUS_CHECK(!row.measured.step_s || *row.measured.step_s > 0, "a step takes time");
    HORUS_CHECK(!row.measured.memory_mib || *row.measured.memory_mib > 0, "a job takes memory");
    HORUS_CHECK(row.features != nullptr, "a row has a graph");
  }
  for (const horus::lab::Pair& pair : data.pairs) {
    HORUS_CHECK(std::max(pair.first, pair.second) < data.rows.size(), "a pair is of two rows");
    HORUS_CHECK(pair.slowdown_first >= 0 && pair.slowdown_second >= 0, "a slowdown is no gain");
  }
}

}  // namespace

/// The first byte picks the data set; its files are what lies between the zeros.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto kinds = horus::lab::dataset_kinds();
  const horus::lab::DatasetKind& kind = kinds[data[0] % kinds.size()];
  const std::string text{data + 1, data + size};
  const std::vector<std::string_view> parts = horus::split(text, '\0');
  std::vector<horus::lab::DataFile> files;
  for (std::size_t i = 0; i < kind.files.size(); ++i) {
    files.push_back({.name = std::string{kind.files[i]},
                     .text = std::string{parts[i % parts.size()]},
                     .sha256 = ""});
  }
  if (const auto read = kind.read(files)) check(*read);
  return 0;
}
