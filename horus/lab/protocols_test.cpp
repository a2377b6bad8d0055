// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/protocols.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "horus/lab/folds.hpp"
#include "horus/lab/pair_scores.hpp"

namespace horus::lab {
namespace {

/// One guess: what the fit behind it had seen, and whom it was asked for.
struct Question {
  std::vector<const Sample*> pool;
  std::vector<const Sample*> target;
  const Sample* sample{};
};

/// Fits nothing, and writes down what it is given.
class Witness final : public Method {
 public:
  class Seen final : public Fitted {
   public:
    Seen(Training training, std::vector<Question>& questions)
        : pool_(training.pool.begin(), training.pool.end()),
          target_(training.target.begin(), training.target.end()),
          questions_{questions} {}
    [[nodiscard]] Guess guess(const Sample& sample) const override {
      questions_.push_back({pool_, target_, &sample});
      Guess guess;
      guess.utilization = Interval{.expected = 0.4, .low = 0.3, .high = 0.5};
      return guess;
    }

   private:
    std::vector<const Sample*> pool_;
    std::vector<const Sample*> target_;
    std::vector<Question>& questions_;
  };

  [[nodiscard]] std::unique_ptr<Fitted> fit(const Training& training) const override {
    return std::make_unique<Seen>(training, questions);
  }
  [[nodiscard]] std::unique_ptr<Fitted> as_is(const predict::Model&) const override {
    return std::make_unique<Seen>(Training{}, questions);
  }

  mutable std::vector<Question> questions;
};

/// The same for pairs.
class SharingWitness final : public SharingMethod {
 public:
  struct PairQuestion {
    std::vector<const Pair*> pool;  ///< Of the samples, which do not outlive the run.
    const Pair* pair{};
  };
  class Seen final : public FittedSharing {
   public:
    Seen(std::span<const SharedSample* const> pool, std::vector<PairQuestion>& questions,
         double chance)
        : questions_{questions}, chance_{chance} {
      for (const SharedSample* sample : pool) pool_.push_back(sample->pair);
    }
    [[nodiscard]] SharedGuess guess(const SharedSample& sample) const override {
      questions_.push_back({pool_, sample.pair});
      return {.slowdowns = {Interval{1, 1, 1}, Interval{1, 1, 1}},
              .good = chance_,
              .utilization = {},
              .memory = {}};
    }

   private:
    std::vector<const Pair*> pool_;
    std::vector<PairQuestion>& questions_;
    double chance_;
  };
  [[nodiscard]] std::unique_ptr<FittedSharing> fit(
      std::span<const SharedSample* const> pool) const override {
    return std::make_unique<Seen>(pool, questions, chance);
  }
  [[nodiscard]] std::unique_ptr<FittedSharing> as_is(const predict::Model&) const override {
    return std::make_unique<Seen>(std::span<const SharedSample* const>{}, questions, chance);
  }

  double chance{1};  ///< That any pair turns out good.
  mutable std::vector<PairQuestion> questions;
};

/// A measured world: models of families, on GPUs in hosts.
class World {
 public:
  void add(std::vector<Sample>& to, const std::string& model, const std::string& family,
           const std::string& gpu, const std::string& host) {
    Row row;
    row.id = fmt::format("row {}", rows_.size());
    row.model = model;
    row.family = family;
    row.gpu = gpu;
    row.host = host;
    row.measured.utilization = 0.5;
    rows_.push_back(std::move(row));
    Sample sample;
    sample.row = &rows_.back();
    to.push_back(std::move(sample));
  }

  [[nodiscard]] Evidence evidence() const {
    return {.judged = judged, .pairs = pairs, .companions = companions, .permissive = permissive};
  }

  std::vector<Sample> judged;
  std::vector<Pair> pairs;
  std::vector<Sample> companions;
  std::vector<Sample> permissive;

 private:
  std::deque<Row> rows_;
};

/// Five models of three families, on two GPUs of one host, at three batches each: 30 rows.
World world_of_two_gpus() {
  World world;
  const std::vector<std::pair<const char*, const char*>> models{{"ResNet-18", "resnet"},
                                                                {"ResNet-50", "resnet"},
                                                                {"VGG", "vgg"},
                                                                {"LSTM", "lstm"},
                                                                {"GRU", "lstm"}};
  for (const auto& [model, family] : models) {
    for (int batch = 0; batch < 3; ++batch) {
      world.add(world.judged, model, family, "T4", "cloud");
      world.add(world.judged, model, family, "V100-16GB", "cloud");
    }
  }
  world.add(world.companions, "resnet18", "resnet", "T4", "cloud");
  world.add(world.companions, "AlexNet", "alexnet", "T4", "cloud");
  for (const char* gpu : {"T4", "P100-16GB", "K80"}) {
    world.add(world.permissive, "resnet18", "resnet", gpu, "lab");
    world.add(world.permissive, "vgg16", "vgg", gpu, "cloud");
  }
  return world;
}

struct Trial {
  World world;
  Witness time;
  Witness memory;
  SharingWitness sharing;

