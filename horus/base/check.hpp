// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one assertion. It is on in every build: a wrong answer at 2 a.m. costs more than the branch.

namespace horus::detail {
[[noreturn]] void check_failed(const char* condition, const char* why, const char* file, int line);
}  // namespace horus::detail

/// Ends the process with `why` when `condition` does not hold. For errors of the programmer only;
/// wrong input is a Result.
#define HORUS_CHECK(condition, why)                                       \
  do {                                                                    \
    if (!(condition)) [[unlikely]]                                        \
      ::horus::detail::check_failed(#condition, why, __FILE__, __LINE__); \
  } while (false)
