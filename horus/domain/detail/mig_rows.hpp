// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rows of data/mig_profiles.csv as tools/embed_mig.py compiles them in.

#include <string_view>
#include <vector>

#include "horus/base/quantity.hpp"

namespace horus::detail {

struct MigRow {
  std::string_view gpu;  ///< Catalogue name; the rows of one GPU stand together.
  std::string_view profile;
  int compute_slices{};
  int memory_slices{};
  int memory_slices_of_all{};  ///< Memory slices of the whole GPU.
  Bytes memory;
  int sm_count{};
  std::vector<int> starts;
  std::string_view source;
};

const std::vector<MigRow>& embedded_mig_rows();

}  // namespace horus::detail
