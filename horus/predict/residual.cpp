// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/residual.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "horus/base/check.hpp"
#include "horus/base/text.hpp"

namespace horus::predict {
namespace {

constexpr std::array kTargets{ResidualTarget::Utilization, ResidualTarget::StepTime};

std::optional<ResidualTarget> target_of(std::string_view name) {
  for (const ResidualTarget target : kTargets) {
    if (name_of(target) == name) return target;
  }
  return std::nullopt;
}

float leaf_of(const Tree& tree, std::span<const float> inputs) {
  const TreeNode* node = tree.data();
  while (node->input >= 0) {
    const bool is_below = inputs[static_cast<std::size_t>(node->input)] < node->value;
    node = &tree[static_cast<std::size_t>(is_below ? node->below : node->above)];
  }
  return node->value;
}

Result<Done> check_widths(const ResidualTable& table) {
  const std::size_t inputs = table.inputs.size();
  if (table.scales.size() != inputs) {
    return fail(Errc::Corrupt,
                fmt::format("found {} numbers, expected one for each of the {} inputs",
                            table.scales.size(), inputs),
                "scales");
  }
  for (std::size_t i = 0; i < table.known.size(); ++i) {
    if (table.known[i].size() == inputs) continue;
    return fail(Errc::Corrupt,
                fmt::format("found {} numbers, expected one for each of the {} inputs",
                            table.known[i].size(), inputs),
                fmt::format("known[{}]", i));
  }
  return Done{};
}

Result<Done> check_trees(const ResidualTable& table) {
  for (std::size_t i = 0; i < table.trees.size(); ++i) {
    auto checked = check_tree(table.trees[i], table.inputs.size());
    if (checked) continue;
    checked.error().where = fmt::format("trees[{}].{}", i, checked.error().where);
    return checked;
  }
  return Done{};
}

}  // namespace

std::string_view name_of(ResidualTarget target) {
  return target == ResidualTarget::Utilization ? "utilization" : "step_time";
}

bool fit_single(std::span<const double> numbers) {
  constexpr double kMost = 1e30;  // of 3.4e38 that a float holds
  return std::ranges::all_of(numbers, [](double x) { return std::abs(x) <= kMost; });
}

double sum_of_trees(std::span<const Tree> trees, std::span<const float> inputs) {
  double sum = 0;
  for (const Tree& tree : trees) sum += static_cast<double>(leaf_of(tree, inputs));
  return sum;
}

Result<Done> check_tree(const Tree& tree, std::size_t inputs) {
  const auto nodes = static_cast<std::int64_t>(tree.size());
  if (nodes == 0) return fail(Errc::Corrupt, "has no nodes, expected a root", "node[0]");
  for (std::int64_t i = 0; i < nodes; ++i) {
    const TreeNode& node = tree[static_cast<std::size_t>(i)];
    const std::string where = fmt::format("node[{}]", i);
    if (!std::isfinite(node.value)) return fail(Errc::Corrupt, "its value is not finite", where);
    if (node.input < 0) continue;
    if (static_cast<std::size_t>(node.input) >= inputs) {
      return fail(Errc::Corrupt, fmt::format("reads input {} of {}", node.input, inputs), where);
    }
    // Children behind their parent: every path ends.
    const bool leads_on =
        node.below > i && node.above > i && node.below < nodes && node.above < nodes;
    if (!leads_on) {
      return fail(Errc::Corrupt,
                  fmt::format("leads to nodes {} and {}, expected nodes from {} to {}", node.below,
                              node.above, i + 1, nodes - 1),
                  where);
    }
  }
  return Done{};
}

double novelty(std::span<const double> inputs, std::span<const std::vector<double>> known,
               std::span<const double> scales) {
  const auto counted = std::ranges::count_if(scales, [](double scale) { return scale > 0; });
  if (counted == 0) return 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& row : known) {
    double sum = 0;
    for (std::size_t i = 0; i < scales.size() && sum < nearest; ++i) {
      if (scales[i] <= 0) continue;
      const double apart = (inputs[i] - row[i]) / scales[i];
      sum += apart * apart;
    }
    nearest = std::min(nearest, sum);
  }
  return std::sqrt(nearest / static_cast<double>(counted));
}

double share_at(double distance, double near, double far) {
  if (distance <= near) return 1;
  if (!(distance < far)) return 0;
  return (far - distance) / (far - near);
}

Result<Residual> Residual::make(ResidualTable table) {
  const auto target = target_of(table.target);
  if (!target) {
    return fail(
        Errc::Unsupported,
        fmt::format("found '{}', expected utilization or step_time", printable(table.target)),
        "target");
  }
  if (!(table.limit > 0 && table.limit <= limit_of(*target))) {
    return fail(Errc::Unsupported,
                fmt::format("found {}, expected a number above 0 and at most {:.4f}", table.limit,
                            limit_of(*target)),
                "limit");
  }
  if (!(table.near >= 0 && table.far >= table.near)) {
    return fail(
        Errc::Corrupt,
        fmt::format("found {}, expected at least {}, the end of 'near'", table.far, table.near),
        "far");
  }
  HORUS_TRY_DONE(check_widths(table));
  HORUS_TRY_DONE(check_trees(table));
  return Residual{*target, std::move(table)};
}

Interval corrected_utilization(const Interval& utilization, double correction) {
  // Not logit(), which forgets how near to 0 or 1 a share is.
  const double odds = std::exp(correction);
  const auto moved = [odds](double share) { return share * odds / (1 - share + share * odds); };
  return {moved(utilization.expected), moved(utilization.low), moved(utilization.high)};
}

Interval followed(const Interval& used, const Interval& before, const Interval& after) {
  const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0.0; };
  return {after.expected * share(used.expected, before.expected),
          after.low * share(used.low, before.low), after.high * share(used.high, before.high)};
}

Interval corrected_seconds(const Interval& seconds, double correction) {
  const double factor = std::exp(correction);
  return {seconds.expected * factor, seconds.low * factor, seconds.high * factor};
}

double Residual::correction(std::span<const double> inputs) const {
  HORUS_CHECK(inputs.size() == table_.inputs.size(), "callers compute the inputs of the table");
  if (!fit_single(inputs)) return 0;
  const double share =
      share_at(novelty(inputs, table_.known, table_.scales), table_.near, table_.far);
  if (share == 0) return 0;
  std::vector<float> single(inputs.size());
  std::ranges::transform(inputs, single.begin(), [](double x) { return static_cast<float>(x); });
  const double sum = table_.base + sum_of_trees(table_.trees, single);
  return share * std::clamp(sum, -table_.limit, table_.limit);
}

}  // namespace horus::predict
