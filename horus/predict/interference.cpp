// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/interference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "horus/base/check.hpp"
#include "horus/predict/fair_share.hpp"

namespace horus::predict {
namespace {

using Others = LawInUse::Others;

/// Before Volta a GPU runs kernels of one process at a time and switches in long slices.
bool slices_only(const GpuSpec& gpu) {
  constexpr std::array<std::string_view, 3> kBeforeVolta{"Kepler", "Maxwell", "Pascal"};
  return std::ranges::find(kBeforeVolta, gpu.architecture) != kBeforeVolta.end();
}

const CalibratedLaw* calibrated_law(const SharingConstants& constants, const GpuSpec& gpu,
                                    SharingMode mode) {
  const auto found = std::ranges::find_if(constants.calibrated, [&](const CalibratedLaw& law) {
    return law.gpu == gpu.name && law.mode == mode;
  });
  return found == constants.calibrated.end() ? nullptr : &*found;
}

/// What the jobs other than `self` take. Time and multiprocessors: they fall independently in time,
/// so what is left is the product of what each leaves. Sum: they queue behind each other.
double taken_by_others(std::span<const Demand> jobs, std::size_t self, Others others) {
  double left = 1;
  double sum = 0;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (j == self) continue;
    const double taken = others == Others::Multiprocessors ? jobs[j].sms : jobs[j].busy;
    left *= 1 - taken;
    sum += taken;
  }
  return others == Others::Sum ? sum : 1 - left;
}

std::vector<double> stretch_of(std::span<const Demand> jobs, double Demand::*resource) {
  std::vector<double> demands;
  demands.reserve(jobs.size());
  for (const Demand& job : jobs) demands.push_back(job.*resource);
  return fair_stretch(demands);
}

/// Raises `slowdowns` to what fair shares of `resource` cost at least.
void raise_to_fair_share(std::vector<double>& slowdowns, std::span<const Demand> jobs,
                         double Demand::*resource) {
  const std::vector<double> stretch = stretch_of(jobs, resource);
  for (std::size_t i = 0; i < jobs.size(); ++i) slowdowns[i] = std::max(slowdowns[i], stretch[i]);
}

std::vector<double> paper_slowdowns(std::span<const Demand> jobs) {
  double sum = 0;
  for (const Demand& job : jobs) sum += job.busy;
  return std::vector<double>(jobs.size(), jobs.size() > 1 ? std::max(1.0, sum) : 1.0);
}

}  // namespace

LawInUse law_for(const GpuSpec& gpu, SharingMode mode, Interference interference,
                 const SharingConstants& constants) {
  HORUS_CHECK(mode == SharingMode::TimeSlice || mode == SharingMode::Mps,
              "laws are for jobs that meet on the GPU");
  LawInUse use{.law = constants.sliced,
               .others = Others::Sum,
               .sigma_excess = kSigmaExcess,
               .sigma_slowdown = 0};
  if (interference == Interference::Paper) use.form = LawInUse::Form::PaperSum;
  if (interference != Interference::Default) return use;
  if (const CalibratedLaw* measured = calibrated_law(constants, gpu, mode)) {
    use.law = measured->law;
    use.calibration = Calibration::Calibrated;
    use.sigma_excess = 0;
    use.sigma_slowdown = measured->sigma_slowdown;
  } else if (!slices_only(gpu)) {
    use.law = mode == SharingMode::Mps ? constants.side_by_side : constants.overlapping;
  }
  if (!slices_only(gpu)) {
    use.others = mode == SharingMode::Mps ? Others::Multiprocessors : Others::Time;
  }
  return use;
}

double extrapolation(std::size_t jobs) {
  const double beyond_pairs = jobs > 2 ? static_cast<double>(jobs - 2) : 0;
  return std::min(kSigmaExtrapolated * beyond_pairs, kSigmaExtrapolatedMax);
}

std::vector<double> slowdowns_of(std::span<const Demand> jobs, const LawInUse& use) {
  if (use.form == LawInUse::Form::PaperSum) return paper_slowdowns(jobs);
  std::vector<double> out;
  out.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const double others = taken_by_others(jobs, i, use.others);
    out.push_back(1 + use.law.gain * std::pow(jobs[i].busy, use.law.own_exponent) *
                          std::pow(others, use.law.others_exponent));
  }
  // What was measured already contains what cannot be spent twice.
  if (use.calibration == Calibration::Calibrated) return out;
  raise_to_fair_share(out, jobs,
                      use.others == Others::Multiprocessors ? &Demand::sms : &Demand::busy);
  raise_to_fair_share(out, jobs, &Demand::bandwidth);
  return out;
}

}  // namespace horus::predict
