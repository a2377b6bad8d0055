// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/parts.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace horus::lab {
namespace {

/// `draws` without the rows and pairs that the predicates do not want.
template <class OfRow, class OfPair>
std::vector<Scores> chosen(std::span<const Scores> draws, OfRow wants_row, OfPair wants_pair) {
  std::vector<Scores> out;
  for (const Scores& draw : draws) {
    Scores scores;
    std::ranges::copy_if(draw.rows, std::back_inserter(scores.rows), wants_row);
    std::ranges::copy_if(draw.pairs, std::back_inserter(scores.pairs), wants_pair);
    out.push_back(std::move(scores));
  }
  return out;
}

void add_gpus(std::vector<Part>& parts, std::span<const Scores> draws) {
  std::set<std::string> gpus;
  for (const Scores& draw : draws) {
    for (const RowScore& score : draw.rows) gpus.insert(score.row->gpu);
  }
  if (gpus.size() < 2) return;
  for (const std::string& gpu : gpus) {
    parts.push_back({gpu, chosen(
                              draws, [&](const RowScore& row) { return row.row->gpu == gpu; },
                              [&](const PairScore& pair) { return pair.gpu == gpu; })});
  }
}

void add_models_met(std::vector<Part>& parts, std::span<const Scores> draws) {
  const auto has = [&](bool met) {
    return std::ranges::any_of(draws, [met](const Scores& draw) {
      return std::ranges::find(draw.rows, met, &RowScore::model_met) != draw.rows.end();
    });
  };
  if (!has(true) || !has(false)) return;
  for (const bool met : {true, false}) {
    parts.push_back({met ? "models met" : "models new",
                     chosen(
                         draws, [met](const RowScore& row) { return row.model_met == met; },
                         [](const PairScore& /*pair*/) { return false; })});
  }
}

}  // namespace

std::vector<Part> parts_of(std::span<const Scores> draws) {
  std::vector<Part> parts;
  add_gpus(parts, draws);
  add_models_met(parts, draws);
  return parts;
}

}  // namespace horus::lab
