// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/first_fit.hpp"

#include <gtest/gtest.h>

#include "horus/base/rng.hpp"

namespace horus::sched {
namespace {

TEST(FirstFit, IsEmptyUntilSomethingIsSet) {
  FirstFit fit{500};
  EXPECT_EQ(fit.lowest(), std::nullopt);
  EXPECT_EQ(fit.first_at_most(Bytes{1000}, 0), std::nullopt);
  fit.set(499, Bytes{7});
  EXPECT_EQ(fit.lowest(), Bytes{7});
  fit.clear(499);
  EXPECT_EQ(fit.lowest(), std::nullopt);
}

TEST(FirstFit, TakesTheLimitItselfAndNothingAbove) {
  FirstFit fit{10};
  fit.set(3, Bytes{100});
  EXPECT_EQ(fit.first_at_most(Bytes{100}, 0), 3);
  EXPECT_EQ(fit.first_at_most(Bytes{99}, 0), std::nullopt);
  EXPECT_EQ(fit.first_at_most(Bytes{100}, 4), std::nullopt);
}

TEST(FirstFit, AgreesWithAScan) {
  constexpr std::uint32_t kSize = 1000;  // not a whole number of blocks
  FirstFit fit{kSize};
  std::vector<std::optional<Bytes>> expected(kSize);
  Rng rng{11};
  for (int i = 0; i < 10'000; ++i) {
    const auto rank = static_cast<std::uint32_t>(rng.below(kSize));
    if (rng.uniform() < 0.7) {
      expected[rank].reset();
      fit.clear(rank);
    } else {
      expected[rank] = Bytes{static_cast<std::int64_t>(rng.below(500))};
      fit.set(rank, *expected[rank]);
    }
    const Bytes limit{static_cast<std::int64_t>(rng.below(50))};
    const auto from = static_cast<std::uint32_t>(rng.below(kSize + 70));
    std::optional<std::uint32_t> scan;
    for (std::uint32_t at = from; at < kSize && !scan; ++at) {
      if (expected[at] && *expected[at] <= limit) scan = at;
    }
    ASSERT_EQ(fit.first_at_most(limit, from), scan) << "seed 11, step " << i;
  }
}

}  // namespace
}  // namespace horus::sched
