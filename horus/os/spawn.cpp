// SPDX-License-Identifier: Apache-2.0
#include "horus/os/spawn.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include "horus/base/text.hpp"

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
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Pipe{Descriptor{ends[0]}, Descriptor{ends[1]}};
}

/// The attributes and file actions of posix_spawn, freed with their owner.
class Plan {
 public:
  Plan() {
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_init(&actions);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }

  /// The program has `from` open as `to`, which may be the same number.
  void give(int from, int to) { ::posix_spawn_file_actions_adddup2(&actions, from, to); }

  /// A program that is stopped by no signal because we watch for them would be a surprise.
  void reset_signals() {
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    sigset_t ignored;
    ::sigemptyset(&ignored);
    for (const int signal : {SIGPIPE, SIGXFSZ}) ::sigaddset(&ignored, signal);
    ::posix_spawnattr_setsigdefault(&attributes, &ignored);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }

  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_t actions{};
};

/// "NAME=" of "NAME=VALUE".
std::string_view name_part(std::string_view variable) {
  return variable.substr(0, variable.find('=') + 1);
}

/// Our environment, `set` in place of what has its name, and those of `defaults` that it lacks.
std::vector<std::string> environment_with(const std::string& set,
                                          const std::vector<std::string>& defaults) {
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    if (!std::string_view{*variable}.starts_with(name_part(set))) variables.emplace_back(*variable);
  }
  variables.push_back(set);
  for (const std::string& value : defaults) {
    const auto has_name = [&value](const std::string& variable) {
      return variable.starts_with(name_part(value));
    };
    if (std::ranges::none_of(variables, has_name)) variables.push_back(value);
  }
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

Error cannot_run(const std::string& program, int error_number) {
  const bool is_missing = error_number == ENOENT;
  return {.code = is_missing ? Errc::NotFound : Errc::Unavailable,
          .message = "cannot be run: " + describe_errno(error_number),
          .where = printable(program)};
}

}  // namespace

void fill_standard_streams() {
  for (int number = 0; number <= kStandardError; ++number) {
    if (::fcntl(number, F_GETFD) < 0) (void)::open("/dev/null", O_RDWR);
  }
}

Result<Spawned> spawn(const SpawnRequest& request) {
  Plan plan;
  plan.reset_signals();
  HORUS_TRY(Pipe steps, make_pipe());
  HORUS_TRY(Pipe output, request.with_pipes ? make_pipe() : Pipe{});
  HORUS_TRY(Pipe error, request.with_pipes ? make_pipe() : Pipe{});
  plan.give(steps.writer.number(), steps.writer.number());
  if (request.with_pipes) {
    plan.give(output.writer.number(), kStandardOutput);
    plan.give(error.writer.number(), kStandardError);
  }
  std::vector<std::string> words = request.command;
  std::vector<std::string> variables =
      environment_with(fmt::format("{}={}", request.step_variable, steps.writer.number()),
                       request.environment_defaults);
  pid_t pid = 0;
  const int code = ::posix_spawnp(&pid, words.front().c_str(), &plan.actions, &plan.attributes,
                                  pointers_to(words).data(), pointers_to(variables).data());
  if (code != 0) return tl::make_unexpected(cannot_run(request.command.front(), code));
  return Spawned{pid, std::move(output.reader), std::move(error.reader), std::move(steps.reader)};
}

}  // namespace horus::os
