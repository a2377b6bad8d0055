// SPDX-License-Identifier: Apache-2.0
// Small cases worked out by hand.

#include "horus/sim/world/world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/sim/metrics.hpp"
#include "horus/sim/world/world_fixture.hpp"

namespace horus::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_world::belief_of;
using testing_world::cluster_of;
using testing_world::FixedTruth;
using testing_world::job_at;
using testing_world::load_of;
using testing_world::policy_of;

class Recorder final : public Observer {
 public:
  void on_event(const EventRecord& record) override { lines.push_back(format_event(record)); }
  void on_progress(double fraction) override { progress = fraction; }
  std::vector<std::string> lines;
  double progress{};
};

/// A cluster, two configurations (0: light, 1: heavy), and beliefs that are true.
struct Lab {
  explicit Lab(const char* cluster_text) : cluster{cluster_of(cluster_text)} {
    for (ConfigBelief& b : beliefs)
      b.demand_by_type.resize(cluster.types().size(), b.demand_by_type[0]);
  }

  Result<SimResult> run(const char* policy, Observer* observer = nullptr) {
    return sim::run(Scenario{cluster, jobs, beliefs, truth, options}, policy_of(policy), observer);
  }

  Cluster cluster;
  std::vector<SimJob> jobs;
  std::vector<ConfigBelief> beliefs{belief_of("light", 0.3, 4000), belief_of("heavy", 0.9, 7000)};
  FixedTruth truth{{load_of(0.3, 4000), load_of(0.9, 7000)}};
  SimOptions options;
};

double finish_s(const SimResult& result, std::size_t job) {
  return to_seconds(result.jobs[job].finish.value().time_since_epoch());
}

TEST(World, ExclusiveJobsFinishExactlyAfterTheirDuration) {
  Lab lab{"1x1xV100-16GB"};
  lab.jobs = {job_at(1, 0.0, 10.000001), job_at(2, 3.0, 5.5)};
  const auto result = lab.run("fifo");
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->jobs[0].finish, TimePoint{Duration{10'000'001}});
  EXPECT_EQ(result->jobs[1].first_start, TimePoint{Duration{10'000'001}});
  EXPECT_EQ(result->jobs[1].finish, TimePoint{Duration{15'500'001}});
  const PolicyResult figures = summarize("fifo", *result);
  EXPECT_EQ(figures.jobs_finished, 2U);
  EXPECT_DOUBLE_EQ(figures.makespan_s, 15.500001);
  EXPECT_DOUBLE_EQ(figures.jct_mean_s, (10.000001 + 12.500001) / 2);
  EXPECT_DOUBLE_EQ(figures.wait_mean_s, 7.000001 / 2);
  EXPECT_DOUBLE_EQ(figures.first_start_mean_s, 7.000001 / 2);
  EXPECT_DOUBLE_EQ(figures.slowdown_mean, 1.0);
  EXPECT_DOUBLE_EQ(figures.beyond_tolerance, 0.0);
  EXPECT_NEAR(figures.gpu_utilization, 0.3, 1e-9);
}

TEST(World, SharingSlowsEachOtherForAsLongAsItLasts) {
  // Both share from 2 s on at half speed. Job 1 has 8 s of work left and needs 16: it ends at 18.
  // Job 2 did 8 s of its 10 by then and needs 2 more alone: it ends at 20.
  Lab lab{"1x1xV100-16GB"};
  lab.jobs = {job_at(1, 0, 10), job_at(2, 2, 10)};
  const auto result = lab.run("pack-blind");
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_DOUBLE_EQ(finish_s(*result, 0), 18);
  EXPECT_DOUBLE_EQ(finish_s(*result, 1), 20);
  EXPECT_DOUBLE_EQ(result->jobs[0].slowdown, 1.8);
  EXPECT_DOUBLE_EQ(result->jobs[1].slowdown, 1.8);
  const PolicyResult figures = summarize("pack-blind", *result);
  EXPECT_DOUBLE_EQ(figures.beyond_tolerance, 1.0);
  EXPECT_DOUBLE_EQ(figures.wait_mean_s, 0.0);
  // Alone 0.3 for 4 s of 20, together 1 - 0.7 x 0.7 = 0.51 for 16 s.
  EXPECT_NEAR(figures.gpu_utilization, (4 * 0.3 + 16 * 0.51) / 20, 1e-9);
}

