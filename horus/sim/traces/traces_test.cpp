// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <sstream>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/base/unpacked_text_test.hpp"
#include "horus/sim/generate.hpp"
#include "horus/sim/traces/trace.hpp"
#include "horus/sim/traces/trace_format.hpp"

namespace horus::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kPhilly =
    "timestamp,duration,num_gpus,gpu_time,cluster\n"
    "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
    "\n"
    "2017-10-08 23:59:59,10.5,8,84.0,6214e9\n"
    "2017-10-09 07:01:55,5,2,10,6214e9\n";

std::string error_of(std::string_view format, std::string_view text,
                     const TraceOptions& options = {}) {
  const auto trace = read_trace(format, text, "t.csv", options);
  return trace ? "no error" : trace.error().text();
}

TEST(Timestamp, CountsLikeTheCalendar) {
  // Independent: `date -u -d '2017-10-09 07:01:55' +%s` and the like.
  EXPECT_EQ(parse_timestamp_us("1970-01-01 00:00:00"), 0);
  EXPECT_EQ(parse_timestamp_us("2017-10-09 07:01:55"), 1'507'532'515'000'000);
  EXPECT_EQ(parse_timestamp_us("2016-02-29 23:59:59"), 1'456'790'399'000'000);
  EXPECT_EQ(parse_timestamp_us("2000-03-01 00:00:00.25"), 951'868'800'250'000);
  for (const char* wrong : {"", "2017-02-29 00:00:00", "2017-13-01 00:00:00", "2017-01-01 24:00:00",
                            "2017-01-01T00:00:00", "2017-1-1 00:00:00", "2017-01-01 00:00:00Z",
                            "2017-01-01 00:00:00.", "1969-12-31 23:59:59", "-017-01-01 00:00:00",
                            "2017-01-01 00:60:00", "2017-01-01 00:00:00.1234567"}) {
    EXPECT_EQ(parse_timestamp_us(wrong), std::nullopt) << wrong;
  }
}

TEST(Philly, SortsByArrivalThenRowAndStartsAtZero) {
  const auto trace = read_trace("philly", kPhilly, "t.csv");
  ASSERT_TRUE(trace) << trace.error().text();
  ASSERT_EQ(trace->jobs.size(), 3U);
  const TraceJob& first = trace->jobs[0];
  EXPECT_EQ(first.id, JobId{2});  // The second data row: the blank line is none.
  EXPECT_EQ(first.arrival, TimePoint{});
  EXPECT_EQ(first.duration, Duration{10'500'000});
  EXPECT_EQ(first.gpus, 8);
  EXPECT_EQ(first.partition, "6214e9");
  EXPECT_EQ(trace->jobs[1].id, JobId{1});
  EXPECT_EQ(trace->jobs[1].arrival, TimePoint{std::chrono::seconds{7 * 3600 + 60 + 55 + 1}});
  EXPECT_EQ(trace->jobs[2].id, JobId{3});
}

TEST(Philly, PartitionIsSelectedAndItsFirstArrivalIsZero) {
  const auto trace = read_trace("philly", kPhilly, "t.csv", {BadRows::Fail, "11cb48"});
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->jobs.size(), 1U);
  EXPECT_EQ(trace->jobs[0].arrival, TimePoint{});
  EXPECT_THAT(error_of("philly", kPhilly, {BadRows::Fail, "11cb49"}),
              HasSubstr("Did you mean '11cb48'?"));
}

TEST(Philly, MalformedNumbersAreErrorsWithFileAndLine) {
  const auto with_row = [](std::string_view row) {
    return fmt::format("timestamp,duration,num_gpus,gpu_time,cluster\n{}\n", row);
  };
  struct Case {
    const char* row;
    const char* expected;
  };
  for (const Case& c : std::vector<Case>{
           {"2017-10-09 07:01:55,nan,1,66.0,x", "t.csv:2: column 'duration': found 'nan'"},
           {"2017-10-09 07:01:55,-1,1,66.0,x", "t.csv:2: column 'duration': found '-1'"},
           {"2017-10-09 07:01:55,1e12,1,66.0,x", "t.csv:2: column 'duration': found '1e12'"},
           {"2017-10-09 07:01:55,1e999,1,66.0,x", "t.csv:2: column 'duration': found '1e999'"},
           {"2017-10-09 07:01:55,,1,66.0,x", "t.csv:2: column 'duration': found ''"},
           {"2017-10-09 07:01:55,6,0,66.0,x", "t.csv:2: column 'num_gpus': found '0'"},
           {"2017-10-09 07:01:55,6,1.5,66.0,x", "t.csv:2: column 'num_gpus': found '1.5'"},
           {"2017-10-09 07:01:55,6,1000001,66.0,x", "t.csv:2: column 'num_gpus'"},
           {"2017-10-09 07:01:55,6,99999999999999999999,6,x", "t.csv:2: column 'num_gpus'"},
           {"2017-10-09 07:01:55,6,1,inf,x", "t.csv:2: column 'gpu_time': found 'inf'"},
           {"2017-10-32 07:01:55,6,1,6,x", "t.csv:2: column 'timestamp': found '2017-10-32"},
           {"2017-10-09 07:01:55,6,1", "t.csv:2: found 3 cells, expected 5"}}) {
    EXPECT_THAT(error_of("philly", with_row(c.row)), HasSubstr(c.expected)) << c.row;
  }
}

TEST(Philly, BadRowsAreCountedWhenSkipped) {
  const std::string text = std::string{kPhilly} + "bad\n2017-10-09 08:00:00,nan,1,1,x\n";
  EXPECT_THAT(error_of("philly", text), HasSubstr("t.csv:6:"));
  const auto trace = read_trace("philly", text, "t.csv", {BadRows::Skip, ""});
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->jobs.size(), 3U);
  EXPECT_EQ(trace->rows_skipped, 2U);
  EXPECT_THAT(trace->first_skipped, HasSubstr("t.csv:6: found 1 cells"));
}

