// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/protocols.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/base/check.hpp"
#include "horus/base/text.hpp"
#include "horus/lab/folds.hpp"
#include "horus/lab/pair_scores.hpp"

namespace horus::lab {
namespace {

constexpr std::size_t kRandomFolds = 10;
constexpr std::size_t kCalibrationJobs = 5;

constexpr auto kRules = std::to_array<ProtocolRule>({
    {Protocol::Shipped, "shipped", "the model as it is, nothing fitted"},
    {Protocol::ZeroShot, "zero-shot", "fitted on permissive data without the target's GPU or host"},
    {Protocol::CalibratedFive, "calibrated-5",
     "zero-shot plus five jobs of the target, mean of 20 draws"},
    {Protocol::FamilyOut, "family-out",
     "one family held out at a time; of random networks, one architecture"},
    {Protocol::GpuOut, "gpu-out", "one GPU held out at a time"},
    {Protocol::ModelOut, "lomo", "one model held out at a time, at all batches and precisions"},
    {Protocol::Random, "random",
     "rows held out at random in ten folds: other rows of the same model are in training, so this "
     "says nothing of new models"},
});

/// What of the judged rows was measured: what was not, needs no fit.
struct Wanted {
  bool time{};
  bool memory{};
};

Wanted wanted_of(const Evidence& evidence) {
  Wanted wanted{.time = !evidence.pairs.empty()};
  for (const Sample& sample : evidence.judged) {
    const Measured& m = sample.row->measured;
    wanted.time = wanted.time || m.utilization || m.bandwidth_utilization || m.sm_active ||
                  m.step_s.has_value();
    wanted.memory = wanted.memory || m.memory_mib || m.out_of_memory;
  }
  return wanted;
}

using Pointers = std::vector<const Sample*>;

/// One fit: what it sees and what it predicts.
struct Task {
  Pointers pool;
  Pointers target;
  std::vector<std::size_t> predicted;  ///< Judged samples, by index.
};

/// A model on a machine: GPU, host, model.
using Known = std::array<std::string, 3>;

/// A protocol's fits, and which of their predictions count.
struct Plan {
  struct Draw {
    std::vector<Task> tasks;
    std::vector<std::size_t> scored;  ///< Judged samples, ascending.
    std::set<Known> met;              ///< Of what the target measured to calibrate a fit.
  };
  std::vector<Draw> draws;
  PairSplit pairs;
  std::vector<std::string> notes;
};

std::vector<std::size_t> all_of(std::span<const Sample> samples) {
  std::vector<std::size_t> indices(samples.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  return indices;
}

// ---- Groups held out ----------------------------------------------------------------------------

/// Judged samples first, then companions: one numbering for folds.
Pointers numbered(const Evidence& evidence) {
  Pointers all;
  for (const Sample& sample : evidence.judged) all.push_back(&sample);
  for (const Sample& sample : evidence.companions) all.push_back(&sample);
  return all;
}

Plan plan_of(std::span<const Fold> folds, const Evidence& evidence, bool knows_target) {
  const Pointers all = numbered(evidence);
  Plan plan;
  Plan::Draw draw{.tasks = {}, .scored = all_of(evidence.judged)};
  for (const Fold& fold : folds) {
    Task task;
    for (const std::size_t i : fold.train) task.pool.push_back(all[i]);
    if (knows_target) {
      for (const std::size_t i : fold.train) {
        if (i < evidence.judged.size()) task.target.push_back(all[i]);
      }
    }
    task.predicted = fold.test;
    draw.tasks.push_back(std::move(task));
  }
  plan.draws.push_back(std::move(draw));
  return plan;
}

/// The GPU without the name of an instance: "A100-40GB" of "A100-40GB MIG 1g.5gb".
std::string whole_gpu(const Row& row) { return row.gpu.substr(0, row.gpu.find(" MIG ")); }

using KeyOf = std::string (*)(const Row&);

std::string model_key(const Row& row) { return group_key(row.model); }
std::string family_key(const Row& row) { return group_key(row.family); }
std::string gpu_key(const Row& row) { return whole_gpu(row); }

struct Grouping {
  KeyOf key;
  std::string_view noun;  ///< In the plural.
  bool knows_target{};    ///< Whether rows of the target's GPU and host stay in training.
};

Result<Plan> hold_out(const Grouping& grouping, const Evidence& evidence,
                      const ProtocolOptions& options) {
  std::vector<std::string> keys;
  for (const Sample* sample : numbered(evidence)) keys.push_back(grouping.key(*sample->row));
  const std::set<std::string> groups(
      keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(evidence.judged.size()));
  if (groups.size() < 2 && evidence.companions.empty()) {
    return fail(
        Errc::InvalidArgument,
        fmt::format("the data set has no two {}: nothing is left to train on", grouping.noun));
  }
  const auto folds = leave_groups_out(keys, evidence.judged.size(),
                                      {.folds_max = options.folds_max, .seed = options.seed});
  Plan plan = plan_of(folds, evidence, grouping.knows_target);
  plan.pairs = PairSplit{.kind = PairSplit::Kind::HoldOut, .key = grouping.key};
  if (groups.size() > folds.size()) {
    plan.notes.push_back(fmt::format("{} {} are held out in {} folds, several at a time",
                                     groups.size(), grouping.noun, folds.size()));
  }
  return plan;
}

Plan deal_at_random(const Evidence& evidence, const ProtocolOptions& options) {
  const std::size_t judged = evidence.judged.size();
  const auto folds =
      random_folds(judged + evidence.companions.size(), judged,
                   std::min(kRandomFolds, std::max<std::size_t>(judged, 2)), options.seed);
  Plan plan = plan_of(folds, evidence, true);
  plan.pairs = PairSplit{.kind = PairSplit::Kind::Random, .key = nullptr, .seed = options.seed};
  return plan;
}

// ---- Permissive data only -----------------------------------------------------------------------

/// A machine that predictions are made for.
using Target = std::pair<std::string, std::string>;  // GPU, host

Target target_of(const Row& row) { return {whole_gpu(row), row.host}; }

Known known_of(const Row& row) { return {whole_gpu(row), row.host, row.model}; }

std::vector<Target> targets_of(std::span<const Sample> samples) {
  std::set<Target> targets;
  for (const Sample& sample : samples) targets.insert(target_of(*sample.row));
  return {targets.begin(), targets.end()};
}

Pointers elsewhere(std::span<const Sample> permissive, const Target& target) {
  Pointers pool;
  for (const Sample& sample : permissive) {
    const auto& [gpu, host] = target;
    if (whole_gpu(*sample.row) != gpu && sample.row->host != host) pool.push_back(&sample);
  }
  return pool;
}

std::vector<std::size_t> on_target(std::span<const Sample> samples, const Target& target) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (target_of(*samples[i].row) == target) indices.push_back(i);
  }
  return indices;
}

/// One task per target; `calibration` jobs of it are measured first and then not scored.
Plan::Draw transfer(const Evidence& evidence, std::size_t calibration, const Rng& rng) {
  Plan::Draw draw;
  std::uint64_t salt = 0;
  for (const Target& target : targets_of(evidence.judged)) {
    Task task{.pool = elsewhere(evidence.permissive, target),
              .target = {},
              .predicted = on_target(evidence.judged, target)};
    const auto measured = draw_some(task.predicted, calibration, rng.fork(salt++));
    for (const std::size_t i : measured) {
      task.target.push_back(&evidence.judged[i]);
      task.pool.push_back(&evidence.judged[i]);
      draw.met.insert(known_of(*evidence.judged[i].row));
    }
    std::ranges::set_difference(task.predicted, measured, std::back_inserter(draw.scored));
    draw.tasks.push_back(std::move(task));
  }
  std::ranges::sort(draw.scored);
  return draw;
}

Result<Plan> transferred(const Evidence& evidence, std::size_t calibration, std::size_t draws,
                         std::uint64_t seed) {
  if (evidence.permissive.empty()) {
    return fail(Errc::InvalidArgument,
                "needs permissive data sets to fit on, and none was found; name their folder with "
                "--pool");
  }
  Plan plan;
  for (std::size_t i = 0; i < draws; ++i) {
    plan.draws.push_back(transfer(evidence, calibration, Rng{seed}.fork(i)));
  }
  for (const Task& task : plan.draws.front().tasks) {
    if (task.pool.size() > calibration) continue;
    const Row& row = *evidence.judged[task.predicted.front()].row;
    return fail(Errc::InvalidArgument,
                fmt::format("no permissive data is left without {} and host {}", row.gpu,
                            printable(row.host)));
  }
  plan.pairs = PairSplit{.kind = PairSplit::Kind::Nothing, .key = nullptr};
  return plan;
}

// ---- Running ------------------------------------------------------------------------------------

Guess merged(Guess time, Guess memory) {
  time.memory = memory.memory;
  return time;
}

class Runner {
 public:
  Runner(const Evidence& evidence, const Methods& methods, const ProtocolOptions& options)
      : evidence_{evidence},
        methods_{methods},
        options_{options},
        wanted_{wanted_of(evidence)},
        models_{model_indices(evidence.judged)} {}

