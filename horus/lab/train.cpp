// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/train.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "horus/lab/folds.hpp"
#include "horus/lab/memory_fit.hpp"
#include "horus/lab/protocols.hpp"
#include "horus/lab/residual_method.hpp"
#include "horus/lab/sharing_fit.hpp"
#include "horus/lab/time_fit.hpp"
#include "horus/lab/time_spread.hpp"
#include "horus/predict/predictor_model.hpp"

namespace horus::lab {
namespace {

using Pointers = std::vector<const Sample*>;

/// What is told of each protocol: the figures that marks of predictors are set in.
constexpr auto kFigures = std::to_array<std::string_view>({
    "rmsle_utilization_percent",
    "mae_utilization_points",
    "mape_step_percent",
    "mape_memory_percent",
    "bound_violations",
    "slowdown_mape_percent",
});
constexpr std::array kProtocols{Protocol::ModelOut, Protocol::FamilyOut, Protocol::GpuOut,
                                Protocol::Random};

bool has_time(const Sample& sample) {
  const Measured& measured = sample.row->measured;
  return measured.step_s.has_value() || measured.utilization.has_value();
}

bool has_memory(const Sample& sample) { return sample.row->measured.memory_mib.has_value(); }

Pointers samples_with(std::span<const TrainingSet> sets, bool (*wanted)(const Sample&)) {
  Pointers found;
  for (const TrainingSet& set : sets) {
    for (const Sample& sample : set.samples) {
      if (wanted(sample)) found.push_back(&sample);
    }
  }
  return found;
}

TrainingData data_of(const TrainingSet& set) {
  const Dataset& dataset = *set.dataset;
  TrainingData data{.dataset = dataset.name,
                    .licence = dataset.licence_name,
                    .is_permissive = dataset.licence == Licence::Permissive,
                    .rows = static_cast<std::int64_t>(dataset.rows.size()),
                    .files = {}};
  std::set<std::string> models;
  std::set<std::string> families;
  for (const Row& row : dataset.rows) {
    models.insert(row.model);
    families.insert(row.family);
  }
  data.models = static_cast<std::int64_t>(models.size());
  data.families = static_cast<std::int64_t>(families.size());
  for (const Source& source : dataset.sources) data.files.push_back({source.file, source.sha256});
  return data;
}

/// Pairs of `set` that ran, with what fits that had not seen their members say of them alone.
class SharedSamples {
 public:
  SharedSamples(const TrainingSet& set, std::vector<Guess> guesses) : guesses_{std::move(guesses)} {
    for (const Pair& pair : set.dataset->pairs) {
      if (pair.slowdown_first <= 0 || pair.slowdown_second <= 0) continue;
      pairs_.push_back({.pair = &pair,
                        .members = {&set.samples[pair.first], &set.samples[pair.second]},
                        .solo = {guesses_[pair.first], guesses_[pair.second]}});
    }
  }
  [[nodiscard]] const std::vector<SharedSample>& pairs() const { return pairs_; }

 private:
  std::vector<Guess> guesses_;
  std::vector<SharedSample> pairs_;
};

class Trainer {
 public:
  Trainer(std::span<const TrainingSet> sets, const TrainingMethods& methods,
          const TrainingOptions& options)
      : sets_{sets}, methods_{methods}, options_{options} {}

  Result<PredictorFile> run() {
    const Pointers timed = samples_with(sets_, has_time);
    const Pointers sized = samples_with(sets_, has_memory);
    if (std::max(timed.size(), sized.size()) < kJobsForSites) {
      return fail(Errc::InvalidArgument,
                  fmt::format("found {} jobs with a measured step time or utilization and {} with "
                              "measured memory, expected at least {}",
                              timed.size(), sized.size(), kJobsForSites));
    }
    constants_ = options_.start;
    file_.command = options_.command;
    file_.date = options_.date;
    for (const TrainingSet& set : sets_) file_.data.push_back(data_of(set));
    std::ranges::sort(file_.data, {}, &TrainingData::dataset);
    fit_times(timed);
    fit_memories(sized);
    std::ranges::sort(file_.sites, {}, [](const Site& site) {
      return std::tie(site.gpu, site.host, site.framework);
    });
    fit_corrections(timed);
    fit_sharing();
    file_.constants = predict::named_constants(constants_);
    file_.sharing = predict::measured_laws(constants_.sharing);
    judge_all();
    std::ranges::sort(file_.metrics, {}, [](const HeldOutMetric& m) {
      return std::tie(m.protocol, m.dataset, m.name);
    });
    return std::move(file_);
  }

