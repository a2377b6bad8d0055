// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/exclusive.hpp"

#include <algorithm>

namespace horus::sched {
namespace {

std::size_t empty_in(const Books& books, TypeChoice choice, std::size_t type) {
  return holds(choice.types, type) ? books.empty_of(type) : 0;
}

}  // namespace

bool has_empty(const Books& books, TypeChoice choice, std::size_t gpus) {
  std::size_t total = 0;
  for (std::size_t type = 0; type < books.type_count(); ++type) {
    const std::size_t empty = empty_in(books, choice, type);
    if (empty >= gpus) return true;
    total += empty;
  }
  return choice.mixed && total >= gpus;
}

std::optional<Decision> place_exclusive(const Books& books, const JobSpec& job, TypeChoice choice) {
  const auto wanted = static_cast<std::size_t>(job.gpus);
  if (!has_empty(books, choice, wanted)) return std::nullopt;
  Decision decision{.placement = {.job = job.id, .gpus = {}}, .exclusive = true};
  auto& gpus = decision.placement.gpus;
  gpus.reserve(wanted);
  for (std::size_t type = 0; type < books.type_count() && gpus.size() < wanted; ++type) {
    const std::size_t empty = empty_in(books, choice, type);
    if (choice.mixed || empty >= wanted) {
      books.append_empty(type, std::min(empty, wanted - gpus.size()), gpus);
    }
  }
  std::ranges::sort(gpus);
  return decision;
}

}  // namespace horus::sched