TEST(World, CompletionsFreeGpusForArrivalsOfTheSameTime) {
  Lab lab{"1x1xV100-16GB"};
  lab.jobs = {job_at(1, 0, 5), job_at(2, 5, 1)};
  Recorder recorder;
  ASSERT_TRUE(lab.run("fifo", &recorder));
  EXPECT_THAT(
      recorder.lines,
      ElementsAre("0,arrival,1,,gpus=1 config=light", "0,start,1,0,sharing=exclusive residents=1",
                  "5000000,completion,1,0,", "5000000,arrival,2,,gpus=1 config=light",
                  "5000000,start,2,0,sharing=exclusive residents=1", "6000000,completion,2,0,"));
  EXPECT_DOUBLE_EQ(recorder.progress, 1.0);
}

TEST(World, AGangHoldsAllItsGpusAndRunsAtThePaceOfTheSlowest) {
  Lab lab{"1x1xV100-16GB+1x1xK80"};
  lab.truth.step_ratio_by_type = {1.0, 3.0};
  lab.jobs = {job_at(1, 0, 10, 2)};
  const auto result = lab.run("fifo");
  ASSERT_TRUE(result) << result.error().text();
  ASSERT_TRUE(result->jobs[0].finish);
  EXPECT_DOUBLE_EQ(finish_s(*result, 0), 30);
  EXPECT_DOUBLE_EQ(result->jobs[0].slowdown, 1.0);  // Against solo time on the types it ran on.
}

TEST(World, DurationScalesWithTheStepRatioOfTheGpu) {
  Lab lab{"1x1xK80"};
  lab.truth.step_ratio_by_type = {2.5};
  lab.jobs = {job_at(1, 0, 10)};
  const auto result = lab.run("fifo");
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_DOUBLE_EQ(finish_s(*result, 0), 25);
  EXPECT_DOUBLE_EQ(result->jobs[0].slowdown, 1.0);
}

TEST(World, OutOfMemoryKillsAfterTheDelayAndTheJobRunsAlone) {
  // Believed to need 4000 MiB, really 10,000: two do not fit 16 GiB.
  Lab lab{"1x1xV100-16GB"};
  lab.truth.loads = {load_of(0.3, 10'000), load_of(0.9, 10'000)};
  lab.options.newcomer_dies = 1.0;
  lab.jobs = {job_at(1, 0, 100), job_at(2, 10, 50)};
  Recorder recorder;
  const auto result = lab.run("pack-blind", &recorder);
  ASSERT_TRUE(result) << result.error().text();
  // Job 2 starts at 10 and dies at 40, when job 1 has done 10 + 30 / 2 = 25 of its 100 seconds.
  // Job 1 is alone from then on and ends at 115; job 2 starts again and ends at 165.
  EXPECT_THAT(recorder.lines, testing::Contains("40000000,death,2,0,lost_us=30000000"));
  EXPECT_DOUBLE_EQ(finish_s(*result, 0), 115);
  EXPECT_DOUBLE_EQ(finish_s(*result, 1), 165);
  EXPECT_EQ(result->jobs[1].deaths, 1);
  EXPECT_DOUBLE_EQ(result->jobs[1].slowdown, 1.0);  // Lost work excluded.
  EXPECT_EQ(result->jobs[1].held, std::chrono::seconds{80});
  const PolicyResult figures = summarize("pack-blind", *result);
  EXPECT_EQ(figures.oom_deaths, 1U);
  EXPECT_DOUBLE_EQ(figures.lost_work_gpu_s, 30.0);
  EXPECT_DOUBLE_EQ(figures.wait_mean_s, (0.0 + (155.0 - 80.0)) / 2);
  EXPECT_EQ(result->events[static_cast<std::size_t>(EventKind::Start)], 3U);
}

