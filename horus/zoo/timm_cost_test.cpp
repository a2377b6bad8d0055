// SPDX-License-Identifier: Apache-2.0
// Convolutional models of timm that data/published/timm.csv does not list, against timm itself.

#include <array>

#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::zoo {
namespace {

/// Counted in timm 1.0.31 by torch (parameters) and by fvcore at the default image size: one for
/// each multiply-accumulate of convolutions, linear layers and matrix products.
struct Counted {
  const char* name;
  double parameters{};
  double macs{};  ///< 0: not counted.
};

constexpr auto kCounted = std::to_array<Counted>({
    {"cspresnet50", 21'616'168, 4'517'240'832},
    {"dla60x", 17'352'344, 3'516'555'264},
    {"dla60x_c", 1'319'832, 581'294'080},
    {"dpn68", 12'611'602, 2'326'163'456},
    {"dpn92", 37'668'392, 6'501'684'224},
    {"halonet26t", 12'480'288, 3'172'810'752},
    {"res2net50d", 25'718'352, 4'494'807'040},
    {"resnest26d", 17'069'448, 3'623'391'232},
    {"resnet101_clip", 56'259'936, 9'771'261'952},
    {"resnet10t", 5'435'488, 698'688'000},
    {"resnet14t", 10'081'632, 1'067'618'816},
    {"resnet33ts", 19'676'256, 4'732'585'984},
    {"resnet50d", 25'576'264, 4'328'824'832},
    {"resnet50s", 25'680'808, 5'444'337'664},
    {"resnetaa34d", 21'816'904, 4'423'626'752},
    {"resnetblur50", 25'557'032, 5'133'020'672},
    {"sedarknet21", 20'950'432, 3'916'492'288},
    {"selecsls42b", 32'458'248, 2'971'924'480},
    {"seresnet18", 11'779'624, 1'814'161'408},
    {"seresnet50t", 28'104'720, 4'299'728'896},
    {"seresnext26t_32x4d", 16'806'976, 2'680'129'536},
    {"seresnext26ts", 10'388'064, 2'405'603'328},
    {"xception41p", 26'907'752, 9'204'134'312},
    {"dla102x2", 41'282'200},
    {"dla169", 53'389'720},
    {"dpn107", 86'917'800},
    {"dpn98", 61'570'728},
    {"ecaresnet200d", 64'693'400},
    {"res2net101_26w_4s", 45'206'688},
    {"res2net101d", 45'225'920},
    {"resnet101_clip_gap", 42'519'392},
    {"resnet101d", 44'568'392},
    {"resnet101s", 44'672'936},
    {"resnet152c", 60'212'040},
    {"resnet152d", 60'212'040},
    {"resnet50x16_clip", 167'328'912},
    {"resnet50x16_clip_gap", 136'202'640},
    {"resnetblur101d", 44'568'392},
    {"resnetrs152", 86'621'576},
    {"resnetrs270", 129'861'448},
    {"resnetrs350", 163'956'168},
    {"resnetrs420", 191'891'656},
    {"seresnext50_32x4d", 27'559'896},
    {"seresnextaa101d_32x8d", 93'588'280},
});

graph::Analysis analysis_of(const char* name) {
  const auto model = build(name, {.batch = 1, .sequence = {}, .image = {}});
  EXPECT_TRUE(model) << name;
  if (!model) return {};
  auto analysis = graph::analyse(*model);
  EXPECT_TRUE(analysis) << name << ": " << analysis.error().text();
  return analysis ? *std::move(analysis) : graph::Analysis{};
}

TEST(TimmCost, UnlistedModelsCountAsInTorch) {
  for (const Counted& row : kCounted) {
    const graph::Analysis analysis = analysis_of(row.name);
    EXPECT_EQ(analysis.features.parameters, row.parameters) << row.name;
    EXPECT_EQ(analysis.features.ops_without_cost, 0) << row.name;
    if (row.macs != 0) {
      EXPECT_EQ(graph::totals_of(analysis.features).macs, row.macs) << row.name;
    }
  }
}

}  // namespace
}  // namespace horus::zoo
