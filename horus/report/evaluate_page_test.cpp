// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/report/pages.hpp"
#include "horus/report/scatter_axis.hpp"
#include "horus/report/scatter_plot.hpp"

namespace horus::report {
namespace {

wire::ProtocolRow protocol(const std::string& name, double memory_error) {
  wire::ProtocolRow row;
  row.name = name;
  row.summary = "held out";
  row.rows = 12;
  row.models = 4;
  row.families = 2;
  row.figures = {{.key = "mape_memory_percent",
                  .unit = "%",
                  .value = memory_error,
                  .range = wire::FigureRange{memory_error - 1.0, memory_error + 2.0},
                  .count = 12},
                 {.key = "oom_recall", .unit = "%", .value = {}, .range = {}, .count = 0}};
  row.worst = {{"mape_memory_percent", "%", "Net <9>", 31.25, 3}};
  for (int i = 1; i <= 12; ++i) {
    row.predicted.push_back({.id = fmt::format("f:{}", i),
                             .model = i < 4 ? "Net <9>" : "other",
                             .family = "",
                             .gpu = "T4",
                             .quantity = "memory",
                             .unit = "MiB",
                             .measured = 100.0 * i,
                             .expected = 120.0 * i,
                             .low = 100.0 * i,
                             .high = 150.0 * i});
  }
  return row;
}

wire::EvaluateReport sample_report() {
  wire::EvaluateReport report;
  report.dataset = "pgb";
  report.licence = "MIT";
  report.model = "shipped";
  report.loader_rates = "given";
  report.rows = 12;
  report.resamples = 1000;
  report.protocols = {protocol("lomo", 4.0), protocol("random", 2.0)};
  return report;
}

TEST(EvaluatePage, ShowsProtocolsSideBySideWithIntervals) {
  const std::string text = page(sample_report(), Colour::Off);
  EXPECT_NE(text.find("lomo"), std::string::npos);
  EXPECT_NE(text.find("4.0 [3.0, 6.0]"), std::string::npos) << text;
  EXPECT_NE(text.find("2.0 [1.0, 4.0]"), std::string::npos) << text;
  EXPECT_NE(text.find("Net <9> 31.2"), std::string::npos) << text;
  // What was not measured has no line.
  EXPECT_EQ(text.find("out of memory"), std::string::npos) << text;
}

TEST(EvaluatePage, ShowsPartsSideBySide) {
  wire::EvaluateReport report = sample_report();
  EXPECT_EQ(page(report, Colour::Off).find("of a part"), std::string::npos);
  const auto part = [](const std::string& name, double error) {
    return wire::PartRow{
        .name = name,
        .figures = {
            {.key = "mape_memory_percent", .unit = "%", .value = error, .range = {}, .count = 6}}};
  };
  report.protocols[0].parts = {part("K80", 7.25), part("T4", 1.0)};
  report.protocols[1].parts = {part("T4", 9.5)};
  const std::string text = page(report, Colour::Off);
  EXPECT_NE(text.find("of a part"), std::string::npos) << text;
  EXPECT_NE(text.find("7.2"), std::string::npos) << text;
  // A protocol without the part has nothing to say of it.
  EXPECT_THAT(text, testing::ContainsRegex("random +memory, mean error, % +- +9.5"));
}

TEST(EvaluatePage, SaysWhyAProtocolWasSkipped) {
  wire::EvaluateReport report = sample_report();
  report.protocols[1].skipped = "one GPU only";
  const std::string text = page(report, Colour::Off);
  EXPECT_NE(text.find("random: skipped, one GPU only"), std::string::npos) << text;
}

TEST(EvaluatePage, StandsEvenWhereEveryProtocolWasSkipped) {
  wire::EvaluateReport report = sample_report();
  for (wire::ProtocolRow& row : report.protocols) row.skipped = "nothing fits";
  EXPECT_NE(page(report, Colour::Off).find("nothing fits"), std::string::npos);
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(ScatterPlot, DrawsEveryPointOfEveryProtocolAndDefusesNames) {
  const std::string svg = scatter_plot(sample_report());
  // 12 points in 2 protocols, and the sign of the worst model in the legend of each.
  EXPECT_EQ(count_of(svg, "<circle "), 26U);
  EXPECT_EQ(svg.find("Net <9>"), std::string::npos);
  EXPECT_NE(svg.find("Net &lt;9&gt;"), std::string::npos);
  EXPECT_EQ(svg, scatter_plot(sample_report()));
}

TEST(ScatterPlot, ShowsSomeOfVeryManyPoints) {
  wire::EvaluateReport report = sample_report();
  report.protocols.resize(1);
  const wire::PredictedRow row = report.protocols[0].predicted.front();
  report.protocols[0].predicted.assign(4000, row);
  const std::string svg = scatter_plot(report);
  EXPECT_LE(count_of(svg, "<circle "), 1501U);
  EXPECT_NE(svg.find("1334 of 4,000 points"), std::string::npos);
}

TEST(ScatterPlot, StandsWithoutPredictions) {
  const std::string svg = scatter_plot(wire::EvaluateReport{});
  EXPECT_NE(svg.find("nothing was predicted"), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(ScatterAxis, HoldsAllValues) {
  const std::vector<double> values{0.002, 3.0, 700.0};
  const ScatterAxis axis = scatter_axis(values, ScatterScale::Logarithmic);
  EXPECT_GT(axis.place(0.002), 0.0);
  EXPECT_LT(axis.place(700.0), 1.0);
  EXPECT_NEAR(axis.place(std::sqrt(axis.low * axis.high)), 0.5, 1e-9);
  EXPECT_FALSE(axis.ticks.empty());
  EXPECT_EQ(scatter_axis(values, ScatterScale::Percent).place(50.0), 0.5);
  const ScatterAxis slowdown = scatter_axis(std::vector{0.93, 2.1}, ScatterScale::FromOne);
  EXPECT_LE(slowdown.low, 0.93);
  EXPECT_GE(slowdown.high, 2.1);
}

TEST(ScatterAxis, HasTicksThatAPersonReads) {
  const std::vector<double> values{1.0, 1e6};
  EXPECT_EQ(scatter_axis(values, ScatterScale::Percent).ticks.front().text, "0") << "not -0";
  for (const double most : {1.1, 2.0, 4.0, 9.0, 40.0, 1e6}) {
    const ScatterAxis axis = scatter_axis(std::vector{1.0, most}, ScatterScale::FromOne);
    EXPECT_GE(axis.ticks.size(), 2U) << most;
    EXPECT_LE(axis.ticks.size(), 10U) << most;
  }
}

}  // namespace
}  // namespace horus::report
