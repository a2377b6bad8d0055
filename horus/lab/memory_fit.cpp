// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/memory_fit.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "horus/lab/conformal.hpp"
#include "horus/lab/map_fit.hpp"
#include "horus/predict/constants.hpp"

namespace horus::lab {
namespace {

using predict::MemoryConstants;

/// What one peak is expected to be off by, of its logarithm: the caching allocator hands out
/// segments of 2 to 20 MiB and splits them as it happens.
constexpr double kPeakSigma = 0.05;
/// Beyond this many of them errors count by their size: libraries choose some workspaces of many
/// GiB, and some records are of runs that failed.
constexpr double kOutlier = 0.5;
/// Spread of the context between versions of CUDA and framework, of its logarithm.
constexpr double kContextSigma = predict::kSigmaContext;
/// Families held out at once, and the fewest jobs whose errors say anything about a bound of 95 %:
/// below 19 the bound would be the largest error seen.
constexpr std::size_t kFolds = 8;
constexpr std::size_t kJobsForBound = 40;

constexpr double kBytesPerMib = 1024.0 * 1024.0;

double measured_bytes(const Sample& sample) {
  return *sample.row->measured.memory_mib * kBytesPerMib;
}

/// Its records count tensors alone, as another framework keeps them: nothing of contexts,
/// workspaces and what PyTorch keeps.
constexpr std::string_view kTensorsAlone = "tensorflow-tensors";

bool teaches(const Sample& sample) {
  const Measured& measured = sample.row->measured;
  return measured.memory_mib && *measured.memory_mib > 0 && !measured.out_of_memory &&
         sample.row->framework != kTensorsAlone;
}

class MemoryProblem {
 public:
  MemoryProblem(std::span<const Sample* const> samples, const MemoryConstants& start,
                MemoryMoves moves)
      : samples_{samples} {
    base_.memory = start;
    for (const predict::ConstantRow& row : predict::constant_rows()) {
      const bool is_fitted = moves == MemoryMoves::Everything && row.sigma > 0;
      if (!is_fitted || !row.name.starts_with("memory.")) continue;
      rows_.push_back(&row);
      parameters_.push_back({row.of(base_), row.sigma, row.least, row.most});
    }
    for (const Sample* sample : samples) site_of_.push_back(site_of(*sample));
  }

  /// `nearby`: a fit of nearly the same samples, where the search begins, or null.
  MemoryFit solve(const MemoryFit* nearby) {
    FitOptions options{.outlier = kOutlier};
    if (nearby != nullptr) options.start = values_of(*nearby);
    const MapFit found = map_fit(
        parameters_, samples_.size(),
        [this](std::span<const double> v, std::span<double> r) { fill(v, r); }, options);
    MemoryFit fit{.constants = common(found.values), .sites = sites_};
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      fit.sites[i].context = predict::to_bytes(found.values[rows_.size() + i]);
    }
    std::ranges::sort(fit.sites, [](const MemorySite& a, const MemorySite& b) {
      return std::tie(a.gpu, a.framework) < std::tie(b.gpu, b.framework);
    });
    return fit;
  }

 private:
  std::size_t site_of(const Sample& sample) {
    const Row& row = *sample.row;
    const auto found = std::ranges::find_if(sites_, [&](const MemorySite& site) {
      return site.gpu == row.gpu && site.framework == row.framework;
    });
    if (found != sites_.end()) {
      ++found->jobs;
      return static_cast<std::size_t>(found - sites_.begin());
    }
    sites_.push_back({.gpu = row.gpu, .framework = row.framework, .jobs = 1});
    parameters_.push_back({sample.parts.context, kContextSigma, 1e6, 1e10});
    return sites_.size() - 1;
  }

  /// What `fit` found, in the order of the parameters; priors for sites that it does not know.
  [[nodiscard]] std::vector<double> values_of(const MemoryFit& fit) const {
    predict::Constants constants;
    constants.memory = fit.constants;
    std::vector<double> values;
    for (const predict::ConstantRow* row : rows_) values.push_back(row->of(constants));
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      const double context = fit.at(sites_[i].gpu, sites_[i].framework).context_bytes;
      values.push_back(context > 0 ? context : parameters_[rows_.size() + i].prior);
    }
    return values;
  }

