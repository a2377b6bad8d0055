// SPDX-License-Identifier: Apache-2.0
#include "horus/report/pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(InspectPage, SaysThatTotalsAreLowerBoundsWhenANodeHasNoCost) {
  wire::InspectReport report{.model = "net.onnx"};
  EXPECT_THAT(page(report, Colour::Off), Not(HasSubstr("lower bounds")));
  report.nodes_without_cost = {{.name = "n1", .op_type = "Magic", .reason = "unknown operator"}};
  const std::string text = page(report, Colour::Off);
  EXPECT_THAT(text, HasSubstr("Magic"));
  EXPECT_THAT(text, HasSubstr("lower bounds"));
}

TEST(InspectPage, CallsTotalsNoBoundWhereSomeNodesAreMissingAndOthersAtTheirLargest) {
  wire::InspectReport report{.model = "net.onnx", .nodes_with_bounds = 2};
  EXPECT_THAT(page(report, Colour::Off), HasSubstr("total (upper bound)"));
  report.nodes_without_cost = {{.name = "n1", .op_type = "Magic", .reason = "unknown operator"}};
  const std::string text = page(report, Colour::Off);
  EXPECT_THAT(text, HasSubstr("total (neither a lower nor an upper bound)"));
  EXPECT_THAT(text, Not(HasSubstr("are lower bounds")));
}

TEST(InspectPage, SaysHowManyParametersAreInNoRow) {
  const wire::InspectReport report{
      .model = "net", .parameters_unread = 1024, .by_operator = {{.op_type = "Relu", .nodes = 1}}};
  EXPECT_THAT(page(report, Colour::Off), HasSubstr("1,024 parameters are read by no node"));
}

TEST(DiffPage, TellsWhichSideIsALowerBoundAndWhichCostsAreUnknown) {
  wire::InspectReport before{.model = "a"};
  before.nodes_without_cost = {{.name = "odd", .op_type = "Warp", .reason = "unknown operator"}};
  const std::string text = page(wire::compare(before, {.model = "b"}), Colour::Off);
  EXPECT_THAT(text, HasSubstr("before (lower bound)  after  difference"));
  EXPECT_THAT(text, HasSubstr("a: 1 node without cost, so each of its totals is a lower bound"));
  EXPECT_THAT(text, HasSubstr("removed  odd"));
  EXPECT_THAT(text, HasSubstr("0 layers of equal cost"));
}

TEST(PredictPage, CallsALowerBoundByItsName) {
  wire::PredictReport report{.jobs = {"a.onnx"}, .nodes = 50};
  report.predictions.emplace_back();
  EXPECT_THAT(page(report, Colour::Off), Not(HasSubstr("ower bound")));
  report.nodes_without_cost = 48;
  EXPECT_THAT(page(report, Colour::Off), HasSubstr("step time (lower bound)"));
  EXPECT_THAT(page(report, Colour::Off), HasSubstr("Lower bounds: 48 of 50 nodes without cost"));
}

TEST(PredictPage, GivesLongStepsInHoursAndDays) {
  wire::PredictReport report{.jobs = {"a.onnx"}};
  report.predictions.emplace_back().prediction.step_time_s = {9999.0, 5000.0, 20000.0};
  EXPECT_THAT(page(report, Colour::Off), HasSubstr("9999.0 s [5000.0, 20000.0]"));
  report.predictions[0].prediction.step_time_s = {36000.0, 18000.0, 72000.0};
  EXPECT_THAT(page(report, Colour::Off), HasSubstr("10.0 h [5.0, 20.0]"));
  report.predictions[0].prediction.step_time_s = {864000.0, 432000.0, 1728000.0};
  EXPECT_THAT(page(report, Colour::Off), HasSubstr("10.0 d [5.0, 20.0]"));
}

TEST(InspectPage, CutsALongListOfGapsAndSaysHowManyAreLeft) {
  wire::InspectReport report{.model = "net.onnx"};
  report.nodes_without_cost.resize(25);
  EXPECT_THAT(page(report, Colour::Off), HasSubstr("and 5 more"));
}

