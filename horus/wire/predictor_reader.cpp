// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "horus/base/text.hpp"
#include "horus/wire/json_fields.hpp"
#include "horus/wire/predictor_fields.hpp"
#include "horus/wire/predictor_json.hpp"

namespace horus::wire {
namespace {

using Json = nlohmann::ordered_json;

constexpr JsonLimits kLimits{.bytes = kPredictorBytesMax, .depth = 8};
constexpr std::size_t kNameMax = 4096;  // bytes: records and file systems allow long ones
constexpr std::size_t kSentenceMax = 4000;
constexpr std::size_t kCommandMax = 20000;
constexpr std::size_t kConstantsMax = 1000;
constexpr std::size_t kSitesMax = 10000;
constexpr std::size_t kSetsMax = 1000;
constexpr std::size_t kFilesMax = 10000;
constexpr std::size_t kMetricsMax = 10000;
constexpr std::size_t kNotesMax = 100;
constexpr std::size_t kResidualsMax = 16;
constexpr std::size_t kInputsMax = 256;
constexpr std::size_t kTreesMax = 10000;
constexpr std::size_t kNodesMax = 4096;
constexpr std::size_t kKnownMax = 10000;
constexpr NumberRange kCount{.least = 0, .most = 9e15};
constexpr NumberRange kNotNegative{.least = 0};
constexpr NumberRange kFactor{.least = 1e-3, .most = 1e3};
constexpr NumberRange kSeconds{.least = 0, .most = 1e3};

template <class Row>
using ReadRow = Result<Done> (*)(const Json& json, const std::string& where, Row& row);

/// Reads an array of rows.
template <class Row>
void read_rows(JsonFields& fields, std::string_view key, std::size_t count_max,
               std::vector<Row>& rows, ReadRow<Row> read_row) {
  fields.read_array(key, count_max, [&](const Json& element, const std::string& where) {
    rows.emplace_back();
    return read_row(element, where, rows.back());
  });
}

Result<Done> read_site(const Json& json, const std::string& where, Site& site) {
  JsonFields fields{json, where};
  fields.read("gpu", site.gpu, kNameMax);
  fields.read("host", site.host, kNameMax);
  fields.read("framework", site.framework, kNameMax);
  fields.read("host_factor", site.host_factor, kFactor);
  fields.read("gpu_factor", site.gpu_factor, kFactor);
  fields.read("host_step_s", site.host_step_s, kSeconds);
  fields.read("loader_sample_s", site.loader_sample_s, kSeconds);
  fields.read("loader_element_s", site.loader_element_s, kSeconds);
  fields.read("jobs", site.jobs, kCount);
  if (fields.has("context_bytes")) {
    std::int64_t bytes = 0;
    fields.read("context_bytes", bytes, {.least = 0, .most = 1e13});
    site.context = Bytes{bytes};
  }
  return fields.finish();
}

Result<Done> read_law(const Json& json, const std::string& where, MeasuredLaw& law) {
  JsonFields fields{json, where};
  fields.read("gpu", law.gpu, kNameMax);
  fields.read("mode", law.mode, kNameMax);
  fields.read("gain", law.gain, kNotNegative);
  fields.read("own_exponent", law.own_exponent, kNotNegative);
  fields.read("others_exponent", law.others_exponent, kNotNegative);
  fields.read("sigma_slowdown", law.sigma_slowdown, kNotNegative);
  fields.read("pairs", law.pairs, kCount);
  return fields.finish();
}

/// Where nodes lead is checked by predict::make_model(), which follows them.
Result<Done> read_tree(const Json& json, const std::string& where, Tree& tree) {
  constexpr NumberRange kNode{.least = -1, .most = static_cast<double>(kNodesMax)};
  constexpr NumberRange kSingle{.least = -3e38, .most = 3e38};
  std::vector<double> input;
  std::vector<double> value;
  std::vector<double> below;
  std::vector<double> above;
  JsonFields fields{json, where};
  fields.read_numbers("input", kNodesMax, input, kNode);
  fields.read_numbers("value", kNodesMax, value, kSingle);
  fields.read_numbers("below", kNodesMax, below, kNode);
  fields.read_numbers("above", kNodesMax, above, kNode);
  HORUS_TRY_DONE(fields.finish());
  const std::size_t nodes = input.size();
  if (value.size() != nodes || below.size() != nodes || above.size() != nodes) {
    return fail(Errc::Corrupt,
                fmt::format("found arrays of {}, {}, {} and {} numbers, expected equal lengths",
                            nodes, value.size(), below.size(), above.size()),
                where);
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    tree.push_back({.input = static_cast<std::int32_t>(input[i]),
                    .value = static_cast<float>(value[i]),
                    .below = static_cast<std::int32_t>(below[i]),
                    .above = static_cast<std::int32_t>(above[i])});
  }
  return Done{};
}

Result<Done> read_evidence(const Json& json, const std::string& where, GateEvidence& evidence) {
  JsonFields fields{json, where};
  fields.read("jobs", evidence.jobs, kCount);
  fields.read("groups", evidence.groups, kCount);
  fields.read("error_without", evidence.error_without, kNotNegative);
  fields.read("error_with", evidence.error_with, kNotNegative);
  fields.read("gain", evidence.gain);
  fields.read("gain_error", evidence.gain_error, kNotNegative);
  return fields.finish();
}

Result<Done> read_input(const Json& json, const std::string& where, TreeInput& input) {
  JsonFields fields{json, where};
  fields.read("name", input.name, kNameMax);
  fields.read("unit", input.unit, kNameMax);
  return fields.finish();
}

Result<Done> read_known(const Json& json, const std::string& where, std::vector<double>& row) {
  HORUS_TRY(row, numbers_of(json, where, kInputsMax));
  return Done{};
}

Result<Done> read_residual(const Json& json, const std::string& where, ResidualTable& table) {
  JsonFields fields{json, where};
  fields.read("target", table.target, kNameMax);
  read_rows<TreeInput>(fields, "inputs", kInputsMax, table.inputs, read_input);
  fields.read("base", table.base);
  fields.read("limit", table.limit, kNotNegative);
  fields.read_numbers("scales", kInputsMax, table.scales, kNotNegative);
  fields.read("near", table.near, kNotNegative);
  fields.read("far", table.far, kNotNegative);
  fields.read_child("evidence", [&](const Json& child, const std::string& at) {
    return read_evidence(child, at, table.evidence);
  });
  read_rows<Tree>(fields, "trees", kTreesMax, table.trees, read_tree);
  read_rows<std::vector<double>>(fields, "known", kKnownMax, table.known, read_known);
  return fields.finish();
}

Result<Done> read_file_hash(const Json& json, const std::string& where, DataFileHash& file) {
  JsonFields fields{json, where};
  fields.read("file", file.file, kNameMax);
  fields.read("sha256", file.sha256, kNameMax);
  HORUS_TRY_DONE(fields.finish());
  const bool is_hash = file.sha256.size() == 64 &&
                       file.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (is_hash) return Done{};
  return fail(
      Errc::Corrupt,
      fmt::format("found '{}', expected 64 lower-case hexadecimal digits", printable(file.sha256)),
      where + ".sha256");
}

Result<Done> read_data(const Json& json, const std::string& where, TrainingData& data) {
  JsonFields fields{json, where};
  fields.read("dataset", data.dataset, kNameMax);
  fields.read("licence", data.licence, kSentenceMax);
  fields.read("permissive", data.is_permissive);
  fields.read("rows", data.rows, kCount);
  fields.read("models", data.models, kCount);
  fields.read("families", data.families, kCount);
  read_rows<DataFileHash>(fields, "files", kFilesMax, data.files, read_file_hash);
  return fields.finish();
}

Result<Done> read_metric(const Json& json, const std::string& where, HeldOutMetric& metric) {
  JsonFields fields{json, where};
  fields.read("protocol", metric.protocol, kNameMax);
  fields.read("dataset", metric.dataset, kNameMax);
  fields.read("name", metric.name, kNameMax);
  fields.read("value", metric.value);
  fields.read_if_there("low", metric.low);
  fields.read_if_there("high", metric.high);
  return fields.finish();
}

Result<Done> read_note(const Json& json, const std::string& where, std::string& note) {
  HORUS_TRY(note, text_of(json, where, kSentenceMax));
  return Done{};
}

/// Another kind of document, or one of another version, is told apart before its fields are read.
Result<Done> check_kind(const Json& json) {
  const auto kind = json.is_object() ? json.find("kind") : json.end();
  if (!json.is_object() || kind == json.end() || *kind != kPredictorKind) {
    return fail(Errc::Unsupported,
                fmt::format("is no predictor: expected an object whose 'kind' is \"{}\", as "
                            "'horus train' writes it",
                            kPredictorKind));
  }
  const auto version = json.find("schema_version");
  if (version == json.end() || *version != kPredictorSchemaVersion) {
    const std::string found = version == json.end() ? "none" : printable(version->dump(), 20);
    return fail(Errc::Unsupported,
                fmt::format("found schema_version {}, expected {}; train it again with this "
                            "version of horus",
                            found, kPredictorSchemaVersion),
                "schema_version");
  }
  return Done{};
}

/// What the file says of itself against what it holds.
Result<Done> check_claims(const PredictorFile& file, std::string_view licence,
                          const std::string& hash) {
  if (licence != licence_word(file)) {
    return fail(Errc::Corrupt,
                fmt::format("found '{}', but its data make it '{}'", printable(licence),
                            licence_word(file)),
                "licence");
  }
  if (!file.date.empty() && !is_date(file.date)) {
    return fail(Errc::Corrupt, fmt::format("found '{}', expected YYYY-MM-DD", printable(file.date)),
                "date");
  }
  if (const std::string found = content_hash(file); found != hash) {
    return fail(Errc::Corrupt,
                fmt::format("says '{}', but the content has {}: the file was damaged, or edited "
                            "after it was written",
                            printable(hash), found),
                "content_sha256");
  }
  return Done{};
}

}  // namespace

bool is_date(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd";
  return std::ranges::equal(text, kShape, [](char found, char shape) {
    return shape == 'd' ? found >= '0' && found <= '9' : found == shape;
  });
}

Result<PredictorFile> read_predictor(std::string_view text) {
  HORUS_TRY(const Json json, parse_json(text, kLimits));
  HORUS_TRY_DONE(check_kind(json));
  PredictorFile file;
  std::int64_t version = 0;
  std::string kind;
  std::string licence;
  std::string hash;
  std::vector<std::pair<std::string, double>> constants;
  JsonFields fields{json, ""};
  fields.read("schema_version", version);
  fields.read("kind", kind, kNameMax);
  fields.read("licence", licence, kNameMax);
  fields.read("command", file.command, kCommandMax);
  fields.read_if_there("date", file.date, kNameMax);
  read_rows<TrainingData>(fields, "data", kSetsMax, file.data, read_data);
  read_rows<std::string>(fields, "notes", kNotesMax, file.notes, read_note);
  read_rows<HeldOutMetric>(fields, "metrics", kMetricsMax, file.metrics, read_metric);
  fields.read_named_numbers("constants", kConstantsMax, constants);
  read_rows<Site>(fields, "sites", kSitesMax, file.sites, read_site);
  read_rows<MeasuredLaw>(fields, "sharing", kSitesMax, file.sharing, read_law);
  read_rows<ResidualTable>(fields, "residuals", kResidualsMax, file.residuals, read_residual);
  fields.read("content_sha256", hash, kNameMax);
  HORUS_TRY_DONE(fields.finish());
  for (auto& [name, value] : constants) file.constants.push_back({std::move(name), value});
  HORUS_TRY_DONE(check_claims(file, licence, hash));
  return file;
}

}  // namespace horus::wire