  Result<ProtocolRun> run(Protocol protocol, const ProtocolOptions& options = {}) {
    const Evidence evidence = world.evidence();
    return run_protocol(
        protocol, evidence,
        {.time = &time, .memory = &memory, .sharing = &sharing, .model = &predict::shipped_model()},
        options);
  }
};

/// The groups that a fit had seen, and that of whom it was asked for.
template <class Key>
void expect_unseen(const std::vector<Question>& questions, Key key) {
  ASSERT_FALSE(questions.empty());
  for (const Question& question : questions) {
    ASSERT_FALSE(question.pool.empty());
    for (const Sample* seen : question.pool) {
      ASSERT_NE(key(*seen->row), key(*question.sample->row)) << question.sample->row->id;
    }
    for (const Sample* known : question.target) {
      ASSERT_TRUE(std::ranges::find(question.pool, known) != question.pool.end());
    }
  }
}

TEST(LeaveOneModelOut, NeverSeesTheModelByWhateverSpelling) {
  Trial trial{world_of_two_gpus(), {}, {}, {}};
  const auto run = trial.run(Protocol::ModelOut);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ(run->folds, 5U);
  EXPECT_EQ(run->draws.front().rows.size(), 30U);
  expect_unseen(trial.time.questions, [](const Row& row) { return group_key(row.model); });
  // Nothing was measured of memory, so that nothing is fitted for it.
  EXPECT_TRUE(trial.memory.questions.empty());
}

TEST(FamilyOut, NeverSeesTheFamily) {
  Trial trial{world_of_two_gpus(), {}, {}, {}};
  ASSERT_TRUE(trial.run(Protocol::FamilyOut));
  expect_unseen(trial.time.questions, [](const Row& row) { return row.family; });
}

TEST(GpuOut, SeesNeitherTheGpuNorATarget) {
  Trial trial{world_of_two_gpus(), {}, {}, {}};
  ASSERT_TRUE(trial.run(Protocol::GpuOut));
  expect_unseen(trial.time.questions, [](const Row& row) { return row.gpu; });
  for (const Question& question : trial.time.questions) EXPECT_TRUE(question.target.empty());
}

TEST(Random, NeverSeesTheRowButItsModel) {
  Trial trial{world_of_two_gpus(), {}, {}, {}};
  ASSERT_TRUE(trial.run(Protocol::Random));
  expect_unseen(trial.time.questions, [](const Row& row) { return row.id; });
}

TEST(ZeroShot, SeesPermissiveRowsOfOtherGpusAndHostsOnly) {
  Trial trial{world_of_two_gpus(), {}, {}, {}};
  const auto run = trial.run(Protocol::ZeroShot);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ(run->folds, 2U);
  expect_unseen(trial.time.questions, [](const Row& row) { return row.gpu; });
  expect_unseen(trial.time.questions, [](const Row& row) { return row.host; });
  for (const Question& question : trial.time.questions) EXPECT_TRUE(question.target.empty());
}

TEST(ZeroShot, IsRefusedWithoutPermissiveRows) {
  Trial trial{world_of_two_gpus(), {}, {}, {}};
  trial.world.permissive.clear();
  const auto run = trial.run(Protocol::ZeroShot);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::InvalidArgument);
  // Of the target's host only: as good as nothing.
  trial.world.add(trial.world.permissive, "vgg16", "vgg", "K80", "cloud");
  EXPECT_FALSE(trial.run(Protocol::ZeroShot));
}

TEST(CalibratedFive, LearnsFiveJobsOfEachTargetAndIsNotJudgedOnThem) {
  Trial trial{world_of_two_gpus(), {}, {}, {}};
  const auto run = trial.run(Protocol::CalibratedFive, {.seed = 3, .draws = 4});
  ASSERT_TRUE(run) << run.error().text();
  ASSERT_EQ(run->draws.size(), 4U);
  for (const Scores& draw : run->draws) EXPECT_EQ(draw.rows.size(), 20U);
  for (const Question& question : trial.time.questions) {
    ASSERT_EQ(question.target.size(), 5U);
    for (const Sample* known : question.target) {
      EXPECT_EQ(known->row->gpu, question.sample->row->gpu);
    }
  }
  std::set<std::vector<const Row*>> draws;
  for (const Scores& draw : run->draws) {
    std::vector<const Row*> rows;
    for (const RowScore& score : draw.rows) rows.push_back(score.row);
    draws.insert(std::move(rows));
  }
  EXPECT_EQ(draws.size(), 4U);
}

TEST(CalibratedFive, TellsModelsThatTheTargetMeasuredFromOthers) {
  Trial trial{world_of_two_gpus(), {}, {}, {}};
  const auto run = trial.run(Protocol::CalibratedFive, {.seed = 3, .draws = 1});
  ASSERT_TRUE(run) << run.error().text();
  std::map<const Row*, bool> met;
  for (const Question& question : trial.time.questions) {
    met[question.sample->row] = std::ranges::any_of(question.target, [&](const Sample* known) {
      return known->row->model == question.sample->row->model;
    });
  }
  std::set<bool> kinds;
  for (const RowScore& score : run->draws.front().rows) {
    EXPECT_EQ(score.model_met, met.at(score.row)) << score.row->id;
    kinds.insert(score.model_met);
  }
  EXPECT_EQ(kinds.size(), 2U);
}

TEST(Shipped, FitsNothing) {
  Trial trial{world_of_two_gpus(), {}, {}, {}};
  const auto run = trial.run(Protocol::Shipped);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->folds, 0U);
  ASSERT_EQ(trial.time.questions.size(), 30U);
  for (const Question& question : trial.time.questions) EXPECT_TRUE(question.pool.empty());
}

