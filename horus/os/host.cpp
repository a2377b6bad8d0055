// SPDX-License-Identifier: Apache-2.0
#include "horus/os/host.hpp"

#include <array>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "horus/base/text.hpp"
#include "horus/os/descriptor.hpp"

namespace horus::os {
namespace {

/// The beginning of a file of /proc, whose size the kernel does not tell; "" where there is none.
std::string proc_text(const std::string& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  std::array<char, 4096> text{};
  const ssize_t count = file.number() < 0 ? 0 : ::read(file.number(), text.data(), text.size());
  return {text.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
}

/// The fourth field of /proc/PID/stat. The second, a name, may hold blanks and brackets.
std::optional<std::int64_t> parent_of(std::int64_t pid) {
  const std::string text = proc_text(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  const auto fields = split(std::string_view{text}.substr(name_end + 1), ' ');
  return fields.size() < 3 ? std::nullopt : parse_integer(fields[2]);
}

}  // namespace

std::optional<std::string> cpu_name() {
  const std::string text = proc_text("/proc/cpuinfo");
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || trim(line.substr(0, colon)) != "model name") continue;
    return std::string{trim(line.substr(colon + 1))};
  }
  return std::nullopt;
}

std::int64_t usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return ::sysconf(_SC_NPROCESSORS_ONLN);
}

std::string random_id() {
  std::array<unsigned char, 16> bytes{};
  // So few bytes come at once or, before the machine has gathered any chance, after a wait.
  while (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
  }
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

bool sees_all_processes() {
  // The number of the first name space is fixed in the kernel (PROC_PID_INIT_INO).
  constexpr ino_t kFirstPidSpace = 0xeffffffcU;
  struct stat status {};
  return ::stat("/proc/self/ns/pid", &status) == 0 && status.st_ino == kFirstPidSpace;
}

std::int64_t own_pid() { return ::getpid(); }

std::optional<std::string> process_name(std::int64_t pid) {
  const std::string text = proc_text(fmt::format("/proc/{}/comm", pid));
  if (text.empty()) return std::nullopt;
  return std::string{trim(text)};
}

bool descends_from(std::int64_t pid, std::int64_t root) {
  constexpr int kGenerationsMax = 1000;  // Numbers are reused: parents could seem to form a ring.
  for (int i = 0; i < kGenerationsMax && pid > 1; ++i) {
    if (pid == root) return true;
    const auto parent = parent_of(pid);
    if (!parent) return false;
    pid = *parent;
  }
  return false;
}

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

}  // namespace horus::os
