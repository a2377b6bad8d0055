// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fitted predictors as the command line names them: a file, or a word for what is compiled in.

#include <string>
#include <string_view>

#include "horus/base/result.hpp"
#include "horus/domain/predictor_file.hpp"
#include "horus/predict/predictor_model.hpp"
#include "horus/report/model_card.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace horus::apps {

/// The word for the predictor that is compiled in.
inline constexpr std::string_view kShipped = "shipped";

/// "shipped", "priors", or the name of a file. Errors name the file and the field.
[[nodiscard]] Result<PredictorFile> load_predictor(const std::string& reference);

/// The model that `file` makes; `reference` names it in errors.
[[nodiscard]] Result<predict::Model> model_of(const PredictorFile& file,
                                              const std::string& reference);

/// The model of load_predictor(reference).
[[nodiscard]] Result<predict::Model> load_model(const std::string& reference);

/// The card of `file`, called `name`, beside the constants before any fit.
[[nodiscard]] report::ModelCard card_of(PredictorFile file, const std::string& name);

/// The option --model-file.
class PredictorOption {
 public:
  void declare(CLI::App& app);
  /// The shipped model where the option is not given; errors as load_model.
  [[nodiscard]] Result<predict::Model> model() const;

 private:
  std::string file_;
};

}  // namespace horus::apps
