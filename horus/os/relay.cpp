// SPDX-License-Identifier: Apache-2.0
#include "horus/os/relay.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include <unistd.h>

namespace horus::os {

pollfd Relay::wanted() const {
  if (!pending_.empty()) return {.fd = target_, .events = POLLOUT, .revents = 0};
  return {.fd = is_open_ ? source_.number() : -1, .events = POLLIN, .revents = 0};
}

void Relay::serve(short events) {
  if (events == 0) return;
  if (pending_.empty()) {
    read_some();
  } else {
    write_some();
  }
}

void Relay::read_some() {
  std::array<char, 65'536> bytes;  // NOLINT: the kernel fills what is used.
  const ssize_t count = ::read(source_.number(), bytes.data(), bytes.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    close();
    return;
  }
  const std::string_view text{bytes.data(), static_cast<std::size_t>(count)};
  on_bytes_(text);
  if (target_ != kNowhere) pending_ = text;
}

void Relay::write_some() {
  // A stream that is ready takes this much without blocking, be it a pipe with little room.
  const std::size_t piece = std::min<std::size_t>(pending_.size(), PIPE_BUF);
  const ssize_t count = ::write(target_, pending_.data(), piece);
  if (count >= 0) {
    pending_.erase(0, static_cast<std::size_t>(count));
  } else if (errno != EAGAIN && errno != EINTR) {
    // The program learns it as it would without us: from its next write.
    target_error_ = errno;
    pending_.clear();
    close();
  }
}

void Relay::close() {
  if (source_.number() >= 0) ::close(source_.release());
  is_open_ = false;
}

}  // namespace horus::os
