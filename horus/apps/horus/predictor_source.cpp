// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/predictor_source.hpp"

#include <CLI/CLI.hpp>

#include "horus/os/file.hpp"
#include "horus/predict/constants.hpp"
#include "horus/wire/predictor_json.hpp"

namespace horus::apps {
namespace {

constexpr std::string_view kPriors = "priors";

PredictorFile file_of_priors() {
  PredictorFile file;
  file.command = "horus model show priors --json";
  file.constants = predict::named_constants({});
  file.notes = {
      "Nothing was fitted: these are the values that fits start from, each with its "
      "public reason in the source."};
  return file;
}

Error in_file(Error error, const std::string& file) {
  error.where = error.where.empty() ? file : file + ": " + error.where;
  return error;
}

}  // namespace

Result<PredictorFile> load_predictor(const std::string& reference) {
  if (reference == kShipped) return predict::shipped_file();
  if (reference == kPriors) return file_of_priors();
  HORUS_TRY(const std::string text, os::read_text(reference, wire::kPredictorBytesMax));
  auto file = wire::read_predictor(text);
  if (!file) return tl::make_unexpected(in_file(file.error(), reference));
  return file;
}

Result<predict::Model> model_of(const PredictorFile& file, const std::string& reference) {
  // Shipped is allowed what files are not: constants that it does not have yet.
  if (reference == kShipped) return predict::shipped_model();
  auto model = predict::make_model(file);
  if (!model) return tl::make_unexpected(in_file(model.error(), reference));
  return model;
}

Result<predict::Model> load_model(const std::string& reference) {
  HORUS_TRY(const PredictorFile file, load_predictor(reference));
  return model_of(file, reference);
}

report::ModelCard card_of(PredictorFile file, const std::string& name) {
  report::ModelCard card{.name = name, .file = std::move(file), .priors = {}};
  predict::Constants constants;
  for (const predict::ConstantRow& row : predict::constant_rows()) {
    card.priors.push_back({std::string{row.name}, std::string{row.unit}, row.of(constants)});
  }
  return card;
}

void PredictorOption::declare(CLI::App& app) {
  app.add_option("--model-file", file_,
                 "Fitted predictor that 'horus train' wrote; default: the one that is compiled in");
}

Result<predict::Model> PredictorOption::model() const {
  return load_model(file_.empty() ? std::string{kShipped} : file_);
}

}  // namespace horus::apps
