// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a command speaks: results on stdout, everything else on stderr.

#include <string>
#include <string_view>

#include "horus/base/result.hpp"
#include "horus/os/terminal.hpp"
#include "horus/report/table.hpp"

namespace horus::apps {

class Console {
 public:
  explicit Console(const os::Terminal& terminal) : terminal_{terminal} {}

  [[nodiscard]] report::Colour colour() const {
    return terminal_.colour ? report::Colour::On : report::Colour::Off;
  }

  /// Writes results. An error (a full disk, a closed pipe) must end the command.
  [[nodiscard]] Result<Done> print(std::string_view text) const;

  /// One line for a person, on stderr: "horus: <text>".
  void note(std::string_view text) const;

  /// Redraws the progress bar of long work; nothing where stderr is no terminal.
  void progress(std::string_view label, double fraction) const;
  void clear_progress() const;

 private:
  os::Terminal terminal_;
};

}  // namespace horus::apps
