// SPDX-License-Identifier: Apache-2.0
#include "horus/os/supervisor.hpp"

#include <csignal>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "horus/os/host.hpp"

namespace horus::os {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// What a command wrote to each stream, and how it ended.
struct Seen {
  ProgramEnd end;
  std::map<Stream, std::string> bytes;
};

Seen run_shell(const std::string& script) {
  const auto inbox = SignalInbox::open();
  auto program = spawn({.command = {"sh", "-c", script},
                        .with_pipes = true,
                        .step_variable = "STEP_FD",
                        .environment_defaults = {"HORUS_TEST_DEFAULT=given", "PATH=never"}});
  Seen seen;
  seen.end =
      supervise(std::move(program.value()), inbox.value(),
                [&seen](Stream stream, std::string_view bytes) { seen.bytes[stream] += bytes; });
  return seen;
}

TEST(Supervise, TellsExitCodesFromSignals) {
  const Seen exited = run_shell("exit 3");
  EXPECT_EQ(exited.end.exit_code, 3);
  EXPECT_FALSE(exited.end.signal);
  const Seen killed = run_shell("kill -KILL $$");
  EXPECT_FALSE(killed.end.exit_code);
  EXPECT_EQ(killed.end.signal, SIGKILL);
}

TEST(Supervise, KeepsStreamsApartAndReadsThemToTheEnd) {
  const Seen seen = run_shell("echo a; echo b >&2; echo c >&$STEP_FD; echo d");
  EXPECT_EQ(seen.bytes.at(Stream::Output), "a\nd\n");
  EXPECT_EQ(seen.bytes.at(Stream::Error), "b\n");
  EXPECT_EQ(seen.bytes.at(Stream::Steps), "c\n");
  EXPECT_TRUE(seen.end.notes.empty());
}

TEST(Supervise, LeavesTheProgramItsSignals) {
  // No signal is blocked, and SIGPIPE ends a writer as ever.
  const Seen seen = run_shell("grep SigBlk /proc/self/status; yes | head -n 1 >/dev/null");
  EXPECT_THAT(seen.bytes.at(Stream::Output), HasSubstr("0000000000000000"));
  EXPECT_EQ(seen.end.exit_code, 0);
}

TEST(Spawn, SetsDefaultsOfTheEnvironmentOnly) {
  const Seen seen = run_shell("echo $HORUS_TEST_DEFAULT; echo $PATH");
  EXPECT_THAT(seen.bytes.at(Stream::Output), StartsWith("given\n"));
  EXPECT_EQ(seen.bytes.at(Stream::Output).find("never"), std::string::npos);
}

TEST(Spawn, TellsMissingFromForbidden) {
  const auto missing = spawn({.command = {"no-such-program"}, .step_variable = "X"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::NotFound);
  const auto folder = spawn({.command = {"/tmp"}, .step_variable = "X"});
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, Errc::Unavailable);
}

TEST(WatchProcess, EndsWithTheProcessOrTheTime) {
  const auto inbox = SignalInbox::open();
  const pid_t child = ::fork();
  if (child == 0) {
    ::usleep(20'000);
    ::_exit(0);
  }
  EXPECT_TRUE(watch_process(child, std::nullopt, inbox.value()));
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(watch_process(::getpid(), from_seconds(0.01), inbox.value()));
  const auto missing = watch_process(999'999'999, std::nullopt, inbox.value());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::NotFound);
}

TEST(Host, KnowsWhoDescendsFromWhom) {
  const std::int64_t self = own_pid();
  EXPECT_TRUE(descends_from(self, self));
  EXPECT_TRUE(descends_from(self, ::getppid()));
  EXPECT_FALSE(descends_from(::getppid(), self));
  EXPECT_FALSE(descends_from(999'999'999, self));
  EXPECT_FALSE(descends_from(0, self));
}

TEST(Host, DescribesThisMachine) {
  EXPECT_GE(usable_cores(), 1);
  EXPECT_EQ(random_id().size(), 32U);
  EXPECT_NE(random_id(), random_id());
  EXPECT_THAT(process_name(own_pid()).value(), StartsWith("horus_os_test"));
  EXPECT_FALSE(process_name(999'999'999));
}

}  // namespace
}  // namespace horus::os
