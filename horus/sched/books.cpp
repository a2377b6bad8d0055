// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/books.hpp"

#include <algorithm>
#include <utility>

#include "horus/base/check.hpp"

namespace horus::sched {

Books::Books(const Cluster& cluster, const BooksOptions& options) : options_{options} {
  HORUS_CHECK(options.max_residents >= 1 && options.max_residents <= kMaxResidentsLimit,
              "max_residents is from 1 to 16");
  std::vector<std::vector<GpuIndex>> members(cluster.types().size());
  gpus_.resize(cluster.gpus().size());
  ranks_.resize(gpus_.size());
  residents_.resize(gpus_.size() * static_cast<std::size_t>(options.max_residents));
  for (GpuIndex gpu = 0; gpu < gpus_.size(); ++gpu) {
    const std::uint16_t type = cluster.gpus()[gpu].type;
    gpus_[gpu].type = type;
    ranks_[gpu] = static_cast<std::uint32_t>(members[type].size());
    members[type].push_back(gpu);
  }
  for (std::size_t type = 0; type < members.size(); ++type) {
    IndexSet empty{static_cast<std::uint32_t>(members[type].size())};
    for (std::uint32_t rank = 0; rank < members[type].size(); ++rank) empty.insert(rank);
    types_.push_back(TypeBooks{.capacity = cluster.types()[type].memory,
                               .members = std::move(members[type]),
                               .empty = std::move(empty),
                               .shared = {}});
    types_.back().shared.resize(static_cast<std::size_t>(options.max_residents) - 1);
  }
}

std::span<const JobId> Books::residents(GpuIndex gpu) const {
  const auto places = static_cast<std::size_t>(options_.max_residents);
  return std::span{residents_}.subspan(gpu * places, gpus_[gpu].residents);
}

void Books::book(const JobSpec& job, const Placement& placement, Sharing sharing) {
  const auto& gpus = placement.gpus;
  HORUS_CHECK(placement.job == job.id, "a placement belongs to the job that is booked");
  HORUS_CHECK(!gpus.empty() && gpus.size() == static_cast<std::size_t>(job.gpus),
              "a gang starts whole: one GPU per task");
  HORUS_CHECK(std::ranges::adjacent_find(gpus, std::greater_equal{}) == gpus.end(),
              "the tasks of a gang take distinct GPUs, in order");
  HORUS_CHECK(gpus.back() < gpus_.size(), "GPUs are counted from 0");
  HORUS_CHECK(job.demand_by_type.size() == types_.size(), "one demand per GPU type");
  const auto [entry, is_new] = bookings_.try_emplace(
      job.id, Booking{.gpus = gpus, .demand_by_type = job.demand_by_type, .sharing = sharing});
  HORUS_CHECK(is_new, "a job runs once at a time");
  for (const GpuIndex gpu : gpus) enter(gpu, job.id, entry->second);
}

void Books::release(JobId job) {
  const auto entry = bookings_.find(job);
  HORUS_CHECK(entry != bookings_.end(), "only a running job can be released");
  for (const GpuIndex gpu : entry->second.gpus) strike(gpu, job, entry->second);
  bookings_.erase(entry);
}

void Books::enter(GpuIndex gpu, JobId job, const Booking& booking) {
  GpuAccount& account = gpus_[gpu];
  const TaskDemand& demand = booking.demand_by_type[account.type];
  HORUS_CHECK(account.sharing == Sharing::Shared, "an exclusive GPU takes no second job");
  HORUS_CHECK(booking.sharing == Sharing::Shared || account.residents == 0,
              "an exclusive job takes empty GPUs only");
  HORUS_CHECK(account.residents < options_.max_residents,
              "a GPU has a limited number of residents");
  HORUS_CHECK(account.memory + demand.memory_bound <= types_[account.type].capacity,
              "memory is never promised twice");
  remove_from_index(gpu);
  residents_[gpu * static_cast<std::size_t>(options_.max_residents) + account.residents] = job;
  ++account.residents;
  account.memory += demand.memory_bound;
  account.utilization_mean += demand.utilization_mean;
  account.utilization_max += demand.utilization_max;
  account.sharing = booking.sharing;
  add_to_index(gpu);
}

void Books::strike(GpuIndex gpu, JobId job, const Booking& booking) {
  GpuAccount& account = gpus_[gpu];
  const TaskDemand& demand = booking.demand_by_type[account.type];
  remove_from_index(gpu);
  const auto first = residents_.begin() + static_cast<std::ptrdiff_t>(gpu) * options_.max_residents;
  const auto last = std::remove(first, first + account.residents, job);
  HORUS_CHECK(last + 1 == first + account.residents, "a job is resident once on each of its GPUs");
  --account.residents;
  account.memory -= demand.memory_bound;
  account.utilization_mean -= demand.utilization_mean;
  account.utilization_max -= demand.utilization_max;
  account.sharing = Sharing::Shared;
  add_to_index(gpu);
}

bool Books::can_take_more(const GpuAccount& account) const {
  return account.sharing == Sharing::Shared && account.residents < options_.max_residents;
}

void Books::add_to_index(GpuIndex gpu) {
  const GpuAccount& account = gpus_[gpu];
  TypeBooks& books = types_[account.type];
  if (account.residents == 0) return books.empty.insert(ranks_[gpu]);
  if (!can_take_more(account)) return;
  auto& shared = books.shared[account.residents - 1U];
  if (!shared) {
    const auto size = static_cast<std::uint32_t>(books.members.size());
    shared = SharedGpus{.by_cost = {}, .by_rank = FirstFit{size}};
  }
  shared->by_cost.insert(gpu, account.utilization_mean, account.memory);
  shared->by_rank.set(ranks_[gpu], account.memory);
}

void Books::remove_from_index(GpuIndex gpu) {
  const GpuAccount& account = gpus_[gpu];
  TypeBooks& books = types_[account.type];
  if (account.residents == 0) return books.empty.erase(ranks_[gpu]);
  if (!can_take_more(account)) return;
  auto& shared = books.shared[account.residents - 1U];
  shared->by_cost.erase(gpu, account.utilization_mean, account.memory);
  shared->by_rank.clear(ranks_[gpu]);
}

void Books::append_empty(std::size_t type, std::size_t count, std::vector<GpuIndex>& gpus) const {
  const TypeBooks& books = types_[type];
  auto rank = books.empty.first_from(0);
  for (; rank && count > 0; --count) {
    gpus.push_back(books.members[*rank]);
    rank = books.empty.first_from(*rank + 1);
  }
}

void Books::append_with_room(const RoomQuery& query, std::size_t count,
                             std::vector<GpuIndex>& gpus) const {
  HORUS_CHECK(query.residents >= 1, "empty GPUs are another question");
  if (query.residents >= options_.max_residents) return;
  const TypeBooks& books = types_[query.type];
  const auto& shared = books.shared[static_cast<std::size_t>(query.residents) - 1];
  if (!shared) return;
  auto rank = shared->by_rank.first_at_most(query.booked_max, 0);
  for (; rank && count > 0; --count) {
    gpus.push_back(books.members[*rank]);
    rank = shared->by_rank.first_at_most(query.booked_max, *rank + 1);
  }
}

void Books::offer_cheapest(const OfferQuery& query, CheapestGpus& best) const {
  const TypeBooks& books = types_[query.type];
  PriceQuery price{.task = query.task,
                   .capacity = books.capacity,
                   .booked_max = query.booked_max,
                   .residents = 0};
  if (query.booked_max >= Bytes{}) {
    // Empty GPUs of one type cost the same, so the lowest numbers come first.
    const double cost = placement_cost(GpuLoad{}, query.task, books.capacity);
    auto rank = books.empty.first_from(0);
    while (rank && best.offer(PricedGpu{.cost = cost, .gpu = books.members[*rank]})) {
      rank = books.empty.first_from(*rank + 1);
    }
  }
  const int most = std::min(query.max_residents, options_.max_residents);
  for (price.residents = 1; price.residents < most; ++price.residents) {
    const auto& shared = books.shared[static_cast<std::size_t>(price.residents) - 1];
    if (shared) shared->by_cost.offer_cheapest(price, best);
  }
}

}  // namespace horus::sched
