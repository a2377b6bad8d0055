// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/time_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "horus/base/check.hpp"
#include "horus/domain/gpu.hpp"
#include "horus/lab/map_fit.hpp"
#include "horus/predict/constants.hpp"
#include "horus/predict/roofline.hpp"
#include "horus/predict/step_time.hpp"

namespace horus::lab {
namespace {

using predict::TimeConstants;

/// What one observation is expected to be off by, of its logarithm: kernels of one class differ by
/// that much between shapes and library versions.
constexpr double kStepSigma = 0.10;
constexpr double kUtilizationSigma = 0.10;

/// Rows of one site err alike: however many there are, they tell no more than so many independent
/// ones.
constexpr double kJobsThatTell = 200;
constexpr std::size_t kRowsThatCount = 600;

/// Spreads of what differs between sites.
constexpr double kGpuFactorSigma = 0.15;
constexpr double kHostFactorSigma = 0.70;
constexpr double kLoopFactorSigma = 0.70;
/// An input pipeline of which nothing is stated: 10 us a sample and 1 ns an element, within a
/// factor of five.
constexpr double kLoaderSample = 10e-6;
constexpr double kLoaderElement = 1e-9;
constexpr double kLoaderSigma = 1.6;

/// Utilization on the scale of its errors: one percentage point is the resolution of NVML.
double log_percent(double utilization) { return std::log1p(100 * utilization); }

bool is_judged(const Sample& sample) {
  const Measured& measured = sample.row->measured;
  return measured.step_s.has_value() || measured.utilization.has_value();
}

/// Index of `key` in `keys`, appended where it is new.
std::size_t index_in(std::vector<std::string>& keys, const std::string& key) {
  const auto found = std::ranges::find(keys, key);
  if (found != keys.end()) return static_cast<std::size_t>(found - keys.begin());
  keys.push_back(key);
  return keys.size() - 1;
}

using SiteKey = std::pair<std::string, std::string>;  ///< GPU and host.

/// Samples that see the same machine in the same precision.
struct Group {
  const GpuSpec* gpu{};
  Precision precision{};
  std::size_t site{};
  std::vector<const Sample*> samples;
};

class TimeProblem {
 public:
  TimeProblem(std::span<const Sample* const> samples, const TimeConstants& start) {
    base_.time = start;
    sort_in(samples);
    for (const predict::ConstantRow& row : predict::constant_rows()) {
      if (row.sigma <= 0 || !is_of_time(row)) continue;
      rows_.push_back(&row);
      parameters_.push_back({row.of(base_), row.sigma, std::max(row.least, 1e-30), row.most});
    }
    add_factors(gpu_factor_, gpus_, kGpuFactorSigma);
    add_factors(host_factor_, hosts_, kHostFactorSigma);
    add_factors(loop_factor_, hosts_, kLoopFactorSigma);
    add_loaders();
  }

  TimeFit solve(Moves moves, const TimeFit* nearby) {
    const auto residuals = [this](std::span<const double> v, std::span<double> r) { fill(v, r); };
    std::vector<double> begin;
    if (nearby != nullptr) {
      begin = values_of(*nearby);
    } else {
      // Sites differ most: they come first, so that no constant of all is bent to fit one of them.
      begin = map_fit(sites_only(), count_, residuals).values;
    }
    if (moves == Moves::SitesOnly) return fit_at(begin);
    return fit_at(map_fit(parameters_, count_, residuals, {.start = begin}).values);
  }

 private:
  static bool is_of_time(const predict::ConstantRow& row) {
    return !row.name.starts_with("memory.") && !row.name.starts_with("sharing.");
  }

  std::vector<FitParameter> sites_only() const {
    std::vector<FitParameter> out = parameters_;
    for (std::size_t i = 0; i < rows_.size(); ++i) out[i].sigma = 0;
    return out;
  }

  TimeFit fit_at(std::span<const double> values) {
    TimeFit fit;
    fit.constants = common(values);
    for (const TimeSite& site : sites_) fit.sites.push_back(at_site(site, values));
    return fit;
  }

