// SPDX-License-Identifier: Apache-2.0
#pragma once
// What every way of running another program begins with: pipes, words, and the start itself.

#include <span>
#include <string>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/os/descriptor.hpp"

namespace horus::os {

struct Pipe {
  Descriptor reader{-1};
  Descriptor writer{-1};
};

/// Both ends block, and are closed in a program that is not given them. Errors: Unavailable.
[[nodiscard]] Result<Pipe> make_pipe();

/// The words as exec takes them: pointers into `words`, and a null behind the last.
[[nodiscard]] std::vector<char*> pointers_to(std::vector<std::string>& words);

/// A descriptor of ours that the program has open as `as`, which may be the same number.
struct GivenDescriptor {
  int number{};
  int as{};
};

/// Starts the program that `command` names (found in PATH) with `environment`, which ends with a
/// null; returns its number. No signal is blocked in it, and those that this process ignores
/// because of its own outputs are at their defaults. Errors: NotFound (no such program),
/// Unavailable.
[[nodiscard]] Result<int> start_program(std::vector<std::string> command, char* const* environment,
                                        std::span<const GivenDescriptor> given);

}  // namespace horus::os
