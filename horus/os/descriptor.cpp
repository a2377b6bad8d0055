// SPDX-License-Identifier: Apache-2.0
#include "horus/os/descriptor.hpp"

#include <cerrno>
#include <csignal>
#include <system_error>
#include <vector>

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

Result<Done> read_all(int descriptor, std::string& text, std::size_t limit,
                      std::string_view where) {
  constexpr std::size_t kPiece = std::size_t{1} << 18U;
  std::vector<char> piece(kPiece);
  while (text.size() <= limit) {
    const ssize_t count = ::read(descriptor, piece.data(), piece.size());
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return fail(Errc::Unavailable, "cannot read: " + describe_errno(errno), std::string{where});
    }
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  return Done{};
}

}  // namespace horus::os
