// SPDX-License-Identifier: Apache-2.0
// Operators on strings. They run on the host: no kernel, no floating-point work.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {

Result<Facts> infer_string_normalizer(const NodeView& node) {
  Facts facts = one(ElementType::String, node.shape(0));
  // Stop words are dropped, so that fewer may come out.
  if (node.has_attribute("stopwords")) mark_bounds(facts);
  return facts;
}

Result<Facts> infer_string_concat(const NodeView& node) {
  HORUS_TRY(Shape shape, broadcast(node.shape(0), node.shape(1)));
  return one(ElementType::String, std::move(shape));
}

Result<Facts> infer_string_split(const NodeView& node) {
  if (!node.has_attribute("maxsplit")) {
    return refuse("the number of parts of a string depends on its letters");
  }
  const std::int64_t parts = node.integer("maxsplit", 0) + 1;
  Shape shape = node.shape(0);
  shape.push_back(std::max<std::int64_t>(parts, 1));
  Facts facts = one(ElementType::String, std::move(shape));
  mark_bounds(facts);
  facts.push_back({.type = ElementType::Int64, .shape = node.shape(0)});
  return facts;
}

Result<Facts> infer_ngrams(const NodeView& node) {
  const auto columns = node.integers("ngram_indexes");
  if (columns.empty()) return refuse("attribute 'ngram_indexes' is missing");
  Shape shape = node.shape(0);
  if (shape.empty() || shape.size() > 2) {
    return refuse(fmt::format("words, or rows of words, are needed, found {}", text_of(shape)));
  }
  shape.back() = *std::ranges::max_element(columns) + 1;
  return one(ElementType::Float32, std::move(shape));
}

void cost_host(const CostView&, CostSheet& sheet) {
  sheet.work.kind = OpKind::Free;
  sheet.work.host_ops_forward = 1;
}

}  // namespace horus::graph
