// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/cost_index.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "horus/base/rng.hpp"
#include "horus/sched/sample.hpp"

namespace horus::sched {
namespace {

using sample::mib;

struct Shared {
  GpuIndex gpu{};
  Permille utilization;
  Bytes booked;
};

std::vector<PricedGpu> scan(const std::vector<Shared>& gpus, const PriceQuery& query,
                            std::size_t wanted) {
  std::vector<PricedGpu> priced;
  for (const Shared& gpu : gpus) {
    if (gpu.booked > query.booked_max) continue;
    const GpuLoad load{.memory = gpu.booked,
                       .utilization = std::min(gpu.utilization, kWholeGpu),
                       .residents = query.residents};
    priced.push_back({.cost = placement_cost(load, query.task, query.capacity), .gpu = gpu.gpu});
  }
  std::ranges::sort(priced);
  priced.resize(std::min(priced.size(), wanted));
  return priced;
}

std::vector<PricedGpu> search(const CostIndex& index, const PriceQuery& query, std::size_t wanted) {
  CheapestGpus best{wanted};
  index.offer_cheapest(query, best);
  return best.take_sorted();
}

PriceQuery random_query(Rng& rng) {
  PriceQuery query{.task = {}, .capacity = mib(16'384), .booked_max = {}, .residents = 1};
  query.task.utilization_max = Permille{static_cast<std::int32_t>(rng.below(1001))};
  query.task.memory_bound = mib(static_cast<std::int64_t>(rng.below(8192)));
  query.booked_max = query.capacity - query.task.memory_bound;
  return query;
}

TEST(CostIndex, FindsExactlyWhatAScanFinds) {
  Rng rng{3};
  for (int round = 0; round < 5; ++round) {
    CostIndex index;
    std::vector<Shared> gpus;
    for (GpuIndex gpu = 0; gpu < 200; ++gpu) {
      // Few distinct values, so that ties are common.
      gpus.push_back({.gpu = gpu,
                      .utilization = Permille{static_cast<std::int32_t>(rng.below(25)) * 50},
                      .booked = mib(static_cast<std::int64_t>(rng.below(16)) * 1024)});
      index.insert(gpu, gpus.back().utilization, gpus.back().booked);
    }
    for (int i = 0; i < 100; ++i) {
      const auto place = static_cast<std::size_t>(rng.below(gpus.size()));
      index.erase(gpus[place].gpu, gpus[place].utilization, gpus[place].booked);
      gpus.erase(gpus.begin() + static_cast<std::ptrdiff_t>(place));
      if (i % 4 != 0) continue;
      const PriceQuery query = random_query(rng);
      for (const std::size_t wanted : {1U, 20U}) {
        ASSERT_EQ(search(index, query, wanted), scan(gpus, query, wanted)) << "seed 3";
      }
    }
  }
}

// Amounts that differ by a byte cost the same after rounding when the capacity is huge. The lower
// number must win even so.
TEST(CostIndex, BreaksTiesThatOnlyRoundingMade) {
  CostIndex index;
  index.insert(9, Permille{500}, Bytes{1});
  index.insert(4, Permille{500}, Bytes{2});
  index.insert(2, Permille{500}, Bytes{3});
  const PriceQuery query{.task = {.utilization_mean = Permille{100},
                                  .utilization_max = Permille{100},
                                  .memory_bound = Bytes{1}},
                         .capacity = Bytes{std::int64_t{1} << 60},
                         .booked_max = Bytes{1000},
                         .residents = 1};
  const auto found = search(index, query, 1);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].gpu, 2U);
}

TEST(CostIndex, CountsUtilizationBeyondOneGpuAsOne) {
  CostIndex index;
  index.insert(1, Permille{1700}, Bytes{10});
  const PriceQuery query{.task = {.utilization_mean = Permille{500},
                                  .utilization_max = Permille{500},
                                  .memory_bound = Bytes{}},
                         .capacity = Bytes{1000},
                         .booked_max = Bytes{1000},
                         .residents = 1};
  const auto found = search(index, query, 1);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].cost, 1.3 * 0.01 + 1.6 * 0.5 + 1.0);
  index.erase(1, Permille{1700}, Bytes{10});
  EXPECT_TRUE(search(index, query, 1).empty());
}

}  // namespace
}  // namespace horus::sched
