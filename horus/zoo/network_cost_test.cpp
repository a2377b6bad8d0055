// SPDX-License-Identifier: Apache-2.0
// Networks for images, games and recommendations against their published parameters, and against
// the work that follows from their sizes.

#include <array>

#include "horus/zoo/cost_of_test.hpp"

namespace horus::zoo {
namespace {

/// Parameters of a square convolution with a bias.
constexpr double conv_with_bias(double in, double out, double kernel) {
  return in * out * kernel * kernel + out;
}

TEST(NetworkCost, CycleganHasThePublishedParameters) {
  // junyanz/pytorch-CycleGAN-and-pix2pix prints 11.378 M and 2.765 M.
  constexpr double kGenerator = conv_with_bias(3, 64, 7) + conv_with_bias(64, 128, 3) +
                                conv_with_bias(128, 256, 3) + 18 * conv_with_bias(256, 256, 3) +
                                conv_with_bias(256, 128, 3) + conv_with_bias(128, 64, 3) +
                                conv_with_bias(64, 3, 7);
  constexpr double kDiscriminator = conv_with_bias(3, 64, 4) + conv_with_bias(64, 128, 4) +
                                    conv_with_bias(128, 256, 4) + conv_with_bias(256, 512, 4) +
                                    conv_with_bias(512, 1, 4);
  EXPECT_NEAR(kGenerator / 1e6, 11.378, 0.0005);
  EXPECT_NEAR(kDiscriminator / 1e6, 2.765, 0.0005);
  EXPECT_EQ(cost_of("cyclegan-generator").parameters, kGenerator);
  EXPECT_EQ(cost_of("cyclegan-discriminator").parameters, kDiscriminator);
}

TEST(NetworkCost, AStepOfCycleganRunsSixGeneratorsAndSixDiscriminators) {
  const Cost generator = cost_of("cyclegan-generator");
  const Cost discriminator = cost_of("cyclegan-discriminator");
  const Cost step = cost_of("cyclegan");
  EXPECT_EQ(step.parameters, 2 * (generator.parameters + discriminator.parameters));
  EXPECT_EQ(step.macs, 6 * (generator.macs + discriminator.macs));
}

/// Weights of a 3x3 convolution.
constexpr double k3(double in, double out) { return 9 * in * out; }

TEST(NetworkCost, UnetHasThePublishedParameters) {
  constexpr std::array<double, 5> kWidths{64, 128, 256, 512, 1024};
  double weights = 0;
  double channels = 0;  // Outputs of 3x3 convolutions.
  double ups = 0;
  for (std::size_t level = 1; level < kWidths.size(); ++level) {
    const double high = kWidths[level - 1];
    const double low = kWidths[level];
    weights += k3(high, low) + k3(low, low);    // Down: two convolutions.
    weights += k3(low, high) + k3(high, high);  // Up: the same over the joined features.
    channels += 2 * low + 2 * high;
    ups += 4 * low * high + high;
  }
  weights += k3(64, 64);
  channels += 2 * 64;
  const double head = 64 * 2 + 2;
  // The paper's has biases; the padded form has no bias, but two weights of each normalization.
  EXPECT_EQ(cost_of("unet-572").parameters, weights + k3(1, 64) + channels + ups + head);
  EXPECT_EQ(cost_of("unet").parameters, weights + k3(3, 64) + 2 * channels + ups + head);
  // milesial/Pytorch-UNet with its bilinear option off: 31.04 million.
  EXPECT_NEAR(cost_of("unet").parameters / 1e6, 31.04, 0.005);
}

TEST(NetworkCost, ThePapersUnetLosesItsBorder) {
  const auto model = build("unet-572");
  ASSERT_TRUE(model);
  const auto& shape = *model->graph.outputs.at(0).shape;
  EXPECT_EQ(shape.at(2).size, 388);  // Figure 1 of arXiv:1505.04597.
  EXPECT_EQ(shape.at(3).size, 388);
}

TEST(NetworkCost, Yolov3MeetsDarknetsFigures) {
  // pjreddie/darknet: 65.86 and 140.69 BFLOPs at 416 and 608, two for each multiply-accumulate, and
  // the weights file: 62,001,757 numbers, of which 52,608 are running statistics.
  EXPECT_EQ(cost_of("yolov3").parameters, 62'001'757 - 52'608);
  EXPECT_NEAR(2 * cost_of("yolov3").macs / 1e9, 65.86, 0.01);
  BuildOptions large;
  large.image = 608;
  EXPECT_NEAR(2 * cost_of("yolov3", large).macs / 1e9, 140.69, 0.01);
}

TEST(NetworkCost, OverfeatMeetsThePaper) {
  // Table 4 of arXiv:1312.6229: 145 million parameters and 2810 million connections.
  EXPECT_NEAR(cost_of("overfeat").parameters / 145e6, 1, 0.01);
  EXPECT_NEAR(cost_of("overfeat").macs / 2810e6, 1, 0.005);
}

TEST(NetworkCost, RecoderIsOneLayerEachWay) {
  constexpr double kWeights = 20'108.0 * 200;
  EXPECT_EQ(cost_of("recoder").parameters, 2 * kWeights + 20'108 + 200);
  EXPECT_EQ(cost_of("recoder").macs, 2 * kWeights);
}

TEST(NetworkCost, DqnHasTheSizesOfThePaper) {
  constexpr double kFeatures = conv_with_bias(4, 32, 8) + conv_with_bias(32, 64, 4) +
                               conv_with_bias(64, 64, 3) + (64 * 7 * 7 + 1) * 512;
  constexpr double kWork =
      20 * 20 * 32 * 4 * 64 + 9 * 9 * 64 * 32 * 16 + 7 * 7 * 64 * 64 * 9 + 64 * 7 * 7 * 512;
  EXPECT_EQ(cost_of("dqn").parameters, kFeatures + 513 * 6);
  EXPECT_EQ(cost_of("dqn").macs, kWork + 512 * 6);
  EXPECT_EQ(cost_of("a2c").parameters, kFeatures + 513 * 7);
  EXPECT_EQ(cost_of("a2c").macs, kWork + 512 * 7);
}

TEST(NetworkCost, A3cEndsInOneStepOfAnLstm) {
  constexpr double kConvolutions = conv_with_bias(1, 32, 5) + conv_with_bias(32, 32, 5) +
                                   conv_with_bias(32, 64, 4) + conv_with_bias(64, 64, 3);
  constexpr double kLstm = 4 * 512 * (1024 + 512 + 2);
  const Cost cost = cost_of("a3c");
  EXPECT_EQ(cost.parameters, kConvolutions + kLstm + 513 * 7);
  constexpr double kWork =
      80 * 80 * 25 * 32 + 38 * 38 * 25 * 32 * 32 + 18 * 18 * 16 * 32 * 64 + 9 * 9 * 9 * 64 * 64;
  EXPECT_EQ(cost.macs, kWork + 4 * 512 * (1024 + 512) + 512 * 7);
}

TEST(NetworkCost, PolicyNetworksAreTheirTowers) {
  const auto tower = [](double in, double first, double second, double out) {
    return (in + 1) * first + (first + 1) * second + (second + 1) * out;
  };
  EXPECT_EQ(cost_of("ppo").parameters, tower(8, 64, 64, 4) + tower(8, 64, 64, 1));
  EXPECT_EQ(cost_of("td3").parameters, tower(24, 400, 300, 4) + 2 * tower(28, 400, 300, 1));
  // The actor once; the critics for the action taken, and one of them for the actor's.
  EXPECT_EQ(cost_of("td3").macs, 24 * 400 + 400 * 300 + 300 * 4 + 3 * (28 * 400 + 400 * 300 + 300));
}

TEST(NetworkCost, ShapenetsPointnetHasOneAlignment) {
  constexpr double kPoints = 3 * 64 + 64 * 128 + 128 * 1024;
  constexpr double kPointBiases = 64 + 128 + 1024;
  constexpr double kDense = 1024 * 512 + 512 * 256;
  constexpr double kDenseBiases = 512 + 256;
  // The alignment and the network itself differ in their last layer; each layer but that one has a
  // bias and a normalization.
  constexpr double kBoth = 2 * (kPoints + kDense + 3 * (kPointBiases + kDenseBiases));
  const Cost cost = cost_of("pointnet-shapenet");
  EXPECT_EQ(cost.parameters, kBoth + 257 * (9 + 16));
  EXPECT_EQ(cost.macs, 2500 * (2 * kPoints + 9) + 2 * kDense + 256 * (9 + 16));
}

TEST(NetworkCost, MessagesPassFourTimesThroughTheSameWeights) {
  constexpr double kEdge = 7 * 64 * 64;
  constexpr double kGru = 2 * 64 * 3 * 64;
  constexpr double kAttention = 4 * 64 * 512;
  constexpr double kPair = 2 * 64 * 512;
  constexpr double kDense = 64 * 512 + 512;
  constexpr double kBiases = 64 * 64 + 2 * 3 * 64 + (3 * 512 + 64) + (512 + 64) + 4 * 64 + 512 + 1;
  const Cost cost = cost_of("keras-molecules");
  EXPECT_EQ(cost.parameters, kEdge + kGru + kAttention + kPair + kDense + kBiases);
  const double step = 76 * (kEdge + 64 * 64) + 24 * kGru;
  EXPECT_EQ(cost.macs, 4 * step + 24 * (kAttention + kPair) + 2 * 24 * 24 * 512 + kDense);
}

TEST(NetworkCost, CifarFormsHaveTheirKnownParameters) {
  struct Row {
    const char* name;
    double parameters;
  };
  // kuangliu/pytorch-cifar, counted by its users.
  constexpr auto kRows = std::to_array<Row>({{"densenet121-cifar", 6'956'298},
                                             {"mobilenet-cifar", 3'217'226},
                                             {"mobilenet-v2-cifar", 2'296'922},
                                             {"resnet34-cifar", 21'282'122},
                                             {"resnet101-cifar", 42'512'970},
                                             {"resnet152-cifar", 58'156'618},
                                             {"vgg11-cifar", 9'231'114},
                                             {"vgg13-cifar", 9'416'010},
                                             {"vgg16-cifar", 14'728'266},
                                             {"vgg19-cifar", 20'040'522}});
  for (const Row& row : kRows) EXPECT_EQ(cost_of(row.name).parameters, row.parameters) << row.name;
  // Its EfficientNet also holds an expansion of the first block that no pass reads.
  constexpr double kUnread = 32 * 32 + 2 * 32;
  EXPECT_EQ(cost_of("efficientnet-b0-cifar").parameters, 3'599'686 - kUnread);
  // Its form until 2020, counted by torch.
  EXPECT_EQ(cost_of("efficientnet-b0-cifar-early").parameters, 2'912'089);
}

}  // namespace
}  // namespace horus::zoo
