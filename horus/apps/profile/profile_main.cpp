// SPDX-License-Identifier: Apache-2.0
// horus-profile: runs a training job, watches its GPUs, and appends one record to a file. A program
// of its own, because it goes to machines that have none of the libraries of Horus.
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "horus/apps/profile/profile_run.hpp"
#include "horus/os/descriptor.hpp"

namespace {

constexpr const char* kVersion = "horus-profile 0.1.0\n";

int print(std::string_view text) {
  const auto printed = horus::os::write_all(horus::os::kStandardOutput, text, "standard output");
  if (printed) return 0;
  horus::apps::report_error(printed.error());
  return 1;
}

int run(const std::vector<std::string>& words) {
  using Action = horus::record::ProfileOptions::Action;
  const auto options = horus::record::parse_profile_options(words);
  if (!options) {
    horus::apps::report_error(options.error());
    return horus::apps::kUsageError;
  }
  if (options->action == Action::Help) return print(horus::record::profile_help());
  if (options->action == Action::Version) return print(kVersion);
  return horus::apps::profile(*options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::exception& error) {  // no memory, no thread: say it, never crash
    horus::apps::report_error(
        {.code = horus::Errc::Unavailable, .message = error.what(), .where = {}});
    return horus::apps::kNoRecord;
  }
}
