// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a policy introduces itself. Its header defines one row; policies.cpp lists the rows.

#include <memory>
#include <string_view>

#include "horus/sched/policy.hpp"

namespace horus::sched {

struct PolicyRow {
  std::string_view name;
  std::string_view rule;  ///< What it does, in one line for a person.
  std::unique_ptr<Policy> (*make)(const PolicyOptions&);
};

}  // namespace horus::sched
