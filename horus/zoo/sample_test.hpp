// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which of the zoo's architectures a test of all of them takes.

#include <cstddef>
#include <vector>

#include "horus/zoo/zoo.hpp"

namespace horus::zoo {

/// All architectures; where instruments of a sanitizer make each one slow, one of
/// HORUS_TEST_STRIDE. The uninstrumented builds of the full check take all of them.
inline std::vector<Architecture> tested_architectures() {
  std::vector<Architecture> taken;
  const auto all = architectures();
  for (std::size_t i = 0; i < all.size(); i += HORUS_TEST_STRIDE) taken.push_back(all[i]);
  return taken;
}

}  // namespace horus::zoo
