// SPDX-License-Identifier: Apache-2.0
#pragma once
// A world of measured pairs: slowdowns come from a table, and from the parametric form only where
// the table is silent. Format: docs/reference/traces-and-truth.md.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/gpu.hpp"
#include "horus/sim/mix.hpp"
#include "horus/sim/truth/truth.hpp"

namespace horus::sim {

/// How much of what could be asked the table knows.
struct TableCoverage {
  std::uint64_t pairs_possible{};  ///< Unordered pairs of configurations of the mix x GPU types.
  std::uint64_t pairs_measured{};
  std::uint64_t solos_measured{};  ///< Configurations x GPU types with measured load.
  std::uint64_t rows_unused{};     ///< Rows about other GPUs or configurations.

  [[nodiscard]] double share_missing() const {
    return pairs_possible == 0
               ? 0.0
               : 1.0 - static_cast<double>(pairs_measured) / static_cast<double>(pairs_possible);
  }
};

class TableTruth final : public Truth {
 public:
  /// `types` are the cluster's; `otherwise` speaks where the table is silent and about step ratios.
  /// Slowdowns are taken as measured, also those slightly below 1.
  /// Errors: Corrupt with file:line and column; a pair or a solo row that occurs twice;
  /// Unsupported beyond 1,000,000 rows.
  [[nodiscard]] static Result<std::unique_ptr<TableTruth>> parse(std::string_view text,
                                                                 const std::string& source,
                                                                 const Mix& mix,
                                                                 std::span<const GpuSpec> types,
                                                                 std::unique_ptr<Truth> otherwise);

  [[nodiscard]] const TableCoverage& coverage() const { return coverage_; }

  [[nodiscard]] TaskLoad load(JobId job, std::uint32_t config, std::uint16_t type) const override;
  TruthSource slowdowns(std::uint16_t type, std::span<const TaskLoad> residents,
                        std::span<double> slowdowns) const override;
  /// Pairs are all that was measured.
  [[nodiscard]] std::optional<int> max_residents() const override { return 2; }

  /// A measured pair, `first` being the configuration with the smaller position.
  struct Pair {
    std::uint16_t type{};
    std::uint32_t first{};
    std::uint32_t second{};
    double slowdown_first{};
    double slowdown_second{};
    std::uint64_t line{};
  };
  struct Solo {
    std::uint16_t type{};
    std::uint32_t config{};
    double utilization{};
    Bytes memory;
    std::uint64_t line{};
  };

 private:
  TableTruth(std::vector<Pair> pairs, std::vector<Solo> solos, const TableCoverage& coverage,
             std::unique_ptr<Truth> otherwise);

  std::vector<Pair> pairs_;  ///< By (type, first, second).
  std::vector<Solo> solos_;  ///< By (type, config).
  TableCoverage coverage_;
  std::unique_ptr<Truth> otherwise_;
};

}  // namespace horus::sim
