// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/datasets/job_table.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "horus/lab/datasets/data_file.hpp"
#include "horus/lab/datasets/graph_source.hpp"
#include "horus/lab/datasets/mapping_text.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::lab {
namespace {

constexpr std::int64_t kSizeMax = 1'000'000'000;
constexpr std::string_view kAny = "*";
/// The data set describes each network itself.
constexpr std::string_view kListed = "listed";

/// Says that a cell of `row` is wrong.
tl::unexpected<Error> wrong(const table::Row& row, const table::Column& column,
                            std::string_view expected) {
  return tl::make_unexpected(row.bad_cell(column, expected));
}

using Setter = Result<Done> (*)(JobMapping& job, const table::Row& row,
                                const table::Column& column);

/// A column of words, each of which `Parse` knows.
template <auto Field, auto Parse>
Result<Done> set_word(JobMapping& job, const table::Row& row, const table::Column& column) {
  auto parsed = Parse(row.text(column));
  if (!parsed) return wrong(row, column, parsed.error().message);
  job.setup.*Field = *parsed;
  return Done{};
}

template <auto Field>
Result<Done> set_size(JobMapping& job, const table::Row& row, const table::Column& column) {
  if (row.text(column).empty()) return Done{};
  HORUS_TRY(job.*Field, row.integer(column, 1, kSizeMax));
  return Done{};
}

Result<Done> set_workers(JobMapping& job, const table::Row& row, const table::Column& column) {
  HORUS_TRY(const std::int64_t workers, row.integer(column, 0, 1024));
  job.setup.loader_workers = static_cast<int>(workers);
  return Done{};
}

Result<Done> set_passes(JobMapping& job, const table::Row& row, const table::Column& column) {
  HORUS_TRY(job.setup.passes_per_step, row.number(column, 1, 1000));
  return Done{};
}

Result<Done> set_rate(JobMapping& job, const table::Row& row, const table::Column& column) {
  const std::string_view text = row.text(column);
  if (text != "steps" && text != "other") return wrong(row, column, "steps or other");
  job.rate = text == "steps" ? RateOf::Steps : RateOf::Other;
  return Done{};
}

struct JobColumn {
  std::string_view name;
  Setter set;
};
constexpr auto kColumns = std::to_array<JobColumn>({
    {"batch", set_size<&JobMapping::batch>},
    {"image", set_size<&JobMapping::image>},
    {"sequence", set_size<&JobMapping::sequence>},
    {"precision", set_word<&TrainingSetup::precision, parse_precision>},
    {"optimizer", set_word<&TrainingSetup::optimizer, parse_optimizer>},
    {"attention", set_word<&TrainingSetup::attention, parse_attention>},
    {"loader_workers", set_workers},
    {"passes_per_step", set_passes},
    {"update", set_word<&TrainingSetup::update, parse_update_kernels>},
    {"step_end", set_word<&TrainingSetup::step_end, parse_step_end>},
    {"input_place", set_word<&TrainingSetup::input_place, parse_input_place>},
    {"rate", set_rate},
});

class JobReader {
 public:
  static Result<JobReader> open(table::Reader& reader) {
    JobReader jobs;
    HORUS_TRY(jobs.model_, reader.column("model"));
    HORUS_TRY(jobs.architecture_, reader.column("architecture"));
    HORUS_TRY(jobs.reason_, reader.column("reason"));
    for (const JobColumn& column : kColumns) {
      HORUS_TRY(const table::Column found, reader.column(column.name));
      jobs.columns_.push_back(found);
    }
    return jobs;
  }

  [[nodiscard]] Result<JobMapping> read(const table::Row& row) const {
    JobMapping job;
    job.model = row.text(model_);
    job.architecture = row.text(architecture_);
    job.reason = row.text(reason_);
    if (job.model.empty()) return wrong(row, model_, "a name");
    if (job.reason.empty()) return wrong(row, reason_, "a reason");
    if (job.architecture.empty()) return job;
    const bool is_known = job.architecture == kAny || job.architecture == kListed ||
                          zoo::known(job.architecture) != nullptr;
    if (!is_known) {
      return wrong(row, architecture_, "an architecture of the zoo, '*' or 'listed'");
    }
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      HORUS_TRY_DONE(kColumns[i].set(job, row, columns_[i]));
    }
    return job;
  }

 private:
  table::Column model_;
  table::Column architecture_;
  table::Column reason_;
  std::vector<table::Column> columns_;  ///< As kColumns.
};

}  // namespace

Result<JobTable> JobTable::load(std::string_view name) {
  HORUS_TRY(table::Reader reader, open_mapping(name));
  return read(std::move(reader));
}

Result<JobTable> JobTable::read(table::Reader reader) {
  HORUS_TRY(const JobReader jobs, JobReader::open(reader));
  JobTable table;
  while (auto next = reader.next()) {
    HORUS_TRY(const table::Row row, std::move(*next));
    HORUS_TRY(JobMapping job, jobs.read(row));
    table.jobs_.push_back(std::move(job));
  }
  return table;
}

std::optional<JobMapping> JobTable::find(std::string_view model) const {
  auto found = std::ranges::find(jobs_, model, &JobMapping::model);
  if (found == jobs_.end()) found = std::ranges::find(jobs_, kAny, &JobMapping::model);
  if (found == jobs_.end()) return std::nullopt;
  JobMapping job = *found;
  if (job.architecture != kAny) return job;
  job.architecture = zoo::known(model) == nullptr ? std::string_view{} : model;
  if (job.architecture.empty()) job.reason = kNoArchitecture;
  return job;
}

Result<Row> row_of(const JobMapping& job, std::string_view model, std::int64_t batch) {
  Row row{.model = std::string{model}, .framework = "pytorch", .setup = job.setup};
  HORUS_TRY(row.family, family_group(job.architecture));
  row.features = features_of({.architecture = job.architecture,
                              .batch = batch,
                              .image = job.image,
                              .sequence = job.sequence});
  return row;
}

}  // namespace horus::lab
