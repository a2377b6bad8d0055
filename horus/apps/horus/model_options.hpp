// SPDX-License-Identifier: Apache-2.0
#pragma once
// The options by which a command is given a model: the reference, --batch and --dim.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/graph/analysis.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace horus::apps {

class ModelOptions {
 public:
  void declare(CLI::App& app);

  /// Empty when none was given.
  [[nodiscard]] const std::string& reference() const { return reference_; }
  /// Errors: InvalidArgument for a --dim that cannot be read.
  [[nodiscard]] Result<graph::AnalysisOptions> analysis_options() const;

 private:
  std::string reference_;
  std::optional<std::int64_t> batch_;
  std::vector<std::string> dims_;
};

}  // namespace horus::apps
