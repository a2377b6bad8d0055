// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/sharing_method.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "horus/domain/gpu.hpp"
#include "horus/lab/pair_history.hpp"
#include "horus/lab/sharing_fit.hpp"
#include "horus/predict/predict.hpp"

namespace horus::lab {
namespace {

using predict::LawInUse;

const std::string& gpu_of(const SharedSample& sample) { return sample.members.front()->row->gpu; }

/// What has a law of its own: GPU and mode.
using Kind = std::pair<std::string, SharingMode>;
Kind kind_of(const SharedSample& sample) { return {gpu_of(sample), sample.pair->mode}; }

// ---- Without a fit ------------------------------------------------------------------------------

Prediction prediction_of(const Guess& guess) {
  Prediction out;
  out.gpu_utilization = guess.utilization.value_or(Interval{1, 0, 1});
  out.memory_bandwidth_utilization = guess.bandwidth_utilization.value_or(Interval{});
  out.sm_active = guess.sm_active;
  out.memory = guess.memory.value_or(MemoryPrediction{});
  out.origin = Origin::Analytic;
  return out;
}

/// Utilization and memory of the pair: no law of slowdowns enters them.
void add_totals(SharedGuess& guess, const SharedSample& sample) {
  const auto& [first, second] = sample.solo;
  if (first.utilization && second.utilization) {
    const Interval& a = *first.utilization;
    const Interval& b = *second.utilization;
    const auto either = [](double x, double y) { return 1 - (1 - x) * (1 - y); };
    guess.utilization =
        Interval{either(a.expected, b.expected), either(a.low, b.low), either(a.high, b.high)};
  }
  if (first.memory && second.memory) {
    const MemoryPrediction& a = *first.memory;
    const MemoryPrediction& b = *second.memory;
    guess.memory = MemoryPrediction{a.expected + b.expected, a.low + b.low, a.high + b.high,
                                    a.bound + b.bound};
  }
}

/// Instances have no law: of them only the smaller GPU is to be said.
SharingMode mode_of(const Pair& pair) {
  return pair.mode == SharingMode::Mig ? SharingMode::Exclusive : pair.mode;
}

std::optional<double> prior_chance(const SharedSample& sample, const GpuSpec& gpu,
                                   const predict::Model& model) {
  const SharingMode mode = mode_of(*sample.pair);
  if (mode == SharingMode::Exclusive) return std::nullopt;
  return chance_of_good(predict::law_for(gpu, mode, Interference::Default, model.constants.sharing),
                        sample);
}

/// By the laws of a model.
class Unfitted final : public FittedSharing {
 public:
  explicit Unfitted(const predict::Model& model) : model_{model} {}

  [[nodiscard]] SharedGuess guess(const SharedSample& sample) const override {
    SharedGuess out;
    out.slowdowns.fill(Interval{1, 1, 2});
    if (const auto gpu = find_gpu(gpu_of(sample))) {
      const std::array jobs{prediction_of(sample.solo[0]), prediction_of(sample.solo[1])};
      const SharedPrediction shared =
          predict_shared(jobs, *gpu->spec, model_, {.mode = mode_of(*sample.pair)});
      std::ranges::copy(shared.slowdowns, out.slowdowns.begin());
      out.good = prior_chance(sample, *gpu->spec, model_);
    }
    add_totals(out, sample);
    return out;
  }

 private:
  const predict::Model& model_;
};

// ---- Fitted -------------------------------------------------------------------------------------

/// One law with what was learned around it.
struct LawFit {
  LawInUse law;
  Offsets offsets;
  Spread spread;
};

LawFit learn_around(const LawInUse& law, std::span<const SharedSample* const> pool,
                    PairHistory history) {
  const bool remembers = history == PairHistory::Remembers;
  return {.law = law,
          .offsets = remembers ? Offsets{law, pool} : Offsets{},
          .spread =
              held_out_spread(pool, remembers ? Remembering::OffsetsOfJobs : Remembering::Nothing)};
}

class FittedLaws final : public FittedSharing {
 public:
  explicit FittedLaws(std::map<Kind, LawFit> fits) : fits_{std::move(fits)}, otherwise_{prior_} {}

  [[nodiscard]] SharedGuess guess(const SharedSample& sample) const override {
    const auto fit = fits_.find(kind_of(sample));
    if (fit == fits_.end()) return otherwise_.guess(sample);
    SharedGuess out;
    const std::array<double, 2> by_law = slowdowns_by(fit->second.law, sample);
    for (std::size_t m = 0; m < 2; ++m) {
      const Row& row = *sample.members[m]->row;
      out.slowdowns[m] = around(by_law[m], row, fit->second);
      out.is_known[m] = fit->second.offsets.knows(row);
    }
    out.by_law = by_law;
    out.good = chance_of_good(fit->second.law, sample);
    add_totals(out, sample);
    return out;
  }

 private:
  /// Measured values below 1 exist, by noise; nobody is promised a gain.
  [[nodiscard]] static Interval around(double by_law, const Row& row, const LawFit& fit) {
    const double middle = by_law * std::exp(fit.offsets.of(row));
    const ErrorRange& range = fit.offsets.knows(row) ? fit.spread.known : fit.spread.unknown;
    return {std::max(1.0, middle), std::max(1.0, middle * std::exp(range.low)),
            std::max(1.0, middle * std::exp(range.high))};
  }

  std::map<Kind, LawFit> fits_;
  predict::Model prior_;
  Unfitted otherwise_;
};

class LawMethod final : public SharingMethod {
 public:
  explicit LawMethod(PairHistory history) : history_{history} {}

  [[nodiscard]] std::unique_ptr<FittedSharing> fit(
      std::span<const SharedSample* const> pool) const override {
    std::map<Kind, LawFit> fits;
    for (const predict::CalibratedLaw& law : fit_laws(pool)) {
      const Kind kind{law.gpu, law.mode};
      std::vector<const SharedSample*> own;
      for (const SharedSample* sample : pool) {
        if (kind_of(*sample) == kind) own.push_back(sample);
      }
      fits.emplace(kind, learn_around(in_use(law), own, history_));
    }
    return std::make_unique<FittedLaws>(std::move(fits));
  }

  [[nodiscard]] std::unique_ptr<FittedSharing> as_is(const predict::Model& model) const override {
    return std::make_unique<Unfitted>(model);
  }

 private:
  PairHistory history_;
};

}  // namespace

std::unique_ptr<SharingMethod> sharing_method(PairHistory history) {
  return std::make_unique<LawMethod>(history);
}

}  // namespace horus::lab