 private:
  void tell(std::string_view label, double share) const {
    if (options_.progress) options_.progress(label, share);
  }

  void note(std::string text) { file_.notes.push_back(std::move(text)); }

  void fit_times(const Pointers& jobs) {
    if (jobs.size() < kJobsForSites) {
      return note("No step time or utilization was measured: their constants are what they were.");
    }
    tell("constants of time", 0);
    const bool is_whole = jobs.size() >= kJobsForConstants;
    const TimeFit fit =
        fit_time(jobs, constants_.time, is_whole ? Moves::Everything : Moves::SitesOnly);
    const predict::TimeConstants start = constants_.time;
    constants_.time = fit.constants;
    if (is_whole && options_.sites == SitesKept::Machines) set_spreads(jobs, fit, start);
    if (!is_whole) {
      note(
          fmt::format("{} jobs set the factors of their machines only; constants of time are "
                      "fitted from {} on.",
                      jobs.size(), kJobsForConstants));
    }
    for (const TimeSite& site : fit.sites) {
      if (site.jobs >= kJobsForSites) file_.sites.push_back(site_of(site, jobs));
    }
  }

  /// As wide as errors on new models of these machines are. Machines that nobody measured err more:
  /// for them the spreads stay.
  void set_spreads(const Pointers& jobs, const TimeFit& fit, const predict::TimeConstants& start) {
    const auto factor = spread_factor(jobs, fit, start);
    if (!factor) return;
    predict::Constants wanted = constants_;
    wanted.time.sigma_gpu *= *factor;
    wanted.time.sigma_host *= *factor;
    wanted.time.sigma_loader *= *factor;
    for (const predict::ConstantRow& row : predict::constant_rows()) {
      if (row.name.starts_with("time.sigma_")) {
        row.of(constants_) = std::clamp(row.of(wanted), row.least, row.most);
      }
    }
  }

  [[nodiscard]] Site site_of(const TimeSite& found, const Pointers& jobs) const {
    Site site{.gpu = found.gpu,
              .host = found.host,
              .framework = framework_at(found, jobs),
              .gpu_factor = found.gpu_factor,
              .context = {},
              .jobs = static_cast<std::int64_t>(found.jobs)};
    if (options_.sites == SitesKept::GpusOnly) return site;
    site.host_factor = found.host_factor;
    site.host_step_s = found.host_step_s;
    site.loader_sample_s = found.loader_sample_s;
    site.loader_element_s = found.loader_element_s;
    return site;
  }

  static std::string framework_at(const TimeSite& site, const Pointers& jobs) {
    for (const Sample* job : jobs) {
      if (job->row->gpu == site.gpu && job->row->host == site.host) return job->row->framework;
    }
    return {};
  }

  void fit_memories(const Pointers& jobs) {
    if (jobs.size() < kJobsForSites) {
      return note("No memory was measured: its constants are what they were.");
    }
    tell("constants of memory", 0);
    const bool is_whole = jobs.size() >= kJobsForConstants;
    const MemoryFit fit = fit_memory(jobs, constants_.memory,
                                     is_whole ? MemoryMoves::Everything : MemoryMoves::SitesOnly);
    constants_.memory = fit.constants;
    for (const MemorySite& site : fit.sites) {
      if (site.jobs >= kJobsForSites) set_context(site);
    }
    if (!is_whole) {
      note(fmt::format("{} jobs set contexts only; constants of memory are fitted from {} on.",
                       jobs.size(), kJobsForConstants));
    }
  }

