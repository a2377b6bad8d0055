// SPDX-License-Identifier: Apache-2.0
#pragma once
// Starting a program with pipes at its outputs.

#include <string>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/os/descriptor.hpp"

namespace horus::os {

/// What goes wrong before the program runs, as shells number it.
inline constexpr int kCannotRun = 126;
inline constexpr int kNotFound = 127;

struct SpawnRequest {
  std::vector<std::string> command;  ///< Not empty; found in PATH.
  bool with_pipes{};                 ///< For standard output and standard error.
  /// The variable that tells the program the number of its step descriptor.
  std::string step_variable;
  /// "NAME=VALUE", for variables that are not set.
  std::vector<std::string> environment_defaults;
};

struct Spawned {
  int pid{};
  Descriptor output{-1};  ///< What the program prints; none without pipes. Does not block.
  Descriptor error{-1};
  Descriptor steps{-1};  ///< What it writes to its step descriptor. Does not block.
};

/// No signal is blocked in the program, and those that this process ignores because of its own
/// outputs are at their defaults. Errors: NotFound (no such program), Unavailable.
[[nodiscard]] Result<Spawned> spawn(const SpawnRequest& request);

/// Where one of the three standard streams is closed, opens /dev/null in its place, so that no pipe
/// takes its number.
void fill_standard_streams();

}  // namespace horus::os
