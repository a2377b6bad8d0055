// SPDX-License-Identifier: Apache-2.0
#include "horus/os/spawn.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "horus/os/start_program.hpp"

namespace horus::os {
namespace {

/// A pipe of whose reader we take what is there.
Result<Pipe> make_output_pipe() {
  HORUS_TRY(Pipe pipe, make_pipe());
  ::fcntl(pipe.reader.number(), F_SETFL, O_NONBLOCK);
  return pipe;
}

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

}  // namespace

void fill_standard_streams() {
  for (int number = 0; number <= kStandardError; ++number) {
    if (::fcntl(number, F_GETFD) < 0) (void)::open("/dev/null", O_RDWR);
  }
}

Result<Spawned> spawn(const SpawnRequest& request) {
  HORUS_TRY(Pipe steps, make_output_pipe());
  HORUS_TRY(Pipe output, request.with_pipes ? make_output_pipe() : Pipe{});
  HORUS_TRY(Pipe error, request.with_pipes ? make_output_pipe() : Pipe{});
  std::vector<GivenDescriptor> given{{steps.writer.number(), steps.writer.number()}};
  if (request.with_pipes) {
    given.push_back({output.writer.number(), kStandardOutput});
    given.push_back({error.writer.number(), kStandardError});
  }
  std::vector<std::string> variables =
      environment_with(fmt::format("{}={}", request.step_variable, steps.writer.number()),
                       request.environment_defaults);
  HORUS_TRY(const int pid, start_program(request.command, pointers_to(variables).data(), given));
  return Spawned{pid, std::move(output.reader), std::move(error.reader), std::move(steps.reader)};
}

}  // namespace horus::os
