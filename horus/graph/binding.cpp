// SPDX-License-Identifier: Apache-2.0
// Finds the batch axis and binds symbols to sizes.

#include "horus/graph/binding.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/graph/batch_axis.hpp"

namespace horus::graph {
namespace {

constexpr std::int64_t kLargestSize = std::int64_t{1} << 31;

bool names_the_batch(std::string_view symbol) {
  constexpr std::array<std::string_view, 7> kNames{"n",         "b",  "batch",    "batch_size",
                                                   "batchsize", "bs", "batch_dim"};
  return std::ranges::find(kNames, to_lower(symbol)) != kNames.end();
}

std::optional<std::int64_t> fixed_size(const Dim& dim) {
  // Some exporters write -1 for an axis that they leave open.
  return dim.size && *dim.size >= 0 ? dim.size : std::nullopt;
}

/// One axis of an input.
struct Axis {
  std::size_t number;
  bool is_batch;  ///< Where the batch lies when no name says so.
};

/// What --dim calls an axis of an input: its name in the file, or "input:1" where it has none. The
/// axis of the batch without a name is the batch.
std::string name_of_axis(std::string_view input, const Dim& dim, Axis axis) {
  if (fixed_size(dim) || (dim.symbol.empty() && axis.is_batch)) return {};
  return dim.symbol.empty() ? fmt::format("{}:{}", input, axis.number) : dim.symbol;
}

class Binder {
 public:
  Binder(const Model& model, const GraphIndex& index, const std::vector<InputRole>& roles,
         const AnalysisOptions& options)
      : index_{index}, roles_{roles}, options_{options}, batch_axes_{batch_axes(model, index)} {}

  Result<Binding> run() {
    HORUS_TRY_DONE(check_options());
    find_batch();
    HORUS_TRY_DONE(choose_batch());
    binding_.symbols = {options_.dims.begin(), options_.dims.end()};
    binding_.reference_symbols = binding_.symbols;
    for (const std::string& symbol : batch_symbols_) {
      binding_.symbols[symbol] = binding_.batch;
      binding_.reference_symbols[symbol] = binding_.reference_batch;
    }
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      binding_.inputs.push_back(bind(i));
    }
    warn_of_time_first();
    return std::move(binding_);
  }

 private:
  [[nodiscard]] const std::vector<Dim>* dims(ValueIndex value) const {
    const ValueInfo* info = index_.declared[value];
    return info != nullptr && info->shape ? &*info->shape : nullptr;
  }

  Result<Done> check_options() const {
    if (options_.batch && (*options_.batch < 1 || *options_.batch > kLargestSize)) {
      return fail(Errc::InvalidArgument,
                  fmt::format("batch is {}, expected 1 to 2^31", *options_.batch), "batch");
    }
    std::set<std::string> known;
    for (std::size_t i = 0; i < index_.graph_inputs.size(); ++i) {
      const ValueIndex value = index_.graph_inputs[i];
      const std::size_t rank = dims(value) == nullptr ? 0 : dims(value)->size();
      for (std::size_t axis = 0; axis < rank; ++axis) {
        std::string name =
            name_of_axis(index_.names[value], (*dims(value))[axis], axis_of(i, axis));
        if (!name.empty()) known.insert(std::move(name));
      }
    }
    for (const auto& [name, size] : options_.dims) {
      if (size < 1 || size > kLargestSize) {
        return fail(Errc::InvalidArgument,
                    fmt::format("dimension '{}' is {}, expected 1 to 2^31", printable(name), size),
                    "dim");
      }
      if (!known.contains(name)) return unknown_name(name, known);
    }
    return Done{};
  }

  static Result<Done> unknown_name(const std::string& name, const std::set<std::string>& known) {
    std::vector<std::string> names;
    std::string list;
    for (const std::string& one : known) {
      names.push_back(printable(one));
      list += (list.empty() ? "" : ", ") + names.back();
    }
    return fail(
        Errc::InvalidArgument,
        fmt::format("no input has a dimension '{}'.{} Named dimensions: {}", printable(name),
                    did_you_mean(name, names), list.empty() ? "none" : list),
        "dim");
  }