  ProtocolRun as_is() {
    const auto time = wanted_.time ? methods_.time->as_is(*methods_.model) : nullptr;
    const auto memory = wanted_.memory ? methods_.memory->as_is(*methods_.model) : nullptr;
    std::vector<Guess> guesses(evidence_.judged.size());
    const auto all = all_of(evidence_.judged);
    predict(all, time.get(), memory.get(), guesses);
    Scores scores{.rows = score(all, guesses), .pairs = {}};
    scores.pairs = score_pairs(inputs(guesses), PairSplit{.kind = PairSplit::Kind::AsIs});
    ProtocolRun run;
    run.draws.push_back(std::move(scores));
    return run;
  }

  ProtocolRun run(const Plan& plan) {
    std::size_t tasks = 0;
    for (const Plan::Draw& draw : plan.draws) tasks += draw.tasks.size();
    ProtocolRun run;
    run.notes = plan.notes;
    for (const Plan::Draw& draw : plan.draws) {
      std::vector<Guess> guesses(evidence_.judged.size());
      for (const Task& task : draw.tasks) {
        run_task(task, guesses);
        ++run.folds;
        if (options_.progress) {
          options_.progress(static_cast<double>(run.folds) / static_cast<double>(tasks));
        }
      }
      Scores scores{.rows = score(draw.scored, guesses), .pairs = {}};
      for (RowScore& row : scores.rows) row.model_met = draw.met.contains(known_of(*row.row));
      scores.pairs = score_pairs(inputs(guesses), plan.pairs);
      run.draws.push_back(std::move(scores));
    }
    return run;
  }

