// SPDX-License-Identifier: Apache-2.0
#include "horus/wire/csv_reports.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::wire {
namespace {

using ::testing::StartsWith;

TEST(CsvCell, QuotesAsTheStandardSays) {
  EXPECT_EQ(csv_cell("conv1"), "conv1");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_cell(""), "");
}

TEST(CsvCell, IsNeverRunAsAFormula) {
  EXPECT_EQ(csv_cell("=1+1"), "'=1+1");
  EXPECT_EQ(csv_cell("@SUM(A1,B1)"), "\"'@SUM(A1,B1)\"");
  EXPECT_EQ(csv_cell("+1"), "'+1");
  EXPECT_EQ(csv_cell("-1"), "'-1");
  EXPECT_EQ(csv_cell("\t=1"), "'\\x09=1");
  EXPECT_EQ(csv_cell("  =1"), "'  =1");
  EXPECT_EQ(csv_cell("\xc2\xa0 =1"), "'\xc2\xa0 =1");
  EXPECT_EQ(csv_cell("\xef\xbb\xbf=1"), "'\\xef\\xbb\\xbf=1");
  EXPECT_EQ(csv_cell("\xef\xbc\x9d"
                     "1"),
            "'\xef\xbc\x9d"
            "1");
  EXPECT_EQ(csv_cell("a=1"), "a=1");
  EXPECT_EQ(csv_cell("   "), "   ");
}

TEST(CsvCell, ShowsControlCharacters) { EXPECT_EQ(csv_cell("a\x1b[2Jb"), "a\\x1b[2Jb"); }

TEST(InspectCsv, HasOneRowPerNodeAndSaysWhyCellsAreEmpty) {
  InspectReport report{.model = "net.onnx"};
  report.in_order = {{.name = "conv1",
                      .op_type = "Conv",
                      .kind = OpKind::Convolution,
                      .shape = std::vector<std::int64_t>{1, 64, 112, 112},
                      .parameters = 9408,
                      .macs = 118013952,
                      .flops_forward = 236027904,
                      .flops_backward = 0.5,
                      .kernels = 3,
                      .activation_bytes = Bytes{602112}}};
  report.nodes_without_cost = {{.name = "odd", .op_type = "Warp", .reason = "unknown operator"}};
  EXPECT_EQ(inspect_csv_header(),
            "model,name,op_type,kind,output_shape,parameters,macs,flops_forward,flops_backward,"
            "activation_bytes,kernels,gap\n");
  EXPECT_EQ(csv_rows(report),
            "net.onnx,conv1,Conv,convolution,1x64x112x112,9408,118013952,236027904,0.5,602112,3,\n"
            "net.onnx,odd,Warp,,,,,,,,,unknown operator\n");
}

TEST(InspectCsv, HasARowForParametersThatNoNodeReads) {
  const InspectReport report{.model = "net", .parameters = 7, .parameters_unread = 7};
  EXPECT_EQ(csv_rows(report),
            "net,,,free,,7,0,0,0,0,0,parameters that no node with a cost reads\n");
}

TEST(DiffCsv, LeavesCostsEmptyThatAreNotKnown) {
  InspectDiff diff;
  const NodeRow odd{.name = "odd", .op_type = "Warp", .gap = "unknown operator"};
  diff.layers = {{.change = Change::Unknown, .before = odd, .after = odd}};
  const std::string text = to_csv(diff);
  EXPECT_EQ(text.substr(text.find('\n') + 1), "cost unknown,odd,odd,Warp,Warp,,,,,,,,,,\n");
}

TEST(DiffCsv, LeavesTheCellsOfAnAbsentSideEmpty) {
  InspectDiff diff;
  diff.layers = {
      {.change = Change::Added, .before = {}, .after = NodeRow{.name = "new", .op_type = "Relu"}}};
  const std::string text = to_csv(diff);
  EXPECT_THAT(text.substr(text.find('\n') + 1), StartsWith("added,,new,,Relu,"));
  const auto first_line = text.substr(0, text.find('\n'));
  const auto second_line = text.substr(text.find('\n') + 1);
  EXPECT_EQ(std::ranges::count(first_line, ','), std::ranges::count(second_line, ','));
}

TEST(ZooCsv, LeavesCostsEmptyThatWereNotAskedFor) {
  const std::string text = to_csv(std::vector<ZooRow>{
      {.name = "bert-base", .family = "bert", .input = "128 tokens", .sequence = 128},
      {.name = "b", .family = "f", .cost = ZooCost{.parameters = 5, .macs = 7}}});
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "bert-base,bert,128 tokens,,128,,,,,,\nb,f,,,,5,7,0,0,0,0\n");
}

}  // namespace
}  // namespace horus::wire
