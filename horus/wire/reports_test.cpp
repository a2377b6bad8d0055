// SPDX-License-Identifier: Apache-2.0
#include "horus/wire/reports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace horus::wire {
namespace {

using nlohmann::json;

TEST(InspectJson, HasTheDocumentedKeysAndExactCounts) {
  InspectReport report;
  report.parameters = 25557032;
  report.macs = 4089184256.0;
  report.activation_bytes = Bytes{123};
  report.inputs = {{.name = "x", .type = "float32", .shape = {1, 3, 224, 224}}};
  report.nodes_without_cost = {{.name = "n", .op_type = "Foo", .reason = "unknown operator"}};
  const json parsed = json::parse(to_json(report));
  EXPECT_EQ(parsed["schema_version"], 1);
  EXPECT_TRUE(parsed["parameters"].is_number_integer());
  EXPECT_EQ(parsed["parameters"], 25557032);
  EXPECT_EQ(parsed["macs"], 4089184256);
  EXPECT_EQ(parsed["activation_bytes"], 123);
  EXPECT_EQ(parsed["inputs"][0]["shape"], json({1, 3, 224, 224}));
  EXPECT_EQ(parsed["nodes_without_cost"][0]["reason"], "unknown operator");
  for (const char* key :
       {"buffers", "flops_forward", "flops_training", "nodes", "opset", "ir_version"}) {
    EXPECT_TRUE(parsed.contains(key)) << key;
  }
}

TEST(InspectJson, SurvivesNamesThatAreNoUtf8) {
  InspectReport report;
  report.model = "bad\xff\xfe";
  EXPECT_TRUE(json::accept(to_json(report)));
}

TEST(PredictJson, SpellsEveryPredictedQuantityAsAnInterval) {
  PredictReport report;
  PredictionRow row;
  row.prediction = {
      .gpu = "T4",
      .gpu_utilization = {.expected = 0.5, .low = 0.25, .high = 0.75},
      .memory_bandwidth_utilization = {},
      .step_time_s = {.expected = 0.1, .low = 0.05, .high = 0.2},
      .memory = {.expected = Bytes{10}, .low = Bytes{5}, .high = Bytes{15}, .bound = Bytes{20}},
      .fits = true,
      .origin = Origin::Analytic};
  report.predictions.push_back(row);
  const json solo = json::parse(to_json(report))["predictions"][0];
  EXPECT_EQ(solo["gpu_utilization"]["low"], 0.25);
  EXPECT_EQ(solo["memory_bytes"]["bound"], 20);
  EXPECT_EQ(solo["origin"], "analytic");
  EXPECT_FALSE(solo.contains("slowdowns"));

  SharedPrediction slices;
  slices.slowdowns = {{.expected = 1.5, .low = 1.0, .high = 2.0}, {.expected = 2.0}};
  report.predictions[0].modes = {slices};
  const json shared = json::parse(to_json(report))["predictions"][0];
  EXPECT_EQ(shared["slowdowns"].size(), 2U);
  EXPECT_EQ(shared["slowdowns"][0]["high"], 2.0);
  EXPECT_EQ(shared["fits_together"], false);
  EXPECT_FALSE(shared.contains("recommendation"));
}

TEST(PredictJson, HasEveryJobAloneAndTheChanceThatAllAreTolerated) {
  PredictReport report;
  PredictionRow row;
  row.others.emplace_back().gpu_utilization = {0.75, 0.5, 1};
  SharedPrediction slices;
  slices.slowdowns = {{.expected = 1.25, .low = 1, .high = 1.5}, {.expected = 1.25}};
  slices.chance_tolerated = 0.5;
  row.modes = {slices};
  report.predictions = {row};
  const json shared = json::parse(to_json(report))["predictions"][0];
  ASSERT_EQ(shared["others"].size(), 1U);
  EXPECT_EQ(shared["others"][0]["gpu_utilization"]["expected"], 0.75);
  EXPECT_EQ(shared["modes"][0]["chance_tolerated"], 0.5);
}

TEST(PredictJson, HasOneObjectPerModeAndSaysWhatCannotBeHad) {
  PredictReport report;
  SharedPrediction slices;
  slices.slowdowns = {{.expected = 1.25, .low = 1, .high = 1.5}, {.expected = 1.25}};
  SharedPrediction instances;
  instances.mode = SharingMode::Mig;
  instances.obstacle = "T4 cannot be partitioned";
  report.predictions.push_back({.prediction = {},
                                .others = {},
                                .modes = {instances, slices},
                                .advice = ModeAdvice{SharingMode::TimeSlice, "because"}});
  const json row = json::parse(to_json(report))["predictions"][0];
  ASSERT_EQ(row["modes"].size(), 2U);
  EXPECT_EQ(row["modes"][0]["obstacle"], "T4 cannot be partitioned");
  EXPECT_EQ(row["modes"][1]["mode"], "timeslice");
  EXPECT_DOUBLE_EQ(row["modes"][1]["throughput"], 1.6);
  EXPECT_EQ(row["modes"][1]["calibration"], "uncalibrated");
  EXPECT_EQ(row["slowdowns"].size(), 2U) << "what happens unasked stands in front";
  EXPECT_EQ(row["recommendation"]["mode"], "timeslice");
}

TEST(PredictJson, GivesNoFiguresToAModeThatCannotBeHad) {
  PredictReport report;
  SharedPrediction instances;
  instances.mode = SharingMode::Mig;
  instances.obstacle = "T4 cannot be partitioned";
  report.predictions.push_back(
      {.prediction = {}, .others = {}, .modes = {instances}, .advice = {}});
  const json row = json::parse(to_json(report))["predictions"][0];
  EXPECT_EQ(row["modes"][0]["obstacle"], "T4 cannot be partitioned");
  for (const char* key :
       {"slowdowns", "slowdowns_origin", "shared_memory_bytes", "fits_together"}) {
    EXPECT_FALSE(row.contains(key)) << key;
  }
}

TEST(PredictJson, TellsTheWholeSetup) {
  const json setup = json::parse(to_json(PredictReport{}))["setup"];
  for (const char* key : {"batch", "precision", "optimizer", "attention", "samples_per_second",
                          "loader_workers", "input_place", "checkpointing", "accumulation_steps",
                          "passes_per_step", "update", "step_end"}) {
    EXPECT_TRUE(setup.contains(key)) << key;
  }
}

TEST(SimulateJson, HasOneObjectPerPolicyWithEveryKey) {
  SimulateReport report;
  report.policies = {{.policy = "fifo", .jobs_finished = 3}, {.policy = "horus"}};
  const json parsed = json::parse(to_json(report));
  ASSERT_EQ(parsed["policies"].size(), 2U);
  EXPECT_EQ(parsed["schema_version"], 1);
  for (const char* key : {"policy", "jobs_finished", "makespan_s", "jct_mean_s", "jct_p50_s",
                          "jct_p99_s", "wait_mean_s", "wait_p99_s", "first_start_mean_s",
                          "gpu_utilization", "slowdown_mean", "slowdown_p99", "beyond_tolerance",
                          "oom_deaths", "preemptions", "lost_work_gpu_s", "jobs_rejected"}) {
    EXPECT_TRUE(parsed["policies"][0].contains(key)) << key;
  }
  EXPECT_EQ(parsed["policies"][0]["jobs_finished"], 3);
}

}  // namespace
}  // namespace horus::wire
