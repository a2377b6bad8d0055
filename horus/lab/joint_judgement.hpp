// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several data sets held out together: folds are made and fitted once, each set is judged by
// itself.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "horus/lab/evaluate.hpp"
#include "horus/lab/protocols.hpp"
#include "horus/lab/row.hpp"

namespace horus::lab {

/// A data set with the samples of its rows, same order.
struct TrainingSet {
  const Dataset* dataset{};
  std::span<const Sample> samples;
};

/// What one data set's rows and pairs say of a protocol.
struct SetJudgement {
  const Dataset* dataset{};
  Judgement judgement;
};

class JointJudgement {
 public:
  /// Keeps copies of the samples, but not of the data sets, which must outlive it.
  explicit JointJudgement(std::span<const TrainingSet> sets);

  /// Runs `protocol` over all sets at once. Sets of which it says nothing are missing. Errors: as
  /// run_protocol.
  [[nodiscard]] Result<std::vector<SetJudgement>> run(Protocol protocol, const Methods& methods,
                                                      const ProtocolOptions& options,
                                                      const JudgeOptions& judging) const;

 private:
  struct Member {
    const Dataset* dataset{};
    std::span<const Pair> pairs;           ///< Of this set, in `pairs_`.
    std::vector<std::string> models;       ///< As models_of gives them.
    std::vector<std::size_t> model_index;  ///< By model of all sets: its index in `models`.
  };

  [[nodiscard]] static std::vector<Scores> scores_of(const Member& member,
                                                     std::span<const Scores> draws);

  std::vector<Sample> samples_;
  std::vector<Pair> pairs_;  ///< Members by index into `samples_`.
  std::vector<Member> members_;
};

}  // namespace horus::lab
