// SPDX-License-Identifier: Apache-2.0
#pragma once
// The options that say of a training job what its graph does not: precision, optimizer, input.

#include <cstdint>
#include <optional>
#include <string>

#include "horus/base/result.hpp"
#include "horus/domain/prediction.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace horus::apps {

class SetupOptions {
 public:
  void declare(CLI::App& app);

  /// What the command line says; errors: InvalidArgument for an unknown word.
  [[nodiscard]] Result<TrainingSetup> setup() const;
  /// True where a rate of the input pipeline was given.
  [[nodiscard]] bool has_rate() const { return samples_per_second_.has_value(); }

 private:
  std::string precision_{"fp32"};
  std::string optimizer_{"momentum"};
  std::string attention_{"eager"};
  std::string checkpointing_{"none"};
  std::string update_{"multi-tensor"};
  std::string step_end_{"runs-on"};
  std::string input_place_{"host"};
  std::optional<double> samples_per_second_;
  std::int64_t loader_workers_{2};
  std::int64_t accumulation_steps_{1};
  double passes_per_step_{1};
};

}  // namespace horus::apps
