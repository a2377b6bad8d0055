// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which architectures of the zoo a command means, and what they cost.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/wire/reports.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::apps {

/// True for names with "*" (any letters) or "?" (one letter): they select, they do not name.
[[nodiscard]] bool is_pattern(std::string_view name);

/// True when `pattern` stands for the whole of `name`. Cost: O(|pattern| x |name|).
[[nodiscard]] bool matches(std::string_view pattern, std::string_view name);

/// The families of the zoo, each once, in order of name.
[[nodiscard]] std::vector<std::string> zoo_families();

/// The architectures of `family` (empty: of all) whose names match `pattern` (empty: all).
/// Errors: InvalidArgument for an unknown family, or when nothing is left.
[[nodiscard]] Result<std::vector<wire::ZooRow>> select_architectures(const std::string& family,
                                                                     const std::string& pattern);

/// The architecture with what one sample costs at the sizes of `options`, whose batch must be 1.
/// Errors: InvalidArgument for an unknown name or a size that does not fit.
[[nodiscard]] Result<wire::ZooRow> costed_architecture(const std::string& name,
                                                       const zoo::BuildOptions& options);

/// Builds and analyses each at its default size with a batch of 1 and fills in its costs.
/// `progress` is called with the share done.
[[nodiscard]] Result<Done> add_costs(std::vector<wire::ZooRow>& rows,
                                     const std::function<void(double)>& progress);

}  // namespace horus::apps