  [[nodiscard]] MemoryConstants common(std::span<const double> values) const {
    predict::Constants constants = base_;
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i]->of(constants) = values[i];
    return constants.memory;
  }

  void fill(std::span<const double> values, std::span<double> residuals) const {
    MemoryConstants constants = common(values);
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      constants.context_bytes = values[rows_.size() + site_of_[i]];
      const double expected = predict::expected_bytes(samples_[i]->parts, constants);
      residuals[i] = std::log(expected / measured_bytes(*samples_[i])) / kPeakSigma;
    }
  }

  std::span<const Sample* const> samples_;
  predict::Constants base_;
  std::vector<const predict::ConstantRow*> rows_;
  std::vector<FitParameter> parameters_;  // Rows, then contexts of sites.
  std::vector<MemorySite> sites_;
  std::vector<std::size_t> site_of_;  // Per sample.
};

std::vector<const Sample*> chosen(std::span<const Sample* const> samples,
                                  std::span<const std::size_t> indices) {
  std::vector<const Sample*> out;
  out.reserve(indices.size());
  for (const std::size_t i : indices) out.push_back(samples[i]);
  return out;
}

/// ln(measured / expected) per memory_doubt() of every sample, its family held out. `whole` is the
/// fit of all samples.
std::vector<double> residuals_of(std::span<const Sample* const> samples,
                                 const MemoryConstants& start, MemoryMoves moves,
                                 const MemoryFit& whole) {
  std::vector<std::string_view> families;
  for (const Sample* sample : samples) families.push_back(sample->row->family);
  return grouped_residuals(families, kFolds, [&](auto training, auto held_out) {
    const std::vector<const Sample*> known = chosen(samples, training);
    const MemoryFit fit = MemoryProblem{known, start, moves}.solve(&whole);
    std::vector<double> errors;
    for (const std::size_t i : held_out) {
      const MemoryConstants at = fit.at(samples[i]->row->gpu, samples[i]->row->framework);
      const double expected = predict::expected_bytes(samples[i]->parts, at);
      const double doubt = predict::memory_doubt(samples[i]->parts, at);
      errors.push_back(std::log(measured_bytes(*samples[i]) / expected) / doubt);
    }
    return errors;
  });
}

void add_bounds(std::span<const Sample* const> samples, const MemoryConstants& start,
                MemoryMoves moves, MemoryFit& fit) {
  const std::vector<double> residuals = residuals_of(samples, start, moves, fit);
  MemoryConstants& constants = fit.constants;
  constants.low_factor = std::min(1.0, std::exp(conformal_quantile(residuals, 0.10)));
  constants.high_factor = std::max(1.0, std::exp(conformal_quantile(residuals, 0.90)));
  constants.bound_factor = std::max(1.0, std::exp(conformal_quantile(residuals, 0.95)));
}

}  // namespace

MemoryConstants MemoryFit::at(std::string_view gpu, std::string_view framework) const {
  MemoryConstants out = constants;
  const auto found = std::ranges::find_if(sites, [&](const MemorySite& site) {
    return site.gpu == gpu && site.framework == framework;
  });
  if (found != sites.end()) out.context_bytes = as_double(found->context);
  return out;
}

MemoryFit fit_memory(std::span<const Sample* const> samples, const MemoryConstants& start,
                     MemoryMoves moves, const MemoryFit* nearby) {
  std::vector<const Sample*> measured;
  for (const Sample* sample : samples) {
    if (teaches(*sample)) measured.push_back(sample);
  }
  if (measured.empty()) return {.constants = start};
  MemoryFit fit = MemoryProblem{measured, start, moves}.solve(nearby);
  if (measured.size() >= kJobsForBound) add_bounds(measured, start, moves, fit);
  return fit;
}

}  // namespace horus::lab
