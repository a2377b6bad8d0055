// SPDX-License-Identifier: Apache-2.0
#include "horus/wire/reports.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

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
          {"flops_training", number(row.flops_training)},
          {"share", row.share}};
}

Json object(const GapRow& row) {
  return {{"name", row.name}, {"op_type", row.op_type}, {"reason", row.reason}};
}

Json object(const InputRow& row) {
  return {{"name", row.name}, {"type", row.type}, {"shape", row.shape}};
}

Json object(const PredictionRow& row) {
  const Prediction& prediction = row.prediction;
  Json json{{"gpu", prediction.gpu},
            {"gpu_utilization", object(prediction.gpu_utilization)},
            {"memory_bandwidth_utilization", object(prediction.memory_bandwidth_utilization)},
            {"step_time_s", object(prediction.step_time_s)},
            {"memory_bytes", object(prediction.memory)},
            {"fits", prediction.fits},
            {"origin", name_of(prediction.origin)}};
  if (row.shared_memory) {
    json["slowdowns"] = Json::array();
    for (const Interval& slowdown : row.slowdowns) json["slowdowns"].push_back(object(slowdown));
    json["slowdowns_origin"] = name_of(row.sharing_origin);
    json["shared_memory_bytes"] = object(*row.shared_memory);
    json["fits_together"] = row.fits_together;
  }
  return json;
}

Json object(const ZooRow& row) {
  return {{"name", row.name}, {"description", row.description}, {"input", row.input}};
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

/// Names in foreign files may hold any bytes: what is no UTF-8 is replaced, never thrown at, and
/// what is no ASCII is escaped, so that no terminal obeys it.
std::string text(const Json& json) {
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const InspectReport& report) {
  return text({{"schema_version", kSchemaVersion},
               {"model", report.model},
               {"batch", report.batch},
               {"opset", report.opset},
               {"ir_version", report.ir_version},
               {"nodes", report.nodes},
               {"parameters", number(report.parameters)},
               {"buffers", number(report.buffers)},
               {"macs", number(report.macs)},
               {"flops_forward", number(report.flops_forward)},
               {"flops_training", number(report.flops_training)},
               {"activation_bytes", report.activation_bytes.count()},
               {"kernels", number(report.kernels)},
               {"inputs", array(report.inputs)},
               {"nodes_without_cost", array(report.nodes_without_cost)},
               {"by_operator", array(report.by_operator)},
               {"costliest", array(report.costliest)},
               {"warnings", report.warnings}});
}

std::string to_json(const PredictReport& report) {
  Json setup{{"batch", report.batch},
             {"precision", name_of(report.setup.precision)},
             {"optimizer", name_of(report.setup.optimizer)},
             {"attention", name_of(report.setup.attention)},
             {"samples_per_second", nullptr}};
  if (report.setup.samples_per_second) {
    setup["samples_per_second"] = *report.setup.samples_per_second;
  }
  return text({{"schema_version", kSchemaVersion},
               {"jobs", report.jobs},
               {"setup", std::move(setup)},
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
