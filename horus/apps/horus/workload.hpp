// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who comes when: a trace file or the generator, as the command line asks for it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/sim/traces/trace.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace horus::apps {

struct Workload {
  std::string name;                 ///< For people: the file or the generator's words.
  std::vector<sim::TraceJob> jobs;  ///< In order of arrival.
  std::optional<double> load;  ///< Offered to the cluster; absent when all jobs arrive at once.
  std::vector<std::string> notes;
};

/// The options --trace, --generate and what belongs to them.
class WorkloadOptions {
 public:
  void declare(CLI::App& app);
  /// Reads or generates for a cluster of `gpus` GPUs. Errors name the file and line, or the option.
  [[nodiscard]] Result<Workload> make(std::int64_t gpus, std::uint64_t seed) const;

 private:
  [[nodiscard]] Result<Workload> read(std::int64_t gpus) const;
  [[nodiscard]] Result<Workload> generate(std::int64_t gpus, std::uint64_t seed) const;

  std::string trace_;
  std::string format_;
  std::string partition_;
  bool skip_bad_rows_{false};
  std::string generator_;
  std::uint64_t jobs_{1000};
  std::optional<double> load_;
  bool closed_{false};
};

}  // namespace horus::apps
