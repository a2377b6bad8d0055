// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/datasets/graph_source.hpp"

#include <utility>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/graph/analysis.hpp"
#include "horus/lab/datasets/family_table.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::lab {
namespace {

Result<GraphFeatures> build_features(const GraphSource& source) {
  HORUS_TRY(const graph::Model model, zoo::build(source.architecture, {.batch = source.batch,
                                                                       .sequence = source.sequence,
                                                                       .image = source.image}));
  HORUS_TRY(graph::Analysis analysis, graph::analyse(model, {.batch = source.batch, .dims = {}}));
  return std::move(analysis.features);
}

}  // namespace

std::function<Result<GraphFeatures>()> features_of(GraphSource source) {
  return [source = std::move(source)] { return build_features(source); };
}

Result<std::string> family_group(std::string_view architecture) {
  static const Result<FamilyTable> table = FamilyTable::load("families.csv", "group");
  if (!table) return tl::make_unexpected(table.error());
  if (const std::string* group = table->find(architecture)) return *group;
  return fail(Errc::NotFound,
              fmt::format("no row for the family of '{}', or no such architecture",
                          printable(architecture)),
              "data/mappings/families.csv");
}

}  // namespace horus::lab
