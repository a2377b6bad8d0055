// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/zoo_selection.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/base/check.hpp"
#include "horus/base/text.hpp"
#include "horus/graph/analysis.hpp"

namespace horus::apps {
namespace {

wire::ZooRow row_of(const zoo::Architecture& architecture) {
  return {.name = architecture.name,
          .family = architecture.family,
          .description = architecture.description,
          .input = architecture.input,
          .image = architecture.default_image,
          .sequence = architecture.default_sequence,
          .cost = {}};
}

/// Operations of a normalization that is no batch normalization, as fvcore counts them. One that
/// the graph spells out is found at its last operator, which adds the bias.
double norm_operations(const OpWork& op) {
  if (op.op_type == "MeanVarianceNormalization") return 4.0 * op.elements_written;
  const bool is_scaled = op.op_type == "LayerNormalization" || op.op_type == "GroupNormalization" ||
                         op.op_type == "InstanceNormalization" ||
                         (op.op_type == "Add" && op.kind == OpKind::LayerNorm);
  return is_scaled ? 5.0 * op.elements_written : 0.0;
}

/// Interpolation costs arithmetic for each element; the nearest neighbour is copied.
double resize_operations(const OpWork& op) {
  const bool interpolates = op.flops_forward > 2.0 * op.elements_written;
  return (interpolates ? 4.0 : 1.0) * op.elements_written;
}

wire::ZooCost cost_of(const GraphFeatures& features) {
  wire::ZooCost cost{.parameters = features.parameters};
  for (const OpWork& op : features.ops) {
    cost.macs += op.macs;
    if (op.kind == OpKind::BatchNorm) cost.batch_norm_elements += op.elements_written;
    cost.norm_operations += norm_operations(op);
    if (op.op_type == "GlobalAveragePool") cost.pooled_elements += op.elements_read;
    if (op.op_type == "Resize") cost.resize_operations += resize_operations(op);
  }
  return cost;
}

/// `input` with each number `before` replaced by `after`: "3x224x224" at 448 is "3x448x448".
std::string with_size(std::string_view input, std::int64_t before, std::int64_t after) {
  constexpr std::string_view kDigits = "0123456789";
  std::string out;
  while (!input.empty()) {
    const bool is_number = kDigits.find(input.front()) != kDigits.npos;
    const std::size_t end =
        is_number ? input.find_first_not_of(kDigits) : input.find_first_of(kDigits);
    const std::string_view part = input.substr(0, end);
    const bool is_size = is_number && parse_integer(part) == before;
    out += is_size ? fmt::format("{}", after) : std::string{part};
    input.remove_prefix(part.size());
  }
  return out;
}

}  // namespace

bool is_pattern(std::string_view name) { return name.find_first_of("*?") != name.npos; }

bool matches(std::string_view pattern, std::string_view name) {
  // Behind the last star everything was tried so far; on a mismatch it takes one letter more.
  std::size_t star = pattern.npos;
  std::size_t taken = 0;
  std::size_t p = 0;
  std::size_t n = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

std::vector<std::string> zoo_families() {
  std::set<std::string> names;
  for (const zoo::Architecture& architecture : zoo::architectures()) {
    names.insert(architecture.family);
  }
  return {names.begin(), names.end()};
}

Result<std::vector<wire::ZooRow>> select_architectures(const std::string& family,
                                                       const std::string& pattern) {
  const std::vector<std::string> families = zoo_families();
  if (!family.empty() && std::ranges::find(families, family) == families.end()) {
    return fail(Errc::InvalidArgument,
                fmt::format("no family is called '{}'.{} Families: {}", printable(family),
                            did_you_mean(family, families), fmt::join(families, ", ")),
                "--family");
  }
  const std::string wanted = to_lower(pattern);
  std::vector<wire::ZooRow> rows;
  for (const zoo::Architecture& architecture : zoo::architectures()) {
    if (!family.empty() && architecture.family != family) continue;
    if (!wanted.empty() && !matches(wanted, to_lower(architecture.name))) continue;
    rows.push_back(row_of(architecture));
  }
  if (rows.empty()) {
    return fail(
        Errc::InvalidArgument,
        fmt::format("no architecture matches '{}'{}; 'horus zoo' lists them", printable(pattern),
                    family.empty() ? "" : fmt::format(" in family {}", family)));
  }
  return rows;
}

Result<wire::ZooRow> costed_architecture(const std::string& name,
                                         const zoo::BuildOptions& options) {
  auto model = zoo::build(name, options);
  // A wrong name or size on the command line is usage.
  if (!model) return fail(Errc::InvalidArgument, model.error().text());
  const auto known = zoo::architectures();
  const auto found = std::ranges::find(known, model->graph.name, &zoo::Architecture::name);
  HORUS_CHECK(found != known.end(), "a graph of the zoo is called like its architecture");
  HORUS_TRY(const graph::Analysis analysis, graph::analyse(*model));
  wire::ZooRow row = row_of(*found);
  if (options.image) row.input = with_size(row.input, row.image, *options.image);
  if (options.sequence) row.input = with_size(row.input, row.sequence, *options.sequence);
  row.image = options.image.value_or(row.image);
  row.sequence = options.sequence.value_or(row.sequence);
  row.cost = cost_of(analysis.features);
  return row;
}

Result<Done> add_costs(std::vector<wire::ZooRow>& rows,
                       const std::function<void(double)>& progress) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    progress(static_cast<double>(i) / static_cast<double>(rows.size()));
    HORUS_TRY(rows[i], costed_architecture(rows[i].name, {.batch = 1}));
  }
  return Done{};
}

}  // namespace horus::apps