TEST(World, TheResidentMayDieInsteadOfTheNewcomer) {
  Lab lab{"1x1xV100-16GB"};
  lab.truth.loads = {load_of(0.3, 10'000), load_of(0.9, 10'000)};
  lab.options.newcomer_dies = 0.0;
  lab.jobs = {job_at(1, 0, 100), job_at(2, 10, 50)};
  const auto result = lab.run("pack-blind");
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->jobs[0].deaths, 1);
  EXPECT_EQ(result->jobs[1].deaths, 0);
  EXPECT_DOUBLE_EQ(result->lost_work_gpu_s, 40.0);  // Job 1 from 0 to 40.
}

TEST(World, CheckpointsSaveWorkUpToTheLastOne) {
  Lab lab{"1x1xV100-16GB"};
  lab.truth.loads = {load_of(0.3, 10'000), load_of(0.9, 10'000)};
  lab.options.newcomer_dies = 0.0;
  lab.options.checkpoint_interval = std::chrono::seconds{15};
  lab.jobs = {job_at(1, 0, 100), job_at(2, 10, 50)};
  const auto result = lab.run("pack-blind");
  ASSERT_TRUE(result) << result.error().text();
  // Job 1 has checkpoints at 15 and 30 s and dies at 40: 10 s are lost, and 10 + 20 / 2 = 20 s of
  // work are safe. Job 2 did 15 s by 40, then 35 alone: 75. Job 1 does its 80 s from 75 to 155.
  EXPECT_DOUBLE_EQ(result->lost_work_gpu_s, 10.0);
  EXPECT_DOUBLE_EQ(finish_s(*result, 1), 75);
  EXPECT_DOUBLE_EQ(finish_s(*result, 0), 155);
  EXPECT_DOUBLE_EQ(result->jobs[0].slowdown, (40.0 - 10.0 + 80.0) / 100.0);
}

TEST(World, AJobThatFitsNoGpuDiesAloneAndIsRejected) {
  Lab lab{"1x1xV100-16GB"};
  lab.truth.loads = {load_of(0.3, 20'000), load_of(0.9, 20'000)};
  lab.jobs = {job_at(1, 0, 100), job_at(2, 10, 5)};
  const auto result = lab.run("fifo");
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_FALSE(result->jobs[0].finish);
  ASSERT_EQ(result->rejections.size(), 1U);
  EXPECT_EQ(result->rejections[0].job, JobId{1});
  // Job 2 was done before its allocation could fail.
  EXPECT_DOUBLE_EQ(finish_s(*result, 1), 35);
  const PolicyResult figures = summarize("fifo", *result);
  EXPECT_EQ(figures.jobs_rejected, 1U);
  EXPECT_EQ(figures.jobs_finished, 1U);
  EXPECT_DOUBLE_EQ(figures.makespan_s, 35);
}

TEST(World, AJobWiderThanTheClusterIsRejectedAndTheRestGoesOn) {
  Lab lab{"1x2xV100-16GB"};
  lab.jobs = {job_at(1, 0, 10, 3), job_at(2, 0, 10, 2)};
  Recorder recorder;
  const auto result = lab.run("fifo", &recorder);
  ASSERT_TRUE(result) << result.error().text();
  ASSERT_EQ(result->rejections.size(), 1U);
  EXPECT_FALSE(result->rejections[0].reason.empty());
  EXPECT_THAT(recorder.lines[0], HasSubstr("rejected="));
  EXPECT_DOUBLE_EQ(finish_s(*result, 1), 10);
}

TEST(World, AGangDiesWhole) {
  // The gang shares GPU 0 or 1 with the light job; when it dies it leaves both.
  Lab lab{"1x2xV100-16GB"};
  lab.truth.loads = {load_of(0.3, 10'000), load_of(0.9, 10'000)};
  lab.options.gangs = Gangs::Shared;
  lab.options.newcomer_dies = 1.0;
  lab.jobs = {job_at(1, 0, 100), job_at(2, 1, 100, 2)};
  Recorder recorder;
  const auto result = lab.run("pack-blind", &recorder);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->jobs[1].deaths, 1);
  EXPECT_THAT(recorder.lines, testing::Contains("31000000,death,2,0 1,lost_us=30000000"));
  EXPECT_DOUBLE_EQ(result->lost_work_gpu_s, 60.0);
}