  /// The parameters that `fit` stands for; priors for sites that it does not know.
  std::vector<double> values_of(const TimeFit& fit) const {
    std::vector<double> values;
    for (const FitParameter& parameter : parameters_) values.push_back(parameter.prior);
    predict::Constants constants;
    constants.time = fit.constants;
    for (std::size_t i = 0; i < rows_.size(); ++i) values[i] = rows_[i]->of(constants);
    for (const TimeSite& site : fit.sites) {
      const auto gpu = std::ranges::find(gpus_, site.gpu);
      const auto host = std::ranges::find(hosts_, site.host);
      if (gpu != gpus_.end()) values[gpu_factor_ + index_of(gpus_, gpu)] = site.gpu_factor;
      if (host == hosts_.end()) continue;
      const std::size_t at = index_of(hosts_, host);
      values[host_factor_ + at] = site.host_factor;
      values[loop_factor_ + at] = site.host_step_s / fit.constants.host_step_s;
      if (loader_[at] == kNoLoader || site.loader_sample_s <= 0) continue;
      values[loader_[at]] = site.loader_sample_s;
      values[loader_[at] + 1] = site.loader_element_s;
    }
    return values;
  }

  static std::size_t index_of(const std::vector<std::string>& names,
                              std::vector<std::string>::const_iterator at) {
    return static_cast<std::size_t>(at - names.begin());
  }

  void sort_in(std::span<const Sample* const> samples) {
    const std::map<SiteKey, std::size_t> rows = rows_by_site(samples);
    std::map<SiteKey, std::size_t> seen;
    for (const Sample* sample : samples) {
      if (!is_judged(*sample)) continue;
      const SiteKey key{sample->row->gpu, sample->row->host};
      const std::size_t stride = (rows.at(key) + kRowsThatCount - 1) / kRowsThatCount;
      if (seen[key]++ % stride == 0) sort_in(*sample);
    }
  }

  static std::map<SiteKey, std::size_t> rows_by_site(std::span<const Sample* const> samples) {
    std::map<SiteKey, std::size_t> rows;
    for (const Sample* sample : samples) {
      if (is_judged(*sample)) ++rows[SiteKey{sample->row->gpu, sample->row->host}];
    }
    return rows;
  }

  void sort_in(const Sample& sample) {
    const Row& row = *sample.row;
    const std::size_t site = site_of(row);
    const auto found = std::ranges::find_if(groups_, [&](const Group& group) {
      return group.site == site && group.precision == row.setup.precision;
    });
    Group* group = found == groups_.end() ? &add_group(site, row) : &*found;
    group->samples.push_back(&sample);
    ++sites_[site].jobs;
    count_ += (row.measured.step_s ? 1U : 0U) + (row.measured.utilization ? 1U : 0U);
  }

  Group& add_group(std::size_t site, const Row& row) {
    const auto gpu = find_gpu(row.gpu);
    HORUS_CHECK(gpu.has_value(), "rows name GPUs of the catalogue");
    groups_.push_back({gpu->spec, row.setup.precision, site, {}});
    return groups_.back();
  }

  std::size_t site_of(const Row& row) {
    const auto found = std::ranges::find_if(
        sites_, [&](const TimeSite& site) { return site.gpu == row.gpu && site.host == row.host; });
    if (found != sites_.end()) return static_cast<std::size_t>(found - sites_.begin());
    sites_.push_back({.gpu = row.gpu, .host = row.host});
    gpu_of_site_.push_back(index_in(gpus_, row.gpu));
    host_of_site_.push_back(index_in(hosts_, row.host));
    return sites_.size() - 1;
  }

  void add_factors(std::size_t& first, const std::vector<std::string>& names, double sigma) {
    first = parameters_.size();
    for (std::size_t i = 0; i < names.size(); ++i) parameters_.push_back({1, sigma, 0.1, 10});
  }

  /// A pipeline shows in utilization; where rates are stated nothing is left to find.
  void add_loaders() {
    loader_.assign(hosts_.size(), kNoLoader);
    for (std::size_t host = 0; host < hosts_.size(); ++host) {
      if (!shows_loader(host)) continue;
      loader_[host] = parameters_.size();
      parameters_.push_back({kLoaderSample, kLoaderSigma, 1e-9, 1});
      parameters_.push_back({kLoaderElement, kLoaderSigma, 1e-13, 1});
    }
  }

  [[nodiscard]] bool shows_loader(std::size_t host) const {
    bool has_utilization = false;
    for (const Group& group : groups_) {
      if (host_of_site_[group.site] != host) continue;
      for (const Sample* sample : group.samples) {
        if (sample->row->setup.samples_per_second) return false;
        has_utilization = has_utilization || sample->row->measured.utilization.has_value();
      }
    }
    return has_utilization;
  }

  TimeConstants common(std::span<const double> values) {
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i]->of(base_) = values[i];
    return base_.time;
  }

