// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/truth/table_truth.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "horus/base/check.hpp"
#include "horus/base/text.hpp"
#include "horus/table/csv.hpp"

namespace horus::sim {
namespace {

using Pair = TableTruth::Pair;
using Solo = TableTruth::Solo;

// Beyond these a ratio is a unit mistake, not a measurement.
constexpr double kSlowdownMin = 0.1;
constexpr double kSlowdownMax = 1000.0;
constexpr double kMemoryMax_mib = 1e7;
// All pairs of 1,400 configurations on one GPU: beyond that it is no table of measurements.
constexpr std::uint64_t kRowsMax = 1'000'000;

auto key_of(const Pair& pair) { return std::make_tuple(pair.type, pair.first, pair.second); }
auto key_of(const Solo& solo) { return std::make_tuple(solo.type, solo.config); }

struct Columns {
  table::Column gpu, config_a, config_b, slowdown_a, slowdown_b;
  std::optional<table::Column> utilization, memory;
};

Result<Columns> find_columns(const table::Reader& reader) {
  Columns c;
  HORUS_TRY(c.gpu, reader.column("gpu"));
  HORUS_TRY(c.config_a, reader.column("config_a"));
  HORUS_TRY(c.config_b, reader.column("config_b"));
  HORUS_TRY(c.slowdown_a, reader.column("slowdown_a"));
  HORUS_TRY(c.slowdown_b, reader.column("slowdown_b"));
  c.utilization = reader.find_column("utilization");
  c.memory = reader.find_column("memory_mib");
  if (c.utilization.has_value() != c.memory.has_value()) {
    return fail(Errc::Corrupt,
                "found one of the columns 'utilization' and 'memory_mib', expected "
                "both or neither",
                reader.source());
  }
  return c;
}

/// Collects the rows of a table that are about this mix and these GPUs.
class Rows {
 public:
  Rows(const Mix& mix, std::span<const GpuSpec> types) : types_{types} {
    for (std::uint32_t i = 0; i < mix.entries.size(); ++i) {
      configs_.emplace_back(mix.entries[i].name, i);
    }
    std::sort(configs_.begin(), configs_.end());
  }

  Result<Done> take(const table::Row& row, const Columns& c) {
    const auto type = type_called(row.text(c.gpu));
    const auto a = config_of(row.text(c.config_a));
    if (row.text(c.config_b).empty()) return take_solo(row, c, type, a);
    const auto b = config_of(row.text(c.config_b));
    Pair pair;
    HORUS_TRY(pair.slowdown_first, row.number(c.slowdown_a, kSlowdownMin, kSlowdownMax));
    HORUS_TRY(pair.slowdown_second, row.number(c.slowdown_b, kSlowdownMin, kSlowdownMax));
    if (!type || !a || !b) {
      ++unused;
      return Done{};
    }
    pair.type = *type;
    pair.first = *a;
    pair.second = *b;
    pair.line = row.line();
    if (pair.first > pair.second) {
      std::swap(pair.first, pair.second);
      std::swap(pair.slowdown_first, pair.slowdown_second);
    }
    pairs.push_back(pair);
    return Done{};
  }

  std::vector<Pair> pairs;
  std::vector<Solo> solos;
  std::uint64_t unused{};

 private:
  Result<Done> take_solo(const table::Row& row, const Columns& c, std::optional<std::uint16_t> type,
                         std::optional<std::uint32_t> config) {
    if (!c.utilization) {
      return tl::make_unexpected(
          row.bad_cell(c.config_b, "a configuration: the table has no columns for solo rows"));
    }
    Solo solo;
    HORUS_TRY(solo.utilization, row.number(*c.utilization, 1e-4, 1.0));
    HORUS_TRY(const double memory_mib, row.number(*c.memory, 1.0, kMemoryMax_mib));
    if (!type || !config) {
      ++unused;
      return Done{};
    }
    solo.type = *type;
    solo.config = *config;
    solo.memory = Bytes{static_cast<std::int64_t>(memory_mib * 1024.0 * 1024.0)};
    solo.line = row.line();
    solos.push_back(solo);
    return Done{};
  }

  /// type_of(), remembered: rows mostly repeat a few names, and the search for a name is slow.
  std::optional<std::uint16_t> type_called(std::string_view name) {
    const auto known = types_by_name_.find(name);
    if (known != types_by_name_.end()) return known->second;
    const auto type = type_of(name);
    if (types_by_name_.size() < kNamesRemembered) types_by_name_.emplace(name, type);
    return type;
  }

