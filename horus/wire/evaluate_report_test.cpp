// SPDX-License-Identifier: Apache-2.0
#include "horus/wire/evaluate_report.hpp"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace horus::wire {
namespace {

using Json = nlohmann::json;

EvaluateReport sample_report() {
  EvaluateReport report;
  report.dataset = "lucid";
  report.licence = "S-Lab License 1.0";
  report.sources = {{"single_profile.csv", "abc"}};
  report.model = "shipped";
  report.loader_rates = "given";
  report.unmapped_rows = 3;
  report.unmapped = {{"WaveNet", 3, "no architecture"}};
  ProtocolRow lomo;
  lomo.name = "lomo";
  lomo.rows = 50;
  lomo.models = 10;
  lomo.figures = {
      {.key = "rmsle_utilization_percent",
       .unit = "",
       .value = 0.25,
       .range = FigureRange{0.2, 0.3},
       .count = 50},
      {.key = "mape_memory_percent", .unit = "%", .value = {}, .range = {}, .count = 0}};
  lomo.parts = {{.name = "K80",
                 .figures = {{.key = "rmsle_utilization_percent",
                              .unit = "",
                              .value = 0.5,
                              .range = FigureRange{0.4, 0.6},
                              .count = 7}}}};
  lomo.worst = {{"mae_utilization_points", "points", "LSTM", 30.0, 4}};
  lomo.predicted = {{.id = "f:2",
                     .model = "=cmd()",
                     .family = "vgg",
                     .gpu = "T4",
                     .quantity = "memory",
                     .unit = "MiB",
                     .measured = 100,
                     .expected = 110,
                     .low = 90,
                     .high = 130}};
  report.protocols = {lomo};
  ProtocolRow skipped;
  skipped.name = "gpu-out";
  skipped.skipped = "one GPU only";
  report.protocols.push_back(skipped);
  return report;
}

TEST(EvaluateJson, HasOneObjectPerProtocolWithBoundsBesideFigures) {
  const Json json = Json::parse(to_json(sample_report()));
  const Json& lomo = json.at("protocols").at("lomo");
  EXPECT_EQ(lomo.at("rmsle_utilization_percent"), 0.25);
  EXPECT_EQ(lomo.at("rmsle_utilization_percent_low"), 0.2);
  EXPECT_EQ(lomo.at("rmsle_utilization_percent_high"), 0.3);
  EXPECT_EQ(lomo.at("n_rows"), 50);
  EXPECT_EQ(lomo.at("n_models"), 10);
  EXPECT_EQ(lomo.at("unmapped"), 3);
  EXPECT_EQ(json.at("protocols").at("gpu-out").at("skipped"), "one GPU only");
  EXPECT_EQ(json.at("unmapped_models").at(0).at("model"), "WaveNet");
}

TEST(EvaluateJson, HasTheFiguresOfParts) {
  const Json json = Json::parse(to_json(sample_report()));
  const Json& part = json.at("protocols").at("lomo").at("parts").at(0);
  EXPECT_EQ(part.at("part"), "K80");
  EXPECT_EQ(part.at("rmsle_utilization_percent"), 0.5);
  EXPECT_EQ(part.at("rmsle_utilization_percent_high"), 0.6);
  EXPECT_EQ(part.at("counts").at("rmsle_utilization_percent"), 7);
}

TEST(EvaluateJson, SaysNullForWhatWasNotMeasured) {
  const Json json = Json::parse(to_json(sample_report()));
  const Json& lomo = json.at("protocols").at("lomo");
  EXPECT_TRUE(lomo.at("mape_memory_percent").is_null());
  EXPECT_TRUE(lomo.at("mape_memory_percent_low").is_null());
}

TEST(EvaluateJson, OfOneProtocolIsThatObject) {
  EvaluateReport report = sample_report();
  report.protocols.resize(1);
  const Json json = Json::parse(to_json_of_one(report));
  EXPECT_EQ(json.at("protocol"), "lomo");
  EXPECT_EQ(json.at("rmsle_utilization_percent"), 0.25);
  EXPECT_EQ(json.at("dataset"), "lucid");
  EXPECT_FALSE(json.contains("protocols"));
}

TEST(EvaluateCsv, ListsFiguresThatHaveAValue) {
  EXPECT_EQ(to_csv(sample_report()),
            "dataset,protocol,figure,unit,value,low,high,count\n"
            "lucid,lomo,rmsle_utilization_percent,,0.25,0.2,0.3,50\n");
}

TEST(PredictionsCsv, DefusesNames) {
  EXPECT_EQ(predictions_csv(sample_report()),
            "protocol,id,model,family,gpu,quantity,unit,measured,expected,low,high\n"
            "lomo,f:2,'=cmd(),vgg,T4,memory,MiB,100,110,90,130\n");
}

}  // namespace
}  // namespace horus::wire
