// SPDX-License-Identifier: Apache-2.0
#pragma once
// The options that say how jobs share a GPU: --mode, --interference and --tolerance.

#include <string>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/sharing.hpp"
#include "horus/predict/sharing_choice.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace horus::apps {

/// The modes in the order of tables.
[[nodiscard]] std::vector<SharingMode> all_sharing_modes();
/// The words of --mode: those of the modes, and "all".
[[nodiscard]] std::vector<std::string> mode_option_words();

/// What to predict of sharing.
struct SharingRequest {
  std::vector<SharingMode> modes;  ///< At least one.
  Interference interference{Interference::Default};
  double tolerance{predict::kToleranceDefault};
  bool wants_advice{};  ///< Asked for all modes: which one is it to be?
};

class SharingOptions {
 public:
  void declare(CLI::App& app);

  /// True where the command line names a mode.
  [[nodiscard]] bool has_mode() const { return !mode_.empty(); }
  /// Errors: InvalidArgument for an unknown word.
  [[nodiscard]] Result<SharingRequest> request() const;

 private:
  std::string mode_;
  std::string interference_{"default"};
  double tolerance_{predict::kToleranceDefault};
};

}  // namespace horus::apps
