// SPDX-License-Identifier: Apache-2.0
// Values from nothing (constants, ranges, random numbers) and shapes as values.

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

std::vector<std::int64_t> clamp_range(const NodeView& node, const Shape& shape) {
  // `start` and `end` came with version 15; both clamp to the rank.
  const auto rank = static_cast<std::int64_t>(shape.size());
  std::int64_t start = node.integer("start", 0);
  std::int64_t end = node.integer("end", rank);
  if (start < 0) start += rank;
  if (end < 0) end += rank;
  start = std::clamp<std::int64_t>(start, 0, rank);
  end = std::clamp<std::int64_t>(end, start, rank);
  return {shape.begin() + start, shape.begin() + end};
}

Fact fact_of(const Tensor& tensor) {
  Fact fact{.type = tensor.type, .shape = tensor.dims};
  if (tensor.integers) fact.contents = *tensor.integers;
  if (tensor.floats) fact.contents = *tensor.floats;
  return fact;
}

/// Constant's values that are not tensors: value_int, value_floats and their kin (version 12).
std::optional<Fact> plain_constant(const NodeView& node) {
  const auto sized = [](auto list, ElementType type) {
    return Fact{.type = type,
                .shape = {static_cast<std::int64_t>(list.size())},
                .contents = std::move(list)};
  };
  for (const auto& [name, value] : node.node().attributes) {
    if (const auto* number = std::get_if<std::int64_t>(&value); number && name == "value_int") {
      return Fact{ElementType::Int64, {}, std::vector<std::int64_t>{*number}};
    }
    if (const auto* number = std::get_if<double>(&value); number && name == "value_float") {
      return Fact{ElementType::Float32, {}, std::vector<double>{*number}};
    }
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value);
        list && name == "value_ints") {
      return sized(*list, ElementType::Int64);
    }
    if (const auto* list = std::get_if<std::vector<double>>(&value);
        list && name == "value_floats") {
      return sized(*list, ElementType::Float32);
    }
    if (std::holds_alternative<std::string>(value) && name == "value_string") {
      return Fact{.type = ElementType::String, .shape = {}};
    }
    if (const auto* list = std::get_if<std::vector<std::string>>(&value);
        list && name == "value_strings") {
      return Fact{.type = ElementType::String, .shape = {static_cast<std::int64_t>(list->size())}};
    }
  }
  return std::nullopt;
}

}  // namespace

ElementType type_attribute(const NodeView& node, const char* name, ElementType fallback) {
  return static_cast<ElementType>(node.integer(name, static_cast<std::int64_t>(fallback)));
}

Result<Facts> infer_shape(const NodeView& node) {
  std::vector<std::int64_t> sizes = clamp_range(node, node.shape(0));
  Facts facts = one(ElementType::Int64, {static_cast<std::int64_t>(sizes.size())});
  facts[0].contents = std::move(sizes);
  return facts;
}

Result<Facts> infer_size(const NodeView& node) {
  Facts facts = one(ElementType::Int64, {});
  facts[0].contents = std::vector<std::int64_t>{elements(node.shape(0))};
  return facts;
}

Result<Facts> infer_constant(const NodeView& node) {
  Facts facts;
  if (const Tensor* tensor = node.tensor("value")) {
    facts.push_back(fact_of(*tensor));
  } else if (auto plain = plain_constant(node)) {
    facts.push_back(std::move(*plain));
  } else {
    return refuse("a constant without a value that Horus reads");
  }
  return facts;
}

Result<Facts> infer_constant_of_shape(const NodeView& node) {
  const auto shape = node.contents(0);
  if (!shape)
    return refuse("the shape depends on data or is stored outside the file, so it is unknown");
  if (!is_sound(*shape)) return refuse(fmt::format("{} is no shape", text_of(*shape)));
  const Tensor* value = node.tensor("value");
  Facts facts = one(value == nullptr ? ElementType::Float32 : value->type, *shape);
  const std::int64_t size = elements(*shape);
  if (size > kMaxContents) return facts;
  const auto length = static_cast<std::size_t>(size);
  if (value == nullptr) {
    facts[0].contents = std::vector<double>(length, 0.0);
  } else if (value->integers && value->integers->size() == 1) {
    facts[0].contents = std::vector<std::int64_t>(length, value->integers->front());
  } else if (value->floats && value->floats->size() == 1) {
    facts[0].contents = std::vector<double>(length, value->floats->front());
  }
  return facts;
}

Result<Facts> infer_range(const NodeView& node) {
  const auto start = node.scalar(0);
  const auto limit = node.scalar(1);
  // The operator of com.microsoft may leave the step out.
  const auto delta = node.has_input(2) ? node.scalar(2) : std::optional{1.0};
  if (!start || !limit || !delta)
    return refuse("the range depends on data or is stored outside the file, so it is unknown");
  const double steps = std::ceil((*limit - *start) / *delta);
  if (!(std::abs(steps) <= static_cast<double>(kMaxElements))) {
    return refuse("the range never ends");
  }
  const auto length = static_cast<std::int64_t>(std::max(0.0, steps));
  Facts facts = one(node.input(0).type, {length});
  if (length > kMaxContents) return facts;
  if (integers_of(node.input(0)) != nullptr) {
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < length; ++i) {
      values.push_back(static_cast<std::int64_t>(*start + static_cast<double>(i) * *delta));
    }
    facts[0].contents = std::move(values);
  }
  return facts;
}

Result<Facts> infer_eye_like(const NodeView& node) {
  if (node.shape(0).size() != 2) return refuse("an identity matrix has two axes");
  return one(type_attribute(node, "dtype", node.input(0).type), node.shape(0));
}

Result<Facts> infer_random(const NodeView& node) {
  Shape shape = node.integers("shape");
  return one(type_attribute(node, "dtype", ElementType::Float32), std::move(shape));
}

Result<Facts> infer_multinomial(const NodeView& node) {
  if (node.shape(0).size() != 2) {
    return refuse(fmt::format("samples and classes are needed, found {}", text_of(node.shape(0))));
  }
  return one(type_attribute(node, "dtype", ElementType::Int32),
             {node.shape(0)[0], node.integer("sample_size", 1)});
}

Result<Facts> infer_random_like(const NodeView& node) {
  return one(type_attribute(node, "dtype", node.input(0).type), node.shape(0));
}

void cost_fill(const CostView& node, CostSheet& sheet) {
  if (is_floating(node.result().type)) sheet.work.elements_written = node.result_size();
  sheet.work.kernels_forward = sheet.work.host_ops_forward = 1;
}

}  // namespace horus::graph
