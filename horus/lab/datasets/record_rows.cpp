// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/datasets/record_rows.hpp"

#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/domain/gpu.hpp"
#include "horus/lab/datasets/data_file.hpp"
#include "horus/lab/datasets/graph_source.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::lab {
namespace {

/// Takes `text` over where there is one.
template <class T>
Result<Done> take(const RunRecord& record, const std::string& text,
                  Result<T> (*parse)(std::string_view), T& out) {
  if (text.empty()) return Done{};
  auto parsed = parse(text);
  if (!parsed) return fail(Errc::Corrupt, parsed.error().message, record.where);
  out = *parsed;
  return Done{};
}

/// Frameworks whose update runs over all tensors at once.
UpdateKernels update_of(const RunRecord& record) {
  const bool is_old = record.framework == "pytorch" && record.framework_version.starts_with("1.");
  return is_old ? UpdateKernels::PerTensor : UpdateKernels::MultiTensor;
}

Result<TrainingSetup> setup_of(const RunRecord& record) {
  TrainingSetup setup;
  HORUS_TRY_DONE(take(record, record.precision, parse_precision, setup.precision));
  HORUS_TRY_DONE(take(record, record.optimizer, parse_optimizer, setup.optimizer));
  HORUS_TRY_DONE(take(record, record.attention, parse_attention, setup.attention));
  HORUS_TRY_DONE(take(record, record.checkpointing, parse_checkpointing, setup.checkpointing));
  setup.samples_per_second = record.samples_per_second;
  if (record.loader_workers) setup.loader_workers = static_cast<int>(*record.loader_workers);
  if (record.accumulation_steps) {
    setup.accumulation_steps = static_cast<int>(*record.accumulation_steps);
  }
  if (record.passes_per_step) setup.passes_per_step = *record.passes_per_step;
  setup.update = update_of(record);
  // The campaign's batches are on the GPU unless it imitates an input pipeline.
  const bool is_campaign = !record.kind.empty();
  if (is_campaign && !record.samples_per_second) setup.input_place = InputPlace::Gpu;
  return setup;
}

std::optional<double> share_of(const std::optional<double>& percent) {
  if (!percent) return std::nullopt;
  return *percent / 100;
}

/// No process on a GPU takes nothing: 0 is what a driver says that does not know.
std::optional<double> memory_of(const std::optional<double>& mib) {
  return mib && *mib >= 1 ? mib : std::nullopt;
}

Measured measured_of(const RunRecord& record) {
  Measured measured;
  measured.out_of_memory = record.status == RunStatus::OutOfMemory;
  if (measured.out_of_memory) return measured;
  measured.utilization = share_of(record.utilization_percent);
  measured.bandwidth_utilization = share_of(record.memory_use_percent);
  measured.sm_active = record.sm_active;
  measured.memory_mib = memory_of(record.memory_peak_mib);
  if (record.step_ms) measured.step_s = *record.step_ms / 1000;
  return measured;
}

/// Why a run says nothing about its job alone, or "".
std::string rule_against(const RunRecord& record) {
  if (record.kind == "empty") return "a context alone";
  if (record.status == RunStatus::Failed) return "the run failed";
  if (record.shared_with_others) return "others were on the GPU";
  if (record.gpu.empty()) return "no GPU was seen";
  if (record.mig) return "an instance of a partitioned GPU, which the record does not name";
  if (!record.batch) return "no batch was said";
  if (!find_gpu(record.gpu)) return "the GPU is not in the catalogue: " + printable(record.gpu);
  return {};
}

class RecordReader {
 public:
  explicit RecordReader(const GraphOfRecord& graph_of) : graph_of_{graph_of} {
    dataset_.name = "profile";
    dataset_.licence = Licence::Permissive;
    dataset_.licence_name = "of whoever measured";
  }

