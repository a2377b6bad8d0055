// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/world_options.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "horus/apps/horus/number_option.hpp"
#include "horus/base/text.hpp"
#include "horus/domain/gpu.hpp"
#include "horus/os/file.hpp"
#include "horus/sched/books.hpp"
#include "horus/sim/truth/parametric_truth.hpp"
#include "horus/sim/truth/table_truth.hpp"

namespace horus::apps {
namespace {

/// A parameter of the parametric truth as --truth spells it.
struct Parameter {
  const char* name;
  double sim::ParametricOptions::*value;
};

constexpr std::array<Parameter, 7> kParameters{{
    {"gain", &sim::ParametricOptions::gain},
    {"own-exponent", &sim::ParametricOptions::own_exponent},
    {"others-exponent", &sim::ParametricOptions::others_exponent},
    {"utilization-spread", &sim::ParametricOptions::utilization_spread},
    {"memory-spread", &sim::ParametricOptions::memory_spread},
    {"speed-spread", &sim::ParametricOptions::speed_spread},
    {"sensitivity-spread", &sim::ParametricOptions::sensitivity_spread},
}};

std::vector<std::string> parameter_names() {
  std::vector<std::string> names;
  for (const Parameter& parameter : kParameters) names.emplace_back(parameter.name);
  return names;
}

Result<Done> set_parameter(sim::ParametricOptions& options, const std::string& pair) {
  const std::size_t equals = pair.find('=');
  const std::string name = pair.substr(0, equals);
  const auto known =
      std::ranges::find_if(kParameters, [&](const Parameter& p) { return name == p.name; });
  if (known == kParameters.end()) {
    return fail(Errc::InvalidArgument,
                fmt::format("unknown parameter '{}': expected one of {}", printable(name),
                            fmt::join(parameter_names(), ", ")),
                "--truth");
  }
  const auto value = equals == std::string::npos
                         ? std::nullopt
                         : parse_number(std::string_view{pair}.substr(equals + 1));
  if (!value) {
    return fail(Errc::InvalidArgument,
                fmt::format("cannot read '{}': expected {}=NUMBER", printable(pair), name),
                "--truth");
  }
  options.*(known->value) = *value;
  return Done{};
}

/// The GPU of an option, `otherwise` when it was not given. A choice that was made is noted.
Result<GpuSpec> gpu_or(const std::string& name, const GpuSpec& otherwise, const char* option,
                       std::vector<std::string>& notes) {
  if (name.empty()) return otherwise;
  const auto choice = find_gpu(name);
  if (!choice) return fail(Errc::InvalidArgument, choice.error().message, option);
  if (!choice->note.empty()) notes.push_back(choice->note);
  return *choice->spec;
}

}  // namespace

void WorldOptions::declare(CLI::App& app) {
  app.add_option("--mix", mix_, "Models of the jobs, a CSV file; default: a built-in mix");
  app.add_option("--mix-gpu", mix_gpu_,
                 fmt::format("GPU on which the mix states its truth; default: {}", sim::kMixGpu));
  app.add_option("--reference-gpu", reference_gpu_,
                 "GPU on which durations are stated; default: the cluster's first type");
  app.add_option("--truth", truth_,
                 fmt::format("Parameters of the world, NAME=VALUE[,...]: {}",
                             fmt::join(parameter_names(), ", ")))
      ->delimiter(',');
  app.add_option("--truth-table", truth_table_,
                 "Measured slowdowns of pairs, a CSV file; missing pairs by the parametric form");
  app.add_option("--max-residents", max_residents_,
                 "Jobs on one GPU at most; default: 3, and 2 with --truth-table")
      ->transform(integer_between(1, sched::kMaxResidentsLimit));
  app.add_option("--gangs", gangs_, "Jobs of several GPUs get them 'exclusive' or 'shared'")
      ->check(CLI::IsMember({"exclusive", "shared"}))
      ->capture_default_str();
  app.add_option("--checkpoint", checkpoint_s_,
                 "Seconds between checkpoints; default: a job that dies starts over")
      ->check(number_between(1e-3, kMaxSeconds));
  app.add_option("--oom-delay", oom_delay_s_,
                 "Seconds from a start until memory that does not fit kills")
      ->check(number_between(0.0, 1e6))
      ->capture_default_str();
}

Result<sim::Mix> WorldOptions::read_mix() const {
  if (mix_.empty()) return sim::parse_mix(sim::default_mix_text(), "built-in mix");
  HORUS_TRY(const std::string text, os::read_text(mix_));
  return sim::parse_mix(text, mix_);
}

Result<Done> WorldOptions::add_parametric_truth(World& world, const Cluster& cluster,
                                                std::uint64_t seed) const {
  sim::ParametricOptions options;
  options.seed = seed;
  std::set<std::string> seen;
  for (const std::string& pair : truth_) {
    HORUS_TRY_DONE(set_parameter(options, pair));
    const std::string name = pair.substr(0, pair.find('='));
    if (!seen.insert(name).second) {
      return fail(Errc::InvalidArgument, fmt::format("{} is given twice", name), "--truth");
    }
  }
  HORUS_TRY(const GpuChoice default_mix_gpu, find_gpu(sim::kMixGpu));
  HORUS_TRY(const GpuSpec mix_gpu,
            gpu_or(mix_gpu_, *default_mix_gpu.spec, "--mix-gpu", world.notes));
  HORUS_TRY(const GpuSpec reference,
            gpu_or(reference_gpu_, cluster.types().front(), "--reference-gpu", world.notes));
  HORUS_TRY(world.truth,
            sim::ParametricTruth::make(world.mix, cluster.types(), reference, mix_gpu, options));
  return Done{};
}

Result<World> WorldOptions::make(const Cluster& cluster, std::uint64_t seed) const {
  World world;
  HORUS_TRY(world.mix, read_mix());
  world.mix_name = mix_.empty() ? "built-in mix" : mix_;
  HORUS_TRY_DONE(add_parametric_truth(world, cluster, seed));
  world.description = "parametric: an assumption, not a measurement";
  if (truth_table_.empty()) return world;
  HORUS_TRY(const std::string text, os::read_text(truth_table_));
  HORUS_TRY(auto table, sim::TableTruth::parse(text, truth_table_, world.mix, cluster.types(),
                                               std::move(world.truth)));
  const sim::TableCoverage& coverage = table->coverage();
  world.description =
      fmt::format("measured pairs of {}; {:.1f} % of the mix's pairs are missing and parametric",
                  truth_table_, coverage.share_missing() * 100.0);
  if (coverage.rows_unused > 0) {
    world.notes.push_back(fmt::format("{} rows of {} are about other GPUs or configurations",
                                      coverage.rows_unused, truth_table_));
  }
  world.truth = std::move(table);
  return world;
}

Result<sim::SimOptions> WorldOptions::sim_options(const sim::Truth& truth,
                                                  std::uint64_t seed) const {
  sim::SimOptions options;
  const std::optional<int> spoken_for = truth.max_residents();
  if (max_residents_ && spoken_for && *max_residents_ > *spoken_for) {
    return fail(Errc::InvalidArgument,
                fmt::format("{} residents, but the truth table knows about at most {}",
                            *max_residents_, *spoken_for),
                "--max-residents");
  }
  options.max_residents =
      max_residents_.value_or(std::min(options.max_residents, spoken_for.value_or(3)));
  options.gangs = gangs_ == "shared" ? sim::Gangs::Shared : sim::Gangs::Exclusive;
  options.oom_delay = from_seconds(oom_delay_s_);
  if (checkpoint_s_) options.checkpoint_interval = from_seconds(*checkpoint_s_);
  options.seed = seed;
  return options;
}

}  // namespace horus::apps
