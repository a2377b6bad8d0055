// SPDX-License-Identifier: Apache-2.0
#pragma once
// Families of networks that read tokens: a table of plans, and what all of its rows share.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "horus/zoo/families/family.hpp"

namespace horus::zoo {

template <class Plan>
struct LanguageModel {
  const char* name{};
  const char* what{};  ///< "BERT-base cased": the description's beginning.
  Plan plan{};
  std::int64_t batch{};  ///< A customary training batch for one GPU.
  std::vector<std::string> aliases;
};

template <class Plan>
struct LanguageFamily {
  const char* about{};          ///< The description's end, with its source.
  const char* input{};          ///< "128 tokens".
  std::int64_t sequence{};      ///< The default, in tokens.
  std::int64_t sequence_max{};  ///< In tokens.
  void (*build)(Builder& b, const Plan& plan, std::int64_t sequence){};
};

/// An entry for each model of the family.
template <class Plan, std::size_t count>
std::vector<Entry> language_entries(const std::array<LanguageModel<Plan>, count>& models,
                                    const LanguageFamily<Plan>& family) {
  std::vector<Entry> entries;
  for (const LanguageModel<Plan>& model : models) {
    Architecture architecture{.name = model.name,
                              .description = std::string{model.what} + family.about,
                              .input = family.input,
                              .default_batch = model.batch,
                              .default_sequence = family.sequence};
    entries.push_back(
        {.architecture = std::move(architecture),
         .sequence_max = family.sequence_max,
         .aliases = model.aliases,
         .build = [plan = model.plan, build = family.build](Builder& b, const Sizes& sizes) {
           build(b, plan, sizes.sequence);
         }});
  }
  return entries;
}

}  // namespace horus::zoo
