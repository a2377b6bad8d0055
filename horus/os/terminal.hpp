// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is at the other end of stdout and stderr, and how long things take.

#include <chrono>

namespace horus::os {

struct Terminal {
  bool stdout_is_terminal{};
  bool stderr_is_terminal{};
  bool colour{};  ///< On stdout: a terminal, NO_COLOR unset or empty, TERM not "dumb".
  int width{80};  ///< Columns; 80 where unknown.
};

[[nodiscard]] Terminal inspect_terminal();

/// Real time since construction, for people: never part of compared output.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_{std::chrono::steady_clock::now()};
};

}  // namespace horus::os