  void find_batch() {
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      if (roles_[i] == InputRole::Data) find_batch_name(index_.graph_inputs[i]);
    }
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      if (roles_[i] == InputRole::Data) find_batch_axis(i);
    }
  }

  void find_batch_name(ValueIndex value) {
    if (dims(value) == nullptr) return;
    for (const Dim& dim : *dims(value)) {
      if (!dim.size && names_the_batch(dim.symbol)) batch_symbols_.insert(dim.symbol);
    }
    has_named_batch_ = !batch_symbols_.empty();
  }

  void find_batch_axis(std::size_t i) {
    const ValueIndex value = index_.graph_inputs[i];
    if (dims(value) == nullptr || dims(value)->empty()) return;
    const Dim& first = (*dims(value))[batch_axes_[i]];
    if (const auto size = fixed_size(first)) {
      if (!fixed_batch_) fixed_batch_ = size;
    } else if (first.symbol.empty()) {
      has_open_axis_ = true;
    } else if (!has_named_batch_ &&
               (batch_symbols_.empty() || !options_.dims.contains(first.symbol))) {
      batch_symbols_.insert(first.symbol);
    }
  }

  Result<Done> choose_batch() {
    const bool is_symbolic = !batch_symbols_.empty() || has_open_axis_;
    if (is_symbolic) fixed_batch_.reset();
    if (options_.batch && !is_symbolic && !fixed_batch_) {
      return fail(Errc::InvalidArgument, "no data input has an axis that a batch could set",
                  "batch");
    }
    std::optional<std::int64_t> named;
    for (const std::string& symbol : batch_symbols_) {
      const auto given = options_.dims.find(symbol);
      if (given != options_.dims.end()) named = given->second;
    }
    if (named && options_.batch && *named != *options_.batch) {
      return fail(
          Errc::InvalidArgument,
          fmt::format("the batch is {} by --batch and {} by --dim", *options_.batch, *named),
          "batch");
    }
    binding_.reference_batch = fixed_batch_.value_or(1);
    binding_.batch = options_.batch.value_or(named.value_or(binding_.reference_batch));
    if (is_symbolic && !options_.batch && !named) {
      binding_.warnings.push_back(
          fmt::format("the batch is open in the file ({}): taken as 1; set it with --batch",
                      batch_symbols_.empty() ? "no name" : printable(*batch_symbols_.begin())));
    }
    return Done{};
  }

  /// Whoever sets a batch is told where it went when that is not where it usually is.
  void warn_of_time_first() {
    if (!options_.batch || has_named_batch_) return;
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      if (roles_[i] != InputRole::Data || batch_axes_[i] == 0) continue;
      binding_.warnings.push_back(fmt::format(
          "the batch is axis 1 of input '{}': axis 0 counts the steps of a recurrent operator",
          printable(index_.names[index_.graph_inputs[i]])));
      return;
    }
  }

  [[nodiscard]] Axis axis_of(std::size_t input, std::size_t number) const {
    return {.number = number, .is_batch = number == batch_axes_[input]};
  }

  BoundInput bind(std::size_t i) {
    const ValueIndex value = index_.graph_inputs[i];
    const InputRole role = roles_[i];
    BoundInput input{.value = value, .reference = {}, .wanted = {}, .gap = {}};
    const std::string name = printable(index_.names[value]);
    if (dims(value) == nullptr) {
      input.gap = fmt::format("input '{}' has no declared shape", name);
      return input;
    }
    for (std::size_t number = 0; number < dims(value)->size(); ++number) {
      const Dim& dim = (*dims(value))[number];
      const Axis axis = axis_of(i, number);
      std::pair<std::int64_t, std::int64_t> sizes{-1, -1};
      if (const auto fixed = fixed_size(dim)) {
        sizes = fixed_sizes(*fixed, axis, role);
      } else if (const auto symbol = binding_.symbols.find(dim.symbol);
                 !dim.symbol.empty() && symbol != binding_.symbols.end()) {
        sizes = {binding_.reference_symbols[dim.symbol], symbol->second};
      } else if (dim.symbol.empty() && axis.is_batch && role == InputRole::Data) {
        sizes = {binding_.reference_batch, binding_.batch};
      } else if (const auto given =
                     options_.dims.find(name_of_axis(index_.names[value], dim, axis));
                 given != options_.dims.end()) {
        sizes = {given->second, given->second};
      } else if (input.gap.empty()) {
        input.gap = unknown_size(name, dim, axis);
      }
      input.reference.push_back(sizes.first);
      input.wanted.push_back(sizes.second);
    }
    if (input.gap.empty() && !(is_sound(input.reference) && is_sound(input.wanted))) {
      input.gap = fmt::format("input '{}' of shape {} is larger than any memory", name,
                              text_of(input.wanted));
    }
    return input;
  }

  [[nodiscard]] std::pair<std::int64_t, std::int64_t> fixed_sizes(std::int64_t size, Axis axis,
                                                                  InputRole role) const {
    const bool is_batch =
        role == InputRole::Data && axis.is_batch && fixed_batch_ && size == *fixed_batch_;
    return is_batch ? std::pair{size, binding_.batch} : std::pair{size, size};
  }

  static std::string unknown_size(std::string_view name, const Dim& dim, Axis axis) {
    if (dim.symbol.empty()) {
      if (axis.is_batch) {
        return fmt::format("axis {} of input '{}' has no size in the file", axis.number, name);
      }
      return fmt::format(
          "axis {} of input '{}' has neither a size nor a name in the file: set it with --dim "
          "{}:{}=VALUE",
          axis.number, name, name, axis.number);
    }
    const std::string symbol = printable(dim.symbol);
    return fmt::format("dimension '{}' of input '{}' has no size: set it with --dim {}=VALUE",
                       symbol, name, symbol);
  }

  const GraphIndex& index_;
  const std::vector<InputRole>& roles_;
  const AnalysisOptions& options_;
  Binding binding_;
  std::vector<std::size_t> batch_axes_;  ///< Per input.
  std::set<std::string> batch_symbols_;
  bool has_named_batch_{false};
  bool has_open_axis_{false};
  std::optional<std::int64_t> fixed_batch_;
};

}  // namespace

Result<Binding> bind_inputs(const Model& model, const GraphIndex& index,
                            const std::vector<InputRole>& roles, const AnalysisOptions& options) {
  return Binder{model, index, roles, options}.run();
}

std::optional<Shape> declared_shape(const ValueInfo& info, const Symbols& symbols) {
  if (!info.shape) return std::nullopt;
  Shape shape;
  for (const Dim& dim : *info.shape) {
    const auto symbol = symbols.find(dim.symbol);
    if (const auto size = fixed_size(dim)) {
      shape.push_back(*size);
    } else if (!dim.symbol.empty() && symbol != symbols.end()) {
      shape.push_back(symbol->second);
    } else {
      return std::nullopt;
    }
  }
  if (!is_sound(shape)) return std::nullopt;
  return shape;
}

}  // namespace horus::graph
