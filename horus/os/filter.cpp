// SPDX-License-Identifier: Apache-2.0
#include "horus/os/filter.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "horus/base/check.hpp"
#include "horus/os/descriptor.hpp"

namespace horus::os {
namespace {

struct Pipe {
  Descriptor reader{-1};
  Descriptor writer{-1};
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(Errc::Unavailable, "cannot make a pipe: " + describe_errno(errno));
  }
  return Pipe{Descriptor{ends[0]}, Descriptor{ends[1]}};
}

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

Result<pid_t> start(const std::vector<std::string>& command, const Pipe& input,
                    const Pipe& output) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input.reader.number(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output.writer.number(), STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int error =
      ::posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), ::environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return fail(Errc::NotFound, "no such program in PATH", command.front());
  if (error != 0) return fail(Errc::Unavailable, describe_errno(error), command.front());
  return pid;
}

/// Until the end of file; nothing beyond `limit` bytes.
Result<std::string> read_all(const Descriptor& from, std::size_t limit) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t count = ::read(from.number(), buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(Errc::Unavailable, describe_errno(errno));
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > limit) return fail(Errc::Unavailable, "it printed more than expected");
  }
}

/// The exit code; -1 when a signal ended it.
int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Result<std::string> filter_through(const std::vector<std::string>& command, std::string_view input,
                                   std::size_t limit) {
  HORUS_CHECK(!command.empty(), "a program has a name");
  HORUS_TRY(Pipe to, make_pipe());
  HORUS_TRY(Pipe from, make_pipe());
  const WithoutPipeSignal guard;
  HORUS_TRY(const pid_t pid, start(command, to, from));
  { const Descriptor closed{std::move(from.writer)}; }
  { const Descriptor closed{std::move(to.reader)}; }
  const auto written = write_all(to.writer.number(), input, command.front());
  { const Descriptor closed{std::move(to.writer)}; }
  auto printed = read_all(from.reader, limit);
  { const Descriptor closed{std::move(from.reader)}; }
  const int code = wait_for(pid);
  if (code != 0) {
    return fail(Errc::Unavailable, fmt::format("the program failed (exit code {})", code),
                command.front());
  }
  if (!written) return tl::make_unexpected(written.error());
  if (!printed) printed.error().where = command.front();
  return printed;
}

}  // namespace horus::os
