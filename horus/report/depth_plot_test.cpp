// SPDX-License-Identifier: Apache-2.0
#include "horus/report/depth_plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/report/axis.hpp"
#include "horus/report/depth_profile.hpp"
#include "horus/report/stage_labels.hpp"

namespace horus::report {
namespace {

using ::testing::Contains;
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

TEST(Axis, HasNoFractionsOfAByteAndSeparatesThousands) {
  const Axis nothing = memory_axis(0.0, 4);
  EXPECT_THAT(nothing.ticks, ElementsAre(0.0, 1.0));
  EXPECT_EQ(nothing.tick_text(1.0), "1");
  EXPECT_EQ(memory_axis(1000.0, 4).tick_text(1000.0), "1,000");
  EXPECT_THAT(prefixed_axis(0.3, 6, "FLOP").ticks, ElementsAre(0.0, 1.0));
}

TEST(Axis, HasAtLeastTwoTicks) {
  for (double largest = 1.0; largest < 1e7; largest *= 1.07) {
    for (const int ticks_max : {4, 6, 10}) {
      EXPECT_GE(count_axis(largest, ticks_max).ticks.size(), 2U) << largest;
      EXPECT_GE(memory_axis(largest, ticks_max).ticks.size(), 2U) << largest;
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

TEST(StageLabels, GoOneLevelDeeperWhereOneStageHoldsAll) {
  std::vector<wire::NodeRow> rows = chain(480);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].name = "h." + std::to_string(i / 10) + ".mlp" + std::to_string(i % 10);
  }
  rows[0].name = "wte.gather";
  std::vector<std::string> texts;
  for (const StageLabel& label : label_stages(rows, 820.0, 11.0)) {
    if (!label.text.empty()) texts.push_back(label.text);
  }
  EXPECT_THAT(texts, Contains("h.11"));
  EXPECT_THAT(texts, Not(Contains("h")));
  EXPECT_GT(texts.size(), 10U);
  EXPECT_LT(texts.size(), 30U);
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
  const std::string empty = depth_plot({.model = "empty"});
  EXPECT_THAT(empty, HasSubstr("No operator runs a kernel"));
  EXPECT_THAT(empty, HasSubstr("height=\"108\""));
}

TEST(DepthPlot, SaysThatCostsAreUnknownWhereAllAre) {
  wire::InspectReport report{.model = "odd"};
  report.nodes_without_cost = {{.name = "n", .op_type = "Warp", .reason = "unknown operator"}};
  const std::string picture = depth_plot(report);
  EXPECT_THAT(picture, HasSubstr("costs of its operators are not known"));
  EXPECT_THAT(picture, HasSubstr("1 node without cost"));
  EXPECT_THAT(picture, Not(HasSubstr("runs a kernel")));
}

TEST(DepthPlot, CutsATitleThatWouldRunOutOfThePicture) {
  wire::InspectReport report{.model = std::string(85, 'W'), .in_order = chain(2)};
  const std::string picture = depth_plot(report);
  const std::string line = picture.substr(picture.find("\"hp-h\"") + 1);
  const std::string title = line.substr(line.find('>') + 1, line.find('<') - line.find('>') - 1);
  EXPECT_THAT(title, HasSubstr("..."));
  EXPECT_LT(title.size(), 70U);
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
