// SPDX-License-Identifier: Apache-2.0
#include "horus/os/signal_inbox.hpp"

#include <cerrno>
#include <csignal>

#include <sys/signalfd.h>
#include <unistd.h>

namespace horus::os {

Result<SignalInbox> SignalInbox::open() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD}) {
    struct sigaction action {};
    ::sigaction(number, nullptr, &action);
    // What nohup and shells ignore on purpose stays ignored, here and in the child.
    if (action.sa_handler != SIG_IGN || number == SIGCHLD) ::sigaddset(&signals, number);
  }
  // With SIGCHLD ignored, the kernel would not keep how the child ended.
  (void)std::signal(SIGCHLD, SIG_DFL);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  Descriptor descriptor{::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK)};
  if (descriptor.number() >= 0) return SignalInbox{std::move(descriptor)};
  return fail(Errc::Unavailable, "cannot watch for signals: " + describe_errno(errno));
}

std::optional<ReceivedSignal> SignalInbox::take() const {
  signalfd_siginfo info{};
  if (::read(descriptor_.number(), &info, sizeof info) != sizeof info) return std::nullopt;
  return ReceivedSignal{.number = static_cast<int>(info.ssi_signo),
                        .is_from_terminal = info.ssi_code == SI_KERNEL};
}

}  // namespace horus::os