  [[nodiscard]] std::optional<std::uint16_t> type_of(std::string_view name) const {
    const auto choice = find_gpu(name);
    if (!choice) return std::nullopt;
    for (std::size_t i = 0; i < types_.size(); ++i) {
      if (types_[i].name == choice->spec->name) return static_cast<std::uint16_t>(i);
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::uint32_t> config_of(std::string_view name) const {
    const auto at = std::lower_bound(
        configs_.begin(), configs_.end(), name,
        [](const auto& config, std::string_view wanted) { return config.first < wanted; });
    if (at == configs_.end() || at->first != name) return std::nullopt;
    return at->second;
  }

  static constexpr std::size_t kNamesRemembered = 1024;

  std::span<const GpuSpec> types_;
  std::map<std::string, std::optional<std::uint16_t>, std::less<>> types_by_name_;
  std::vector<std::pair<std::string, std::uint32_t>> configs_;  ///< By name.
};

/// Sorts by key; an error if a key occurs twice.
template <class T>
Result<Done> sort_distinct(std::vector<T>& rows, const std::string& source) {
  std::sort(rows.begin(), rows.end(), [](const T& a, const T& b) {
    return std::make_tuple(key_of(a), a.line) < std::make_tuple(key_of(b), b.line);
  });
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (key_of(rows[i]) != key_of(rows[i - 1])) continue;
    return fail(Errc::Corrupt,
                fmt::format("found the same measurement again, expected it once (line {} has it); "
                            "average repetitions before",
                            rows[i - 1].line),
                fmt::format("{}:{}", source, rows[i].line));
  }
  return Done{};
}

template <class T, class Key>
const T* find(const std::vector<T>& rows, const Key& key) {
  const auto at =
      std::lower_bound(rows.begin(), rows.end(), key,
                       [](const T& row, const Key& wanted) { return key_of(row) < wanted; });
  return at != rows.end() && key_of(*at) == key ? &*at : nullptr;
}

}  // namespace

Result<std::unique_ptr<TableTruth>> TableTruth::parse(std::string_view text,
                                                      const std::string& source, const Mix& mix,
                                                      std::span<const GpuSpec> types,
                                                      std::unique_ptr<Truth> otherwise) {
  HORUS_CHECK(otherwise != nullptr, "a table is never complete");
  HORUS_TRY(table::Reader reader, table::Reader::open(text, source, {.rows_max = kRowsMax}));
  HORUS_TRY(const Columns columns, find_columns(reader));
  Rows rows{mix, types};
  while (auto next = reader.next()) {
    HORUS_TRY(const table::Row row, std::move(*next));
    HORUS_TRY_DONE(rows.take(row, columns));
  }
  HORUS_TRY_DONE(sort_distinct(rows.pairs, source));
  HORUS_TRY_DONE(sort_distinct(rows.solos, source));
  TableCoverage coverage;
  const std::uint64_t configs = mix.entries.size();
  coverage.pairs_possible = configs * (configs + 1) / 2 * types.size();
  coverage.pairs_measured = rows.pairs.size();
  coverage.solos_measured = rows.solos.size();
  coverage.rows_unused = rows.unused;
  return std::unique_ptr<TableTruth>{
      new TableTruth{std::move(rows.pairs), std::move(rows.solos), coverage, std::move(otherwise)}};
}

TableTruth::TableTruth(std::vector<Pair> pairs, std::vector<Solo> solos,
                       const TableCoverage& coverage, std::unique_ptr<Truth> otherwise)
    : pairs_{std::move(pairs)},
      solos_{std::move(solos)},
      coverage_{coverage},
      otherwise_{std::move(otherwise)} {}

TaskLoad TableTruth::load(JobId job, std::uint32_t config, std::uint16_t type) const {
  TaskLoad load = otherwise_->load(job, config, type);
  if (const Solo* const solo = find(solos_, std::make_tuple(type, config))) {
    load.utilization = solo->utilization;
    load.memory = solo->memory;
  }
  return load;
}

TruthSource TableTruth::slowdowns(std::uint16_t type, std::span<const TaskLoad> residents,
                                  std::span<double> slowdowns) const {
  if (residents.size() != 2) return otherwise_->slowdowns(type, residents, slowdowns);
  const bool is_in_order = residents[0].config <= residents[1].config;
  const TaskLoad& low = residents[is_in_order ? 0 : 1];
  const TaskLoad& high = residents[is_in_order ? 1 : 0];
  const Pair* const pair = find(pairs_, std::make_tuple(type, low.config, high.config));
  if (pair == nullptr) return otherwise_->slowdowns(type, residents, slowdowns);
  slowdowns[is_in_order ? 0 : 1] = pair->slowdown_first;
  slowdowns[is_in_order ? 1 : 0] = pair->slowdown_second;
  // Two jobs of one configuration are alike: what they suffered differently is noise.
  if (low.config == high.config) {
    const double mean = (pair->slowdown_first + pair->slowdown_second) / 2.0;
    slowdowns[0] = mean;
    slowdowns[1] = mean;
  }
  return TruthSource::Measured;
}

}  // namespace horus::sim
