// SPDX-License-Identifier: Apache-2.0
#include "horus/os/filter.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "horus/os/start_program.hpp"

namespace horus::os {
namespace {

/// A program that dies must be an error of writing to it, not our end.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() { before_ = std::signal(SIGPIPE, SIG_IGN); }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;
  ~WithoutPipeSignal() { std::signal(SIGPIPE, before_); }

 private:
  void (*before_)(int){};
};

/// Reads `input`, writes to `output`, and complains to nobody.
Result<int> start(const std::vector<std::string>& command, const Pipe& input, const Pipe& output) {
  const Descriptor nowhere{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  const std::array given{GivenDescriptor{input.reader.number(), STDIN_FILENO},
                         GivenDescriptor{output.writer.number(), STDOUT_FILENO},
                         GivenDescriptor{nowhere.number(), STDERR_FILENO}};
  auto pid = start_program(command, ::environ, given);
  if (!pid && pid.error().code == Errc::NotFound) pid.error().message = "no such program in PATH";
  return pid;
}

/// The exit code; -1 when a signal ended it.
int wait_for(int pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Result<std::string> filter_through(const std::vector<std::string>& command, std::string_view input,
                                   std::size_t limit) {
  HORUS_TRY(Pipe to, make_pipe());
  HORUS_TRY(Pipe from, make_pipe());
  const WithoutPipeSignal guard;
  HORUS_TRY(const int pid, start(command, to, from));
  { const Descriptor closed{std::move(from.writer)}; }
  { const Descriptor closed{std::move(to.reader)}; }
  const auto written = write_all(to.writer.number(), input, command.front());
  { const Descriptor closed{std::move(to.writer)}; }
  std::string printed;
  auto read = read_all(from.reader.number(), printed, limit, command.front());
  { const Descriptor closed{std::move(from.reader)}; }
  const int code = wait_for(pid);
  if (code != 0) {
    return fail(Errc::Unavailable, fmt::format("the program failed (exit code {})", code),
                command.front());
  }
  HORUS_TRY_DONE(written);
  HORUS_TRY_DONE(read);
  if (printed.size() > limit) {
    return fail(Errc::Unavailable, "it printed more than expected", command.front());
  }
  return printed;
}

}  // namespace horus::os
