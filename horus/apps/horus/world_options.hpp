// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the simulated world really is: the mix of models, and the truth about their interference.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/cluster.hpp"
#include "horus/sim/mix.hpp"
#include "horus/sim/truth/truth.hpp"
#include "horus/sim/world/scenario.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace horus::apps {

struct World {
  sim::Mix mix;
  std::string mix_name;  ///< Its file, or "built-in mix".
  std::unique_ptr<sim::Truth> truth;
  std::string description;  ///< Of the truth, for people.
  std::vector<std::string> notes;
};

/// The options --mix, --truth, --truth-table and those about what happens on a GPU.
class WorldOptions {
 public:
  void declare(CLI::App& app);
  [[nodiscard]] Result<World> make(const Cluster& cluster, std::uint64_t seed) const;
  /// `truth` may allow fewer residents than were asked for.
  [[nodiscard]] Result<sim::SimOptions> sim_options(const sim::Truth& truth,
                                                    std::uint64_t seed) const;

 private:
  [[nodiscard]] Result<sim::Mix> read_mix() const;
  /// Needs world.mix.
  [[nodiscard]] Result<Done> add_parametric_truth(World& world, const Cluster& cluster,
                                                  std::uint64_t seed) const;

  std::string mix_;
  std::string mix_gpu_;
  std::string reference_gpu_;
  std::vector<std::string> truth_;
  std::string truth_table_;
  std::optional<int> max_residents_;
  std::string gangs_{"exclusive"};
  std::optional<double> checkpoint_s_;
  double oom_delay_s_{30.0};
};

}  // namespace horus::apps