TEST(PredictPage, ShowsSharingOnlyForSeveralJobs) {
  wire::PredictReport report{.jobs = {"a.onnx"}};
  report.predictions.emplace_back();
  EXPECT_THAT(page(report, Colour::Off), Not(HasSubstr("shared GPU")));
  report.jobs.emplace_back("b.onnx");
  SharedPrediction slices;
  slices.slowdowns = {{.expected = 1.3, .low = 1.1, .high = 1.6}, {.expected = 2}};
  report.predictions[0].modes = {slices};
  EXPECT_THAT(page(report, Colour::Off), HasSubstr("1.30x [1.10, 1.60]"));
  EXPECT_THAT(page(report, Colour::Off), HasSubstr("timeslice: law uncalibrated."));
}

TEST(PredictPage, ShowsEveryJobAlone) {
  wire::PredictReport report{.jobs = {"a.onnx@32", "b.onnx@8:100"}};
  wire::PredictionRow row;
  row.prediction.gpu = "T4";
  row.prediction.gpu_utilization = {0.25, 0.25, 0.25};
  row.others.emplace_back().gpu_utilization = {0.75, 0.75, 0.75};
  report.predictions = {row};
  const std::string text = page(report, Colour::Off);
  EXPECT_THAT(text, HasSubstr("2 jobs"));
  EXPECT_THAT(text, testing::ContainsRegex("a.onnx@32 +25.0 %"));
  EXPECT_THAT(text, testing::ContainsRegex("b.onnx@8:100 +75.0 %"));
  // Batches and rates are those of each job.
  EXPECT_THAT(text, Not(HasSubstr("batch")));
  EXPECT_THAT(text, Not(HasSubstr("bottleneck")));
}

TEST(PredictPage, ComparesModesAndSaysWhichToTake) {
  wire::PredictReport report{.jobs = {"a.onnx", "b.onnx"}};
  SharedPrediction slices;
  slices.slowdowns = {{.expected = 1.25}, {.expected = 2}};
  slices.chance_tolerated = 0.042;
  SharedPrediction instances;
  instances.mode = SharingMode::Mig;
  instances.obstacle = "T4 cannot be partitioned";
  report.predictions.push_back(
      {.prediction = {},
       .others = {},
       .modes = {slices, instances},
       .advice = wire::ModeAdvice{SharingMode::Exclusive, "sharing costs too much."}});
  const std::string text = page(report, Colour::Off);
  EXPECT_THAT(text, HasSubstr("2.00x")) << "the job that suffers most";
  EXPECT_THAT(text, HasSubstr("1.30 jobs"));
  EXPECT_THAT(text, HasSubstr(" 4 %"));
  EXPECT_THAT(text, HasSubstr("T4 cannot be partitioned"));
  EXPECT_THAT(text, HasSubstr("Recommended: exclusive: sharing costs too much."));
}

TEST(PredictPage, MentionsOnlyWhatIsUnusualInASetup) {
  wire::PredictReport report{.jobs = {"a.onnx"}};
  EXPECT_THAT(page(report, Colour::Off), Not(HasSubstr("checkpointing")));
  report.setup.checkpointing = Checkpointing::Blocks;
  report.setup.accumulation_steps = 4;
  report.setup.loader_workers = 0;
  const std::string text = page(report, Colour::Off);
  EXPECT_THAT(text, HasSubstr("checkpointing blocks, update every 4 passes"));
  EXPECT_THAT(text, HasSubstr("0 loader workers"));
}

TEST(SimulatePage, ShowsChangesAgainstTheFirstPolicy) {
  wire::SimulateReport report{.workload = "w"};
  report.policies = {{.policy = "fifo", .jct_mean_s = 200.0},
                     {.policy = "horus", .jct_mean_s = 150}};
  const std::string text = page(report, Colour::Off);
  EXPECT_THAT(text, HasSubstr("against fifo"));
  EXPECT_THAT(text, HasSubstr("-25.0 %"));
}

TEST(SimulatePage, GivesNoPercentageAgainstZero) {
  wire::SimulateReport report{.workload = "w"};
  report.policies = {{.policy = "fifo"}, {.policy = "horus", .lost_work_gpu_s = 7200.0}};
  EXPECT_THAT(page(report, Colour::Off), HasSubstr("2.0 GPU h"));
  EXPECT_THAT(page(report, Colour::Off), HasSubstr("worse"));
  EXPECT_THAT(page(report, Colour::Off), Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace horus::report
