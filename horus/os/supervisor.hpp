// SPDX-License-Identifier: Apache-2.0
#pragma once
// Seeing a program through to its end: its output passed on, signals handed to it.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/base/time.hpp"
#include "horus/os/signal_inbox.hpp"
#include "horus/os/spawn.hpp"

namespace horus::os {

enum class Stream { Output, Error, Steps };

/// How a program ended. Both absent: it was not ours to wait for.
struct ProgramEnd {
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::vector<std::string> notes;  ///< What else happened.
};

/// Bytes as they came, in order for each stream.
using OnProgramBytes = std::function<void(Stream stream, std::string_view bytes)>;

/// Until the program ends. Signals that did not come from the terminal are handed to it. Of what
/// its own children print later, nothing is waited for.
[[nodiscard]] ProgramEnd supervise(Spawned program, const SignalInbox& inbox,
                                   const OnProgramBytes& on_bytes);

/// Until process `pid` ends, `duration` is over, or a signal asks this process to stop. Errors:
/// NotFound (no such process), Unavailable.
[[nodiscard]] Result<ProgramEnd> watch_process(int pid, std::optional<Duration> duration,
                                               const SignalInbox& inbox);

}  // namespace horus::os
