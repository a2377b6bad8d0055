// SPDX-License-Identifier: Apache-2.0
#pragma once
// The options by which a command is given models: the references, --batch and --dim.

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
  /// For a command that takes one model.
  void declare(CLI::App& app);
  /// For a command that takes any number of models.
  void declare_several(CLI::App& app);

  /// Empty when none was given.
  [[nodiscard]] const std::string& reference() const { return reference_; }
  /// With declare_several().
  [[nodiscard]] const std::vector<std::string>& references() const { return references_; }
  /// Errors: InvalidArgument for a --dim that cannot be read.
  [[nodiscard]] Result<graph::AnalysisOptions> analysis_options() const;

 private:
  void declare_sizes(CLI::App& app);

  std::string reference_;
  std::vector<std::string> references_;
  std::optional<std::int64_t> batch_;
  std::vector<std::string> dims_;
};

}  // namespace horus::apps
