// SPDX-License-Identifier: Apache-2.0
// HardCoRe-NAS (Nayman et al. 2021, arXiv:2102.11646), as timm builds it: networks A to F, found
// under growing limits of latency. All begin and end like MobileNetV3.

#include <array>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/mobile_network.hpp"

namespace horus::zoo {
namespace {

constexpr double kSqueeze = 0.25;

struct Found {
  std::int64_t kernel{};
  double expansion{};
  double squeeze{0};
};

/// The blocks of the five stages between the first and the last.
using FoundStages = std::array<std::vector<Found>, 5>;

constexpr std::array<std::int64_t, 5> kWidths{24, 40, 80, 112, 192};
constexpr std::array<std::int64_t, 5> kStrides{2, 2, 2, 1, 2};
constexpr std::size_t kReluStages = 2;  // Those before use ReLU, the others hard swish.

FoundStages network_a() {
  return {{{{5, 3}, {5, 3, kSqueeze}},
           {{5, 3}, {5, 6, kSqueeze}},
           {{5, 6, kSqueeze}, {5, 6, kSqueeze}},
           {{5, 6, kSqueeze}, {5, 6, kSqueeze}},
           {{5, 6, kSqueeze}, {5, 6, kSqueeze}}}};
}
FoundStages network_b() {
  return {{{{5, 3}, {5, 3, kSqueeze}, {3, 3}},
           {{5, 3}, {5, 3}, {5, 3}},
           {{5, 3}, {5, 3}, {3, 3}, {3, 3}},
           {{5, 3}, {3, 3}, {3, 3}, {3, 3}},
           {{5, 6, kSqueeze}, {5, 6, kSqueeze}, {3, 3, kSqueeze}}}};
}
FoundStages network_c() {
  return {{{{5, 3}, {5, 3, kSqueeze}},
           {{5, 3}, {5, 3}, {5, 3}, {5, 3}},
           {{5, 4}, {5, 6, kSqueeze}, {3, 3}, {3, 3}},
           {{5, 6, kSqueeze}, {3, 3}, {3, 3}, {3, 3}},
           {{5, 6, kSqueeze}, {5, 6, kSqueeze}, {3, 3, kSqueeze}}}};
}
FoundStages network_d() {
  return {{{{5, 3, kSqueeze}, {5, 3, kSqueeze}},
           {{5, 3, kSqueeze}, {5, 4, kSqueeze}, {3, 3, kSqueeze}},
           {{5, 4, kSqueeze}, {3, 3, kSqueeze}, {3, 3, kSqueeze}, {3, 3, kSqueeze}},
           {{3, 4, kSqueeze}, {5, 4, kSqueeze}, {3, 3, kSqueeze}, {5, 3, kSqueeze}},
           {{5, 6, kSqueeze}, {5, 6, kSqueeze}, {5, 6, kSqueeze}, {3, 6, kSqueeze}}}};
}
FoundStages network_e() {
  return {{{{5, 3, kSqueeze}, {5, 3, kSqueeze}},
           {{5, 6, kSqueeze}, {5, 4, kSqueeze}, {5, 4, kSqueeze}, {3, 3, kSqueeze}},
           {{5, 4, kSqueeze}, {3, 6, kSqueeze}},
           {{5, 6, kSqueeze}, {5, 6, kSqueeze}, {5, 6, kSqueeze}, {5, 3, kSqueeze}},
           {{5, 6, kSqueeze}, {5, 6, kSqueeze}, {5, 6, kSqueeze}, {3, 6, kSqueeze}}}};
}
FoundStages network_f() {
  return {{{{5, 3, kSqueeze}, {5, 3, kSqueeze}},
           {{5, 6, kSqueeze}, {5, 6, kSqueeze}},
           {{5, 6, kSqueeze}, {5, 6, kSqueeze}, {3, 3, kSqueeze}, {3, 3, kSqueeze}},
           {{3, 6, kSqueeze}, {5, 6, kSqueeze}, {5, 6, kSqueeze}, {3, 3, kSqueeze}},
           {{5, 6, kSqueeze}, {5, 6, kSqueeze}, {3, 6, kSqueeze}, {3, 6, kSqueeze}}}};
}

MobilePlan plan_of(const FoundStages& found) {
  MobilePlan plan{.stages = {{with_activation(separable_row(1, 3, 1, 16), relu)}},
                  .style = {.activation = hard_swish,
                            .squeeze_base = SqueezeBase::Expanded,
                            .squeeze_divisor = 8,
                            .squeeze_activation = relu,
                            .gate = hard_sigmoid},
                  .head = MobileHead::AfterPoolBiased};
  for (std::size_t stage = 0; stage < found.size(); ++stage) {
    MobileStage rows;
    for (const Found& each : found[stage]) {
      MobileBlock row = inverted_row(1, {each.kernel}, kStrides[stage], each.expansion,
                                     kWidths[stage], each.squeeze);
      if (stage < kReluStages) row.activation = relu;
      rows.push_back(std::move(row));
    }
    plan.stages.push_back(std::move(rows));
  }
  plan.stages.push_back({conv_row(1, 1, 1, 960)});
  return plan;
}

struct Network {
  const char* name;
  FoundStages (*found)();
};
constexpr auto kNetworks = std::to_array<Network>({{"hardcorenas_a", network_a},
                                                   {"hardcorenas_b", network_b},
                                                   {"hardcorenas_c", network_c},
                                                   {"hardcorenas_d", network_d},
                                                   {"hardcorenas_e", network_e},
                                                   {"hardcorenas_f", network_f}});

}  // namespace

std::vector<Entry> hardcorenas_family() {
  std::vector<Entry> entries;
  for (const Network& each : kNetworks) {
    entries.push_back(mobile_entry({each.name}, "HardCoRe-NAS, ImageNet (arXiv:2102.11646, timm)",
                                   plan_of(each.found())));
  }
  return entries;
}

}  // namespace horus::zoo