  /// A context belongs to a GPU and a framework, whatever the host.
  void set_context(const MemorySite& found) {
    bool is_known = false;
    for (Site& site : file_.sites) {
      if (site.gpu != found.gpu || site.framework != found.framework) continue;
      site.context = found.context;
      is_known = true;
    }
    if (is_known) return;
    file_.sites.push_back({.gpu = found.gpu,
                           .host = {},
                           .framework = found.framework,
                           .context = found.context,
                           .jobs = static_cast<std::int64_t>(found.jobs)});
  }

  void fit_corrections(const Pointers& jobs) {
    tell("corrections", 0);
    ResidualOptions options;
    options.seed = options_.seed;
    file_.residuals = learn_residuals(*methods_.time, {.pool = jobs, .target = jobs}, options);
    if (!file_.residuals.empty()) return;
    note(jobs.size() < options.jobs_min
             ? fmt::format("{} jobs are too few for learned corrections; {} are needed.",
                           jobs.size(), options.jobs_min)
             : "No learned correction lowered the error of models held out by more than its "
               "standard error, so there is none.");
  }

  /// Laws of all data sets together: those of one GPU come from one set mostly.
  void fit_sharing() {
    std::vector<SharedSamples> kept;
    std::vector<const SharedSample*> pool;
    for (const TrainingSet& set : sets_) {
      if (set.dataset->pairs.empty()) continue;
      tell("laws of sharing", 0);
      Pointers members;
      for (const Sample& sample : set.samples) members.push_back(&sample);
      kept.emplace_back(set,
                        guesses_unseen(*methods_.time, members, options_.folds_max, options_.seed));
    }
    for (const SharedSamples& shared : kept) {
      for (const SharedSample& sample : shared.pairs()) pool.push_back(&sample);
    }
    constants_.sharing.calibrated = fit_laws(pool);
  }

  // ---- How wrong --------------------------------------------------------------------------------

  void judge_all() {
    const JointJudgement joint{sets_};
    const Methods methods{.time = file_.residuals.empty() ? methods_.time : methods_.corrected,
                          .memory = methods_.memory,
                          .sharing = methods_.sharing,
                          .model = nullptr};
    const JudgeOptions judging{
        .bootstrap = {.resamples = options_.resamples, .seed = options_.seed}, .worst_models = 0};
    for (const Protocol protocol : kProtocols) {
      ProtocolOptions options{.seed = options_.seed, .folds_max = options_.folds_max};
      options.wanted_of_time = Training::Wanted::Expected;
      options.progress = [&](double share) { tell(name_of_protocol(protocol), share); };
      const auto judged = joint.run(protocol, methods, options, judging);
      if (!judged) continue;  // e.g. one GPU only: there is nothing to hold out
      for (const SetJudgement& set : *judged) add_metrics(protocol, set);
    }
  }

  static std::string_view name_of_protocol(Protocol protocol) {
    return std::ranges::find(protocol_rules(), protocol, &ProtocolRule::protocol)->name;
  }

  void add_metrics(Protocol protocol, const SetJudgement& set) {
    for (const Figure& figure : set.judgement.figures) {
      if (std::ranges::find(kFigures, figure.metric->key) == kFigures.end()) continue;
      HeldOutMetric metric{.protocol = std::string{name_of_protocol(protocol)},
                           .dataset = set.dataset->name,
                           .name = std::string{figure.metric->key},
                           .value = figure.value,
                           .low = {},
                           .high = {}};
      if (figure.confidence) {
        metric.low = figure.confidence->low;
        metric.high = figure.confidence->high;
      }
      file_.metrics.push_back(std::move(metric));
    }
  }

  std::span<const TrainingSet> sets_;
  const TrainingMethods& methods_;
  const TrainingOptions& options_;
  predict::Constants constants_;
  PredictorFile file_;
};

}  // namespace

Result<PredictorFile> train(std::span<const TrainingSet> sets, const TrainingMethods& methods,
                            const TrainingOptions& options) {
  return Trainer{sets, methods, options}.run();
}

}  // namespace horus::lab
