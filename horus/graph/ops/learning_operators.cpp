// SPDX-License-Identifier: Apache-2.0
// Classical learning operators (domain ai.onnx.ml), one row each: they prepare inputs and read
// outputs of networks on the host, so that only their shapes matter. Maps are not followed.

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "horus/graph/op_rule.hpp"
#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

using enum OpKind;
constexpr auto kStops = Gradient::Stops;
constexpr Pointwise kCopies{};

/// How many entries the first attribute of `names` that is a list of any kind has; 0 without one.
std::int64_t list_length(const NodeView& node, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = node.node().attributes.find(name);
    if (found == node.node().attributes.end()) continue;
    const AttributeValue& value = found->second;
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) {
      return static_cast<std::int64_t>(integers->size());
    }
    if (const auto* reals = std::get_if<std::vector<double>>(&value)) {
      return static_cast<std::int64_t>(reals->size());
    }
    if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
      return static_cast<std::int64_t>(texts->size());
    }
  }
  return 0;
}

/// Rows of features: (rows, features), or the features of one row.
std::int64_t rows_of(const Shape& shape) { return shape.size() < 2 ? 1 : shape[0]; }

Result<Facts> infer_scaled(const NodeView& node) {
  return one(ElementType::Float32, node.shape(0));
}

Result<Facts> infer_feature_extractor(const NodeView& node) {
  Shape shape = node.shape(0);
  if (shape.empty()) return refuse("features are needed, found a scalar");
  if (shape.size() == 1) shape.insert(shape.begin(), 1);
  shape.back() = elements(node.shape(1));
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_feature_vector(const NodeView& node) {
  std::int64_t features = 0;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!node.has_input(i) || node.shape(i).empty()) return refuse("a part has no features");
    features += node.shape(i).back();
    if (features > kMaxElements) return refuse("the features are beyond all bounds");
  }
  return one(ElementType::Float32, {rows_of(node.shape(0)), features});
}

/// The kind of labels is told by the list that holds them.
Result<Facts> infer_label_encoder(const NodeView& node) {
  if (const Tensor* values = node.tensor("values_tensor")) return one(values->type, node.shape(0));
  struct Kind {
    const char* attribute;
    ElementType type;
  };
  constexpr std::array kKinds{Kind{"values_floats", ElementType::Float32},
                              Kind{"values_int64s", ElementType::Int64},
                              Kind{"values_strings", ElementType::String}};
  for (const Kind& kind : kKinds) {
    if (node.has_attribute(kind.attribute)) return one(kind.type, node.shape(0));
  }
  // Version 1 maps strings to numbers and back.
  const bool is_text = node.input(0).type == ElementType::String;
  return one(is_text ? ElementType::Int64 : ElementType::String, node.shape(0));
}

Result<Facts> infer_category_encoder(const NodeView& node) {
  const std::int64_t categories = list_length(node, {"cats_int64s", "cats_strings"});
  if (categories == 0) return refuse("the categories are missing");
  Shape shape = node.shape(0);
  shape.push_back(categories);
  return one(ElementType::Float32, std::move(shape));
}

Result<Facts> infer_regressor(const NodeView& node) {
  const std::int64_t targets = node.integer("targets", node.integer("n_targets", 1));
  return one(ElementType::Float32, {rows_of(node.shape(0)), targets});
}

/// Labels, and one score per class.
Result<Facts> infer_classifier(const NodeView& node) {
  const std::int64_t rows = rows_of(node.shape(0));
  const std::int64_t classes =
      list_length(node, {"classlabels_ints", "classlabels_int64s", "classlabels_strings"});
  if (classes == 0) return refuse("the class labels are missing");
  const bool is_text = list_length(node, {"classlabels_strings"}) > 0;
  Facts facts = one(is_text ? ElementType::String : ElementType::Int64, {rows});
  facts.push_back({.type = ElementType::Float32, .shape = {rows, classes}});
  return facts;
}

Result<Facts> infer_tree_ensemble(const NodeView& node) {
  return one(node.input(0).type, {rows_of(node.shape(0)), node.integer("n_targets", 1)});
}

// Columns as in operators.cpp.
// clang-format off
constexpr auto kRules = std::to_array<OpRule>({
    {"ArrayFeatureExtractor", 2, 2, "xs", DataMovement, infer_feature_extractor, cost_copy},
    {"Binarizer", 1, 1, "x", Free, infer_same, cost_host, kCopies, nullptr, kStops},
    {"CategoryMapper", 1, 1, "x", Free, infer_label_encoder, cost_host, kCopies, nullptr, kStops},
    {"FeatureVectorizer", 1, kAnyNumber, "x", DataMovement, infer_feature_vector, cost_copy},
    {"Imputer", 1, 1, "x", Free, infer_same, cost_host, kCopies, nullptr, kStops},
    {"LabelEncoder", 1, 1, "x", Free, infer_label_encoder, cost_host, kCopies, nullptr, kStops},
    {"LinearClassifier", 1, 1, "x", Free, infer_classifier, cost_host, kCopies, nullptr, kStops},
    {"LinearRegressor", 1, 1, "x", Free, infer_regressor, cost_host, kCopies, nullptr, kStops},
    {"Normalizer", 1, 1, "x", Free, infer_scaled, cost_host, kCopies, nullptr, kStops},
    {"OneHotEncoder", 1, 1, "x", Free, infer_category_encoder, cost_host, kCopies, nullptr,
     kStops},
    {"SVMClassifier", 1, 1, "x", Free, infer_classifier, cost_host, kCopies, nullptr, kStops},
    {"SVMRegressor", 1, 1, "x", Free, infer_regressor, cost_host, kCopies, nullptr, kStops},
    {"Scaler", 1, 1, "x", Free, infer_scaled, cost_host, kCopies, nullptr, kStops},
    {"TreeEnsemble", 1, 1, "x", Free, infer_tree_ensemble, cost_host, kCopies, nullptr, kStops},
    {"TreeEnsembleClassifier", 1, 1, "x", Free, infer_classifier, cost_host, kCopies, nullptr,
     kStops},
    {"TreeEnsembleRegressor", 1, 1, "x", Free, infer_regressor, cost_host, kCopies, nullptr,
     kStops},
});
// clang-format on

static_assert(std::ranges::is_sorted(kRules, {}, &OpRule::name), "find_rule searches by halves");

}  // namespace

std::span<const OpRule> learning_rules() { return kRules; }

}  // namespace horus::graph
