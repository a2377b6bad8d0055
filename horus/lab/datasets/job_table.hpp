// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which architecture a data set means by a name, and how it was trained.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/prediction.hpp"
#include "horus/lab/row.hpp"
#include "horus/table/csv.hpp"

namespace horus::lab {

/// What a data set's rate of a job counts.
enum class RateOf { Steps, Other };

/// A row of a table of jobs in data/mappings.
struct JobMapping {
  std::string model;                  ///< As the data set calls it.
  std::string architecture;           ///< Of the zoo; "": nothing stands for it, `reason` says why.
  std::optional<std::int64_t> batch;  ///< Where the data set states none.
  std::optional<std::int64_t> image;  ///< Absent: the architecture's default.
  std::optional<std::int64_t> sequence;  ///< Absent: the architecture's default.
  TrainingSetup setup;
  RateOf rate{RateOf::Steps};
  std::string reason;
};

class JobTable {
 public:
  /// Reads data/mappings/`name`. A row whose model is "*" stands for all that are not named; its
  /// architecture "*" is then that of the same name, "listed" means that the data set describes
  /// each network itself. Errors name file, line and column.
  [[nodiscard]] static Result<JobTable> load(std::string_view name);
  /// The same of a table that lies elsewhere.
  [[nodiscard]] static Result<JobTable> read(table::Reader reader);

  /// How `model` is trained; absent where the table has no such model.
  [[nodiscard]] std::optional<JobMapping> find(std::string_view model) const;

 private:
  std::vector<JobMapping> jobs_;
};

/// A row of `job` (which has an architecture) called `model`, with setup, graph and family; the
/// rest is the caller's. Errors: as family_group().
[[nodiscard]] Result<Row> row_of(const JobMapping& job, std::string_view model, std::int64_t batch);

}  // namespace horus::lab
