// SPDX-License-Identifier: Apache-2.0
// What every policy promises, and by what each of them differs from the others.

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/sched/audit.hpp"
#include "horus/sched/policy.hpp"
#include "horus/sched/sample.hpp"

namespace horus::sched {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::unique_ptr<Policy> policy(std::string_view name) {
  auto made = make_policy(name, PolicyOptions{});
  HORUS_CHECK(made.has_value(), "the policy exists");
  return *std::move(made);
}

TEST(MakePolicy, KnowsThePoliciesInTheOrderOfComparison) {
  EXPECT_THAT(policy_names(), ElementsAre("fifo", "fifo-skip", "pack-blind", "horus", "horus+"));
  for (const std::string& name : policy_names()) EXPECT_EQ(policy(name)->name(), name);
}

TEST(MakePolicy, SuggestsTheNearestName) {
  const auto made = make_policy("fifoskip", PolicyOptions{});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::NotFound);
  EXPECT_THAT(made.error().message, HasSubstr("Did you mean 'fifo-skip'?"));
}

/// A cluster under one policy: books every decision, as an engine would.
class Bench {
 public:
  Bench(std::string_view cluster, std::string_view policy_name, BooksOptions options = {})
      : cluster_{sample::cluster(cluster)},
        books_{cluster_, options},
        policy_{policy(policy_name)} {}

  void add(const WaitingJob& job) {
    specs_[job.spec.id] = job;
    policy_->add(job);
  }
  void add(const sample::JobSketch& sketch) {
    WaitingJob job = sample::waiting(sample::job(sketch, books_.type_count()));
    job.alone = sketch.gpus > 1 && books_.options().gangs_exclusive;
    add(job);
  }

  /// The ids started now, in order.
  std::vector<std::uint64_t> start(TimePoint now = {}) {
    std::vector<std::uint64_t> started;
    while (const auto decision = policy_->next(books_, now)) {
      const JobId id = decision->placement.job;
      const WaitingJob& job = specs_.at(id);
      EXPECT_TRUE(decision->exclusive || !job.alone) << id.value;
      books_.book(job.spec, decision->placement,
                  decision->exclusive ? Sharing::Exclusive : Sharing::Shared);
      started.push_back(id.value);
    }
    EXPECT_EQ(audit(books_), std::nullopt);
    return started;
  }

  void finish(std::uint64_t id) { books_.release(JobId{id}); }
  void remove(std::uint64_t id) { policy_->remove(JobId{id}); }
  [[nodiscard]] std::vector<GpuIndex> where(std::uint64_t id) const {
    return books_.bookings().at(JobId{id}).gpus;
  }
  [[nodiscard]] const Books& books() const { return books_; }

 private:
  Cluster cluster_;
  Books books_;
  std::unique_ptr<Policy> policy_;
  std::map<JobId, WaitingJob> specs_;
};

TEST(Fifo, HoldsEverybodyBackBehindTheFirstThatDoesNotFit) {
  Bench bench{"1x4xV100-16GB", "fifo"};
  bench.add({.id = 1, .gpus = 3});
  bench.add({.id = 2, .gpus = 2});
  bench.add({.id = 3, .gpus = 1});
  EXPECT_THAT(bench.start(), ElementsAre(1));
  bench.finish(1);
  EXPECT_THAT(bench.start(), ElementsAre(2, 3));
}

TEST(Fifo, SharesNoGpu) {
  Bench bench{"1x1xV100-16GB", "fifo"};
  bench.add({.id = 1, .mean_percent = 1, .max_percent = 1, .memory_mib = 10});
  bench.add({.id = 2, .mean_percent = 1, .max_percent = 1, .memory_mib = 10});
  EXPECT_THAT(bench.start(), ElementsAre(1));
}

TEST(FifoSkip, PassesOverWhatDoesNotFit) {
  Bench bench{"1x4xV100-16GB", "fifo-skip"};
  bench.add({.id = 1, .gpus = 3});
  bench.add({.id = 2, .gpus = 2});
  bench.add({.id = 3, .gpus = 1});
  EXPECT_THAT(bench.start(), ElementsAre(1, 3));
  bench.finish(1);
  EXPECT_THAT(bench.start(), ElementsAre(2));
}

