// SPDX-License-Identifier: Apache-2.0
// OverFeat, the fast model (Sermanet et al. 2014, arXiv:1312.6229, table 1): valid convolutions at
// the front, padded ones behind.

#include <array>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

enum class Pool { No, Yes };

struct Stage {
  std::int64_t channels{};
  std::int64_t kernel{};
  std::int64_t stride{};
  std::int64_t padding{};
  Pool pool{Pool::No};
};

constexpr auto kStages = std::to_array<Stage>({{96, 11, 4, 0, Pool::Yes},
                                               {256, 5, 1, 0, Pool::Yes},
                                               {512, 3, 1, 1, Pool::No},
                                               {1024, 3, 1, 1, Pool::No},
                                               {1024, 3, 1, 1, Pool::Yes}});

void build_overfeat(Builder& b, const Sizes&) {
  Value x = b.input("input", {kBatch, 3, 231, 231});
  int index = 0;
  const auto next = [&index] { return "features." + std::to_string(index++); };
  for (const Stage& stage : kStages) {
    x = conv(b, next(), x,
             {.channels = stage.channels,
              .kernel = {stage.kernel},
              .stride = {stage.stride},
              .padding = {stage.padding},
              .bias = Bias::Trained});
    x = relu(b, next(), x);
    if (stage.pool == Pool::Yes) x = max_pool(b, next(), x, {.kernel = {2}, .stride = {2}});
  }
  x = dropout(b, "classifier.0", flatten(b, "flatten", x), 0.5);
  x = relu(b, "classifier.2", linear(b, "classifier.1", x, 3072));
  x = dropout(b, "classifier.3", x, 0.5);
  x = relu(b, "classifier.5", linear(b, "classifier.4", x, 4096));
  b.output(linear(b, "classifier.6", x, 1000));
}

}  // namespace

std::vector<Entry> overfeat_family() {
  return {{.architecture = {.name = "overfeat",
                            .description = "OverFeat, fast model, ImageNet (arXiv:1312.6229)",
                            .input = "3x231x231",
                            .default_batch = 128},
           .build = build_overfeat}};
}

}  // namespace horus::zoo
