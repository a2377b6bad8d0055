// SPDX-License-Identifier: Apache-2.0
#include "horus/os/descriptor.hpp"

#include <cerrno>
#include <system_error>

#include <unistd.h>

namespace horus::os {

std::string describe_errno(int error_number) {
  return std::generic_category().message(error_number);
}

Result<Done> write_all(int descriptor, std::string_view text, std::string_view where) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return fail(Errc::Unavailable, "cannot write: " + describe_errno(errno), std::string{where});
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return Done{};
}

}  // namespace horus::os