TEST(World, JobsWithoutWorkFinishAtOnce) {
  Lab lab{"1x1xV100-16GB"};
  lab.jobs = {job_at(1, 0, 0), job_at(2, 0, 3), job_at(3, 0, 0)};
  const auto result = lab.run("fifo");
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_DOUBLE_EQ(finish_s(*result, 0), 0);
  EXPECT_DOUBLE_EQ(finish_s(*result, 2), 3);
  EXPECT_DOUBLE_EQ(summarize("fifo", *result).slowdown_mean, 1.0);
}

TEST(World, ATruthAboutPairsAllowsTwoResidents) {
  class PairTruth final : public Truth {
   public:
    TaskLoad load(JobId, std::uint32_t, std::uint16_t) const override { return load_of(0.2, 100); }
    TruthSource slowdowns(std::uint16_t, std::span<const TaskLoad> residents,
                          std::span<double> slowdowns) const override {
      EXPECT_EQ(residents.size(), 2U);
      for (double& s : slowdowns) s = 1.0;
      return TruthSource::Measured;
    }
    std::optional<int> max_residents() const override { return 2; }
  };
  Lab lab{"1x1xV100-16GB"};
  lab.jobs = {job_at(1, 0, 10), job_at(2, 0, 10), job_at(3, 0, 10)};
  const PairTruth truth;
  const auto result = run(Scenario{lab.cluster, lab.jobs, lab.beliefs, truth, lab.options},
                          policy_of("pack-blind"));
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_DOUBLE_EQ(finish_s(*result, 2), 20);
  EXPECT_GT(result->sharings_measured, 0U);
  EXPECT_EQ(result->sharings_parametric, 0U);
}

TEST(World, RefusesScenariosThatMakeNoSense) {
  const auto error = [](auto&& spoil) {
    Lab lab{"1x1xV100-16GB"};
    lab.jobs = {job_at(1, 0, 10), job_at(2, 1, 10)};
    spoil(lab);
    const auto result = lab.run("fifo");
    return result ? std::string{"none"} : result.error().text();
  };
  EXPECT_THAT(error([](Lab& l) { l.jobs[1].id = JobId{1}; }), HasSubstr("two jobs have the id 1"));
  EXPECT_THAT(error([](Lab& l) { std::swap(l.jobs[0], l.jobs[1]); }),
              HasSubstr("expected jobs in order of arrival"));
  EXPECT_THAT(error([](Lab& l) { l.jobs[0].gpus = 0; }), HasSubstr("wants 0 GPUs"));
  EXPECT_THAT(error([](Lab& l) { l.jobs[0].config = 9; }), HasSubstr("has configuration 9"));
  EXPECT_THAT(error([](Lab& l) { l.jobs[0].duration = Duration{-1}; }), HasSubstr("runs for"));
  EXPECT_THAT(error([](Lab& l) { l.options.max_residents = 0; }), HasSubstr("0 residents"));
  EXPECT_THAT(error([](Lab& l) { l.options.newcomer_dies = 1.5; }), HasSubstr("expected 0 to 1"));
  EXPECT_THAT(error([](Lab& l) { l.beliefs[0].demand_by_type.clear(); }), HasSubstr("covers 0"));
}

TEST(World, TimeBeyondWhatCanBeCountedIsAnError) {
  Lab lab{"1x1xV100-16GB"};
  for (std::uint64_t id = 1; id <= 50; ++id) lab.jobs.push_back(job_at(id, 0, 1e11));
  const auto result = lab.run("fifo");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::Unsupported);
}

TEST(World, NoJobsIsAnEmptyResult) {
  Lab lab{"1x1xV100-16GB"};
  const auto result = lab.run("fifo");
  ASSERT_TRUE(result);
  EXPECT_EQ(summarize("fifo", *result).jobs_finished, 0U);
}

}  // namespace
}  // namespace horus::sim
