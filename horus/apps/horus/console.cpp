// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/console.hpp"

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/os/descriptor.hpp"

namespace horus::apps {

Result<Done> Console::print(std::string_view text) const {
  return os::write_all(os::kStandardOutput, text, "standard output");
}

void Console::note(std::string_view text) const {
  // There is nowhere left to complain when stderr itself fails.
  (void)os::write_all(os::kStandardError, fmt::format("horus: {}\n", without_controls(text)),
                      "standard error");
}

void Console::progress(std::string_view label, double fraction) const {
  if (!terminal_.stderr_is_terminal) return;
  const std::string line = "\r" + report::progress_bar(label, fraction, terminal_.width - 1);
  (void)os::write_all(os::kStandardError, line, "standard error");
}

void Console::clear_progress() const {
  if (!terminal_.stderr_is_terminal) return;
  const std::string blank(static_cast<std::size_t>(terminal_.width - 1), ' ');
  (void)os::write_all(os::kStandardError, "\r" + blank + "\r", "standard error");
}

}  // namespace horus::apps
