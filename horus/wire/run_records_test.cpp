// SPDX-License-Identifier: Apache-2.0
#include "horus/wire/run_records.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::wire {
namespace {

using ::testing::HasSubstr;

constexpr const char* kRun =
    R"({"schema_version":1,"run_id":"a","status":"ok","shared_with_others":false,)"
    R"("host":{"cpu":"Xeon","framework":"pytorch","framework_version":"2.4"},)"
    R"("gpu":{"name":"NVIDIA A100-SXM4-40GB","mig":null,"mode":"exclusive"},)"
    R"("model":{"name":"resnet50","batch":32,"precision":"amp","passes_per_step":1.5},)"
    R"("input":{"samples_per_s":700.5,"workers":4},"unknown_key":[1,2],)"
    R"("solo":{"step_ms_mean":40.5,"util_mean":97.5,"mem_peak_mib":5120,"sm_active":null}})";

TEST(RunRecords, AreReadLineByLine) {
  const auto records = read_run_records(std::string{kRun} + "\n\n" + kRun + "\n", "x.jsonl");
  ASSERT_TRUE(records) << records.error().text();
  ASSERT_EQ(records->size(), 2u);
  const RunRecord& record = records->at(1);
  EXPECT_EQ(record.where, "x.jsonl:3");
  EXPECT_EQ(record.run_id, "a");
  EXPECT_EQ(record.kind, "");
  EXPECT_EQ(record.status, RunStatus::Ok);
  EXPECT_EQ(record.gpu, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(record.batch, 32);
  EXPECT_EQ(record.passes_per_step, 1.5);
  EXPECT_EQ(record.samples_per_second, 700.5);
  EXPECT_EQ(record.loader_workers, 4);
  EXPECT_EQ(record.step_ms, 40.5);
  EXPECT_EQ(record.utilization_percent, 97.5);
  EXPECT_EQ(record.memory_peak_mib, 5120);
  EXPECT_EQ(record.sm_active, std::nullopt);
  EXPECT_TRUE(record.shared.empty());
}

TEST(RunRecords, OfSetsNameTheirMembers) {
  const auto records = read_run_records(
      R"({"schema_version":1,"run_id":"p","kind":"pair","status":"ok","gpu":{"mode":"mps"},)"
      R"("co":[{"run_id":"a","slowdown":1.2},{"run_id":"b","slowdown":null}],)"
      R"("joint":{"util_mean":99,"mem_peak_mib":9000}})",
      "x.jsonl");
  ASSERT_TRUE(records) << records.error().text();
  const RunRecord& record = records->at(0);
  ASSERT_EQ(record.shared.size(), 2u);
  EXPECT_EQ(record.shared[0].slowdown, 1.2);
  EXPECT_EQ(record.shared[1].run_id, "b");
  EXPECT_EQ(record.shared[1].slowdown, std::nullopt);
  EXPECT_EQ(record.mode, "mps");
  EXPECT_EQ(record.joint_memory_peak_mib, 9000);
}

TEST(RunRecords, WhatIsWrongIsNamedWithItsLine) {
  struct Case {
    const char* line;
    const char* where;
    Errc code;
  };
  constexpr auto kCases = std::to_array<Case>({
      {"{", "x.jsonl:1", Errc::Corrupt},
      {"[1]", "x.jsonl:1", Errc::Corrupt},
      {R"({"run_id":"a"})", "x.jsonl:1: schema_version", Errc::Corrupt},
      {R"({"schema_version":2,"run_id":"a"})", "x.jsonl:1: schema_version", Errc::Unsupported},
      {R"({"schema_version":1})", "x.jsonl:1: run_id", Errc::Corrupt},
      {R"({"schema_version":1,"run_id":"a","status":"fine"})", "x.jsonl:1: status", Errc::Corrupt},
      {R"({"schema_version":1,"run_id":"a","model":{"batch":0}})", "x.jsonl:1: model.batch",
       Errc::Corrupt},
      {R"({"schema_version":1,"run_id":"a","model":{"batch":1.5}})", "x.jsonl:1: model.batch",
       Errc::Corrupt},
      {R"({"schema_version":1,"run_id":"a","solo":{"util_mean":101}})", "x.jsonl:1: solo.util_mean",
       Errc::Corrupt},
      {R"({"schema_version":1,"run_id":"a","shared_with_others":1})",
       "x.jsonl:1: shared_with_others", Errc::Corrupt},
      {R"({"schema_version":1,"run_id":"a","co":{}})", "x.jsonl:1: co", Errc::Corrupt},
  });
  for (const Case& each : kCases) {
    const auto records = read_run_records(each.line, "x.jsonl");
    ASSERT_FALSE(records) << each.line;
    EXPECT_THAT(records.error().where, HasSubstr(each.where)) << each.line;
    EXPECT_EQ(records.error().code, each.code) << each.line;
  }
}

TEST(RunRecords, WhatADiskLostIsRefused) {
  const std::string line = R"({"schema_version":1,"run_id":"a"})";
  const auto records = read_run_records(line + "\n" + line + std::string(3, '\0'), "x.jsonl");
  ASSERT_FALSE(records);
  EXPECT_EQ(records.error().where, "x.jsonl:2");
}

TEST(RunRecords, DeepAndLongLinesAreRefused) {
  EXPECT_FALSE(read_run_records(std::string(100, '['), "x.jsonl"));
  EXPECT_FALSE(read_run_records("{\"a\":\"" + std::string(2'000'000, 'a') + "\"}", "x.jsonl"));
}

}  // namespace
}  // namespace horus::wire
