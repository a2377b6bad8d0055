// SPDX-License-Identifier: Apache-2.0
// MNASNet (Tan et al. 2019, arXiv:1807.11626): variant B1, the one that torchvision and timm both
// have, A1 with its squeezes, and the small one.

#include <array>
#include <utility>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/mobile_network.hpp"

namespace horus::zoo {
namespace {

constexpr const char* kTorchvision = "MNASNet-B1, ImageNet (arXiv:1807.11626, torchvision)";
constexpr const char* kTimm = "MNASNet, ImageNet (arXiv:1807.11626, timm)";
constexpr double kQuarter = 0.25;

MobilePlan b1(double dropout) {
  return {.stages = {{with_skip(separable_row(1, 3, 1, 16), Skip::Never)},
                     {inverted_row(3, {3}, 2, 3, 24)},
                     {inverted_row(3, {5}, 2, 3, 40)},
                     {inverted_row(3, {5}, 2, 6, 80)},
                     {inverted_row(2, {3}, 1, 6, 96)},
                     {inverted_row(4, {5}, 2, 6, 192)},
                     {with_skip(inverted_row(1, {3}, 1, 6, 320), Skip::Never)}},
          .style = {},
          .head_width = Scaling::Fixed,
          .dropout = dropout};
}

MobilePlan a1() {
  return {.stages = {{with_skip(separable_row(1, 3, 1, 16), Skip::Never)},
                     {inverted_row(2, {3}, 2, 6, 24)},
                     {inverted_row(3, {5}, 2, 3, 40, kQuarter)},
                     {inverted_row(4, {3}, 2, 6, 80)},
                     {inverted_row(2, {3}, 1, 6, 112, kQuarter)},
                     {inverted_row(3, {5}, 2, 6, 160, kQuarter)},
                     {inverted_row(1, {3}, 1, 6, 320)}},
          .style = {},
          .head_width = Scaling::Fixed};
}

MobilePlan small() {
  return {.stages = {{separable_row(1, 3, 1, 8)},
                     {inverted_row(1, {3}, 2, 3, 16)},
                     {inverted_row(2, {3}, 2, 6, 16)},
                     {inverted_row(4, {5}, 2, 6, 32, kQuarter)},
                     {inverted_row(3, {3}, 1, 6, 32, kQuarter)},
                     {inverted_row(3, {5}, 2, 6, 88, kQuarter)},
                     {inverted_row(1, {3}, 1, 6, 144)}},
          .style = {},
          .stem = 8,
          .head_width = Scaling::Fixed};
}

struct Shared {
  MobileVariant torchvision;
  const char* timm;
};

constexpr auto kShared = std::to_array<Shared>({{{"mnasnet0-5", 0.5}, "mnasnet_050"},
                                                {{"mnasnet0-75", 0.75}, "mnasnet_075"},
                                                {{"mnasnet1-0", 1.0}, "mnasnet_100"},
                                                {{"mnasnet1-3", 1.3}, "mnasnet_130"}});
constexpr auto kSqueezed = std::to_array<MobileVariant>(
    {{"semnasnet_050", 0.5}, {"semnasnet_075", 0.75}, {"semnasnet_100"}, {"semnasnet_140", 1.4}});

}  // namespace

std::vector<Entry> mnasnet_family() {
  std::vector<Entry> entries;
  for (const Shared& each : kShared) {
    entries.push_back(mobile_entry(each.torchvision, kTorchvision, b1(0.2)));
    entries.back().aliases.emplace_back(each.timm);
  }
  entries.push_back(mobile_entry({"mnasnet_140", 1.4}, kTimm, b1(0)));
  for (const MobileVariant& each : kSqueezed) entries.push_back(mobile_entry(each, kTimm, a1()));
  entries.push_back(mobile_entry({"mnasnet_small"}, kTimm, small()));
  return entries;
}

}  // namespace horus::zoo
