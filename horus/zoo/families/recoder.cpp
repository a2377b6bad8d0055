// SPDX-License-Identifier: Apache-2.0
// Recommendation autoencoder on MovieLens-20M: the default network of amoussawi/recoder, one hidden
// layer of 200 with tanh and half of the input dropped as noise. Users are rows of interactions
// with all 20,108 items that are left after the filter of Liang et al. 2018 (arXiv:1802.05814).

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kItems = 20108;
constexpr std::int64_t kHidden = 200;
constexpr double kNoise = 0.5;

void build_recoder(Builder& b, const Sizes&) {
  const Value interactions = b.input("interactions", {kBatch, kItems});
  const Value noisy = dropout(b, "noise", interactions, kNoise);
  const Value hidden = tanh(b, "encode.tanh", linear(b, "encode", noisy, kHidden));
  b.output(linear(b, "decode", hidden, kItems));
}

}  // namespace

std::vector<Entry> recoder_family() {
  return {{.architecture = {.name = "recoder",
                            .description = "Recommendation autoencoder, 200 hidden, MovieLens-20M "
                                           "(amoussawi/recoder)",
                            .input = "20108 items",
                            .default_batch = 512},
           .aliases = {"recommendation", "autoencoder"},
           .build = build_recoder}};
}

}  // namespace horus::zoo