TEST(Protocols, AreRefusedWhereNothingIsLeftToTrainOn) {
  Trial trial;
  trial.world.add(trial.world.judged, "VGG", "vgg", "T4", "cloud");
  trial.world.add(trial.world.judged, "VGG", "vgg", "T4", "cloud");
  for (const Protocol protocol : {Protocol::ModelOut, Protocol::FamilyOut, Protocol::GpuOut}) {
    const auto run = trial.run(protocol);
    ASSERT_FALSE(run);
    EXPECT_NE(run.error().message.find("nothing is left"), std::string::npos);
  }
}

TEST(Protocols, SayWhereSeveralGroupsAreHeldOutAtOnce) {
  Trial trial{world_of_two_gpus(), {}, {}, {}};
  const auto run = trial.run(Protocol::ModelOut, {.folds_max = 2});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->folds, 2U);
  ASSERT_EQ(run->notes.size(), 1U);
  EXPECT_NE(run->notes.front().find("5 models"), std::string::npos) << run->notes.front();
  expect_unseen(trial.time.questions, [](const Row& row) { return group_key(row.model); });
}

TEST(Protocols, AreFoundByName) {
  for (const ProtocolRule& rule : protocol_rules()) {
    const auto found = parse_protocol(rule.name);
    ASSERT_TRUE(found) << rule.name;
    EXPECT_EQ(*found, rule.protocol);
  }
  const auto unknown = parse_protocol("family-off");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("family-out"), std::string::npos);
}

// ---- Pairs --------------------------------------------------------------------------------------

/// Every two of the first rows of each model, each with itself too.
void add_pairs(World& world) {
  for (std::size_t i = 0; i < world.judged.size(); i += 6) {
    for (std::size_t j = i; j < world.judged.size(); j += 6) {
      Pair pair;
      pair.id = fmt::format("pair {} {}", i, j);
      pair.first = i;
      pair.second = j;
      pair.slowdown_first = 1.1;
      pair.slowdown_second = 1.2;
      world.pairs.push_back(std::move(pair));
    }
  }
}

TEST(PairScores, HoldOutAllPairsThatTouchTheModel) {
  Trial trial{world_of_two_gpus(), {}, {}, {}};
  add_pairs(trial.world);
  const auto run = trial.run(Protocol::ModelOut);
  ASSERT_TRUE(run);
  // 10 pairs of two models are scored for both, 5 of one model once.
  EXPECT_EQ(run->draws.front().pairs.size(), 25U);
  const auto model = [&](std::size_t sample) { return trial.world.judged[sample].row->model; };
  for (const PairScore& score : run->draws.front().pairs) {
    const std::string held_out = models_of(trial.world.judged)[score.model];
    EXPECT_TRUE(model(score.pair->first) == held_out || model(score.pair->second) == held_out);
  }
  for (const auto& question : trial.sharing.questions) {
    const std::set<std::string> asked{model(question.pair->first), model(question.pair->second)};
    const bool is_unseen = std::ranges::any_of(asked, [&](const std::string& one) {
      return std::ranges::none_of(question.pool, [&](const Pair* seen) {
        return model(seen->first) == one || model(seen->second) == one;
      });
    });
    EXPECT_TRUE(is_unseen) << question.pair->id;
  }
}

TEST(PairScores, LeaveOutPairsThatDidNotRun) {
  Trial trial{world_of_two_gpus(), {}, {}, {}};
  add_pairs(trial.world);
  for (Pair& pair : trial.world.pairs) pair.slowdown_second = 0;
  const auto run = trial.run(Protocol::Shipped);
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->draws.front().pairs.empty());
}

TEST(PairScores, PackTwoJobsThatAreLikelyToGoTogether) {
  for (const double chance : {kPackChance, kPackChance - 0.001}) {
    Trial trial{world_of_two_gpus(), {}, {}, {}};
    trial.sharing.chance = chance;
    add_pairs(trial.world);
    const auto run = trial.run(Protocol::Shipped);
    ASSERT_TRUE(run);
    ASSERT_FALSE(run->draws.front().pairs.empty());
    for (const PairScore& score : run->draws.front().pairs) {
      EXPECT_EQ(score.packed, chance >= kPackChance);
      EXPECT_EQ(score.gpu, trial.world.judged[score.pair->first].row->gpu);
    }
  }
}

}  // namespace
}  // namespace horus::lab
