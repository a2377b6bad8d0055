// SPDX-License-Identifier: Apache-2.0
#include "horus/os/program.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "horus/os/descriptor.hpp"
#include "horus/os/start_program.hpp"

namespace horus::os {
namespace {

/// Why exec returned.
Error cannot_run(std::string program) {
  return {.code = Errc::Unavailable,
          .message = "cannot be run: " + describe_errno(errno),
          .where = std::move(program)};
}

}  // namespace

Error become_sibling(const std::string& name, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<char*> pointers = pointers_to(words);
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    const std::string beside = (self.parent_path() / name).string();
    ::execv(beside.c_str(), pointers.data());
    if (errno != ENOENT) return cannot_run(beside);
  }
  ::execvp(name.c_str(), pointers.data());
  if (errno != ENOENT) return cannot_run(name);
  return {.code = Errc::NotFound,
          .message =
              "this program is neither beside horus nor in PATH; it is built and installed "
              "with horus, so copy it there too",
          .where = name};
}

void exit_now(int code) { ::_exit(code); }

}  // namespace horus::os
