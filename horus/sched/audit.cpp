// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/audit.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace horus::sched {
namespace {

/// What the bookings alone say about one GPU.
struct Recount {
  GpuAccount account;
  bool exclusive{};
};

std::optional<std::string> count_booking(const Books& books, JobId id, const Booking& booking,
                                         std::vector<Recount>& recounts) {
  if (booking.gpus.empty()) return fmt::format("job {} runs nowhere", id.value);
  if (std::ranges::adjacent_find(booking.gpus, std::greater_equal{}) != booking.gpus.end()) {
    return fmt::format("job {} has two tasks on one GPU", id.value);
  }
  for (const GpuIndex gpu : booking.gpus) {
    GpuAccount& account = recounts[gpu].account;
    const TaskDemand& demand = booking.demand_by_type[books.gpus()[gpu].type];
    account.memory += demand.memory_bound;
    account.utilization_mean += demand.utilization_mean;
    account.utilization_max += demand.utilization_max;
    ++account.residents;
    recounts[gpu].exclusive |= booking.sharing == Sharing::Exclusive;
    if (std::ranges::count(books.residents(gpu), id) != 1) {
      return fmt::format("job {} is not a resident of its GPU {}", id.value, gpu);
    }
  }
  return std::nullopt;
}

std::optional<std::string> check_gpu(const Books& books, GpuIndex gpu, Recount recount) {
  const GpuAccount& account = books.gpus()[gpu];
  recount.account.type = account.type;
  recount.account.sharing = recount.exclusive ? Sharing::Exclusive : Sharing::Shared;
  if (account != recount.account) {
    return fmt::format("the account of GPU {} is not the sum of its bookings", gpu);
  }
  if (account.memory > books.capacity(account.type)) {
    return fmt::format("GPU {} has {} bytes promised and holds {}", gpu, account.memory.count(),
                       books.capacity(account.type).count());
  }
  if (account.residents > books.options().max_residents) {
    return fmt::format("GPU {} has {} residents", gpu, account.residents);
  }
  if (recount.exclusive && account.residents != 1) {
    return fmt::format("an exclusive job has company on GPU {}", gpu);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> audit(const Books& books) {
  std::vector<Recount> recounts(books.gpus().size());
  for (const auto& [id, booking] : books.bookings()) {
    if (auto broken = count_booking(books, id, booking, recounts)) return broken;
  }
  std::vector<std::size_t> empty(books.type_count());
  for (GpuIndex gpu = 0; gpu < recounts.size(); ++gpu) {
    if (auto broken = check_gpu(books, gpu, recounts[gpu])) return broken;
    if (recounts[gpu].account.residents == 0) ++empty[books.gpus()[gpu].type];
  }
  for (std::size_t type = 0; type < empty.size(); ++type) {
    if (empty[type] != books.empty_of(type)) {
      return fmt::format("{} GPUs of type {} are empty, the books say {}", empty[type], type,
                         books.empty_of(type));
    }
  }
  return std::nullopt;
}

}  // namespace horus::sched
