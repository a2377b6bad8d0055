// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/folds.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "horus/base/check.hpp"

namespace horus::lab {
namespace {

/// A random order, by Fisher and Yates.
void shuffle(std::vector<std::size_t>& items, Rng& rng) {
  for (std::size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[rng.below(left)]);
  }
}

std::vector<std::size_t> counted_to(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

/// One fold per number in `fold_of`: its judged samples are tested, samples of other folds train.
/// Folds without a judged sample are left out.
std::vector<Fold> folds_of(std::span<const std::size_t> fold_of, std::size_t judged,
                           std::size_t folds) {
  std::vector<Fold> out(folds);
  for (std::size_t sample = 0; sample < fold_of.size(); ++sample) {
    for (std::size_t fold = 0; fold < folds; ++fold) {
      if (fold_of[sample] != fold) {
        out[fold].train.push_back(sample);
      } else if (sample < judged) {
        out[fold].test.push_back(sample);
      }
    }
  }
  std::erase_if(out, [](const Fold& fold) { return fold.test.empty(); });
  return out;
}

}  // namespace

std::vector<Fold> leave_groups_out(std::span<const std::string> keys, std::size_t judged,
                                   const FoldLimit& limit) {
  HORUS_CHECK(judged <= keys.size(), "every judged sample has a key");
  HORUS_CHECK(limit.folds_max >= 2, "a fold needs others to train on");
  std::map<std::string_view, std::size_t> groups;
  for (std::size_t i = 0; i < judged; ++i) groups.emplace(keys[i], 0);
  std::vector<std::size_t> seats = counted_to(groups.size());
  const std::size_t folds = std::min(groups.size(), limit.folds_max);
  if (groups.size() > folds) {
    Rng rng = Rng{limit.seed};
    shuffle(seats, rng);
  }
  std::size_t next = 0;
  for (auto& [key, fold] : groups) fold = seats[next++] % folds;
  std::vector<std::size_t> fold_of;
  for (const std::string& key : keys) {
    const auto found = groups.find(key);
    fold_of.push_back(found == groups.end() ? folds : found->second);
  }
  return folds_of(fold_of, judged, folds);
}

std::vector<Fold> random_folds(std::size_t count, std::size_t judged, std::size_t folds,
                               std::uint64_t seed) {
  HORUS_CHECK(judged <= count, "the judged samples are the first of all");
  HORUS_CHECK(folds >= 2, "a fold needs others to train on");
  Rng rng{seed};
  std::vector<std::size_t> order = counted_to(judged);
  shuffle(order, rng);
  std::vector<std::size_t> fold_of(count, folds);
  for (std::size_t i = 0; i < judged; ++i) fold_of[order[i]] = i % folds;
  return folds_of(fold_of, judged, folds);
}

std::vector<std::size_t> draw_some(std::span<const std::size_t> from, std::size_t count, Rng rng) {
  std::vector<std::size_t> items(from.begin(), from.end());
  shuffle(items, rng);
  items.resize(std::min(count, items.size()));
  std::ranges::sort(items);
  return items;
}

std::string group_key(std::string_view name) {
  std::string key;
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_kept = is_upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_kept) key += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return key;
}

}  // namespace horus::lab
