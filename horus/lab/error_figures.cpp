// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/error_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "horus/base/check.hpp"
#include "horus/domain/gpu.hpp"

namespace horus::lab {
namespace {

constexpr double kBytesPerMib = 1024.0 * 1024.0;

/// How far beyond a bound a job may end up before it counts as far beyond.
constexpr double kFarBeyond = 0.10;

double mib(Bytes bytes) { return as_double(bytes) / kBytesPerMib; }

double square(double x) { return x * x; }
double as_it_is(double mean) { return mean; }
double root(double mean) { return std::sqrt(mean); }
double percent_of(bool is_so) { return is_so ? 100.0 : 0.0; }

/// |predicted / measured - 1| in percent.
double error_percent(double predicted, double measured) {
  return 100.0 * std::abs(predicted / measured - 1.0);
}

bool is_inside(const Interval& interval, double value) {
  return interval.low <= value && value <= interval.high;
}

// ---- Shares: utilization, bandwidth, SM activity ------------------------------------------------

/// A share that is measured and predicted.
struct Share {
  double measured{};
  Interval predicted;
};

template <std::optional<double> Measured::*truth, std::optional<Interval> Guess::*guess>
std::optional<Share> share_of(const RowScore& score) {
  const auto& measured = score.row->measured.*truth;
  const auto& predicted = score.guess.*guess;
  if (!measured || !predicted) return std::nullopt;
  return Share{*measured, *predicted};
}

constexpr auto kUtilization = share_of<&Measured::utilization, &Guess::utilization>;
constexpr auto kBandwidth =
    share_of<&Measured::bandwidth_utilization, &Guess::bandwidth_utilization>;
constexpr auto kSmActive = share_of<&Measured::sm_active, &Guess::sm_active>;
constexpr auto kStep = share_of<&Measured::step_s, &Guess::step_s>;

using ShareOf = std::optional<Share> (*)(const RowScore&);

/// Squared difference of logarithms on the percent scale, ln(1 + percent).
template <ShareOf of>
std::optional<double> squared_log_percent(const RowScore& score) {
  const auto share = of(score);
  if (!share) return std::nullopt;
  return square(std::log1p(100.0 * share->predicted.expected) -
                std::log1p(100.0 * share->measured));
}

template <ShareOf of>
std::optional<double> points(const RowScore& score) {
  const auto share = of(score);
  if (!share) return std::nullopt;
  return 100.0 * std::abs(share->predicted.expected - share->measured);
}

template <ShareOf of>
std::optional<double> coverage(const RowScore& score) {
  const auto share = of(score);
  if (!share) return std::nullopt;
  return percent_of(is_inside(share->predicted, share->measured));
}

std::optional<double> step_error(const RowScore& score) {
  const auto step = kStep(score);
  if (!step) return std::nullopt;
  return error_percent(step->predicted.expected, step->measured);
}

// ---- Memory -------------------------------------------------------------------------------------

/// Memory of a run that ended well: measured and predicted, MiB.
struct Peak {
  double measured{};
  double expected{};
  Interval range;
  double bound{};
};

std::optional<Peak> peak_of(const RowScore& score) {
  const Measured& measured = score.row->measured;
  const auto& memory = score.guess.memory;
  if (measured.out_of_memory || !measured.memory_mib || !memory) return std::nullopt;
  return Peak{.measured = *measured.memory_mib,
              .expected = mib(memory->expected),
              .range = {mib(memory->expected), mib(memory->low), mib(memory->high)},
              .bound = mib(memory->bound)};
}

std::optional<double> memory_error(const RowScore& score) {
  const auto peak = peak_of(score);
  if (!peak) return std::nullopt;
  return error_percent(peak->expected, peak->measured);
}

std::optional<double> memory_coverage(const RowScore& score) {
  const auto peak = peak_of(score);
  if (!peak) return std::nullopt;
  return percent_of(is_inside(peak->range, peak->measured));
}

std::optional<double> above_bound(const RowScore& score) {
  const auto peak = peak_of(score);
  if (!peak) return std::nullopt;
  return percent_of(peak->measured > peak->bound);
}

std::optional<double> far_above_bound(const RowScore& score) {
  const auto peak = peak_of(score);
  if (!peak) return std::nullopt;
  return percent_of(peak->bound < (1.0 - kFarBeyond) * peak->measured);
}

std::optional<double> bound_excess(const RowScore& score) {
  const auto peak = peak_of(score);
  if (!peak) return std::nullopt;
  return 100.0 * std::max(0.0, peak->bound / peak->measured - 1.0);
}

/// Whether a gate would keep the job off its GPU.
template <Bytes MemoryPrediction::*figure>
bool is_refused(const RowScore& score) {
  return mib((*score.guess.memory).*figure) > usable_memory_mib(score.row->gpu);
}

template <Bytes MemoryPrediction::*figure>
std::optional<double> recalled(const RowScore& score) {
  if (!score.row->measured.out_of_memory || !score.guess.memory) return std::nullopt;
  return percent_of(is_refused<figure>(score));
}

template <Bytes MemoryPrediction::*figure>
std::optional<double> refused_good(const RowScore& score) {
  if (!peak_of(score)) return std::nullopt;
  return percent_of(is_refused<figure>(score));
}

constexpr auto kRecalled = recalled<&MemoryPrediction::expected>;
constexpr auto kRecalledByBound = recalled<&MemoryPrediction::bound>;
constexpr auto kRefusedGood = refused_good<&MemoryPrediction::expected>;
constexpr auto kRefusedGoodByBound = refused_good<&MemoryPrediction::bound>;

// ---- Pairs --------------------------------------------------------------------------------------

bool is_good(const Pair& pair) {
  return std::max(pair.slowdown_first, pair.slowdown_second) < kGoodSlowdown;
}

double worst_slowdown(const SharedGuess& guess) {
  return std::max(guess.slowdowns[0].expected, guess.slowdowns[1].expected);
}

/// How bad a pair is expected to be: pairs are ranked by it.
double badness(const SharedGuess& guess) {
  return guess.good ? 1.0 - *guess.good : worst_slowdown(guess);
}

/// Of both members.
std::optional<double> slowdown_error(const PairScore& score) {
  return 0.5 * (error_percent(score.guess.slowdowns[0].expected, score.pair->slowdown_first) +
                error_percent(score.guess.slowdowns[1].expected, score.pair->slowdown_second));
}

/// Of both members, without what is remembered of configurations.
std::optional<double> law_error(const PairScore& score) {
  const auto& by_law = score.guess.by_law;
  if (!by_law) return std::nullopt;
  return 0.5 * (error_percent((*by_law)[0], score.pair->slowdown_first) +
                error_percent((*by_law)[1], score.pair->slowdown_second));
}

/// Of the members whose configuration the method knows, or of the others, where a method remembers
/// any.
template <bool known>
std::optional<double> slowdown_error_of(const PairScore& score) {
  if (!score.guess.by_law) return std::nullopt;
  double sum = 0;
  double count = 0;
  const std::array<double, 2> measured{score.pair->slowdown_first, score.pair->slowdown_second};
  for (std::size_t m = 0; m < 2; ++m) {
    if (score.guess.is_known[m] != known) continue;
    sum += error_percent(score.guess.slowdowns[m].expected, measured[m]);
    count += 1;
  }
  return count > 0 ? std::optional{sum / count} : std::nullopt;
}

/// Nobody gains by sharing: what was measured below 1 is the noise of the run alone, and counts
/// as 1.
std::optional<double> slowdown_coverage(const PairScore& score) {
  const auto& slowdowns = score.guess.slowdowns;
  const bool first = is_inside(slowdowns[0], std::max(1.0, score.pair->slowdown_first));
  const bool second = is_inside(slowdowns[1], std::max(1.0, score.pair->slowdown_second));
  return 0.5 * (percent_of(first) + percent_of(second));
}

double work_at(double first_slowdown, double second_slowdown) {
  return 1 / first_slowdown + 1 / second_slowdown;
}

std::optional<double> work_measured(const PairScore& score) {
  return work_at(score.pair->slowdown_first, score.pair->slowdown_second);
}

std::optional<double> work_expected(const PairScore& score) {
  return work_at(score.guess.slowdowns[0].expected, score.guess.slowdowns[1].expected);
}

std::optional<double> packed(const PairScore& score) { return percent_of(score.packed); }

std::optional<double> good_of_packed(const PairScore& score) {
  if (!score.packed) return std::nullopt;
  return percent_of(is_good(*score.pair));
}

std::optional<double> pair_points(const PairScore& score) {
  if (!score.pair->utilization || !score.guess.utilization) return std::nullopt;
  return 100.0 * std::abs(score.guess.utilization->expected - *score.pair->utilization);
}

std::optional<double> pair_memory_error(const PairScore& score) {
  if (!score.pair->memory_mib || !score.guess.memory) return std::nullopt;
  return error_percent(mib(score.guess.memory->expected), *score.pair->memory_mib);
}

// ---- Statistics ---------------------------------------------------------------------------------

/// One value that counts as often as its model was drawn.
struct Term {
  std::size_t model{};
  double value{};
};

std::vector<Term> terms_of(const Metric& metric, const Scores& scores) {
  std::vector<Term> terms;
  if (metric.of_row != nullptr) {
    for (const RowScore& score : scores.rows) {
      if (const auto value = metric.of_row(score)) terms.push_back({score.model, *value});
    }
  }
  if (metric.of_pair != nullptr) {
    for (const PairScore& score : scores.pairs) {
      if (const auto value = metric.of_pair(score)) terms.push_back({score.model, *value});
    }
  }
  return terms;
}

std::optional<double> mean_of(std::span<const Term> terms, std::span<const double> weights) {
  double sum = 0;
  double weight = 0;
  for (const Term& term : terms) {
    sum += weights[term.model] * term.value;
    weight += weights[term.model];
  }
  return weight > 0 ? std::optional{sum / weight} : std::nullopt;
}

/// A pair as the ranking sees it.
struct Ranked {
  double badness{};
  bool good{};
  std::size_t model{};
};

std::vector<Ranked> ranked_pairs(const Scores& scores) {
  std::vector<Ranked> pairs;
  for (const PairScore& score : scores.pairs) {
    pairs.push_back({badness(score.guess), is_good(*score.pair), score.model});
  }
  std::ranges::stable_sort(pairs, {}, &Ranked::badness);
  return pairs;
}

/// Probability that a good pair is ranked before a bad one, ties being even odds
/// (Mann and Whitney's U over its maximum). `pairs` are sorted.
std::optional<double> auc_of(std::span<const Ranked> pairs, std::span<const double> weights) {
  double good_before = 0;
  double bad_all = 0;
  double ordered = 0;
  for (std::size_t begin = 0; begin < pairs.size();) {
    double good = 0;
    double bad = 0;
    std::size_t end = begin;
    for (; end < pairs.size() && pairs[end].badness == pairs[begin].badness; ++end) {
      (pairs[end].good ? good : bad) += weights[pairs[end].model];
    }
    ordered += bad * (good_before + 0.5 * good);
    good_before += good;
    bad_all += bad;
    begin = end;
  }
  if (good_before <= 0 || bad_all <= 0) return std::nullopt;
  return ordered / (good_before * bad_all);
}

/// The mean of what each draw gives.
template <class PerDraw, class Value>
Statistic averaged(std::vector<PerDraw> draws, Value value) {
  return [draws = std::move(draws), value](std::span<const double> weights) {
    double sum = 0;
    double count = 0;
    for (const PerDraw& draw : draws) {
      const std::optional<double> one = value(draw, weights);
      if (!one) continue;
      sum += *one;
      count += 1;
    }
    return count > 0 ? std::optional{sum / count} : std::nullopt;
  };
}

// ---- The table ----------------------------------------------------------------------------------

constexpr auto kMetrics = std::to_array<Metric>({
    {"rmsle_utilization_percent", "", "RMS error of ln(1 + utilization in percent)",
     squared_log_percent<kUtilization>, nullptr, root},
    {"mae_utilization_points", "points", "mean error of utilization", points<kUtilization>, nullptr,
     as_it_is},
    {"coverage_utilization_percent", "%", "rows within the 80 % interval of utilization",
     coverage<kUtilization>, nullptr, as_it_is},
    {"mae_bandwidth_points", "points", "mean error of memory-bandwidth utilization",
     points<kBandwidth>, nullptr, as_it_is},
    {"mae_sm_active_points", "points", "mean error of SM activity", points<kSmActive>, nullptr,
     as_it_is},
    {"mape_step_percent", "%", "mean error of the step time", step_error, nullptr, as_it_is},
    {"coverage_step_percent", "%", "rows within the 80 % interval of the step time",
     coverage<kStep>, nullptr, as_it_is},
    {"mape_memory_percent", "%", "mean error of the memory peak", memory_error, nullptr, as_it_is},
    {"coverage_memory_percent", "%", "rows within the 80 % interval of the memory peak",
     memory_coverage, nullptr, as_it_is},
    {"bound_violations", "%", "rows that need more memory than their bound", above_bound, nullptr,
     as_it_is},
    {"bound_violations_10pct", "%", "rows whose bound is more than 10 % below what they need",
     far_above_bound, nullptr, as_it_is},
    {"bound_excess_mean_percent", "%", "memory that bounds reserve in vain", bound_excess, nullptr,
     as_it_is},
    {"oom_recall", "%", "runs out of memory that the expected peak foresees", kRecalled, nullptr,
     as_it_is},
    {"oom_refused_good", "%", "good runs that a gate at the expected peak would refuse",
     kRefusedGood, nullptr, as_it_is},
    {"oom_recall_bound", "%", "runs out of memory that the bound foresees", kRecalledByBound,
     nullptr, as_it_is},
    {"oom_refused_good_bound", "%", "good runs that a gate at the bound would refuse",
     kRefusedGoodByBound, nullptr, as_it_is},
    {"slowdown_mape_percent", "%", "mean error of the slowdown of either member", nullptr,
     slowdown_error, as_it_is},
    {"slowdown_mape_law_percent", "%", "the same by the law alone, no configuration remembered",
     nullptr, law_error, as_it_is},
    {"slowdown_mape_known_percent", "%", "the same of members that other pairs had too", nullptr,
     slowdown_error_of<true>, as_it_is},
    {"slowdown_mape_new_percent", "%", "the same of members that no other pair had", nullptr,
     slowdown_error_of<false>, as_it_is},
    {"coverage_slowdown_percent", "%", "members within the 80 % interval of their slowdown",
     nullptr, slowdown_coverage, as_it_is},
    {"pair_work_measured", "", "what pairs get done at a time, in jobs alone", nullptr,
     work_measured, as_it_is},
    {"pair_work_expected", "", "the same as predicted", nullptr, work_expected, as_it_is},
    {kGoodPairAuc, "", "how well what is predicted tells good pairs from bad ones", nullptr,
     nullptr, as_it_is},
    {"pack_rule_good", "%", "packed pairs that are good", nullptr, good_of_packed, as_it_is},
    {"pack_rule_share", "%", "pairs that the rule packs", nullptr, packed, as_it_is},
    {"mae_pair_utilization_points", "points", "mean error of the shared GPU's utilization", nullptr,
     pair_points, as_it_is},
    {"mape_pair_memory_percent", "%", "mean error of the pair's memory", nullptr, pair_memory_error,
     as_it_is},
});

/// Refusing good jobs means nothing where no job ran out of memory.
bool is_about_refusal(const Metric& metric) {
  return metric.of_row == kRefusedGood || metric.of_row == kRefusedGoodByBound;
}

bool has_out_of_memory(const Scores& scores) {
  return std::ranges::any_of(
      scores.rows, [](const RowScore& score) { return score.row->measured.out_of_memory; });
}

}  // namespace

double usable_memory_mib(std::string_view gpu) {
  struct Usable {
    std::string_view gpu;
    double mib;
  };
  constexpr auto kUsable = std::to_array<Usable>({{"A100-40GB", 40300.0}});
  const auto known = std::ranges::find(kUsable, gpu, &Usable::gpu);
  if (known != kUsable.end()) return known->mib;
  const auto choice = find_gpu(gpu);
  HORUS_CHECK(choice, "rows name GPUs that are known: their samples were made for them");
  return mib(choice->spec->memory);
}

std::span<const Metric> metrics() { return kMetrics; }

const Metric& metric_of(std::string_view key) {
  const auto found = std::ranges::find(kMetrics, key, &Metric::key);
  HORUS_CHECK(found != kMetrics.end(), "metrics are named as in their table");
  return *found;
}

std::size_t count_of(const Metric& metric, const Scores& scores) {
  if (metric.key == kGoodPairAuc) return scores.pairs.size();
  if (is_about_refusal(metric) && !has_out_of_memory(scores)) return 0;
  return terms_of(metric, scores).size();
}

Statistic statistic_of(const Metric& metric, std::span<const Scores> draws) {
  if (metric.key == kGoodPairAuc) {
    std::vector<std::vector<Ranked>> ranked;
    for (const Scores& scores : draws) ranked.push_back(ranked_pairs(scores));
    return averaged(std::move(ranked),
                    [](const std::vector<Ranked>& pairs, std::span<const double> weights) {
                      return auc_of(pairs, weights);
                    });
  }
  std::vector<std::vector<Term>> terms;
  for (const Scores& scores : draws) terms.push_back(terms_of(metric, scores));
  return averaged(std::move(terms), [finish = metric.finish](const std::vector<Term>& all,
                                                             std::span<const double> weights) {
    const std::optional<double> mean = mean_of(all, weights);
    return mean ? std::optional{finish(*mean)} : std::nullopt;
  });
}

}  // namespace horus::lab
