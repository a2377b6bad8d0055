// SPDX-License-Identifier: Apache-2.0
#include "horus/engine/engine.hpp"

#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/sched/audit.hpp"
#include "horus/sched/sample.hpp"

namespace horus::engine {
namespace {

using sched::BooksOptions;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace sample = sched::sample;

std::unique_ptr<sched::Policy> policy(std::string_view name) {
  auto made = sched::make_policy(name, sched::PolicyOptions{});
  HORUS_CHECK(made.has_value(), "the policy exists");
  return *std::move(made);
}

TimePoint at_second(std::int64_t second) { return TimePoint{std::chrono::seconds{second}}; }

Event submitted(const sample::JobSketch& sketch, std::size_t types = 1) {
  return Submitted{.job = sample::job(sketch, types)};
}
Event finished(std::uint64_t id) { return Finished{.job = JobId{id}}; }
Event out_of_memory(std::uint64_t id) { return OutOfMemory{.job = JobId{id}}; }

/// "start 1 on 0,1 alone" or "reject 7: reason".
std::string text_of(const Effect& effect) {
  if (const auto* const reject = std::get_if<Reject>(&effect)) {
    return fmt::format("reject {}: {}", reject->job.value, reject->reason);
  }
  const auto& start = std::get<Start>(effect);
  return fmt::format("start {} on {}{}", start.placement.job.value,
                     fmt::join(start.placement.gpus, ","), start.exclusive ? " alone" : "");
}

std::vector<std::string> step(Engine& engine, std::int64_t second, std::vector<Event> events) {
  std::vector<std::string> texts;
  for (const Effect& effect : engine.step(at_second(second), events)) {
    texts.push_back(text_of(effect));
  }
  EXPECT_EQ(sched::audit(engine.books()), std::nullopt);
  return texts;
}

class EngineTest : public ::testing::Test {
 protected:
  Cluster cluster_{sample::cluster("1x2xV100-16GB")};
  Engine fifo_{cluster_, BooksOptions{}, policy("fifo")};
  Engine horus_{cluster_, BooksOptions{}, policy("horus")};
};

TEST_F(EngineTest, StartsWhatFitsAndTheRestAsPlacesGetFree) {
  EXPECT_THAT(step(fifo_, 0, {submitted({.id = 1}), submitted({.id = 2}), submitted({.id = 3})}),
              ElementsAre("start 1 on 0 alone", "start 2 on 1 alone"));
  EXPECT_EQ(fifo_.waiting(), 1U);
  EXPECT_EQ(fifo_.running(), 2U);
  EXPECT_THAT(step(fifo_, 5, {finished(1)}), ElementsAre("start 3 on 0 alone"));
  EXPECT_THAT(step(fifo_, 9, {finished(2), finished(3)}), IsEmpty());
  EXPECT_EQ(fifo_.waiting() + fifo_.running(), 0U);
}

TEST_F(EngineTest, DecidesOnceAfterAllThatHappenedAtATime) {
  step(fifo_, 0, {submitted({.id = 1, .gpus = 2}), submitted({.id = 2, .gpus = 2})});
  EXPECT_THAT(step(fifo_, 1, {submitted({.id = 3}), finished(1)}),
              ElementsAre("start 2 on 0,1 alone"));
}

TEST_F(EngineTest, SharesUnderHorusAndStartsGangsAlone) {
  EXPECT_THAT(step(horus_, 0, {submitted({.id = 1}), submitted({.id = 2}), submitted({.id = 3})}),
              ElementsAre("start 1 on 0", "start 2 on 1", "start 3 on 0"));
  EXPECT_THAT(step(horus_, 1, {submitted({.id = 4, .gpus = 2})}), IsEmpty());
  EXPECT_THAT(step(horus_, 2, {finished(1), finished(2), finished(3)}),
              ElementsAre("start 4 on 0,1 alone"));
}

TEST_F(EngineTest, SharesGangsWhereThatIsAllowed) {
  Engine engine{cluster_, BooksOptions{.gangs_exclusive = false}, policy("horus")};
  EXPECT_THAT(step(engine, 0, {submitted({.id = 1}), submitted({.id = 2, .gpus = 2})}),
              ElementsAre("start 1 on 0", "start 2 on 0,1"));
}

TEST_F(EngineTest, RunsAJobAloneAfterItRanOutOfMemory) {
  step(horus_, 0, {submitted({.id = 1}), submitted({.id = 2}), submitted({.id = 3})});
  EXPECT_THAT(step(horus_, 1, {out_of_memory(3)}), IsEmpty());
  EXPECT_EQ(horus_.waiting(), 1U);
  EXPECT_THAT(step(horus_, 2, {finished(2)}), ElementsAre("start 3 on 1 alone"));
  const auto died = step(horus_, 3, {out_of_memory(3)});
  ASSERT_EQ(died.size(), 1U);
  EXPECT_THAT(died[0], HasSubstr("reject 3: "));
  EXPECT_THAT(died[0], HasSubstr("out of memory"));
  EXPECT_EQ(horus_.waiting(), 0U);
  EXPECT_EQ(horus_.running(), 1U);
}

TEST_F(EngineTest, KeepsTheTurnOfAJobThatDied) {
  const Cluster cluster = sample::cluster("1x1xV100-16GB");
  Engine engine{cluster, BooksOptions{}, policy("pack-blind")};
  step(engine, 0, {submitted({.id = 1}), submitted({.id = 2}), submitted({.id = 3})});
  step(engine, 1, {submitted({.id = 4})});
  // Job 1 waits for the whole GPU; job 4 came later but can share.
  EXPECT_THAT(step(engine, 2, {out_of_memory(1)}), ElementsAre("start 4 on 0"));
  EXPECT_THAT(step(engine, 3, {submitted({.id = 5}), finished(2), finished(3), finished(4)}),
              ElementsAre("start 1 on 0 alone"));
}

TEST_F(EngineTest, RejectsWithTheReasonAndGoesOn) {
  const auto texts =
      step(fifo_, 0,
           {submitted({.id = 1, .gpus = 3}), submitted({.id = 2, .gpus = 0}),
            submitted({.id = 3, .memory_mib = 99'999}), submitted({.id = 4}, 2),
            submitted({.id = 5}), submitted({.id = 5}), submitted({.id = 6, .mean_percent = 101}),
            submitted({.id = 7, .memory_mib = -1})});
  EXPECT_THAT(
      texts,
      ElementsAre(
          "reject 1: asks for 3 GPUs; the cluster has 2",
          "reject 2: asks for 0 GPUs; a job needs at least 1",
          "reject 3: asks for 1 GPU(s), but its memory bound of 99999 MiB per task fits 0 of the "
          "cluster's 2",
          "reject 4: states its demand for 2 GPU types; the cluster has 1",
          "reject 5: the id 5 belongs to a job that waits or runs",
          "reject 6: states a negative memory bound or a utilization outside 0 to 100 %",
          "reject 7: states a negative memory bound or a utilization outside 0 to 100 %",
          "start 5 on 0 alone"));
}

TEST_F(EngineTest, RejectsAGangThatFitsOnTooFewOfTheGpus) {
  const Cluster cluster = sample::cluster("1x4xV100-16GB+1x2xA100-40GB");
  Engine engine{cluster, BooksOptions{}, policy("horus")};
  const auto texts = step(engine, 0, {submitted({.id = 1, .gpus = 3, .memory_mib = 20'000}, 2)});
  EXPECT_THAT(texts, ElementsAre("reject 1: asks for 3 GPU(s), but its memory bound of 20000 MiB "
                                 "per task fits 2 of the cluster's 6"));
}

TEST_F(EngineTest, BehavesLikeExclusiveSchedulingWithOneResidentPerGpu) {
  for (const std::string name : {"pack-blind", "horus", "horus+"}) {
    Engine engine{cluster_, BooksOptions{.max_residents = 1}, policy(name)};
    const auto whole = cluster_.types()[0].memory.count() >> 20;
    EXPECT_THAT(step(engine, 0,
                     {submitted({.id = 1, .memory_mib = whole}), submitted({.id = 2}),
                      submitted({.id = 3})}),
                ::testing::SizeIs(2))
        << name;
    EXPECT_EQ(engine.waiting(), 1U) << name;
    EXPECT_THAT(step(engine, 1, {finished(engine.books().bookings().begin()->first.value)}),
                ElementsAre(HasSubstr("alone")))
        << name;
  }
}

using EngineDeathTest = EngineTest;

TEST_F(EngineDeathTest, RefusesEventsThatCannotHaveHappened) {
  step(fifo_, 5, {submitted({.id = 1, .gpus = 2}), submitted({.id = 2})});
  EXPECT_DEATH(step(fifo_, 6, {finished(2)}), "names a running job");
  EXPECT_DEATH(step(fifo_, 6, {out_of_memory(9)}), "names a running job");
  EXPECT_DEATH(step(fifo_, 4, {}), "time does not run back");
}

/// Plays the world at random and keeps its own account of who is where.
class RandomWorld {
 public:
  RandomWorld(const Cluster& cluster, const BooksOptions& options, const std::string& name,
              std::uint64_t seed)
      : engine_{cluster, options, policy(name)}, types_{cluster.types().size()}, rng_{seed} {}

  void play(int steps) {
    for (int i = 0; i < steps; ++i) apply(engine_.step(at_second(i), events(i < steps / 2)));
    // Then the rest may finish: a finite workload ends whatever the policy.
    for (int i = 0; !running_.empty(); ++i) {
      ASSERT_LT(i, 10'000);
      const Event last = finish(*running_.begin());
      apply(engine_.step(at_second(steps + i), std::span{&last, 1}));
    }
    EXPECT_EQ(engine_.waiting(), 0U);
    EXPECT_EQ(ended_ + rejected_, submitted_);
  }

 private:
  std::vector<Event> events(bool arrivals) {
    std::vector<Event> events;
    const auto happened = rng_.below(4);
    for (std::uint64_t i = 0; i < happened; ++i) {
      const double kind = rng_.uniform();
      if (kind < 0.6 && arrivals) {
        JobSpec job = sample::random_job(++submitted_, types_, 9, rng_);
        waiting_.insert(job.id);
        events.emplace_back(Submitted{.job = std::move(job)});
      } else if (!running_.empty()) {
        auto victim = running_.begin();
        std::advance(victim, static_cast<std::ptrdiff_t>(rng_.below(running_.size())));
        events.push_back(kind < 0.9 ? finish(*victim) : die(*victim));
      }
    }
    return events;
  }

  Event finish(JobId job) {
    running_.erase(job);
    ++ended_;
    return Finished{.job = job};
  }

  Event die(JobId job) {
    running_.erase(job);
    waiting_.insert(job);
    return OutOfMemory{.job = job};
  }

  void apply(const std::vector<Effect>& effects) {
    for (const Effect& effect : effects) {
      if (const auto* const start = std::get_if<Start>(&effect)) {
        ASSERT_EQ(waiting_.erase(start->placement.job), 1U) << "only a waiting job starts, once";
        running_.insert(start->placement.job);
      } else {
        ASSERT_EQ(waiting_.erase(std::get<Reject>(effect).job), 1U);
        ++rejected_;
      }
    }
    ASSERT_EQ(sched::audit(engine_.books()), std::nullopt);
    ASSERT_EQ(engine_.running(), running_.size());
    ASSERT_EQ(engine_.waiting(), waiting_.size());
    ASSERT_EQ(engine_.books().bookings().size(), running_.size());
  }

  Engine engine_;
  std::size_t types_;
  Rng rng_;
  std::set<JobId> waiting_;
  std::set<JobId> running_;
  std::uint64_t submitted_{};
  std::size_t ended_{};
  std::size_t rejected_{};
};

struct Setting {
  std::string cluster;
  BooksOptions options;
};

TEST(EngineProperty, LosesNoJobAndBreaksNoPromiseUnderAnyPolicy) {
  const std::vector<Setting> settings{
      {"2x4xV100-16GB", {}},
      {"1x4xV100-16GB+1x4xA100-40GB", {.gangs_exclusive = false}},
      {"1x4xV100-16GB+1x4xA100-40GB", {.max_residents = 2}},
      {"2x4xV100-16GB", {.max_residents = 1}},
      {"1x6xV100-16GB", {.max_residents = 5, .gangs_exclusive = false}}};
  for (const std::string& name : sched::policy_names()) {
    for (const Setting& setting : settings) {
      const Cluster cluster = sample::cluster(setting.cluster);
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE(fmt::format("{} on {}, seed {}", name, setting.cluster, seed));
        RandomWorld{cluster, setting.options, name, seed}.play(200);
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace horus::engine
