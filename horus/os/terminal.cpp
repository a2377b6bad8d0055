// SPDX-License-Identifier: Apache-2.0
#include "horus/os/terminal.hpp"

#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace horus::os {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

}  // namespace

Terminal inspect_terminal() {
  Terminal terminal;
  terminal.stdout_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  terminal.stderr_is_terminal = ::isatty(STDERR_FILENO) == 1;
  const bool plain = !environment("NO_COLOR").empty() || environment("TERM") == "dumb";
  terminal.colour = terminal.stdout_is_terminal && !plain;
  winsize size{};
  const int end = terminal.stdout_is_terminal ? STDOUT_FILENO : STDERR_FILENO;
  if (::ioctl(end, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) terminal.width = size.ws_col;
  return terminal;
}

}  // namespace horus::os
