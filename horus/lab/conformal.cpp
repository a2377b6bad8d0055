// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/conformal.hpp"

#include <algorithm>
#include <cmath>

#include "horus/base/check.hpp"

namespace horus::lab {

std::vector<double> grouped_residuals(std::span<const std::string_view> groups,
                                      std::size_t folds_max, const HeldOutResiduals& residuals) {
  HORUS_CHECK(folds_max >= 2, "something must be left to fit on");
  std::vector<std::string_view> names{groups.begin(), groups.end()};
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::size_t folds = std::min(folds_max, names.size());
  std::vector<double> found(groups.size());
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<std::size_t> training;
    std::vector<std::size_t> held_out;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const auto place = std::ranges::lower_bound(names, groups[i]) - names.begin();
      const bool is_held_out = static_cast<std::size_t>(place) % folds == fold;
      (is_held_out ? held_out : training).push_back(i);
    }
    if (training.empty()) training = held_out;
    const std::vector<double> errors = residuals(training, held_out);
    HORUS_CHECK(errors.size() == held_out.size(), "one residual per held-out sample");
    for (std::size_t i = 0; i < held_out.size(); ++i) found[held_out[i]] = errors[i];
  }
  return found;
}

double conformal_quantile(std::vector<double> residuals, double level) {
  HORUS_CHECK(!residuals.empty() && level > 0 && level < 1, "a quantile of something");
  const double rank = std::ceil((static_cast<double>(residuals.size()) + 1) * level);
  const auto place = std::min(static_cast<std::size_t>(rank), residuals.size()) - 1;
  std::ranges::nth_element(residuals, residuals.begin() + static_cast<std::ptrdiff_t>(place));
  return residuals[place];
}

}  // namespace horus::lab