TEST(Philly, ARowBeyondAllTimeIsABadRow) {
  constexpr std::string_view kText =
      "timestamp,duration,num_gpus\n"
      "1970-01-01 00:00:00,5,1\n"
      "9999-12-31 23:59:59,5,1\n"
      "2017-10-09 00:00:00,5,1\n";
  EXPECT_THAT(error_of("philly", kText),
              testing::AllOf(testing::StartsWith("t.csv:3: "), HasSubstr("253402300799 s")));
  const auto skipped = read_trace("philly", kText, "t.csv", {.bad_rows = BadRows::Skip});
  ASSERT_TRUE(skipped) << skipped.error().text();
  EXPECT_EQ(skipped->rows_skipped, 1U);
  ASSERT_EQ(skipped->jobs.size(), 2U);
  EXPECT_EQ(skipped->jobs[1].arrival, TimePoint{Duration{1'507'507'200'000'000}});
}

TEST(Philly, ATraceWithoutJobsIsAnError) {
  EXPECT_THAT(error_of("philly", "timestamp,duration,num_gpus\n"), HasSubstr("found no job"));
  EXPECT_THAT(error_of("philly", "timestamp,duration,num_gpus\nx,1,1\n", {BadRows::Skip, ""}),
              HasSubstr("found no usable row; 1 were skipped"));
  EXPECT_THAT(error_of("philly", ""), HasSubstr("found no header row"));
  EXPECT_THAT(error_of("philly", "timestamp,duration,gpus\n"),
              HasSubstr("found no column 'num_gpus'"));
}

TEST(Tiresias, ReadsItsColumnsByName) {
  const auto trace = read_trace("tiresias",
                                "job_id,num_gpu,submit_time,iterations,model_name,duration,interval"
                                "\r\n7,4,100,133,vgg11,147,23\r\n3,8,40,133,vgg19,1.5,23\r\n",
                                "t.csv");
  ASSERT_TRUE(trace) << trace.error().text();
  ASSERT_EQ(trace->jobs.size(), 2U);
  EXPECT_EQ(trace->jobs[0].id, JobId{3});
  EXPECT_EQ(trace->jobs[0].model, "vgg19");
  EXPECT_EQ(trace->jobs[0].duration, Duration{1'500'000});
  EXPECT_EQ(trace->jobs[1].id, JobId{7});
  EXPECT_EQ(trace->jobs[1].arrival, TimePoint{std::chrono::seconds{60}});
}

TEST(Tiresias, WithoutAnIdColumnTheRowNumberIsTheId) {
  const auto trace =
      read_trace("tiresias", "num_gpu,submit_time,duration\n1,9,1\n1,5,1\n", "t.csv");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->jobs[0].id, JobId{2});
  EXPECT_EQ(trace->jobs[1].id, JobId{1});
}

TEST(Tiresias, ARepeatedIdIsABadRow) {
  constexpr std::string_view kText =
      "job_id,num_gpu,submit_time,duration\n5,1,9,1\n6,1,9,1\n5,2,1,1\n";
  EXPECT_THAT(error_of("tiresias", kText), HasSubstr("t.csv:4: column 'job_id': found 5 again"));
  const auto trace = read_trace("tiresias", kText, "t.csv", {BadRows::Skip, ""});
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->rows_skipped, 1U);
  ASSERT_EQ(trace->jobs.size(), 2U);
  EXPECT_EQ(trace->jobs[0].gpus, 1);
}

TEST(TraceFormats, UnknownNamesSuggestTheNearest) {
  EXPECT_THAT(trace_formats(), ElementsAre("philly", "tiresias"));
  EXPECT_THAT(error_of("phily", ""), HasSubstr("Did you mean 'philly'?"));
}

std::string file_text(const std::string& path) {
  std::ifstream file{path};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Tiresias, TheSixtyJobsOfTheOriginalSimulatorLoad) {
  const std::string text = file_text(HORUS_SHARED_DATA "/tiresias/60_job.csv");
  if (text.empty()) GTEST_SKIP() << "no tiresias/60_job.csv in HORUS_SHARED_DATA";
  const auto trace = read_trace("tiresias", text, "60_job.csv");
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(trace->jobs.size(), 60U);
  EXPECT_EQ(trace->jobs[1].gpus, 8);
}

TEST(Philly, TheWholePublicTraceLoads) {
  const std::string text = unpacked_text(HORUS_SHARED_DATA "/philly/philly_jobs.csv.gz");
  if (text.empty()) GTEST_SKIP() << "no philly/philly_jobs.csv.gz in HORUS_SHARED_DATA";
  const auto trace = read_trace("philly", text, "philly_jobs.csv");
  ASSERT_TRUE(trace) << trace.error().text();
  // Counted with another program.
  EXPECT_EQ(trace->jobs.size(), 82'247U);
  EXPECT_NEAR(offered_load(trace->jobs, 384).value(), 0.9745762356, 1e-9);
  EXPECT_TRUE(std::is_sorted(trace->jobs.begin(), trace->jobs.end(),
                             [](const TraceJob& a, const TraceJob& b) {
                               return std::tuple{a.arrival, a.row} < std::tuple{b.arrival, b.row};
                             }));
  EXPECT_THAT(error_of("philly", text, {BadRows::Fail, "6214e8"}),
              HasSubstr("Did you mean '6214e9'?"));
}

}  // namespace
}  // namespace horus::sim
