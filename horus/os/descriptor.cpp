// SPDX-License-Identifier: Apache-2.0
#include "horus/os/descriptor.hpp"

#include <cerrno>
#include <csignal>
#include <system_error>

#include <poll.h>
#include <unistd.h>

namespace horus::os {
namespace {

/// Sleeps until a descriptor that does not block takes more, or its other end is gone.
void wait_until_writable(int descriptor) {
  pollfd wanted{.fd = descriptor, .events = POLLOUT, .revents = 0};
  ::poll(&wanted, 1, -1);
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

std::string describe_errno(int error_number) {
  return std::generic_category().message(error_number);
}

Result<Done> write_all(int descriptor, std::string_view text, std::string_view where) {
  [[maybe_unused]] static const auto kBefore = std::signal(SIGXFSZ, SIG_IGN);
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) {
        wait_until_writable(descriptor);
        continue;
      }
      return fail(Errc::Unavailable, "cannot write: " + describe_errno(errno), std::string{where});
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return Done{};
}

}  // namespace horus::os
