// SPDX-License-Identifier: Apache-2.0
#include "horus/base/check.hpp"

#include <cstdlib>

#include <fmt/core.h>

namespace horus::detail {

void check_failed(const char* condition, const char* why, const char* file, int line) {
  // The last words of the process; nothing else in a pure room may print.
  fmt::print(stderr, "horus: internal error at {}:{}: {} ({})\n", file, line, why, condition);
  std::abort();
}

}  // namespace horus::detail
