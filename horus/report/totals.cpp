// SPDX-License-Identifier: Apache-2.0
#include "horus/report/totals.hpp"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/report/table.hpp"

namespace horus::report {
namespace {

using Report = wire::InspectReport;

std::string bytes_text(double bytes) {
  return memory_text(Bytes{static_cast<std::int64_t>(bytes)});
}

constexpr auto kTotals = std::to_array<Total>({
    {"parameters (trainable)", [](const Report& r) { return r.parameters; }, with_commas},
    {"buffers", [](const Report& r) { return r.buffers; }, with_commas},
    {"multiply-accumulates, forward", [](const Report& r) { return r.macs; }, with_prefix},
    {"FLOPs, forward", [](const Report& r) { return r.flops_forward; }, with_prefix},
    {"FLOPs, training step", [](const Report& r) { return r.flops_training; }, with_prefix},
    {"activations saved for backward",
     [](const Report& r) { return as_double(r.activation_bytes); }, bytes_text},
    {"kernels, training step", [](const Report& r) { return r.kernels; }, with_commas},
});

}  // namespace

std::span<const Total> totals() { return kTotals; }

std::string_view bound_word(const wire::InspectReport& report) {
  const bool has_gaps = !report.nodes_without_cost.empty();
  if (report.nodes_with_bounds == 0) return has_gaps ? "lower bound" : "";
  return has_gaps ? "neither a lower nor an upper bound" : "upper bound";
}

std::string bound_title(std::string_view title, const wire::InspectReport& report) {
  const std::string_view word = bound_word(report);
  return word.empty() ? std::string{title} : fmt::format("{} ({})", title, word);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> axes;
  for (const std::int64_t axis : shape) axes.push_back(axis < 0 ? "?" : fmt::format("{}", axis));
  return axes.empty() ? "scalar" : fmt::format("{}", fmt::join(axes, "x"));
}

}  // namespace horus::report