TEST(FifoSkip, LetsAJobForLargeGpusWaitWhileSmallOnesAreFree) {
  Bench bench{"1x1xV100-16GB+1x1xA100-40GB", "fifo-skip"};
  bench.add({.id = 1, .memory_mib = 20'000});
  bench.add({.id = 2, .memory_mib = 20'000});
  bench.add({.id = 3});
  EXPECT_THAT(bench.start(), ElementsAre(1, 3));
  EXPECT_THAT(bench.where(1), ElementsAre(1U));
  EXPECT_THAT(bench.where(3), ElementsAre(0U));
}

TEST(PackBlind, PacksByMemoryAloneUpToTheResidentsAllowed) {
  Bench bench{"1x2xV100-16GB", "pack-blind"};
  for (std::uint64_t id = 1; id <= 7; ++id) bench.add({.id = id, .mean_percent = 100});
  EXPECT_THAT(bench.start(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(bench.where(3), ElementsAre(0U));
  EXPECT_THAT(bench.where(4), ElementsAre(1U));
}

TEST(PackBlind, PassesOverWhatDoesNotFit) {
  Bench bench{"1x1xV100-16GB", "pack-blind"};
  bench.add({.id = 1, .memory_mib = 10'000});
  bench.add({.id = 2, .memory_mib = 10'000});
  bench.add({.id = 3, .memory_mib = 3'000});
  EXPECT_THAT(bench.start(), ElementsAre(1, 3));
}

TEST(PackBlind, StartsALoneJobOnEmptyGpusOnlyAndLetsNobodyJoin) {
  Bench bench{"1x2xV100-16GB", "pack-blind"};
  WaitingJob alone = sample::waiting(sample::job({.id = 2}));
  alone.alone = true;
  bench.add({.id = 1});
  bench.add(alone);
  bench.add({.id = 3});
  bench.add({.id = 4});
  EXPECT_THAT(bench.start(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(bench.where(2), ElementsAre(1U));
  EXPECT_THAT(bench.where(4), ElementsAre(0U));
}

TEST(Horus, StartsTheLightestFirstAndSpreads) {
  Bench bench{"1x2xV100-16GB", "horus"};
  bench.add({.id = 1, .mean_percent = 90, .max_percent = 90});
  bench.add({.id = 2, .mean_percent = 10, .max_percent = 10});
  bench.add({.id = 3, .mean_percent = 50, .max_percent = 50});
  EXPECT_THAT(bench.start(), ElementsAre(2, 3, 1));
  EXPECT_THAT(bench.where(2), ElementsAre(0U));
  EXPECT_THAT(bench.where(3), ElementsAre(1U));
  // On GPU 0: 10 % + 90 % is exactly full. On GPU 1: 40 % too much.
  EXPECT_THAT(bench.where(1), ElementsAre(0U));
}

TEST(Horus, LooksAtFiveJobsAndNoFurther) {
  for (const std::uint64_t too_large : {4U, 5U}) {
    Bench bench{"1x1xV100-16GB", "horus"};
    bench.add({.id = 100, .memory_mib = 10'000});
    EXPECT_THAT(bench.start(), ElementsAre(100));
    for (std::uint64_t id = 1; id <= too_large; ++id) {
      bench.add({.id = id, .mean_percent = 5, .memory_mib = 10'000});
    }
    bench.add({.id = 6, .mean_percent = 80, .max_percent = 80, .memory_mib = 1'000});
    EXPECT_EQ(bench.start().size(), too_large < 5 ? 1U : 0U);
  }
}

// Six light gangs that do not fit hide the heavy job from plain horus, which looks at five. At 60 s
// their credit is 6 x 10, that of the heavy job 1 x 60: after one gang it is the heavy job's turn.
TEST(HorusPlus, LetsAHeavyQueueTakeItsTurn) {
  for (const auto& [name, starts] : {std::pair{"horus", false}, std::pair{"horus+", true}}) {
    Bench bench{"1x2xV100-16GB", name};
    bench.add({.id = 1, .mean_percent = 1, .max_percent = 1, .memory_mib = 100});
    EXPECT_THAT(bench.start(), ElementsAre(1));
    bench.add({.id = 2, .mean_percent = 95, .max_percent = 95});
    for (std::uint64_t id = 3; id <= 8; ++id) {
      WaitingJob gang = sample::waiting(sample::job({.id = id, .gpus = 2, .mean_percent = 5}));
      gang.waiting_since = TimePoint{std::chrono::seconds{50}};
      gang.alone = true;
      bench.add(gang);
    }
    const auto started = bench.start(TimePoint{std::chrono::seconds{60}});
    EXPECT_EQ(started.size(), starts ? 1U : 0U) << name;
  }
}

TEST(Policies, ForgetRemovedJobs) {
  for (const std::string& name : policy_names()) {
    Bench bench{"1x1xV100-16GB", name};
    bench.add({.id = 1});
    bench.add({.id = 2, .mean_percent = 60});
    bench.remove(1);
    EXPECT_THAT(bench.start(), ElementsAre(2)) << name;
    bench.add({.id = 3});
    bench.remove(3);
    EXPECT_THAT(bench.start(), IsEmpty()) << name;
  }
}

TEST(Policies, ServeAJobThatComesBackInItsOldTurn) {
  for (const std::string name : {"fifo", "fifo-skip", "pack-blind"}) {
    Bench bench{"1x1xV100-16GB", name, BooksOptions{.max_residents = 1}};
    bench.add({.id = 5});
    bench.add({.id = 2});
    EXPECT_THAT(bench.start(), ElementsAre(2)) << name;
    bench.finish(2);
    bench.add({.id = 2});
    EXPECT_THAT(bench.start(), ElementsAre(2)) << name;
  }
}

// With equal sequences and any order of addition, the ids decide: the answer is the same.
TEST(Policies, DoNotDependOnTheOrderOfAddition) {
  for (const std::string& name : policy_names()) {
    std::vector<WaitingJob> jobs;
    Rng rng{41};
    for (std::uint64_t id = 1; id <= 60; ++id) {
      jobs.push_back(sample::waiting(sample::random_job(id, 2, 6, rng)));
      jobs.back().sequence = 7;
      jobs.back().alone = jobs.back().spec.gpus > 1;
    }
    Bench forward{"2x4xV100-16GB+1x4xA100-40GB", name};
    Bench backward{"2x4xV100-16GB+1x4xA100-40GB", name};
    for (const WaitingJob& job : jobs) forward.add(job);
    for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) backward.add(*job);
    const auto started = forward.start();
    EXPECT_FALSE(started.empty()) << name;
    EXPECT_EQ(started, backward.start()) << name;
    for (const std::uint64_t id : started) EXPECT_EQ(forward.where(id), backward.where(id));
  }
}

/// Gives some of `books`' GPUs away at random, and the same GPUs of `twin`.
void occupy(Books& books, Books& twin, Rng& rng) {
  for (std::uint64_t id = 1001; id < 1020; ++id) {
    const JobSpec job = sample::random_job(id, 1, 1, rng);
    const auto gpu = static_cast<GpuIndex>(rng.below(books.gpus().size()));
    const GpuAccount& account = books.gpus()[gpu];
    const Bytes after = account.memory + job.demand_by_type[0].memory_bound;
    const bool exclusive = account.residents == 0 && rng.uniform() < 0.2;
    const bool has_room = account.sharing == Sharing::Shared && account.residents < 3;
    if (!has_room || after > books.capacity(0)) continue;
    const Sharing sharing = exclusive ? Sharing::Exclusive : Sharing::Shared;
    books.book(job, Placement{.job = job.id, .gpus = {gpu}}, sharing);
    twin.book(job, Placement{.job = job.id, .gpus = {gpu}}, sharing);
  }
}

TEST(Policies, CanStartSomethingWithOneMoreGpuWhereTheyCouldWithout) {
  const Cluster small = sample::cluster("1x6xV100-16GB");
  const Cluster large = sample::cluster("1x7xV100-16GB");
  for (const std::string& name : policy_names()) {
    Rng rng{43};
    int starts = 0;
    constexpr int kRounds = 60;
    for (int round = 0; round < kRounds; ++round) {
      Books small_books{small, BooksOptions{}};
      Books large_books{large, BooksOptions{}};
      occupy(small_books, large_books, rng);
      const auto in_small = policy(name);
      const auto in_large = policy(name);
      for (std::uint64_t id = 1; id <= 3; ++id) {
        WaitingJob job = sample::waiting(sample::random_job(id, 1, 6, rng));
        job.alone = job.spec.gpus > 1;
        in_small->add(job);
        in_large->add(job);
      }
      if (!in_small->next(small_books, {})) continue;
      ++starts;
      ASSERT_TRUE(in_large->next(large_books, {})) << name << ", seed 43, round " << round;
    }
    EXPECT_GT(starts, 0) << name;
    EXPECT_LT(starts, kRounds) << name;
  }
}

}  // namespace
}  // namespace horus::sched
