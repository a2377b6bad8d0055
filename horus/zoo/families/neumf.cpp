// SPDX-License-Identifier: Apache-2.0
// NeuMF, neural collaborative filtering (He et al. 2017, arXiv:1708.05031) on MovieLens-1M: 32
// predictive factors and three hidden layers, sizes among those the paper compares.

#include <array>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kUsers = 6040;  // MovieLens-1M, table 1 of the paper.
constexpr std::int64_t kItems = 3706;
constexpr std::int64_t kFactors = 32;
// Widths of the tower, input first: halved at every layer, ending in the factors.
constexpr std::array<std::int64_t, 4> kTower{256, 128, 64, kFactors};

/// The rows of one kind of embedding for the users and items of the batch.
struct Pair {
  Value user;
  Value item;
};

Pair embed(Builder& b, const std::string& kind, const Value& users, const Value& items,
           std::int64_t width) {
  const auto lookup = [&](const std::string& what, std::int64_t rows, const Value& ids) {
    const std::string name = "embed_" + what + "_" + kind;
    return embedding(b, name, b.parameter(name + ".weight", {rows, width}), ids);
  };
  Value user = lookup("user", kUsers, users);
  Value item = lookup("item", kItems, items);
  return {.user = std::move(user), .item = std::move(item)};
}

void build_neumf(Builder& b, const Sizes&) {
  const Value users = b.input("user", {kBatch}, ElementType::Int64);
  const Value items = b.input("item", {kBatch}, ElementType::Int64);
  const Pair factors = embed(b, "gmf", users, items, kFactors);
  const Value product = binary(b, "gmf", "Mul", factors.user, factors.item);
  const Pair wide = embed(b, "mlp", users, items, kTower[0] / 2);
  Value x = concat(b, "mlp.concat", std::vector<Value>{wide.user, wide.item}, 1);
  for (std::size_t layer = 1; layer < kTower.size(); ++layer) {
    const std::string name = "mlp." + std::to_string(layer - 1);
    x = relu(b, name + ".relu", linear(b, name, x, kTower[layer]));
  }
  x = concat(b, "concat", std::vector<Value>{product, x}, 1);
  b.output(unary(b, "score", "Sigmoid", linear(b, "predict", x, 1)));
}

}  // namespace

std::vector<Entry> neumf_family() {
  return {{.architecture = {.name = "neumf",
                            .description = "NeuMF recommender, 32 factors, 3 layers, MovieLens-1M "
                                           "(arXiv:1708.05031)",
                            .input = "user and item",
                            .default_batch = 256},
           .aliases = {"ncf"},
           .build = build_neumf}};
}

}  // namespace horus::zoo
