// SPDX-License-Identifier: Apache-2.0
#include "horus/wire/reports.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "horus/wire/inspect_diff.hpp"
#include "horus/wire/json_text.hpp"
#include "horus/wire/op_kind.hpp"

namespace horus::wire {
namespace {

using Json = nlohmann::ordered_json;

/// Counts up to 2^53 as integers, which readers expect; larger or fractional ones as doubles.
Json number(double value) {
  constexpr double kExactIntegers = 9007199254740992.0;
  if (std::abs(value) <= kExactIntegers && value == std::floor(value)) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

Json object(const Interval& interval) {
  return {{"expected", interval.expected}, {"low", interval.low}, {"high", interval.high}};
}

Json object(const MemoryPrediction& memory) {
  return {{"expected", memory.expected.count()},
          {"low", memory.low.count()},
          {"high", memory.high.count()},
          {"bound", memory.bound.count()}};
}

Json object(const OperatorRow& row) {
  return {{"op_type", row.op_type},
          {"nodes", row.nodes},
          {"macs", number(row.macs)},
          {"flops_training", number(row.flops_training)},
          {"parameters", number(row.parameters)},
          {"kernels", number(row.kernels)},
          {"activation_bytes", row.activation_bytes.count()}};
}

Json object(const NodeRow& row) {
  return {{"name", row.name},
          {"op_type", row.op_type},
          {"macs", number(row.macs)},
          {"flops_training", number(row.flops_training())},
          {"share", row.share}};
}

Json object(const GapRow& row) {
  return {{"name", row.name}, {"op_type", row.op_type}, {"reason", row.reason}};
}

Json object(const InputRow& row) {
  return {{"name", row.name}, {"type", row.type}, {"shape", row.shape}};
}

Json object(const ValueRow& row) {
  return {{"name", row.name}, {"type", row.type}, {"shape", row.shape}, {"bound", row.is_bound}};
}

Json intervals(const std::vector<Interval>& list) {
  Json json = Json::array();
  for (const Interval& interval : list) json.push_back(object(interval));
  return json;
}

Json object(const SharedPrediction& shared) {
  Json json{{"mode", name_of(shared.mode)}};
  if (!shared.obstacle.empty()) {
    json["obstacle"] = shared.obstacle;
    return json;
  }
  json["slowdowns"] = intervals(shared.slowdowns);
  json["throughput"] = shared.throughput();
  json["memory_bytes"] = object(shared.memory);
  json["fits"] = shared.fits;
  json["origin"] = name_of(shared.origin);
  json["calibration"] = name_of(shared.calibration);
  json["extrapolated"] = shared.extrapolated;
  if (shared.chance_tolerated) json["chance_tolerated"] = *shared.chance_tolerated;
  if (!shared.instances.empty()) json["instances"] = shared.instances;
  return json;
}

/// The mode that the keys beside `modes` speak of: what happens unasked, where it is among them.
const SharedPrediction& usual_mode(const std::vector<SharedPrediction>& modes) {
  const auto found = std::ranges::find(modes, SharingMode::TimeSlice, &SharedPrediction::mode);
  return found == modes.end() ? modes.front() : *found;
}

Json object(const Prediction& prediction) {
  Json json{{"gpu", prediction.gpu},
            {"gpu_utilization", object(prediction.gpu_utilization)},
            {"memory_bandwidth_utilization", object(prediction.memory_bandwidth_utilization)},
            {"step_time_s", object(prediction.step_time_s)},
            {"memory_bytes", object(prediction.memory)},
            {"fits", prediction.fits},
            {"origin", name_of(prediction.origin)}};
  if (prediction.sm_active) json["sm_active"] = object(*prediction.sm_active);
  return json;
}

Json object(const PredictionRow& row) {
  Json json = object(row.prediction);
  for (const Prediction& other : row.others) json["others"].push_back(object(other));
  if (row.modes.empty()) return json;
  const SharedPrediction& usual = usual_mode(row.modes);
  if (usual.obstacle.empty()) {
    json["slowdowns"] = intervals(usual.slowdowns);
    json["slowdowns_origin"] = name_of(usual.origin);
    json["shared_memory_bytes"] = object(usual.memory);
    json["fits_together"] = usual.fits;
  }
  json["modes"] = Json::array();
  for (const SharedPrediction& shared : row.modes) json["modes"].push_back(object(shared));
  if (row.advice) {
    json["recommendation"] = {{"mode", name_of(row.advice->mode)}, {"reason", row.advice->reason}};
  }
  return json;
}

/// The size that can be chosen, or null.
Json chosen_size(std::int64_t size) { return size > 0 ? Json(size) : Json(nullptr); }

Json object(const ZooRow& row) {
  Json json{{"name", row.name},
            {"family", row.family},
            {"description", row.description},
            {"input", row.input},
            {"image", chosen_size(row.image)},
            {"sequence", chosen_size(row.sequence)}};
  if (row.cost) {
    json["parameters"] = number(row.cost->parameters);
    json["macs"] = number(row.cost->macs);
    json["batch_norm_elements"] = number(row.cost->batch_norm_elements);
    json["norm_operations"] = number(row.cost->norm_operations);
    json["pooled_elements"] = number(row.cost->pooled_elements);
    json["resize_operations"] = number(row.cost->resize_operations);
  }
  return json;
}

Json object(const PolicyRow& row) {
  return {{"policy", row.policy},
          {"jobs_finished", row.jobs_finished},
          {"makespan_s", row.makespan_s},
          {"jct_mean_s", row.jct_mean_s},
          {"jct_p50_s", row.jct_p50_s},
          {"jct_p99_s", row.jct_p99_s},
          {"wait_mean_s", row.wait_mean_s},
          {"wait_p99_s", row.wait_p99_s},
          {"first_start_mean_s", row.first_start_mean_s},
          {"gpu_utilization", row.gpu_utilization},
          {"slowdown_mean", row.slowdown_mean},
          {"slowdown_p99", row.slowdown_p99},
          {"beyond_tolerance", row.beyond_tolerance},
          {"oom_deaths", row.oom_deaths},
          {"preemptions", row.preemptions},
          {"lost_work_gpu_s", row.lost_work_gpu_s},
          {"jobs_rejected", row.jobs_rejected}};
}

template <class Row>
Json array(const std::vector<Row>& rows) {
  Json json = Json::array();
  for (const Row& row : rows) json.push_back(object(row));
  return json;
}

std::string text(const Json& json) { return json_text(json, 2) + "\n"; }
std::string line(const Json& json) { return json_text(json, -1) + "\n"; }

Json object(const InspectReport& report) {
  Json json{{"schema_version", kSchemaVersion},
            {"model", report.model},
            {"batch", report.batch},
            {"opset", report.opset},
            {"ir_version", report.ir_version},
            {"nodes", report.nodes},
            {"parameters", number(report.parameters)},
            {"parameters_unread", number(report.parameters_unread)},
            {"buffers", number(report.buffers)},
            {"macs", number(report.macs)},
            {"flops_forward", number(report.flops_forward)},
            {"flops_training", number(report.flops_training)},
            {"activation_bytes", report.activation_bytes.count()},
            {"kernels", number(report.kernels)},
            {"inputs", array(report.inputs)},
            {"nodes_without_cost", array(report.nodes_without_cost)},
            {"nodes_with_bounds", report.nodes_with_bounds},
            {"by_operator", array(report.by_operator)},
            {"costliest", array(report.costliest)},
            {"warnings", report.warnings}};
  if (report.values) json["values"] = array(*report.values);
  return json;
}

/// A total of a model, under the key that it has in the report of one model.
struct Total {
  const char* key;
  double (*value)(const InspectReport&);
};
constexpr auto kTotals = std::to_array<Total>({
    {"nodes", [](const InspectReport& r) { return static_cast<double>(r.nodes); }},
    {"parameters", [](const InspectReport& r) { return r.parameters; }},
    {"buffers", [](const InspectReport& r) { return r.buffers; }},
    {"macs", [](const InspectReport& r) { return r.macs; }},
    {"flops_forward", [](const InspectReport& r) { return r.flops_forward; }},
    {"flops_training", [](const InspectReport& r) { return r.flops_training; }},
    {"activation_bytes", [](const InspectReport& r) { return as_double(r.activation_bytes); }},
    {"kernels", [](const InspectReport& r) { return r.kernels; }},
});

/// One object per total. A change against nothing has no relative size: null.
Json totals(const InspectDiff& diff) {
  Json json = Json::object();
  for (const Total& total : kTotals) {
    const double before = total.value(diff.before);
    const double after = total.value(diff.after);
    json[total.key] = {{"before", number(before)},
                       {"after", number(after)},
                       {"difference", number(after - before)},
                       {"relative", nullptr}};
    if (before != 0.0) json[total.key]["relative"] = (after - before) / before;
  }
  return json;
}

/// What names one of the two models of a comparison, and how far its totals can be trusted.
Json side(const InspectReport& report) {
  return {{"model", report.model},
          {"batch", report.batch},
          {"nodes_without_cost", array(report.nodes_without_cost)},
          {"nodes_with_bounds", report.nodes_with_bounds},
          {"warnings", report.warnings}};
}

Json counts(const OperatorRow& row) {
  Json json = object(row);
  json.erase("op_type");
  return json;
}

Json layer(const std::optional<NodeRow>& row) {
  if (!row) return nullptr;
  if (!row->gap.empty()) {
    return {{"name", row->name}, {"op_type", row->op_type}, {"gap", row->gap}};
  }
  return {{"name", row->name},
          {"op_type", row->op_type},
          {"kind", name_of(row->kind)},
          {"shape", row->shape ? Json(*row->shape) : Json(nullptr)},
          {"parameters", number(row->parameters)},
          {"macs", number(row->macs)},
          {"flops_training", number(row->flops_training())},
          {"kernels", number(row->kernels)},
          {"activation_bytes", row->activation_bytes.count()}};
}

}  // namespace

std::string to_json(const InspectReport& report) { return text(object(report)); }

std::string to_json_line(const InspectReport& report) { return line(object(report)); }

std::string to_json_line(const std::string& model, const Error& error) {
  return line({{"schema_version", kSchemaVersion},
               {"model", model},
               {"error", {{"message", error.message}, {"where", error.where}}}});
}

std::string to_json(const InspectDiff& diff) {
  Json operators = Json::array();
  for (const OperatorChange& change : diff.operators) {
    operators.push_back({{"op_type", change.op_type},
                         {"before", counts(change.before)},
                         {"after", counts(change.after)}});
  }
  Json layers = Json::array();
  for (const LayerChange& change : diff.layers) {
    layers.push_back({{"change", name_of(change.change)},
                      {"before", layer(change.before)},
                      {"after", layer(change.after)}});
  }
  return text({{"schema_version", kSchemaVersion},
               {"before", side(diff.before)},
               {"after", side(diff.after)},
               {"totals", totals(diff)},
               {"operators", std::move(operators)},
               {"layers", std::move(layers)},
               {"layers_unchanged", diff.layers_unchanged},
               {"layers_renamed", diff.layers_renamed}});
}

std::string to_json(const PredictReport& report) {
  Json setup{{"batch", report.batch},
             {"precision", name_of(report.setup.precision)},
             {"optimizer", name_of(report.setup.optimizer)},
             {"attention", name_of(report.setup.attention)},
             {"samples_per_second", nullptr},
             {"loader_workers", report.setup.loader_workers},
             {"input_place", name_of(report.setup.input_place)},
             {"checkpointing", name_of(report.setup.checkpointing)},
             {"accumulation_steps", report.setup.accumulation_steps},
             {"passes_per_step", number(report.setup.passes_per_step)},
             {"update", name_of(report.setup.update)},
             {"step_end", name_of(report.setup.step_end)}};
  if (report.setup.samples_per_second) {
    setup["samples_per_second"] = *report.setup.samples_per_second;
  }
  return text({{"schema_version", kSchemaVersion},
               {"jobs", report.jobs},
               {"setup", std::move(setup)},
               {"nodes_without_cost", report.nodes_without_cost},
               {"predictions", array(report.predictions)},
               {"warnings", report.warnings}});
}

std::string to_json(const std::vector<ZooRow>& rows) {
  return text({{"schema_version", kSchemaVersion}, {"architectures", array(rows)}});
}

std::string to_json(const SimulateReport& report) {
  return text({{"schema_version", kSchemaVersion},
               {"workload", report.workload},
               {"cluster", report.cluster},
               {"jobs", report.jobs},
               {"gpus", report.gpus},
               {"load", report.load ? Json(*report.load) : Json(nullptr)},
               {"tolerance", report.tolerance},
               {"seed", report.seed},
               {"models", report.models},
               {"truth", report.truth},
               {"policies", array(report.policies)},
               {"notes", report.notes}});
}

std::string to_json(std::span<const GpuSpec> gpus) {
  Json rows = Json::array();
  for (const GpuSpec& gpu : gpus) {
    rows.push_back({{"name", gpu.name},
                    {"architecture", gpu.architecture},
                    {"year", gpu.year},
                    {"memory_bytes", gpu.memory.count()},
                    {"fp32_flops", gpu.fp32_flops},
                    {"fp16_flops", gpu.fp16_flops},
                    {"tensor_fp16_flops", gpu.tensor_fp16_flops},
                    {"tf32_flops", gpu.tf32_flops},
                    {"bf16_flops", gpu.bf16_flops},
                    {"bandwidth_bytes_per_s", gpu.bandwidth_bytes_per_s},
                    {"sm_count", gpu.sm_count},
                    {"mig_slices", gpu.mig_slices},
                    {"source", gpu.source}});
  }
  return text({{"schema_version", kSchemaVersion}, {"gpus", std::move(rows)}});
}

}  // namespace horus::wire
