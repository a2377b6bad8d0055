// SPDX-License-Identifier: Apache-2.0
// Members of published families for which nobody publishes figures: parameters and
// multiply-accumulates as fvcore 0.1.5 counts them in the model that timm 1.0.31 constructs.

#include <array>

#include <gtest/gtest.h>

#include "horus/zoo/cost_of_test.hpp"

namespace horus::zoo {
namespace {

struct Counted {
  const char* name;
  double parameters;
  double macs;  ///< Of convolutions, linear layers and matrix products, one image.
};

constexpr auto kCounted = std::to_array<Counted>({
    {"semnasnet_050", 2'082'006, 103'162'992},
    {"semnasnet_075", 2'912'278, 223'448'480},
    {"semnasnet_100", 3'887'038, 311'579'072},
    {"semnasnet_140", 6'105'992, 586'317'952},
    {"mobilenetv1_100", 4'231'976, 568'740'352},
    {"mobilenetv1_125", 6'270'840, 879'516'800},
    {"mobilenetv2_035", 1'677'128, 59'285'808},
    {"mobilenetv2_050", 1'968'680, 97'131'840},
    {"mobilenetv2_075", 2'636'424, 209'069'792},
    {"mobilenetv2_140", 6'108'776, 582'195'824},
    {"mobilenetv2_110d", 4'516'520, 430'516'080},
    {"mobilenetv2_120d", 5'831'144, 668'857'568},
    {"mobilenetv3_large_075", 3'993'528, 154'560'624},
    {"mobilenetv3_large_100", 5'483'032, 216'589'760},
    {"mobilenetv3_large_150d", 14'622'320, 1'010'021'120},
    {"mobilenetv3_small_050", 1'593'224, 24'188'688},
    {"mobilenetv3_small_075", 2'041'872, 43'399'344},
    {"mobilenetv3_small_100", 2'542'856, 56'510'400},
    {"spnasnet_100", 4'421'616, 333'467'072},
    {"mobilenetv4_conv_small_035", 1'905'384, 47'723'040},
    {"mobilenetv4_conv_small_050", 2'238'952, 64'741'408},
    {"regnetx_002", 2'684'792, 199'039'872},
    {"regnetx_004", 5'157'512, 397'677'568},
    {"regnetx_006", 6'196'040, 600'890'112},
    {"regnetx_040", 22'118'248, 3'964'498'816},
    {"regnetx_064", 26'209'256, 6'460'291'264},
    {"regnetx_120", 46'106'056, 12'086'678'016},
    {"inception_next_atto", 4'156'520, 503'035'040},
});

TEST(RelativesCost, AgreesWithWhatFvcoreCounts) {
  for (const Counted& row : kCounted) {
    const Cost cost = cost_of(row.name);
    EXPECT_EQ(cost.parameters, row.parameters) << row.name;
    EXPECT_EQ(cost.macs, row.macs) << row.name;
  }
}

TEST(RelativesCost, AuxiliaryClassifiersOfGooglenetAreAPoolAndThreeLayersEach) {
  const Cost plain = cost_of("googlenet");
  const Cost whole = cost_of("googlenet-aux");
  // Each: 1x1 to 128 channels at 4x4 positions, 2048 to 1024, 1024 to 1000.
  constexpr double kPoints = (512.0 + 528) * 128;
  constexpr double kDense = 2048.0 * 1024 + 1024 * 1000;
  constexpr double kNormsAndBiases = 2 * 128 + 1024 + 1000;
  EXPECT_EQ(whole.parameters - plain.parameters, kPoints + 2 * (kDense + kNormsAndBiases));
  EXPECT_EQ(whole.macs - plain.macs, 16 * kPoints + 2 * kDense);
  EXPECT_EQ(whole.parameters, 13'004'888);  // torchvision.models.googlenet(aux_logits=True).
}

}  // namespace
}  // namespace horus::zoo
