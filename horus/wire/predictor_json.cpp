// SPDX-License-Identifier: Apache-2.0
#include "horus/wire/predictor_json.hpp"

#include <algorithm>
#include <span>

#include <nlohmann/json.hpp>

#include "horus/base/sha256.hpp"
#include "horus/wire/json_text.hpp"
#include "horus/wire/predictor_fields.hpp"

namespace horus::wire {
namespace {

using Json = nlohmann::ordered_json;

Json object(const Site& site) {
  Json json{{"gpu", site.gpu},
            {"host", site.host},
            {"framework", site.framework},
            {"host_factor", site.host_factor},
            {"gpu_factor", site.gpu_factor},
            {"host_step_s", site.host_step_s},
            {"loader_sample_s", site.loader_sample_s},
            {"loader_element_s", site.loader_element_s}};
  if (site.context) json["context_bytes"] = site.context->count();
  json["jobs"] = site.jobs;
  return json;
}

Json object(const MeasuredLaw& law) {
  return {{"gpu", law.gpu},
          {"mode", law.mode},
          {"gain", law.gain},
          {"own_exponent", law.own_exponent},
          {"others_exponent", law.others_exponent},
          {"sigma_slowdown", law.sigma_slowdown},
          {"pairs", law.pairs}};
}

/// One array per field: a node would repeat the names of its four numbers.
Json object(const Tree& tree) {
  Json json{{"input", Json::array()},
            {"value", Json::array()},
            {"below", Json::array()},
            {"above", Json::array()}};
  for (const TreeNode& node : tree) {
    json["input"].push_back(node.input);
    json["value"].push_back(static_cast<double>(node.value));
    json["below"].push_back(node.below);
    json["above"].push_back(node.above);
  }
  return json;
}

Json object(const GateEvidence& evidence) {
  return {{"jobs", evidence.jobs},
          {"groups", evidence.groups},
          {"error_without", evidence.error_without},
          {"error_with", evidence.error_with},
          {"gain", evidence.gain},
          {"gain_error", evidence.gain_error}};
}

Json object(const ResidualTable& table) {
  Json json{{"target", table.target}, {"inputs", Json::array()},
            {"base", table.base},     {"limit", table.limit},
            {"scales", table.scales}, {"near", table.near},
            {"far", table.far},       {"evidence", object(table.evidence)},
            {"trees", Json::array()}, {"known", Json::array()}};
  for (const TreeInput& input : table.inputs) {
    json["inputs"].push_back({{"name", input.name}, {"unit", input.unit}});
  }
  for (const Tree& tree : table.trees) json["trees"].push_back(object(tree));
  for (const std::vector<double>& row : table.known) json["known"].push_back(row);
  return json;
}

Json object(const TrainingData& data) {
  Json json{
      {"dataset", data.dataset}, {"licence", data.licence}, {"permissive", data.is_permissive},
      {"rows", data.rows},       {"models", data.models},   {"families", data.families},
      {"files", Json::array()}};
  for (const DataFileHash& file : data.files) {
    json["files"].push_back({{"file", file.file}, {"sha256", file.sha256}});
  }
  return json;
}

Json object(const HeldOutMetric& metric) {
  Json json{{"protocol", metric.protocol},
            {"dataset", metric.dataset},
            {"name", metric.name},
            {"value", metric.value}};
  if (metric.low) json["low"] = *metric.low;
  if (metric.high) json["high"] = *metric.high;
  return json;
}

template <class Row>
Json array(const std::vector<Row>& rows) {
  Json json = Json::array();
  for (const Row& row : rows) json.push_back(object(row));
  return json;
}

Json object(const PredictorFile& file) {
  Json json{{"schema_version", kPredictorSchemaVersion},
            {"kind", kPredictorKind},
            {"licence", licence_word(file)},
            {"command", file.command}};
  if (!file.date.empty()) json["date"] = file.date;
  json["data"] = array(file.data);
  json["notes"] = file.notes;
  json["metrics"] = array(file.metrics);
  json["constants"] = Json::object();
  for (const NamedConstant& constant : file.constants) {
    json["constants"][constant.name] = constant.value;
  }
  json["sites"] = array(file.sites);
  json["sharing"] = array(file.sharing);
  json["residuals"] = array(file.residuals);
  return json;
}

/// Appends `json`, one member or element a line, but lists of numbers and texts on one: columns of
/// trees would be a line per number.
void append(const Json& json, std::size_t indent, std::string& out) {
  const auto nests = [](const Json& element) { return element.is_structured(); };
  if (json.empty() || !json.is_structured() ||
      (json.is_array() && std::none_of(json.begin(), json.end(), nests))) {
    out += json_text(json, -1);
    return;
  }
  const std::string line = "\n" + std::string(indent + 1, ' ');
  std::string_view separator;
  out += json.is_array() ? '[' : '{';
  for (const auto& [name, value] : json.items()) {
    out += separator;
    out += line;
    if (json.is_object()) out += json_text(name, -1) + ": ";
    append(value, indent + 1, out);
    separator = ",";
  }
  out += "\n" + std::string(indent, ' ') + (json.is_array() ? ']' : '}');
}

std::string document(const Json& json) {
  std::string text;
  append(json, 0, text);
  return text + "\n";
}

}  // namespace

std::string_view licence_word(const PredictorFile& file) {
  return file.is_permissive() ? "permissive" : "non-commercial";
}

std::string content_hash(const PredictorFile& file) {
  const std::string text = document(object(file));
  return sha256_hex(std::as_bytes(std::span{text}));
}

std::string to_json(const PredictorFile& file) {
  Json json = object(file);
  json["content_sha256"] = content_hash(file);
  return document(json);
}

}  // namespace horus::wire
