// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ways to hold data out: what a fit sees, and what it is judged on.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/rng.hpp"

namespace horus::lab {

/// Samples by index, ascending; no index is in both.
struct Fold {
  std::vector<std::size_t> train;
  std::vector<std::size_t> test;
};

/// How many fits a protocol may cost.
struct FoldLimit {
  std::size_t folds_max{100};
  std::uint64_t seed{1};
};

/// Holds out each group of equal keys once, groups in order of their keys. Only the first `judged`
/// samples are tested; the others train, as long as their group is not held out.
///   More groups than the limit are dealt at random into as many folds, whole groups at a time:
///   what
/// is then held out at once is more than one group, never less.
[[nodiscard]] std::vector<Fold> leave_groups_out(std::span<const std::string> keys,
                                                 std::size_t judged, const FoldLimit& limit = {});

/// Deals the first `judged` of `count` samples at random into `folds`; the others always train.
/// Samples of one group land on both sides: what this measures is not the error of new groups.
[[nodiscard]] std::vector<Fold> random_folds(std::size_t count, std::size_t judged,
                                             std::size_t folds, std::uint64_t seed);

/// `count` of `from` without replacement (all where there are fewer), ascending.
[[nodiscard]] std::vector<std::size_t> draw_some(std::span<const std::size_t> from,
                                                 std::size_t count, Rng rng);

/// A name without what spellings differ in: lower case, letters and digits only. "ResNet-50" of one
/// data set and "resnet50" of another are one group.
[[nodiscard]] std::string group_key(std::string_view name);

}  // namespace horus::lab
