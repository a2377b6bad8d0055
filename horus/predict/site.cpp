// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/site.hpp"

#include <cmath>

namespace horus::predict {
namespace {

/// The mean of logarithms, weighted by jobs.
class LogMean {
 public:
  void add(double factor, std::int64_t jobs) {
    const auto weight = static_cast<double>(jobs > 0 ? jobs : 1);
    sum_ += weight * std::log(factor);
    weight_ += weight;
  }
  [[nodiscard]] double value() const { return weight_ > 0 ? std::exp(sum_ / weight_) : 1.0; }
  [[nodiscard]] bool is_empty() const { return weight_ == 0; }

 private:
  double sum_{};
  double weight_{};
};

}  // namespace

SiteFactors factors_on(std::span<const Site> sites, std::string_view gpu) {
  LogMean gpu_here;
  LogMean host_here;
  LogMean host_anywhere;
  SiteFactors factors;
  std::int64_t most_jobs = -1;  // of the sites on this GPU type
  for (const Site& site : sites) {
    host_anywhere.add(site.host_factor, site.jobs);
    if (site.gpu != gpu) continue;
    host_here.add(site.host_factor, site.jobs);
    gpu_here.add(site.gpu_factor, site.jobs);
    if (site.jobs <= most_jobs) continue;
    most_jobs = site.jobs;
    factors.context = site.context ? site.context : factors.context;
    factors.host_step_s = site.host_step_s;
    factors.loader_sample_s = site.loader_sample_s;
    factors.loader_element_s = site.loader_element_s;
  }
  factors.gpu = gpu_here.value();
  factors.host = host_here.is_empty() ? host_anywhere.value() : host_here.value();
  return factors;
}

TimeConstants at_site(TimeConstants constants, const SiteFactors& factors) {
  constants.gpu_factor *= factors.gpu;
  constants.host_factor *= factors.host;
  if (factors.host_step_s > 0) constants.host_step_s = factors.host_step_s;
  constants.loader_sample_s = factors.loader_sample_s;
  constants.loader_element_s = factors.loader_element_s;
  return constants;
}

MemoryConstants at_site(MemoryConstants constants, const SiteFactors& factors) {
  if (factors.context) constants.context_bytes = as_double(*factors.context);
  return constants;
}

std::vector<Site> sites_of(std::span<const Site> sites, std::string_view host,
                           std::string_view framework) {
  std::vector<Site> found;
  for (const Site& site : sites) {
    if (!host.empty() && site.host != host) continue;
    if (!framework.empty() && site.framework != framework) continue;
    found.push_back(site);
  }
  return found;
}

}  // namespace horus::predict
