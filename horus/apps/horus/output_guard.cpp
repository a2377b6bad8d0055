// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/output_guard.hpp"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "horus/base/text.hpp"

namespace horus::apps {
namespace {

namespace fs = std::filesystem;

/// Whether both names lead to one regular file; devices may be written as often as one likes.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::exists(a, error)) {
    return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
  }
  return fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error);
}

}  // namespace

Result<Done> check_outputs(std::span<const NamedOutput> outputs,
                           std::span<const std::string> inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const NamedOutput& output = outputs[i];
    if (output.path.empty()) continue;
    for (const std::string& input : inputs) {
      if (input.empty() || !is_same_file(output.path, input)) continue;
      return fail(Errc::InvalidArgument,
                  fmt::format("{} is read by this command and would be lost: name another file",
                              printable(output.path)),
                  std::string{output.option});
    }
    for (const NamedOutput& other : outputs.first(i)) {
      if (other.path.empty() || !is_same_file(output.path, other.path)) continue;
      return fail(Errc::InvalidArgument,
                  fmt::format("{} is written by {}, too", printable(output.path), other.option),
                  std::string{output.option});
    }
  }
  return Done{};
}

}  // namespace horus::apps
