// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/joint_judgement.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace horus::lab {
namespace {

/// Whether `item` points into `items`.
template <class T>
bool is_in(const T* item, std::span<const T> items) {
  const std::less<const T*> before;
  return !before(item, items.data()) && before(item, items.data() + items.size());
}

}  // namespace

JointJudgement::JointJudgement(std::span<const TrainingSet> sets) {
  for (const TrainingSet& set : sets) {
    const std::size_t first = samples_.size();
    samples_.insert(samples_.end(), set.samples.begin(), set.samples.end());
    for (Pair pair : set.dataset->pairs) {
      pair.first += first;
      pair.second += first;
      pairs_.push_back(std::move(pair));
    }
  }
  const std::vector<std::string> all = models_of(samples_);
  std::size_t next = 0;
  for (const TrainingSet& set : sets) {
    Member member{.dataset = set.dataset,
                  .pairs = std::span{pairs_}.subspan(next, set.dataset->pairs.size()),
                  .models = models_of(set.samples),
                  .model_index = {}};
    next += member.pairs.size();
    for (const std::string& model : all) {
      const auto found = std::ranges::lower_bound(member.models, model);
      member.model_index.push_back(static_cast<std::size_t>(found - member.models.begin()));
    }
    members_.push_back(std::move(member));
  }
}

std::vector<Scores> JointJudgement::scores_of(const Member& member, std::span<const Scores> draws) {
  std::vector<Scores> own;
  for (const Scores& draw : draws) {
    Scores scores;
    for (RowScore row : draw.rows) {
      if (!is_in(row.row, std::span<const Row>{member.dataset->rows})) continue;
      row.model = member.model_index[row.model];
      scores.rows.push_back(std::move(row));
    }
    for (PairScore pair : draw.pairs) {
      if (!is_in(pair.pair, member.pairs)) continue;
      pair.model = member.model_index[pair.model];
      scores.pairs.push_back(std::move(pair));
    }
    own.push_back(std::move(scores));
  }
  return own;
}

Result<std::vector<SetJudgement>> JointJudgement::run(Protocol protocol, const Methods& methods,
                                                      const ProtocolOptions& options,
                                                      const JudgeOptions& judging) const {
  const Evidence evidence{.judged = samples_, .pairs = pairs_, .companions = {}, .permissive = {}};
  HORUS_TRY(const ProtocolRun run, run_protocol(protocol, evidence, methods, options));
  std::vector<SetJudgement> out;
  for (const Member& member : members_) {
    const std::vector<Scores> scores = scores_of(member, run.draws);
    Judgement judgement = judge(scores, member.models, judging);
    if (judgement.figures.empty()) continue;
    out.push_back({member.dataset, std::move(judgement)});
  }
  return out;
}

}  // namespace horus::lab
