// SPDX-License-Identifier: Apache-2.0
#include "horus/report/model_card.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "horus/report/pages.hpp"

namespace horus::report {
namespace {

constexpr Column name_column(const char* title) {
  return {.title = title, .align = Align::Left, .wording = Wording::Name};
}

Section data_section(const PredictorFile& file) {
  Table table{.columns = {name_column("data"),
                          {.title = "licence", .align = Align::Left},
                          {.title = "rows"},
                          {.title = "models"},
                          {.title = "families"},
                          {.title = "SHA-256", .align = Align::Left}},
              .rows = {}};
  constexpr std::size_t kShownDigits = 16;
  for (const TrainingData& data : file.data) {
    std::vector<Cell> cells{
        {.text = data.dataset},
        {.text = data.licence, .tone = data.is_permissive ? Tone::Plain : Tone::Warn},
        {.text = with_commas(static_cast<double>(data.rows))},
        {.text = with_commas(static_cast<double>(data.models))},
        {.text = with_commas(static_cast<double>(data.families))}};
    for (std::size_t i = 0; i < data.files.size(); ++i) {
      const DataFileHash& hash = data.files[i];
      if (i > 0) cells.assign(5, Cell{});
      cells.push_back({.text = hash.sha256.substr(0, kShownDigits) + "  " + hash.file});
      table.rows.push_back(cells);
    }
    if (data.files.empty()) table.rows.push_back(cells);
  }
  return {.heading = "Data", .table = std::move(table), .lines = {}};
}

std::string range_text(const HeldOutMetric& metric) {
  if (!metric.low || !metric.high) return {};
  return fmt::format("{:.3g} to {:.3g}", *metric.low, *metric.high);
}

Section metrics_section(const PredictorFile& file) {
  Table table{.columns = {name_column("held out"),
                          name_column("data"),
                          name_column("figure"),
                          {.title = "value"},
                          {.title = "95 %"}},
              .rows = {}};
  for (const HeldOutMetric& metric : file.metrics) {
    table.rows.push_back({{.text = metric.protocol},
                          {.text = metric.dataset},
                          {.text = metric.name},
                          {.text = fmt::format("{:.3g}", metric.value)},
                          {.text = range_text(metric)}});
  }
  return {.heading = "Errors on what was held out", .table = std::move(table), .lines = {}};
}

Section residuals_section(const PredictorFile& file) {
  Table table{.columns = {name_column("correction of"),
                          {.title = "trees"},
                          {.title = "inputs"},
                          {.title = "jobs"},
                          {.title = "models"},
                          {.title = "error without"},
                          {.title = "error with"},
                          {.title = "gain in standard errors"}},
              .rows = {}};
  for (const ResidualTable& residual : file.residuals) {
    const GateEvidence& gate = residual.evidence;
    const double errors = gate.gain_error > 0 ? gate.gain / gate.gain_error : 0;
    table.rows.push_back({{.text = residual.target},
                          {.text = fmt::format("{}", residual.trees.size())},
                          {.text = fmt::format("{}", residual.inputs.size())},
                          {.text = fmt::format("{}", gate.jobs)},
                          {.text = fmt::format("{}", gate.groups)},
                          {.text = fmt::format("{:.3f}", gate.error_without)},
                          {.text = fmt::format("{:.3f}", gate.error_with)},
                          {.text = fmt::format("{:.1f}", errors)}});
  }
  return {.heading = "Learned corrections", .table = std::move(table), .lines = {}};
}

Section sites_section(const PredictorFile& file) {
  Table table{.columns = {name_column("GPU"),
                          name_column("host"),
                          name_column("framework"),
                          {.title = "jobs"},
                          {.title = "host takes"},
                          {.title = "GPU takes"},
                          {.title = "context"}},
              .rows = {}};
  for (const Site& site : file.sites) {
    table.rows.push_back({{.text = site.gpu},
                          {.text = site.host},
                          {.text = site.framework},
                          {.text = fmt::format("{}", site.jobs)},
                          {.text = fmt::format("x {:.2f}", site.host_factor)},
                          {.text = fmt::format("x {:.2f}", site.gpu_factor)},
                          {.text = site.context ? memory_text(*site.context) : ""}});
  }
  return {.heading = "Machines", .table = std::move(table), .lines = {}};
}

Section sharing_section(const PredictorFile& file) {
  Table table{.columns = {name_column("GPU"),
                          name_column("sharing"),
                          {.title = "pairs"},
                          {.title = "law of slowdown", .align = Align::Left},
                          {.title = "spread"}},
              .rows = {}};
  for (const MeasuredLaw& law : file.sharing) {
    table.rows.push_back({{.text = law.gpu},
                          {.text = law.mode},
                          {.text = fmt::format("{}", law.pairs)},
                          {.text = fmt::format("1 + {:.3g} own^{:.3g} others^{:.3g}", law.gain,
                                               law.own_exponent, law.others_exponent)},
                          {.text = percent_text(law.sigma_slowdown)}});
  }
  return {.heading = "Laws of sharing", .table = std::move(table), .lines = {}};
}

Section constants_section(const ModelCard& card) {
  Table table{.columns = {name_column("constant"),
                          {.title = "value"},
                          {.title = "prior"},
                          {.title = "unit", .align = Align::Left}},
              .rows = {}};
  for (const NamedConstant& constant : card.file.constants) {
    const auto prior = std::ranges::find(card.priors, constant.name, &ConstantPrior::name);
    const bool is_known = prior != card.priors.end();
    const bool has_moved = is_known && prior->value != constant.value;
    table.rows.push_back({{.text = constant.name},
                          {.text = fmt::format("{:.4g}", constant.value),
                           .tone = has_moved ? Tone::Bold : Tone::Plain},
                          {.text = is_known ? fmt::format("{:.4g}", prior->value) : ""},
                          {.text = is_known ? prior->unit : ""}});
  }
  return {.heading = "Constants", .table = std::move(table), .lines = {}};
}

}  // namespace

Document document(const ModelCard& card) {
  const PredictorFile& file = card.file;
  Document document{.title = "Predictor " + card.name, .summary = {}, .lines = {}, .sections = {}};
  document.lines.push_back(
      {.label = "licence of its data: ",
       .tone = file.is_permissive() ? Tone::Good : Tone::Warn,
       .text = file.is_permissive() ? "permissive" : "non-commercial use only"});
  if (!file.date.empty()) document.lines.push_back({.label = "fitted on: ", .text = file.date});
  document.lines.push_back({.label = "made by: ", .text = file.command});
  const auto add = [&document](bool is_there, Section section) {
    if (is_there) document.sections.push_back(std::move(section));
  };
  add(!file.data.empty(), data_section(file));
  add(!file.metrics.empty(), metrics_section(file));
  add(!file.residuals.empty(), residuals_section(file));
  add(!file.sites.empty(), sites_section(file));
  add(!file.sharing.empty(), sharing_section(file));
  add(true, constants_section(card));
  append_notes(document, file.notes);
  return document;
}

std::string page(const ModelCard& card, Colour colour) { return page(document(card), colour); }

}  // namespace horus::report
