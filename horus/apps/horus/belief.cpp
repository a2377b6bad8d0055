// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/belief.hpp"

#include <optional>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/graph/analysis.hpp"
#include "horus/predict/predict.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::apps {
namespace {

Result<GraphFeatures> features_of(const sim::MixEntry& entry) {
  const auto sequence =
      entry.sequence > 0 ? std::optional<std::int64_t>{entry.sequence} : std::nullopt;
  HORUS_TRY(const graph::Model model,
            zoo::build(entry.model, {.batch = std::nullopt, .sequence = sequence}));
  HORUS_TRY(graph::Analysis analysis, graph::analyse(model, {.batch = entry.batch, .dims = {}}));
  return std::move(analysis.features);
}

}  // namespace

TaskDemand demand_of(const Prediction& prediction) {
  return {.utilization_mean = to_permille(prediction.gpu_utilization.expected),
          .utilization_max = to_permille(prediction.gpu_utilization.high),
          .memory_bound = prediction.memory.bound};
}

Result<std::vector<std::vector<TaskDemand>>> beliefs_of(const sim::Mix& mix,
                                                        const std::string& source,
                                                        const Cluster& cluster,
                                                        const predict::Model& model) {
  std::vector<std::vector<TaskDemand>> beliefs;
  for (const sim::MixEntry& entry : mix.entries) {
    const auto features = features_of(entry);
    if (!features) {
      return fail(Errc::Corrupt, features.error().text(),
                  fmt::format("{}: configuration '{}'", source, printable(entry.name)));
    }
    std::vector<TaskDemand> demands;
    for (const GpuSpec& gpu : cluster.types()) {
      demands.push_back(demand_of(predict::predict(*features, entry.setup, gpu, model)));
    }
    beliefs.push_back(std::move(demands));
  }
  return beliefs;
}

}  // namespace horus::apps
