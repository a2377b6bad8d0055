// SPDX-License-Identifier: Apache-2.0
// Attributes and inputs of a node, read so that foreign nonsense becomes a sentence.

#include "horus/graph/node_view.hpp"

#include <cmath>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "horus/base/check.hpp"
#include "horus/graph/ops/versions.hpp"

namespace horus::graph {
namespace {

// Kernels, strides, axes and the like; far above any real one, and small enough that a product with
// a size still fits std::int64_t after a range check.
constexpr std::int64_t kLargestSetting = std::int64_t{1} << 31;

/// Contents as integers: those that are, and real numbers that are whole.
std::optional<std::vector<std::int64_t>> whole_numbers(const Fact& fact) {
  if (const auto* integers = integers_of(fact)) return *integers;
  if (!fact.contents) return std::nullopt;
  std::vector<std::int64_t> whole;
  for (const double real : std::get<std::vector<double>>(*fact.contents)) {
    const bool is_whole =
        std::abs(real) <= static_cast<double>(kMaxElements) && real == std::trunc(real);
    if (!is_whole) return std::nullopt;
    whole.push_back(static_cast<std::int64_t>(real));
  }
  return whole;
}

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
  return whole_numbers(input(i));
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

/// The input that holds a setting: in versions that have it as an input, or where no attribute
/// gives it. nullptr where the attribute counts, or nothing.
const Fact* NodeView::input_of_setting(const char* name) const {
  const VersionChange* row = change_of(node_->op_type, name, Change::Input, opset_);
  if (row == nullptr || !has_input(static_cast<std::size_t>(row->number))) return nullptr;
  if (has_attribute(name) && opset_ < row->since) return nullptr;
  return inputs_[static_cast<std::size_t>(row->number)];
}

bool NodeView::depends_on_data(const char* name) const {
  const Fact* given = input_of_setting(name);
  return given != nullptr && !given->contents;
}

std::optional<std::vector<std::int64_t>> NodeView::setting(const char* name) const {
  if (const Fact* given = input_of_setting(name)) {
    if (auto numbers = whole_numbers(*given)) return numbers;
    note(
        fmt::format("the input '{}' depends on data or is stored outside the file, so its value "
                    "is unknown",
                    name));
    return std::nullopt;
  }
  const AttributeValue* value = attribute(name);
  if (value == nullptr) return std::nullopt;
  if (const auto* number = std::get_if<std::int64_t>(value)) return std::vector{*number};
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(value)) return *list;
  return integers(name);
}

std::optional<std::vector<double>> NodeView::real_setting(const char* name) const {
  if (const Fact* given = input_of_setting(name)) {
    if (!given->contents) {
      note(fmt::format("the input '{}' depends on data, so its value is unknown", name));
      return std::nullopt;
    }
    return std::visit(
        [](const auto& list) { return std::vector<double>(list.begin(), list.end()); },
        *given->contents);
  }
  const AttributeValue* value = attribute(name);
  if (value == nullptr) return std::nullopt;
  if (const auto* number = std::get_if<double>(value)) return std::vector{*number};
  if (const auto* list = std::get_if<std::vector<double>>(value)) return *list;
  note(fmt::format("attribute '{}' is not a list of numbers", name));
  return std::nullopt;
}

std::int64_t NodeView::defaulted(const char* name, std::int64_t fallback) const {
  const VersionChange* row = change_of(node_->op_type, name, Change::Default, opset_);
  if (row != nullptr && row->number == kRequired && !has_attribute(name)) {
    note(fmt::format("attribute '{}' is missing", name));
  }
  const bool has_default = row != nullptr && row->number != kRequired;
  return integer(name, has_default ? row->number : fallback);
}

bool NodeView::behaves(const char* behaviour) const {
  const VersionChange* row = change_of(node_->op_type, behaviour, Change::Behaviour, opset_);
  return row != nullptr && row->number != 0;
}

}  // namespace horus::graph
