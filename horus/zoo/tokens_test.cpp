// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/tokens.hpp"

#include <optional>

#include <gtest/gtest.h>

namespace horus::zoo {
namespace {

TEST(Tokens, GoFromAMapToASequenceAndBack) {
  Builder b{"net", std::nullopt};
  const Value map = b.input("map", {kBatch, 5, 2, 3});
  const Value tokens = map_to_tokens(b, "tokens", map);
  EXPECT_EQ(tokens.shape, (Shape{kBatch, 6, 5}));
  EXPECT_EQ(tokens_to_map(b, "back", tokens, 2, 3).shape, map.shape);
}

TEST(Tokens, PatchesAreFlooredWhereTheyDoNotFillTheImage) {
  Builder b{"net", std::nullopt};
  const Value image = b.input("image", {kBatch, 3, 384, 384});
  EXPECT_EQ(patchify(b, "proj", image, 8, 14).shape, (Shape{kBatch, 8, 27, 27}));
}

TEST(Tokens, EveryTakesTheFirstOfEachStep) {
  Builder b{"net", std::nullopt};
  const Value x = b.input("x", {kBatch, 7, 4});
  EXPECT_EQ(every(b, "thin", x, 1, 2).shape, (Shape{kBatch, 4, 4}));
}

TEST(Tokens, MeansAndPicksLoseTheirAxis) {
  Builder b{"net", std::nullopt};
  const Value x = b.input("x", {kBatch, 7, 4});
  EXPECT_EQ(mean_over(b, "mean", x, 1).shape, (Shape{kBatch, 4}));
  EXPECT_EQ(pick(b, "first", x, 1, 0).shape, (Shape{kBatch, 4}));
  EXPECT_EQ(roll(b, "roll", x, 1, 3).shape, x.shape);
}

TEST(Tokens, ATrainedTokenIsRepeatedForTheBatch) {
  Builder b{"net", std::nullopt};
  const Value x = b.input("x", {kBatch, 7, 4});
  const Value token = b.parameter("token", {1, 2, 4});
  EXPECT_EQ(repeat_for_batch(b, "expand", token, x).shape, (Shape{kBatch, 2, 4}));
}

TEST(TokensDeathTest, RefusesASliceOutsideItsAxis) {
  Builder b{"net", std::nullopt};
  const Value x = b.input("x", {kBatch, 7, 4});
  EXPECT_DEATH(slice(b, "cut", x, 1, 2, 8), "a slice lies in its axis");
  EXPECT_DEATH(tokens_to_map(b, "map", x, 2, 4), "the tokens fill the map");
}

}  // namespace
}  // namespace horus::zoo