  [[nodiscard]] TimeSite at_site(const TimeSite& site, std::span<const double> values) const {
    const auto index = static_cast<std::size_t>(&site - sites_.data());
    const std::size_t host = host_of_site_[index];
    TimeSite out = site;
    out.gpu_factor = values[gpu_factor_ + gpu_of_site_[index]];
    out.host_factor = values[host_factor_ + host];
    out.host_step_s = base_.time.host_step_s * values[loop_factor_ + host];
    if (loader_[host] == kNoLoader) return out;
    out.loader_sample_s = values[loader_[host]];
    out.loader_element_s = values[loader_[host] + 1];
    return out;
  }

  void fill(std::span<const double> values, std::span<double> residuals) {
    const TimeConstants shared = common(values);
    std::size_t next = 0;
    for (const Group& group : groups_) {
      const double temper =
          std::sqrt(std::max(1.0, static_cast<double>(sites_[group.site].jobs) / kJobsThatTell));
      const TimeConstants constants = with_site(shared, at_site(sites_[group.site], values));
      const predict::MachineRates rates = predict::rates_of(*group.gpu, group.precision, constants);
      for (const Sample* sample : group.samples) {
        const predict::StepParts parts =
            predict::parts_of(sample->step, predict::gpu_work(sample->step.kernels, rates),
                              rates.peak_bytes_per_s, sample->row->setup, constants);
        const Measured& measured = sample->row->measured;
        if (measured.step_s) {
          residuals[next++] = std::log(predict::step_seconds(parts, constants) / *measured.step_s) /
                              (kStepSigma * temper);
        }
        if (measured.utilization) {
          residuals[next++] = (log_percent(predict::utilization(parts, constants)) -
                               log_percent(*measured.utilization)) /
                              (kUtilizationSigma * temper);
        }
      }
    }
  }

 public:
  static TimeConstants with_site(TimeConstants constants, const TimeSite& site) {
    constants.gpu_factor = site.gpu_factor;
    constants.host_factor = site.host_factor;
    constants.host_step_s = site.host_step_s;
    constants.loader_sample_s = site.loader_sample_s;
    constants.loader_element_s = site.loader_element_s;
    return constants;
  }

 private:
  static constexpr std::size_t kNoLoader = static_cast<std::size_t>(-1);

  predict::Constants base_;
  std::vector<const predict::ConstantRow*> rows_;  ///< Of the first parameters.
  std::vector<FitParameter> parameters_;
  std::vector<Group> groups_;
  std::vector<TimeSite> sites_;
  std::vector<std::size_t> gpu_of_site_;
  std::vector<std::size_t> host_of_site_;
  std::vector<std::string> gpus_;
  std::vector<std::string> hosts_;
  std::size_t gpu_factor_{};         ///< Index of the first parameter of this kind.
  std::size_t host_factor_{};        ///< Index of the first parameter of this kind.
  std::size_t loop_factor_{};        ///< Index of the first parameter of this kind.
  std::vector<std::size_t> loader_;  ///< By host: index of its two parameters, or kNoLoader.
  std::size_t count_{};
};

}  // namespace

TimeConstants TimeFit::at(std::string_view gpu, std::string_view host) const {
  TimeSite found{.host_step_s = constants.host_step_s};
  for (const TimeSite& site : sites) {
    if (site.gpu == gpu) found.gpu_factor = site.gpu_factor;
    if (site.host != host) continue;
    found.host_factor = site.host_factor;
    found.host_step_s = site.host_step_s;
    found.loader_sample_s = site.loader_sample_s;
    found.loader_element_s = site.loader_element_s;
  }
  return TimeProblem::with_site(constants, found);
}

TimeFit fit_time(std::span<const Sample* const> samples, const TimeConstants& start, Moves moves,
                 const TimeFit* nearby) {
  return TimeProblem{samples, start}.solve(moves, nearby);
}

predict::StepParts parts_at(const Sample& sample, const TimeConstants& constants) {
  const auto gpu = find_gpu(sample.row->gpu);
  HORUS_CHECK(gpu.has_value(), "rows name GPUs of the catalogue");
  const predict::MachineRates rates =
      predict::rates_of(*gpu->spec, sample.row->setup.precision, constants);
  return predict::parts_of(sample.step, predict::gpu_work(sample.step.kernels, rates),
                           rates.peak_bytes_per_s, sample.row->setup, constants);
}

}  // namespace horus::lab
