// SPDX-License-Identifier: Apache-2.0
#pragma once
// From predictions to judgements: figures with their intervals, the models that are predicted
// worst, and the difference to somebody else's predictions.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "horus/lab/against.hpp"
#include "horus/lab/bootstrap.hpp"
#include "horus/lab/error_figures.hpp"
#include "horus/lab/protocols.hpp"

namespace horus::lab {

/// One figure of one protocol.
struct Figure {
  const Metric* metric{};
  double value{};
  std::optional<Confidence> confidence;  ///< 95 %, over models drawn again.
  std::size_t count{};                   ///< Rows or pairs of one draw.
};

/// How a metric looks for one model alone.
struct ModelError {
  const Metric* metric{};
  std::string model;
  double value{};
  std::size_t count{};
};

/// The figures of one Part.
struct PartFigures {
  std::string name;
  std::vector<Figure> figures;
};

struct Judgement {
  std::vector<Figure> figures;  ///< Those that have something to judge, in the order of metrics().
  std::vector<PartFigures> parts;
  std::vector<ModelError> worst;
  std::vector<Difference> differences;
  std::size_t rows{};      ///< Scored in one draw, on average.
  std::size_t models{};    ///< Of the judged samples.
  std::size_t families{};  ///< Of the judged samples.
  std::size_t pairs{};     ///< Distinct, that ran.
};

struct JudgeOptions {
  BootstrapOptions bootstrap;
  std::size_t worst_models{5};        ///< Per quantity.
  const OtherPredictions* against{};  ///< Null: nobody.
};

/// `models` as models_of gives them.
[[nodiscard]] Judgement judge(std::span<const Scores> draws, std::span<const std::string> models,
                              const JudgeOptions& options = {});

}  // namespace horus::lab
