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
  report.predictions[0].slowdowns = {{.expected = 1.3, .low = 1.1, .high = 1.6}, {}};
  report.predictions[0].shared_memory = MemoryPrediction{};
  EXPECT_THAT(page(report, Colour::Off), HasSubstr("1.30x [1.10, 1.60]"));
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
