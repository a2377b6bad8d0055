// SPDX-License-Identifier: Apache-2.0
#include "horus/record/profile_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::record {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Summary summary_of(std::vector<GpuSummary> gpus) {
  return {.window = Window::GpuUse, .dropped = from_seconds(5), .gpus = std::move(gpus)};
}

RunFacts facts_of(std::size_t gpus) {
  RunFacts facts{.run_id = "r1", .time = "2026-01-02T03:04:05Z", .interval = Duration{100'000}};
  for (std::size_t i = 0; i < gpus; ++i) {
    facts.gpus.push_back(
        {.index = static_cast<std::int64_t>(i), .name = "GPU " + std::to_string(i)});
  }
  facts.ending.exit_code = 0;
  return facts;
}

TEST(ProfileRecord, HasEveryKeyAndNullForWhatIsAbsent) {
  const std::string record = profile_record(facts_of(0), {}, summary_of({}));
  EXPECT_EQ(
      record,
      R"({"schema_version":1,"run_id":"r1","time":"2026-01-02T03:04:05Z",)"
      R"("host":{"cpu":null,"cores":null,"driver":null,"cuda":null,"framework":null,)"
      R"("framework_version":null},"gpu":null,)"
      R"("model":{"onnx_sha256":null,"name":null,"family":null,"batch":null,"precision":null,)"
      R"("optimizer":null,"attention":null,"checkpointing":null,"accumulation_steps":null,)"
      R"("passes_per_step":null,"seq_len":null},)"
      R"("input":{"samples_per_s":null,"workers":null},"features":null,)"
      R"("solo":{"steps":null,"step_ms_mean":null,"step_ms_p50":null,"step_ms_p95":null,)"
      R"("util_mean":null,"util_p50":null,"util_p95":null,"util_source":null,)"
      R"("util_device_mean":null,"util_process_mean":null,"memutil_mean":null,)"
      R"("mem_peak_mib":null,"mem_source":null,"power_w":null,"energy_j":null,"sm_active":null,)"
      R"("sm_occ":null,"dram_active":null,"samples":null,"mem_context_mib":null,)"
      R"("sample_ms":100,"warmup_dropped_s":5,"window":"gpu_use"},"status":"ok","set_id":null,)"
      R"("members":null,"shared_with_others":null,"other_processes":null,"exit_code":0,)"
      R"("signal":null,"duration_s":null,"gpus":[],"notes":[]})");
}

TEST(ProfileRecord, SpellsAnnotationsAsTextAndNumbers) {
  const Annotations said{{"model.batch", "64"}, {"model.name", "a\"b"}, {"input.workers", "0"}};
  const std::string record = profile_record(facts_of(0), said, summary_of({}));
  EXPECT_THAT(record, HasSubstr(R"("name":"a\"b","family":null,"batch":64)"));
  EXPECT_THAT(record, HasSubstr(R"("workers":0)"));
}

TEST(ProfileRecord, FoldsGpusByMeaning) {
  const GpuSummary first{.util_mean = 90.0,
                         .util_scope = Scope::Device,
                         .mem_peak = 1000_MiB,
                         .power_w = 200.0,
                         .samples = 10,
                         .job_was_there = true,
                         .strangers = 0};
  const GpuSummary second{.util_mean = 70.0,
                          .util_scope = Scope::Device,
                          .mem_peak = 3000_MiB,
                          .power_w = 100.0,
                          .samples = 8,
                          .job_was_there = true,
                          .strangers = 1};
  const std::string record = profile_record(facts_of(2), {}, summary_of({first, second}));
  const std::string solo = record.substr(record.find("\"solo\""), 700);
  EXPECT_THAT(solo, HasSubstr(R"("util_mean":80,)"));
  EXPECT_THAT(solo, HasSubstr(R"("mem_peak_mib":3000,)"));
  EXPECT_THAT(solo, HasSubstr(R"("power_w":300,)"));
  EXPECT_THAT(solo, HasSubstr(R"("samples":8,)"));
  EXPECT_THAT(record, HasSubstr(R"("shared_with_others":true,"other_processes":1)"));
  EXPECT_THAT(record, HasSubstr(R"("mode":"timeslice")"));
}

TEST(ProfileRecord, AddsNothingUpWhereAGpuIsSilent) {
  const GpuSummary first{.power_w = 200.0, .job_was_there = true};
  const GpuSummary second{.job_was_there = true};
  const std::string record = profile_record(facts_of(2), {}, summary_of({first, second}));
  EXPECT_THAT(record.substr(record.find("\"solo\"")), HasSubstr(R"("power_w":null)"));
}

TEST(ProfileRecord, IsAboutTheGpusOnWhichTheJobWas) {
  const GpuSummary idle{.util_mean = 0.0, .strangers = 3};
  const GpuSummary used{.util_mean = 50.0, .job_was_there = true, .strangers = 0};
  RunFacts facts = facts_of(2);
  EXPECT_THAT(gpus_of_run(facts, summary_of({idle, used})), ElementsAre(1));
  const std::string record = profile_record(facts, {}, summary_of({idle, used}));
  EXPECT_THAT(record, HasSubstr(R"("gpu":{"name":"GPU 1")"));
  EXPECT_THAT(record, Not(HasSubstr("GPU 0")));
  EXPECT_THAT(record, HasSubstr(R"("mode":"exclusive")"));
  EXPECT_THAT(gpus_of_run(facts, summary_of({idle, idle})), ElementsAre(0, 1));
  facts.gpus[1].chosen = true;
  EXPECT_THAT(gpus_of_run(facts, summary_of({idle, idle})), ElementsAre(1));
}

TEST(ProfileRecord, SaysMpsWhereTheJobWasAClient) {
  const GpuSummary gpu{.job_was_there = true, .mps = true, .strangers = 0};
  EXPECT_THAT(profile_record(facts_of(1), {}, summary_of({gpu})), HasSubstr(R"("mode":"mps")"));
}

TEST(RunStatus, SaysWhatIsKnown) {
  EXPECT_EQ(run_status({.exit_code = 0}), "ok");
  EXPECT_EQ(run_status({.exit_code = 0, .said_out_of_memory = true}), "ok") << "it went on";
  EXPECT_EQ(run_status({.exit_code = 1, .said_out_of_memory = true}), "oom");
  EXPECT_EQ(run_status({.signal = 9}), "failed");
  EXPECT_EQ(run_status({.exit_code = 3}), "failed");
  EXPECT_EQ(run_status({}), std::nullopt) << "it was only watched";
}

TEST(Headline, SaysTheMainFigures) {
  const GpuSummary gpu{
      .util_mean = 91.6, .mem_peak = 2048_MiB, .job_was_there = true, .strangers = 1};
  Summary summary = summary_of({gpu});
  summary.steps = StepSummary{.steps = 30, .mean_ms = 12.34};
  EXPECT_EQ(profile_headline(facts_of(1), summary),
            "92 % utilization, 2048 MiB at most, 12.3 ms per step (30 steps), shared with others");
  EXPECT_EQ(profile_headline(facts_of(0), summary_of({})), "nothing was measured");
}

}  // namespace
}  // namespace horus::record
