// SPDX-License-Identifier: Apache-2.0
#include "horus/wire/evaluate_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "horus/wire/csv_reports.hpp"
#include "horus/wire/json_text.hpp"
#include "horus/wire/reports.hpp"

namespace horus::wire {
namespace {

using Json = nlohmann::ordered_json;

/// "<key>_low" and "<key>_high"; null where nothing was drawn again.
void add_range(Json& json, const std::string& key, const std::optional<FigureRange>& range) {
  json[key + "_low"] = range ? Json(range->low) : Json(nullptr);
  json[key + "_high"] = range ? Json(range->high) : Json(nullptr);
}

/// "<key>" with its range; null where there is nothing to judge.
void add_figure(Json& json, const FigureRow& figure) {
  json[figure.key] = figure.value ? Json(*figure.value) : Json(nullptr);
  add_range(json, figure.key, figure.range);
}

Json units_of(const std::vector<FigureRow>& figures) {
  Json json = Json::object();
  for (const FigureRow& figure : figures) json[figure.key] = figure.unit;
  return json;
}

Json counts_of(const std::vector<FigureRow>& figures) {
  Json json = Json::object();
  for (const FigureRow& figure : figures) json[figure.key] = figure.count;
  return json;
}

Json object(const PartRow& row) {
  Json json{{"part", row.name}};
  for (const FigureRow& figure : row.figures) add_figure(json, figure);
  json["counts"] = counts_of(row.figures);
  return json;
}

Json object(const WorstModelRow& row) {
  return {{"figure", row.key}, {"model", row.model}, {"value", row.value}, {"count", row.count}};
}

Json object(const DifferenceRow& row) {
  Json json{{"figure", row.key},
            {"ours", row.ours},
            {"theirs", row.theirs},
            {"difference", row.ours - row.theirs}};
  add_range(json, "difference", row.range);
  json["count"] = row.count;
  return json;
}

Json object(const LeftOutRow& row) {
  return {{"model", row.model}, {"rows", row.rows}, {"reason", row.reason}};
}

Json object(const SourceFileRow& row) { return {{"file", row.file}, {"sha256", row.sha256}}; }

template <class Row>
Json array(const std::vector<Row>& rows) {
  Json json = Json::array();
  for (const Row& row : rows) json.push_back(object(row));
  return json;
}

Json object(const ProtocolRow& protocol, std::int64_t unmapped) {
  Json json{{"protocol", protocol.name}, {"summary", protocol.summary}};
  if (!protocol.skipped.empty()) {
    json["skipped"] = protocol.skipped;
    return json;
  }
  for (const FigureRow& figure : protocol.figures) add_figure(json, figure);
  json["n_rows"] = protocol.rows;
  json["n_models"] = protocol.models;
  json["n_families"] = protocol.families;
  json["n_pairs"] = protocol.pairs;
  json["unmapped"] = unmapped;
  json["fits"] = protocol.fits;
  json["counts"] = counts_of(protocol.figures);
  json["units"] = units_of(protocol.figures);
  if (!protocol.parts.empty()) json["parts"] = array(protocol.parts);
  json["worst"] = array(protocol.worst);
  if (!protocol.against.empty()) json["against"] = array(protocol.against);
  json["notes"] = protocol.notes;
  return json;
}

Json head(const EvaluateReport& report) {
  Json json{{"schema_version", kSchemaVersion},
            {"dataset", report.dataset},
            {"licence", report.licence},
            {"sources", array(report.sources)},
            {"model", report.model},
            {"loader_rates", report.loader_rates},
            {"seed", report.seed},
            {"resamples", report.resamples},
            {"rows", report.rows},
            {"unmapped_rows", report.unmapped_rows},
            {"unmapped_models", array(report.unmapped)},
            {"left_out", array(report.left_out)}};
  if (!report.against.empty()) json["against_file"] = report.against;
  return json;
}

std::string text(const Json& json) { return json_text(json, 2) + "\n"; }

/// "low,high", both empty where there is no range.
std::string range_cells(const std::optional<FigureRange>& range) {
  return range ? fmt::format("{},{}", range->low, range->high) : ",";
}

}  // namespace

std::string to_json(const EvaluateReport& report) {
  Json json = head(report);
  json["protocols"] = Json::object();
  for (const ProtocolRow& protocol : report.protocols) {
    json["protocols"][protocol.name] = object(protocol, report.unmapped_rows);
  }
  json["notes"] = report.notes;
  return text(json);
}

std::string to_json_of_one(const EvaluateReport& report) {
  Json json = head(report);
  const Json own = object(report.protocols.front(), report.unmapped_rows);
  for (const auto& item : own.items()) json[item.key()] = item.value();
  for (const std::string& note : report.notes) json["notes"].push_back(note);
  return text(json);
}

std::string to_csv(const EvaluateReport& report) {
  std::string out = "dataset,protocol,figure,unit,value,low,high,count\n";
  for (const ProtocolRow& protocol : report.protocols) {
    for (const FigureRow& figure : protocol.figures) {
      if (!figure.value) continue;
      out += fmt::format("{},{},{},{},{},{},{}\n", csv_cell(report.dataset),
                         csv_cell(protocol.name), figure.key, figure.unit, *figure.value,
                         range_cells(figure.range), figure.count);
    }
  }
  return out;
}

std::string predictions_csv(const EvaluateReport& report) {
  std::string out = "protocol,id,model,family,gpu,quantity,unit,measured,expected,low,high\n";
  for (const ProtocolRow& protocol : report.protocols) {
    for (const PredictedRow& row : protocol.predicted) {
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(protocol.name),
                         csv_cell(row.id), csv_cell(row.model), csv_cell(row.family),
                         csv_cell(row.gpu), row.quantity, row.unit, row.measured, row.expected,
                         row.low, row.high);
    }
  }
  return out;
}

}  // namespace horus::wire
