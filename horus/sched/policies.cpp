// SPDX-License-Identifier: Apache-2.0
// The list of policies: one row each, in the order in which they are compared.

#include <array>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/sched/policies/fifo.hpp"
#include "horus/sched/policies/fifo_skip.hpp"
#include "horus/sched/policies/horus.hpp"
#include "horus/sched/policies/horus_plus.hpp"
#include "horus/sched/policies/pack_blind.hpp"
#include "horus/sched/policy.hpp"

namespace horus::sched {
namespace {

constexpr std::array kRows = {kFifo, kFifoSkip, kPackBlind, kHorus, kHorusPlus};

}  // namespace

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const PolicyRow& row : kRows) names.emplace_back(row.name);
  return names;
}

std::vector<PolicyRule> policy_rules() {
  std::vector<PolicyRule> rules;
  for (const PolicyRow& row : kRows) rules.push_back({.name = row.name, .rule = row.rule});
  return rules;
}

Result<std::unique_ptr<Policy>> make_policy(std::string_view name, const PolicyOptions& options) {
  for (const PolicyRow& row : kRows) {
    if (row.name == name) return row.make(options);
  }
  const auto names = policy_names();
  return fail(Errc::NotFound,
              fmt::format("no policy is called '{}': expected one of {}.{}", printable(name),
                          fmt::join(names, ", "), did_you_mean(name, names)));
}

}  // namespace horus::sched
