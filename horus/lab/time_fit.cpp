// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/time_fit.hpp"

#include <algorithm>
#include <array>
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

/// A host of fewer jobs tells nothing that is not their own: it stays at the priors. Many such
/// hosts would also make a fit slow, by the cube of their number.
constexpr std::size_t kJobsThatShowAHost = 3;

/// Spreads of what differs between sites.
constexpr double kGpuFactorSigma = 0.15;
constexpr double kHostFactorSigma = 0.70;
constexpr double kLoopFactorSigma = 0.70;
/// An input pipeline of which nothing is stated: 10 us a sample and 1 ns an element, within a
/// factor of five.
constexpr double kLoaderSample = 10e-6;
constexpr double kLoaderElement = 1e-9;
constexpr double kLoaderSigma = 1.6;
/// The loader's processes begin anew: 0.1 s, as two forks and their first batch take.
constexpr double kEpoch = 0.1;
constexpr double kEpochSigma = 1.0;
/// Before and after the steps of a job of minutes, per second of steps.
constexpr double kOutside = 0.03;
constexpr double kOutsideSigma = 1.0;
/// NVML counts kernels. Copies are none, but some of the work around them is.
constexpr double kCopyShareSeen = 0.2;
constexpr double kCopySigma = 1.0;

/// What may be learned of a host, each by one parameter.
struct HostNumber {
  FitParameter parameter;
  double TimeSite::*field;
};
enum HostNumberIndex : std::size_t {
  kHostFactor,
  kLoop,
  kLoaderSamples,
  kLoaderElements,
  kEpochs,
  kOutsideSteps,
  kCopies,
  kHostNumbers
};
constexpr std::array<HostNumber, kHostNumbers> kOfHost{{
    {{1, kHostFactorSigma, 0.1, 10}, &TimeSite::host_factor},
    {{1, kLoopFactorSigma, 0.1, 10}, &TimeSite::host_step_s},  // times that of the constants
    {{kLoaderSample, kLoaderSigma, 1e-9, 1}, &TimeSite::loader_sample_s},
    {{kLoaderElement, kLoaderSigma, 1e-13, 1}, &TimeSite::loader_element_s},
    {{kEpoch, kEpochSigma, 1e-4, 100}, &TimeSite::epoch_s},
    {{kOutside, kOutsideSigma, 1e-6, 1}, &TimeSite::outside_steps},
    {{kCopyShareSeen, kCopySigma, 1e-4, 10}, &TimeSite::copy_share_seen},
}};

constexpr std::size_t kNoParameter = static_cast<std::size_t>(-1);
/// By HostNumberIndex: the parameter, or kNoParameter where no row can tell.
using HostParameters = std::array<std::size_t, kHostNumbers>;

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

/// A sample, and what its step was where all residuals were computed last.
struct Job {
  const Sample* sample{};
  std::size_t residual{};  ///< Index of its first.
  predict::LimitedWork limits;
  predict::GpuWork work;
};

/// Jobs that see the same machine in the same precision.
struct Group {
  const GpuSpec* gpu{};
  Precision precision{};
  std::size_t site{};
  predict::MachineRates rates;  ///< Where all residuals were computed last.
  std::vector<Job> jobs;
};

