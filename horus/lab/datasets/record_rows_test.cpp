// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/datasets/record_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::lab {
namespace {

using ::testing::HasSubstr;

RunRecord run(std::string id) {
  return {.where = "x.jsonl:1",
          .run_id = std::move(id),
          .status = RunStatus::Ok,
          .cpu = "Xeon",
          .framework = "pytorch",
          .framework_version = "1.13.1",
          .gpu = "NVIDIA A100-SXM4-40GB",
          .model = "resnet50",
          .batch = 32,
          .precision = "amp",
          .step_ms = 40,
          .utilization_percent = 90,
          .memory_peak_mib = 5000};
}

TEST(RecordRows, HaveWhatWasMeasured) {
  const std::vector records{run("a")};
  const auto data = rows_of_records(records, zoo_graph_of);
  ASSERT_TRUE(data) << data.error().text();
  ASSERT_EQ(data->rows.size(), 1u);
  const Row& row = data->rows[0];
  EXPECT_EQ(row.gpu, "A100-40GB");
  EXPECT_EQ(row.host, "Xeon");
  EXPECT_EQ(row.family, "resnet");
  EXPECT_EQ(row.setup.precision, Precision::Amp);
  EXPECT_EQ(row.setup.update, UpdateKernels::PerTensor);
  EXPECT_EQ(row.setup.input_place, InputPlace::Host);
  EXPECT_EQ(row.measured.step_s, 0.04);
  EXPECT_EQ(row.measured.utilization, 0.9);
  EXPECT_EQ(row.measured.sm_active, std::nullopt);
  EXPECT_EQ(row.features()->batch, 32);
}

TEST(RecordRows, NoMemoryIsNoMeasurement) {
  std::vector records{run("a")};
  records[0].memory_peak_mib = 0;
  const auto data = rows_of_records(records, zoo_graph_of);
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_EQ(data->rows.at(0).measured.memory_mib, std::nullopt);
  EXPECT_EQ(data->rows.at(0).measured.step_s, 0.04);
}

TEST(RecordRows, OfMemoryThatRanOutAreLabelsOnly) {
  std::vector records{run("a")};
  records[0].status = RunStatus::OutOfMemory;
  const auto data = rows_of_records(records, zoo_graph_of);
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_TRUE(data->rows.at(0).measured.out_of_memory);
  EXPECT_EQ(data->rows.at(0).measured.memory_mib, std::nullopt);
}

TEST(RecordRows, DisturbedOrUnfinishedRunsAreLeftOutWithTheReason) {
  std::vector records{run("a"), run("b"), run("c"), run("d"), run("e"), run("f"), run("g")};
  records[0].shared_with_others = true;
  records[1].status = RunStatus::Failed;
  records[2].gpu = "";
  records[3].batch.reset();
  records[4].kind = "empty";
  records[5].gpu = "Voodoo 2";
  records[6].model = "unheard";
  const auto data = rows_of_records(records, zoo_graph_of);
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_TRUE(data->rows.empty());
  EXPECT_EQ(data->left_out.size(), 6u);
  ASSERT_EQ(data->unmapped.size(), 1u);
  EXPECT_EQ(data->unmapped[0].model, "unheard");
}

TEST(RecordRows, SetsOfTwoBecomePairs) {
  std::vector records{run("a"), run("b"), run("p"), run("q"), run("r")};
  records[2].shared = {{.run_id = "a", .slowdown = 1.5}, {.run_id = "b", .slowdown = 1.25}};
  records[2].mode = "mps";
  records[2].joint_utilization_percent = 99;
  records[3].shared = {{.run_id = "a", .slowdown = 1}, {.run_id = "z", .slowdown = 1}};
  records[4].shared = {{.run_id = "a", .slowdown = {}}, {.run_id = "a", .slowdown = {}}};
  records[4].status = RunStatus::OutOfMemory;
  const auto data = rows_of_records(records, zoo_graph_of);
  ASSERT_TRUE(data) << data.error().text();
  ASSERT_EQ(data->pairs.size(), 2u);
  EXPECT_EQ(data->pairs[0].second, 1u);
  EXPECT_EQ(data->pairs[0].slowdown_first, 1.5);
  EXPECT_EQ(data->pairs[0].mode, SharingMode::Mps);
  EXPECT_EQ(data->pairs[0].utilization, 0.99);
  EXPECT_EQ(data->pairs[1].slowdown_first, 0);
  EXPECT_EQ(data->left_out.size(), 1u);
}

TEST(RecordRows, TwoRunsOfOneIdAndUnknownWordsAreErrors) {
  std::vector twice{run("a"), run("a")};
  EXPECT_THAT(rows_of_records(twice, zoo_graph_of).error().message, HasSubstr("already"));
  std::vector unknown{run("a")};
  unknown[0].precision = "fp8";
  EXPECT_EQ(rows_of_records(unknown, zoo_graph_of).error().where, "x.jsonl:1");
}

}  // namespace
}  // namespace horus::lab
