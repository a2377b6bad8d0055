// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/priced.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "horus/sched/cost.hpp"
#include "horus/sched/type_choice.hpp"

namespace horus::sched {
namespace {

/// How a job may be placed.
struct Terms {
  TypeChoice choice;
  Sharing sharing{Sharing::Shared};
};

Terms terms_of(const Books& books, const WaitingJob& job) {
  const auto gpus = static_cast<std::size_t>(job.spec.gpus);
  if (!job.alone) {
    // Room is strict: a byte more than the margin stays free.
    const TypeSet roomy = fitting_types(books, job.spec, kMemoryMargin + Bytes{1});
    const TypeChoice choice = choose_types(books, roomy, gpus);
    if (choice.types != 0) return Terms{.choice = choice, .sharing = Sharing::Shared};
  }
  return Terms{.choice = choose_types(books, fitting_types(books, job.spec, Bytes{}), gpus),
               .sharing = Sharing::Exclusive};
}

void offer_type(const Books& books, const JobSpec& job, std::size_t type, Sharing sharing,
                CheapestGpus& best) {
  const TaskDemand& task = job.demand_by_type[type];
  const bool shared = sharing == Sharing::Shared;
  books.offer_cheapest({.type = type,
                        .task = task,
                        .booked_max = shared ? memory_limit(task, books.capacity(type)) : Bytes{},
                        .max_residents = shared ? kMaxResidents : 1},
                       best);
}

double total_cost(const std::vector<PricedGpu>& gpus) {
  double total = 0.0;
  for (const PricedGpu& gpu : gpus) total += gpu.cost;
  return total;
}

/// The cheapest GPUs of all types together; fewer than wanted when there is no room.
std::vector<PricedGpu> cheapest_of_all(const Books& books, const JobSpec& job, const Terms& terms) {
  CheapestGpus best{static_cast<std::size_t>(job.gpus)};
  for (std::size_t type = 0; type < books.type_count(); ++type) {
    if (holds(terms.choice.types, type)) offer_type(books, job, type, terms.sharing, best);
  }
  return best.take_sorted();
}

/// The cheapest GPUs of the type on which they are the cheapest; none when no type has room.
std::vector<PricedGpu> cheapest_of_one(const Books& books, const JobSpec& job, const Terms& terms) {
  std::vector<PricedGpu> chosen;
  double chosen_cost = std::numeric_limits<double>::infinity();
  for (std::size_t type = 0; type < books.type_count(); ++type) {
    if (!holds(terms.choice.types, type)) continue;
    CheapestGpus best{static_cast<std::size_t>(job.gpus)};
    offer_type(books, job, type, terms.sharing, best);
    if (!best.complete()) continue;
    auto gpus = best.take_sorted();
    const double cost = total_cost(gpus);
    if (cost < chosen_cost) {
      chosen = std::move(gpus);
      chosen_cost = cost;
    }
  }
  return chosen;
}

}  // namespace

std::optional<Decision> place_by_cost(const Books& books, const WaitingJob& job) {
  const Terms terms = terms_of(books, job);
  const bool pooled = terms.choice.mixed || job.spec.gpus == 1;
  const auto priced =
      pooled ? cheapest_of_all(books, job.spec, terms) : cheapest_of_one(books, job.spec, terms);
  if (priced.size() < static_cast<std::size_t>(job.spec.gpus)) return std::nullopt;
  Decision decision{.placement = {.job = job.spec.id, .gpus = {}},
                    .exclusive = terms.sharing == Sharing::Exclusive};
  for (const PricedGpu& gpu : priced) decision.placement.gpus.push_back(gpu.gpu);
  std::ranges::sort(decision.placement.gpus);
  return decision;
}

}  // namespace horus::sched
