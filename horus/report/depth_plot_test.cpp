// SPDX-License-Identifier: Apache-2.0
#include "horus/report/depth_plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/report/axis.hpp"
#include "horus/report/depth_profile.hpp"
#include "horus/report/stage_labels.hpp"

namespace horus::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<wire::NodeRow> chain(std::size_t operators) {
  std::vector<wire::NodeRow> rows;
  for (std::size_t i = 0; i < operators; ++i) {
    rows.push_back({.name = "block" + std::to_string(i / 10) + "." + std::to_string(i),
                    .op_type = "Conv",
                    .kind = OpKind::Convolution,
                    .parameters = 3.0,
                    .flops_forward = 1.0,
                    .flops_backward = 2.0,
                    .activation_bytes = Bytes{8}});
  }
  return rows;
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(Axis, HasRoundTicksInASuitableUnit) {
  const Axis flops = prefixed_axis(0.78e9, 5, "FLOP");
  EXPECT_EQ(flops.unit, "MFLOP");
  EXPECT_THAT(flops.ticks, ElementsAre(0.0, 2e8, 4e8, 6e8));
  EXPECT_EQ(flops.tick_text(2e8), "200");
  const Axis memory = memory_axis(2.6 * 1024 * 1024 * 1024, 4);
  EXPECT_EQ(memory.unit, "GiB");
  ASSERT_EQ(memory.ticks.size(), 3U);
  EXPECT_EQ(memory.tick_text(memory.ticks[1]), "1");
  const Axis fine = prefixed_axis(1.2e9, 6, "FLOP");
  EXPECT_EQ(fine.tick_text(fine.ticks[1]), "0.2");
}

TEST(Axis, OfNothingIsStillAnAxis) {
  for (const double largest : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
    for (const Axis& axis :
         {count_axis(largest, 5), memory_axis(largest, 5), prefixed_axis(largest, 5, "FLOP")}) {
      EXPECT_GT(axis.max, 0.0);
      EXPECT_GE(axis.ticks.size(), 2U);
    }
  }
}

TEST(DepthProfile, KeepsEverySumWhenOperatorsShareABar) {
  const DepthProfile profile = depth_profile(chain(1001), 400);
  EXPECT_EQ(profile.operators, 1001U);
  EXPECT_EQ(profile.operators_per_bar, 3U);
  ASSERT_EQ(profile.bars.size(), 334U);
  double flops = 0.0;
  for (const DepthBar& bar : profile.bars) flops += bar.flops_total();
  EXPECT_EQ(flops, 3003.0);
  EXPECT_EQ(profile.bars.back().kept_bytes, 8008.0);
  EXPECT_EQ(profile.bars.back().parameters, 3003.0);
  EXPECT_EQ(profile.bars.front().kept_bytes, 24.0);
}

TEST(DepthProfile, GivesNoPlaceToWhatRunsNoKernel) {
  std::vector<wire::NodeRow> rows = chain(2);
  rows.insert(rows.begin() + 1, {.name = "reshape", .kind = OpKind::Free, .parameters = 7.0});
  const DepthProfile profile = depth_profile(rows, 400);
  EXPECT_EQ(profile.operators, 2U);
  EXPECT_EQ(profile.bars.back().parameters, 13.0);
}

TEST(Stages, CutNamesAtSlashesAndDots) {
  std::vector<wire::NodeRow> rows = chain(4);
  rows[0].name = "/layer1/layer1.0/conv1/Conv";
  rows[1].name = "/layer1/layer1.1/Add";
  rows[2].name = "head";
  rows[3].name = "head";
  const std::vector<Stage> coarse = stages_at(rows, 1);
  ASSERT_EQ(coarse.size(), 2U);
  EXPECT_EQ(coarse[0].name, "layer1");
  EXPECT_EQ(coarse[0].end, 2U);
  EXPECT_EQ(coarse[1].name, "head");
  EXPECT_EQ(stages_at(rows, 3)[0].name, "layer1/layer1.0");
}

TEST(StageLabels, AreLeftOutWhereNamesSayNothing) {
  std::vector<wire::NodeRow> rows = chain(300);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].name = "Conv_" + std::to_string(i);
  EXPECT_TRUE(label_stages(rows, 800.0, 11.0).empty());
}

TEST(StageLabels, NameWhatHasRoom) {
  const auto labels = label_stages(chain(50), 800.0, 11.0);
  ASSERT_EQ(labels.size(), 5U);
  EXPECT_EQ(labels[3].text, "block3");
}

TEST(DepthPlot, DrawsOneBarPerOperatorAndNamesItsStages) {
  wire::InspectReport report{.model = "net.onnx", .in_order = chain(30)};
  const std::string picture = depth_plot(report);
  EXPECT_EQ(count_of(picture, "<rect class=\"hp-0\""), 30U + 1U);  // and the legend
  EXPECT_THAT(picture, HasSubstr(">block2</text>"));
  EXPECT_THAT(picture, HasSubstr("FLOP per operator"));
  EXPECT_THAT(picture, HasSubstr(">convolution</text>"));
  EXPECT_THAT(picture, Not(HasSubstr(">recurrent</text>")));
  EXPECT_EQ(picture, depth_plot(report));
}

TEST(DepthPlot, EscapesNamesAndBoundsItsSize) {
  wire::InspectReport report{.model = "<script>alert(1)</script>", .in_order = chain(100'000)};
  report.in_order[0].name = "]]><script>";
  const std::string picture = depth_plot(report);
  EXPECT_THAT(picture, Not(HasSubstr("<script")));
  EXPECT_LT(picture.size(), 200'000U);
}

TEST(DepthPlot, SaysThatThereIsNothingToDraw) {
  EXPECT_THAT(depth_plot({.model = "empty"}), HasSubstr("nothing to draw"));
}

TEST(DepthPlot, IsFiniteForCostsOfZeroAndBeyondReason) {
  wire::InspectReport report{.model = "net", .in_order = chain(3)};
  for (const double flops : {0.0, 1e300, std::numeric_limits<double>::infinity()}) {
    for (wire::NodeRow& row : report.in_order) row.flops_forward = flops;
    const std::string picture = depth_plot(report);
    EXPECT_THAT(picture, Not(HasSubstr("nan"))) << flops;
    EXPECT_THAT(picture, Not(HasSubstr("\"inf"))) << flops;
  }
}

}  // namespace
}  // namespace horus::report