/// What a parameter is to a group.
enum class Touch {
  Nothing,
  Rest,   ///< Not the GPU: host, loader, copies.
  Rates,  ///< The rates of the GPU.
  Tiles,  ///< What limits kernels, and by how much.
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
    gpu_factor_ = parameters_.size();
    parameters_.resize(parameters_.size() + gpus_.size(), {1, kGpuFactorSigma, 0.1, 10});
    add_hosts();
  }

  TimeFit solve(Moves moves, const TimeFit* nearby) {
    const auto residuals = [this](std::span<const double> v, std::span<double> r) { fill(v, r); };
    const auto moved = [this](std::span<const double> v, std::size_t parameter,
                              std::span<double> r) { move(v, parameter, r); };
    std::vector<double> begin;
    if (nearby != nullptr) {
      begin = values_of(*nearby);
    } else {
      // Sites differ most: they come first, so that no constant of all is bent to fit one of them.
      begin = map_fit(sites_only(), count_, residuals, {.moved = moved}).values;
    }
    if (moves == Moves::SitesOnly) return fit_at(begin);
    return fit_at(map_fit(parameters_, count_, residuals, {.start = begin, .moved = moved}).values);
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
      for (std::size_t i = 0; i < kHostNumbers; ++i) {
        const double value = site.*kOfHost[i].field;
        if (host_parameters_[at][i] != kNoParameter && value > 0) {
          values[host_parameters_[at][i]] = i == kLoop ? value / fit.constants.host_step_s : value;
        }
      }
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
    group->jobs.push_back({.sample = &sample});
    ++sites_[site].jobs;
    count_ += (row.measured.step_s ? 1U : 0U) + (row.measured.utilization ? 1U : 0U);
  }

  Group& add_group(std::size_t site, const Row& row) {
    const auto gpu = find_gpu(row.gpu);
    HORUS_CHECK(gpu.has_value(), "rows name GPUs of the catalogue");
    groups_.push_back({.gpu = gpu->spec, .precision = row.setup.precision, .site = site});
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

  /// What the rows of a host can tell of it.
  struct Shown {
    std::size_t jobs{};
    bool utilization{};
    bool rate{};    ///< Stated: nothing is left to find of the loader.
    bool epochs{};  ///< Known lengths of passes over the data.
  };
  [[nodiscard]] Shown shown_of(std::size_t host) const {
    Shown shown;
    for (const Group& group : groups_) {
      if (host_of_site_[group.site] != host) continue;
      for (const Job& job : group.jobs) {
        const Row& row = *job.sample->row;
        ++shown.jobs;
        shown.utilization = shown.utilization || row.measured.utilization.has_value();
        shown.rate = shown.rate || row.setup.samples_per_second.has_value();
        shown.epochs = shown.epochs || job.sample->step.epochs > 0;
      }
    }
    return shown;
  }

  /// What happens beside the steps shows in utilization only.
  void add_hosts() {
    for (std::size_t host = 0; host < hosts_.size(); ++host) {
      const Shown shown = shown_of(host);
      const bool is_loader_free = shown.utilization && !shown.rate;
      const std::array<bool, kHostNumbers> is_there{true,
                                                    true,
                                                    is_loader_free,
                                                    is_loader_free,
                                                    shown.utilization && shown.epochs,
                                                    shown.utilization,
                                                    shown.utilization};
      host_parameters_.emplace_back();
      const bool is_known = shown.jobs >= kJobsThatShowAHost;
      for (std::size_t i = 0; i < kHostNumbers; ++i) {
        host_parameters_.back()[i] = is_there[i] ? parameters_.size() : kNoParameter;
        if (!is_there[i]) continue;
        parameters_.push_back(kOfHost[i].parameter);
        if (!is_known) parameters_.back().sigma = 0;
      }
    }
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
    for (std::size_t i = 0; i < kHostNumbers; ++i) {
      const std::size_t parameter = host_parameters_[host][i];
      if (parameter != kNoParameter) out.*kOfHost[i].field = values[parameter];
    }
    out.host_step_s *= base_.time.host_step_s;
    return out;
  }

  [[nodiscard]] double temper_of(const Group& group) const {
    return std::sqrt(std::max(1.0, static_cast<double>(sites_[group.site].jobs) / kJobsThatTell));
  }

  /// All residuals, and what derivatives need to know of each job.
  void fill(std::span<const double> values, std::span<double> residuals) {
    const TimeConstants shared = common(values);
    std::size_t next = 0;
    for (Group& group : groups_) {
      const TimeConstants constants = with_site(shared, at_site(sites_[group.site], values));
      group.rates = predict::rates_of(*group.gpu, group.precision, constants);
      for (Job& job : group.jobs) {
        job.limits = predict::limited_work(job.sample->step.kernels, group.rates);
        job.work = predict::work_of(job.limits, group.rates);
        job.residual = next;
        next += put_residuals(group, job, job.work, constants, residuals);
      }
    }
  }

  /// The residuals that `parameter`, moved a little from where fill() was, can move.
  void move(std::span<const double> values, std::size_t parameter, std::span<double> residuals) {
    const TimeConstants shared = common(values);
    for (const Group& group : groups_) {
      const Touch touch = touch_of(parameter, group);
      if (touch == Touch::Nothing) continue;
      const TimeConstants constants = with_site(shared, at_site(sites_[group.site], values));
      const predict::MachineRates rates = predict::rates_of(*group.gpu, group.precision, constants);
      if (touch != Touch::Rest && rates == group.rates) continue;
      for (const Job& job : group.jobs) {
        const predict::GpuWork work = moved_work(job, touch, rates);
        const bool stays = work.busy_s == job.work.busy_s && work.resident_s == job.work.resident_s;
        if (touch != Touch::Rest && stays) continue;
        put_residuals(group, job, work, constants, residuals);
      }
    }
  }

  static predict::GpuWork moved_work(const Job& job, Touch touch,
                                     const predict::MachineRates& rates) {
    if (touch == Touch::Rest) return job.work;
    if (touch == Touch::Rates) return predict::work_of(job.limits, rates);
    return predict::work_of(predict::limited_work(job.sample->step.kernels, rates), rates);
  }

  [[nodiscard]] Touch touch_of(std::size_t parameter, const Group& group) const {
    if (parameter < rows_.size()) {
      const std::string_view name = rows_[parameter]->name;
      if (name == "kernel.tile_area") return Touch::Tiles;
      const bool is_rest = name.starts_with("host.") || name.starts_with("time.");
      return is_rest ? Touch::Rest : Touch::Rates;
    }
    const std::size_t host = host_of_site_[group.site];
    if (parameter == gpu_factor_ + gpu_of_site_[group.site]) return Touch::Rates;
    const bool is_of_host =
        std::ranges::find(host_parameters_[host], parameter) != host_parameters_[host].end();
    return is_of_host ? Touch::Rest : Touch::Nothing;
  }

  /// Writes the residuals of one job; how many they are.
  std::size_t put_residuals(const Group& group, const Job& job, const predict::GpuWork& work,
                            const TimeConstants& constants, std::span<double> residuals) const {
    const Row& row = *job.sample->row;
    const predict::StepParts parts = predict::parts_of(
        job.sample->step, work, group.rates.peak_bytes_per_s, row.setup, constants);
    const double temper = temper_of(group);
    std::size_t next = job.residual;
    if (row.measured.step_s) {
      residuals[next++] = std::log(predict::step_seconds(parts, constants) / *row.measured.step_s) /
                          (kStepSigma * temper);
    }
    if (row.measured.utilization) {
      residuals[next++] = (log_percent(predict::utilization(parts, constants)) -
                           log_percent(*row.measured.utilization)) /
                          (kUtilizationSigma * temper);
    }
    return next - job.residual;
  }

 public:
  static TimeConstants with_site(TimeConstants constants, const TimeSite& site) {
    constants.gpu_factor = site.gpu_factor;
    constants.host_factor = site.host_factor;
    constants.host_step_s = site.host_step_s;
    constants.loader_sample_s = site.loader_sample_s;
    constants.loader_element_s = site.loader_element_s;
    constants.epoch_s = site.epoch_s;
    constants.outside_steps = site.outside_steps;
    constants.copy_share_seen = site.copy_share_seen;
    return constants;
  }

 private:
  predict::Constants base_;
  std::vector<const predict::ConstantRow*> rows_;  ///< Of the first parameters.
  std::vector<FitParameter> parameters_;
  std::vector<Group> groups_;
  std::vector<TimeSite> sites_;
  std::vector<std::size_t> gpu_of_site_;
  std::vector<std::size_t> host_of_site_;
  std::vector<std::string> gpus_;
  std::vector<std::string> hosts_;
  std::size_t gpu_factor_{};  ///< Index of the first parameter of this kind, one by GPU.
  std::vector<HostParameters> host_parameters_;
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
    found.epoch_s = site.epoch_s;
    found.outside_steps = site.outside_steps;
    found.copy_share_seen = site.copy_share_seen;
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