 private:
  void run_task(const Task& task, std::vector<Guess>& guesses) const {
    const Training training{.pool = task.pool, .target = task.target};
    Training timed = training;
    timed.wanted = options_.wanted_of_time;
    const auto time = wanted_.time ? methods_.time->fit(timed) : nullptr;
    const auto memory = wanted_.memory ? methods_.memory->fit(training) : nullptr;
    predict(task.predicted, time.get(), memory.get(), guesses);
  }

  void predict(std::span<const std::size_t> indices, const Fitted* time, const Fitted* memory,
               std::vector<Guess>& guesses) const {
    for (const std::size_t i : indices) {
      const Sample& sample = evidence_.judged[i];
      guesses[i] = merged(time != nullptr ? time->guess(sample) : Guess{},
                          memory != nullptr ? memory->guess(sample) : Guess{});
    }
  }

  [[nodiscard]] std::vector<RowScore> score(std::span<const std::size_t> indices,
                                            const std::vector<Guess>& guesses) const {
    std::vector<RowScore> scores;
    for (const std::size_t i : indices) {
      scores.push_back({models_[i], evidence_.judged[i].row, guesses[i]});
    }
    return scores;
  }

  [[nodiscard]] PairInputs inputs(const std::vector<Guess>& guesses) const {
    return {.samples = evidence_.judged,
            .pairs = evidence_.pairs,
            .guesses = guesses,
            .models = models_,
            .method = methods_.sharing,
            .model = methods_.model};
  }

  [[nodiscard]] static std::vector<std::size_t> model_indices(std::span<const Sample> samples) {
    const std::vector<std::string> names = models_of(samples);
    std::vector<std::size_t> indices;
    for (const Sample& sample : samples) {
      const auto found = std::ranges::lower_bound(names, sample.row->model);
      indices.push_back(static_cast<std::size_t>(found - names.begin()));
    }
    return indices;
  }

  const Evidence& evidence_;
  const Methods& methods_;
  const ProtocolOptions& options_;
  Wanted wanted_;
  std::vector<std::size_t> models_;  ///< By judged sample.
};

Result<Plan> make_plan(Protocol protocol, const Evidence& evidence,
                       const ProtocolOptions& options) {
  switch (protocol) {
    case Protocol::ZeroShot:
      return transferred(evidence, 0, 1, options.seed);
    case Protocol::CalibratedFive:
      return transferred(evidence, kCalibrationJobs, options.draws, options.seed);
    case Protocol::ModelOut:
      return hold_out({model_key, "models", true}, evidence, options);
    case Protocol::FamilyOut:
      return hold_out({family_key, "families", true}, evidence, options);
    case Protocol::GpuOut:
      return hold_out({gpu_key, "GPUs", false}, evidence, options);
    case Protocol::Random:
      return deal_at_random(evidence, options);
    case Protocol::Shipped:
      break;
  }
  return Plan{};
}

}  // namespace

std::span<const ProtocolRule> protocol_rules() { return kRules; }

std::vector<std::string> protocol_names() {
  std::vector<std::string> names;
  for (const ProtocolRule& rule : kRules) names.emplace_back(rule.name);
  return names;
}

Result<Protocol> parse_protocol(std::string_view name) {
  const auto found = std::ranges::find(kRules, name, &ProtocolRule::name);
  if (found != kRules.end()) return found->protocol;
  const std::vector<std::string> names = protocol_names();
  return fail(Errc::InvalidArgument,
              fmt::format("unknown protocol '{}'.{} Expected one of {}", printable(name),
                          did_you_mean(name, names), fmt::join(names, ", ")),
              "--protocol");
}

std::vector<std::string> models_of(std::span<const Sample> samples) {
  std::set<std::string> names;
  for (const Sample& sample : samples) names.insert(sample.row->model);
  return {names.begin(), names.end()};
}

Result<ProtocolRun> run_protocol(Protocol protocol, const Evidence& evidence,
                                 const Methods& methods, const ProtocolOptions& options) {
  HORUS_CHECK(!evidence.judged.empty(), "there is something to judge");
  Runner runner{evidence, methods, options};
  if (protocol == Protocol::Shipped) return runner.as_is();
  HORUS_TRY(const Plan plan, make_plan(protocol, evidence, options));
  return runner.run(plan);
}

}  // namespace horus::lab
