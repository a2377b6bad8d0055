// SPDX-License-Identifier: Apache-2.0
#include "horus/os/supervisor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "horus/os/relay.hpp"
#include "horus/os/run_clock.hpp"

namespace horus::os {
namespace {

/// Bytes that the program wrote before its end are passed on for so long.
constexpr Duration kPatience{2'000'000};

/// Reaps all children that ended; says how the one called `pid` did.
std::optional<ProgramEnd> reap(int pid) {
  std::optional<ProgramEnd> end;
  int status = 0;
  for (int child = 0; (child = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    if (child != pid) continue;
    end.emplace();
    if (WIFEXITED(status)) end->exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) end->signal = WTERMSIG(status);
  }
  return end;
}

/// Hands signals on; true where a child may have ended.
bool forward_signals(const SignalInbox& inbox, int pid) {
  bool may_have_ended = false;
  while (const auto signal = inbox.take()) {
    if (signal->number == SIGCHLD) {
      may_have_ended = true;
    } else if (!signal->is_from_terminal) {
      ::kill(pid, signal->number);
    }
  }
  return may_have_ended;
}

class Supervision {
 public:
  Supervision(Spawned program, const OnProgramBytes& on_bytes)
      : relays_{Relay{std::move(program.output), kStandardOutput,
                      [&](std::string_view bytes) { on_bytes(Stream::Output, bytes); }},
                Relay{std::move(program.error), kStandardError,
                      [&](std::string_view bytes) { on_bytes(Stream::Error, bytes); }},
                Relay{std::move(program.steps), Relay::kNowhere,
                      [&](std::string_view bytes) { on_bytes(Stream::Steps, bytes); }}} {}

  /// Waits for bytes or a signal, at most `timeout_ms` (-1: for ever), and passes bytes on. True
  /// where anything happened.
  bool turn(const SignalInbox& inbox, int timeout_ms) {
    std::array<pollfd, 4> wanted{pollfd{.fd = inbox.descriptor(), .events = POLLIN, .revents = 0}};
    for (std::size_t i = 0; i < relays_.size(); ++i) wanted[i + 1] = relays_[i].wanted();
    if (::poll(wanted.data(), wanted.size(), timeout_ms) <= 0) return false;
    bool has_served = false;
    for (std::size_t i = 0; i < relays_.size(); ++i) {
      has_served = has_served || wanted[i + 1].revents != 0;
      relays_[i].serve(wanted[i + 1].revents);
    }
    return has_served;
  }

  /// What the program wrote and nobody has read yet.
  void drain(const SignalInbox& inbox) {
    constexpr int kSliceMs = 20;
    const RunClock clock;
    while (clock.now() < TimePoint{} + kPatience) {
      const bool is_busy = relays_[0].is_busy() || relays_[1].is_busy();
      if (!turn(inbox, is_busy ? kSliceMs : 0) && !is_busy) return;
    }
  }

  void add_notes(std::vector<std::string>& notes) const {
    constexpr std::array<const char*, 3> kNames = {"standard output", "standard error", "steps"};
    for (std::size_t i = 0; i < relays_.size(); ++i) {
      if (relays_[i].is_busy()) notes.push_back(fmt::format("{} was cut short", kNames[i]));
      if (const int error = relays_[i].target_error(); error != 0) {
        notes.push_back(fmt::format("{} took no more: {}", kNames[i], describe_errno(error)));
      }
    }
  }

 private:
  std::array<Relay, 3> relays_;
};

#ifndef SYS_pidfd_open
constexpr long kPidfdOpen = 434;  // the same on all architectures
#else
constexpr long kPidfdOpen = SYS_pidfd_open;
#endif

bool wants_stop(const SignalInbox& inbox) {
  while (const auto signal = inbox.take()) {
    if (signal->number != SIGCHLD && signal->number != SIGUSR1 && signal->number != SIGUSR2) {
      return true;
    }
  }
  return false;
}

/// Milliseconds until `end`, for poll: -1 for ever, 0 when it is over.
int milliseconds_left(const RunClock& clock, std::optional<Duration> duration) {
  constexpr std::int64_t kMost = 3'600'000;
  if (!duration) return -1;
  const Duration left = TimePoint{} + *duration - clock.now();
  if (left <= Duration{0}) return 0;
  return static_cast<int>(std::min(left.count() / 1000 + 1, kMost));
}

}  // namespace

ProgramEnd supervise(Spawned program, const SignalInbox& inbox, const OnProgramBytes& on_bytes) {
  // A write to a stream that nobody reads is an error to report, and no reason to die.
  (void)std::signal(SIGPIPE, SIG_IGN);
  (void)std::signal(SIGXFSZ, SIG_IGN);
  const int pid = program.pid;
  Supervision supervision{std::move(program), on_bytes};
  std::optional<ProgramEnd> end;
  while (!end) {
    supervision.turn(inbox, -1);
    if (forward_signals(inbox, pid)) end = reap(pid);
  }
  supervision.drain(inbox);
  supervision.add_notes(end->notes);
  return *end;
}

Result<ProgramEnd> watch_process(int pid, std::optional<Duration> duration,
                                 const SignalInbox& inbox) {
  const Descriptor process{static_cast<int>(::syscall(kPidfdOpen, pid, 0))};
  if (process.number() < 0) {
    const bool is_missing = errno == ESRCH || errno == EINVAL;
    return fail(is_missing ? Errc::NotFound : Errc::Unavailable,
                fmt::format("cannot watch process {}: {}", pid, describe_errno(errno)), "--pid");
  }
  const RunClock clock;
  while (true) {
    std::array<pollfd, 2> wanted{pollfd{.fd = process.number(), .events = POLLIN, .revents = 0},
                                 pollfd{.fd = inbox.descriptor(), .events = POLLIN, .revents = 0}};
    const int timeout_ms = milliseconds_left(clock, duration);
    if (timeout_ms == 0) return ProgramEnd{};
    ::poll(wanted.data(), wanted.size(), timeout_ms);
    if (wanted[0].revents != 0 || wants_stop(inbox)) return ProgramEnd{};
  }
}

}  // namespace horus::os
