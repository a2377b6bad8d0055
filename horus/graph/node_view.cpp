// SPDX-License-Identifier: Apache-2.0
// Attributes and inputs of a node, read so that foreign nonsense becomes a sentence.

#include "horus/graph/node_view.hpp"

#include <utility>

#include <fmt/format.h>

#include "horus/base/check.hpp"

namespace horus::graph {
namespace {

// Kernels, strides, axes and the like; far above any real one, and small enough that a product with
// a size still fits std::int64_t after a range check.
constexpr std::int64_t kLargestSetting = std::int64_t{1} << 31;

}  // namespace

const Fact& NodeView::input(std::size_t i) const {
  HORUS_CHECK(has_input(i), "a rule asks only for inputs that it requires or has tested for");
  return *inputs_[i];
}

const AttributeValue* NodeView::attribute(const char* name) const {
  const auto found = node_->attributes.find(name);
  return found == node_->attributes.end() ? nullptr : &found->second;
}

bool NodeView::has_attribute(const char* name) const { return attribute(name) != nullptr; }

void NodeView::note(std::string problem) const {
  if (!problem_) problem_ = std::move(problem);
}

std::int64_t NodeView::bounded(const char* name, std::int64_t value) const {
  if (value >= -kLargestSetting && value <= kLargestSetting) return value;
  note(fmt::format("attribute '{}' is {}, beyond 2^31", name, value));
  return 0;
}

std::int64_t NodeView::integer(const char* name, std::int64_t fallback) const {
  const AttributeValue* value = attribute(name);
  if (value == nullptr) return fallback;
  if (const auto* number = std::get_if<std::int64_t>(value)) return bounded(name, *number);
  note(fmt::format("attribute '{}' is not an integer", name));
  return fallback;
}

double NodeView::real(const char* name, double fallback) const {
  const AttributeValue* value = attribute(name);
  if (value == nullptr) return fallback;
  if (const auto* number = std::get_if<double>(value)) return *number;
  note(fmt::format("attribute '{}' is not a number", name));
  return fallback;
}

std::string NodeView::text(const char* name, std::string_view fallback) const {
  const AttributeValue* value = attribute(name);
  if (value == nullptr) return std::string{fallback};
  if (const auto* string = std::get_if<std::string>(value)) return *string;
  note(fmt::format("attribute '{}' is not a string", name));
  return std::string{fallback};
}

std::vector<std::int64_t> NodeView::integers(const char* name) const {
  const AttributeValue* value = attribute(name);
  if (value == nullptr) return {};
  const auto* list = std::get_if<std::vector<std::int64_t>>(value);
  if (list == nullptr) {
    // An empty list carries no element type in a file.
    const auto* reals = std::get_if<std::vector<double>>(value);
    const auto* texts = std::get_if<std::vector<std::string>>(value);
    const bool is_empty =
        (reals != nullptr && reals->empty()) || (texts != nullptr && texts->empty());
    if (!is_empty) note(fmt::format("attribute '{}' is not a list of integers", name));
    return {};
  }
  std::vector<std::int64_t> numbers;
  numbers.reserve(list->size());
  for (const std::int64_t number : *list) numbers.push_back(bounded(name, number));
  return numbers;
}

const Tensor* NodeView::tensor(const char* name) const {
  const AttributeValue* value = attribute(name);
  if (value == nullptr) return nullptr;
  const auto* tensor = std::get_if<Tensor>(value);
  if (tensor == nullptr) note(fmt::format("attribute '{}' is not a tensor", name));
  return tensor;
}

std::optional<std::vector<std::int64_t>> NodeView::contents(std::size_t i) const {
  if (!has_input(i)) return std::nullopt;
  const std::vector<std::int64_t>* numbers = integers_of(input(i));
  if (numbers == nullptr) return std::nullopt;
  return *numbers;
}

std::optional<double> NodeView::scalar(std::size_t i) const {
  if (!has_input(i) || !input(i).contents) return std::nullopt;
  return std::visit(
      [](const auto& list) -> std::optional<double> {
        if (list.size() != 1) return std::nullopt;
        return static_cast<double>(list.front());
      },
      *input(i).contents);
}

std::optional<std::vector<std::int64_t>> NodeView::setting(const Moved& place) const {
  const bool prefers_input = opset_ >= place.since;
  if (has_attribute(place.attribute) && !(prefers_input && has_input(place.input))) {
    return integers(place.attribute);
  }
  if (!has_input(place.input)) return std::nullopt;
  if (auto numbers = contents(place.input)) return numbers;
  note(fmt::format(
      "input {} ('{}') depends on data or is stored outside the file, so its value is unknown",
      place.input, place.attribute));
  return std::nullopt;
}

}  // namespace horus::graph