  Result<Dataset> read(std::span<const RunRecord> records) {
    for (const RunRecord& record : records) {
      if (record.shared.empty()) HORUS_TRY_DONE(add_run(record));
    }
    for (const RunRecord& record : records) {
      if (!record.shared.empty()) add_set(record);
    }
    return std::move(dataset_);
  }

 private:
  Result<Done> add_run(const RunRecord& record) {
    const std::string model = record.model.empty() ? record.onnx_sha256 : record.model;
    if (const std::string rule = rule_against(record); !rule.empty()) {
      add_unused(dataset_.left_out, model, rule);
      return Done{};
    }
    const std::optional<FeaturesSource> graph = graph_of_(record);
    if (!graph) {
      add_unused(dataset_.unmapped, model, "no ONNX file and no architecture of the zoo for it");
      return Done{};
    }
    HORUS_TRY(const GpuChoice gpu, find_gpu(record.gpu));
    Row row{.id = record.where,
            .model = model,
            .family = family_of(record, model),
            .gpu = gpu.spec->name,
            .host = record.cpu,
            .framework = record.framework,
            .measured = measured_of(record),
            .features = *graph};
    HORUS_TRY(row.setup, setup_of(record));
    if (!indices_.emplace(record.run_id, dataset_.rows.size()).second) {
      return fail(Errc::Corrupt,
                  fmt::format("another run is called {} already", printable(record.run_id)),
                  record.where);
    }
    dataset_.rows.push_back(std::move(row));
    return Done{};
  }

  static std::string family_of(const RunRecord& record, const std::string& model) {
    if (!record.family.empty()) return record.family;
    return family_group(record.model).value_or(model);
  }

  void add_set(const RunRecord& record) {
    const std::string rule = rule_against_pair(record);
    if (!rule.empty()) {
      add_unused(dataset_.left_out, record.kind, rule);
      return;
    }
    const SharedStep& first = record.shared[0];
    const SharedStep& second = record.shared[1];
    const bool ran = record.status != RunStatus::OutOfMemory;
    dataset_.pairs.push_back(
        {.id = record.where,
         .first = indices_.find(first.run_id)->second,
         .second = indices_.find(second.run_id)->second,
         .slowdown_first = ran ? first.slowdown.value_or(0) : 0,
         .slowdown_second = ran ? second.slowdown.value_or(0) : 0,
         .mode = record.mode == "mps" ? SharingMode::Mps : SharingMode::TimeSlice,
         .utilization = share_of(record.joint_utilization_percent),
         .memory_mib = memory_of(record.joint_memory_peak_mib)});
  }

  [[nodiscard]] std::string rule_against_pair(const RunRecord& record) const {
    if (record.shared.size() != 2) return "set: not of two";
    if (record.status == RunStatus::Failed) return "pair: the run failed";
    if (record.shared_with_others) return "pair: others were on the GPU";
    for (const SharedStep& each : record.shared) {
      if (!indices_.contains(each.run_id)) return "pair: one of them has no row of its own";
      if (!each.slowdown && record.status != RunStatus::OutOfMemory) return "pair: no slowdown";
    }
    return {};
  }

  const GraphOfRecord& graph_of_;
  std::map<std::string, std::size_t, std::less<>> indices_;  ///< Of rows, by run_id.
  Dataset dataset_;
};

}  // namespace

std::optional<FeaturesSource> zoo_graph_of(const RunRecord& record) {
  const zoo::Architecture* known = zoo::known(record.model);
  if (known == nullptr || !record.batch) return std::nullopt;
  const bool has_sequence = known->default_sequence != 0;
  return features_of({.architecture = known->name,
                      .batch = *record.batch,
                      .image = {},
                      .sequence = has_sequence ? record.sequence : std::nullopt});
}

Result<Dataset> rows_of_records(std::span<const RunRecord> records, const GraphOfRecord& graph_of) {
  return RecordReader{graph_of}.read(records);
}

}  // namespace horus::lab
