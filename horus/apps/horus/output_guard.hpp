// SPDX-License-Identifier: Apache-2.0
#pragma once
// No output replaces what it was made from, nor another output.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"

namespace horus::apps {

/// A file to be written, and the option that names it.
struct NamedOutput {
  std::string_view option;
  std::string path;  ///< "": not asked for.
};

/// Errors: InvalidArgument where an output is one of `inputs` (files or folders; under whatever
/// name, also by links), or two outputs are one.
[[nodiscard]] Result<Done> check_outputs(std::span<const NamedOutput> outputs,
                                         std::span<const std::string> inputs);

}  // namespace horus::apps
