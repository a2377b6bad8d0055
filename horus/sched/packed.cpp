// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/packed.hpp"

#include <algorithm>
#include <cstdint>

namespace horus::sched {
namespace {

constexpr Bytes kGrain{std::int64_t{64} << 20};

Bytes round_up(Bytes memory) {
  const std::int64_t grains = (memory.count() + kGrain.count() - 1) / kGrain.count();
  return grains * kGrain;
}

/// GPUs chosen so far and the jobs met on them.
struct Picked {
  std::vector<GpuIndex> gpus;
  std::size_t residents{};
};

/// Picks from `types` together: by residents, then by number.
Picked pick(const Books& books, const PackAsk& ask, TypeSet types) {
  const auto wanted = static_cast<std::size_t>(ask.gpus);
  Picked picked;
  const int most = ask.alone ? 1 : books.options().max_residents;
  for (int residents = 0; residents < most && picked.gpus.size() < wanted; ++residents) {
    const std::size_t before = picked.gpus.size();
    for (std::size_t type = 0; type < books.type_count(); ++type) {
      if (!holds(types, type)) continue;
      if (residents == 0) {
        books.append_empty(type, wanted - before, picked.gpus);
        continue;
      }
      const Bytes booked_max = books.capacity(type) - ask.memory_by_type[type];
      books.append_with_room({.type = type, .residents = residents, .booked_max = booked_max},
                             wanted - before, picked.gpus);
    }
    std::sort(picked.gpus.begin() + static_cast<std::ptrdiff_t>(before), picked.gpus.end());
    if (picked.gpus.size() > wanted) picked.gpus.resize(wanted);
    picked.residents += static_cast<std::size_t>(residents) * (picked.gpus.size() - before);
  }
  return picked;
}

}  // namespace

PackAsk pack_ask(const Books& books, const WaitingJob& job) {
  PackAsk ask{.gpus = job.spec.gpus, .alone = job.alone, .choice = {}, .memory_by_type = {}};
  const TypeSet fitting = fitting_types(books, job.spec, Bytes{});
  ask.choice = choose_types(books, fitting, static_cast<std::size_t>(job.spec.gpus));
  ask.memory_by_type.resize(books.type_count());
  for (std::size_t type = 0; type < books.type_count(); ++type) {
    const Bytes bound = job.spec.demand_by_type[type].memory_bound;
    if (holds(ask.choice.types, type) && !job.alone) {
      ask.memory_by_type[type] = std::min(round_up(bound), books.capacity(type));
    }
  }
  return ask;
}

std::vector<GpuIndex> pack(const Books& books, const PackAsk& ask) {
  const auto wanted = static_cast<std::size_t>(ask.gpus);
  Picked best;
  if (ask.choice.mixed || wanted == 1) {
    best = pick(books, ask, ask.choice.types);
  } else {
    for (std::size_t type = 0; type < books.type_count(); ++type) {
      if (!holds(ask.choice.types, type)) continue;
      Picked picked = pick(books, ask, TypeSet{1} << type);
      const bool is_better = best.gpus.empty() || picked.residents < best.residents;
      if (picked.gpus.size() == wanted && is_better) best = std::move(picked);
    }
  }
  if (best.gpus.size() < wanted) best.gpus.clear();
  std::ranges::sort(best.gpus);
  return std::move(best.gpus);
}

}  // namespace horus::sched
