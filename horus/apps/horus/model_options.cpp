// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/model_options.hpp"

#include <CLI/CLI.hpp>

#include "horus/apps/horus/model_source.hpp"
#include "horus/apps/horus/number_option.hpp"

namespace horus::apps {

void ModelOptions::declare(CLI::App& app) {
  app.add_option("model", reference_, "ONNX file, or zoo:NAME for an architecture of 'horus zoo'");
  declare_sizes(app);
}

void ModelOptions::declare_several(CLI::App& app) {
  app.add_option("models", references_, "ONNX files, or zoo:NAME for architectures of 'horus zoo'");
  declare_sizes(app);
}

void ModelOptions::declare_sizes(CLI::App& app) {
  app.add_option("--batch", batch_, "Batch size; default: as in the file, 1 where it is open")
      ->transform(integer_between(1, kMaxBatch));
  app.add_option(
         "--dim", dims_,
         "Size of a named dimension, NAME=VALUE, e.g. sequence=512 with zoo:gpt2 or image=384 "
         "with zoo:resnet50; may be repeated")
      ->expected(1)
      ->take_all();
}

Result<graph::AnalysisOptions> ModelOptions::analysis_options() const {
  graph::AnalysisOptions options{.batch = batch_, .dims = {}};
  HORUS_TRY(options.dims, parse_dims(dims_));
  return options;
}

}  // namespace horus::apps
