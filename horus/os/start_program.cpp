// SPDX-License-Identifier: Apache-2.0
#include "horus/os/start_program.hpp"

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include "horus/base/check.hpp"
#include "horus/base/text.hpp"

namespace horus::os {
namespace {

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

  void give(GivenDescriptor given) {
    ::posix_spawn_file_actions_adddup2(&actions, given.number, given.as);
  }

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

}  // namespace

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(Errc::Unavailable, "cannot make a pipe: " + describe_errno(errno));
  }
  return Pipe{Descriptor{ends[0]}, Descriptor{ends[1]}};
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

Result<int> start_program(std::vector<std::string> command, char* const* environment,
                          std::span<const GivenDescriptor> given) {
  HORUS_CHECK(!command.empty(), "a program has a name");
  Plan plan;
  plan.reset_signals();
  for (const GivenDescriptor& descriptor : given) plan.give(descriptor);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, command.front().c_str(), &plan.actions, &plan.attributes,
                                   pointers_to(command).data(), environment);
  if (error == 0) return pid;
  return fail(error == ENOENT ? Errc::NotFound : Errc::Unavailable,
              "cannot be run: " + describe_errno(error), printable(command.front()));
}

}  // namespace horus::os
