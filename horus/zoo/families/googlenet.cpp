// SPDX-License-Identifier: Apache-2.0
// GoogLeNet (Szegedy et al. 2015, arXiv:1409.4842) with batch normalization, as torchvision builds
// it: alone, which is what its published weights hold, and with the two auxiliary classifiers that
// training from scratch adds.

#include <array>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

enum class Auxiliary { Without, With };

/// Table 1 of the paper. In torchvision the "5x5" branch has kernels of three
/// (pytorch/vision issue 906).
struct Inception {
  const char* name;
  std::int64_t point{};
  std::int64_t three_reduce{};
  std::int64_t three{};
  std::int64_t five_reduce{};
  std::int64_t five{};
  std::int64_t pool{};
};

constexpr auto kThird = std::to_array<Inception>(
    {{"inception3a", 64, 96, 128, 16, 32, 32}, {"inception3b", 128, 128, 192, 32, 96, 64}});
constexpr auto kFourth = std::to_array<Inception>({{"inception4a", 192, 96, 208, 16, 48, 64},
                                                   {"inception4b", 160, 112, 224, 24, 64, 64},
                                                   {"inception4c", 128, 128, 256, 24, 64, 64},
                                                   {"inception4d", 112, 144, 288, 32, 64, 64},
                                                   {"inception4e", 256, 160, 320, 32, 128, 128}});
constexpr auto kFifth = std::to_array<Inception>(
    {{"inception5a", 256, 160, 320, 32, 128, 128}, {"inception5b", 384, 192, 384, 48, 128, 128}});

// Behind which blocks the auxiliary classifiers stand.
constexpr std::size_t kFirstAuxiliary = 0;
constexpr std::size_t kSecondAuxiliary = 3;

Value conv_bn_relu(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  return conv_bn_act(b, name, x, spec, relu);
}

Value inception(Builder& b, const Value& x, const Inception& row) {
  const std::string name = row.name;
  const Value first = conv_bn_relu(b, name + ".branch1", x, {.channels = row.point});
  Value second = conv_bn_relu(b, name + ".branch2.0", x, {.channels = row.three_reduce});
  second = conv_bn_relu(b, name + ".branch2.1", second, centred(row.three, 3));
  Value third = conv_bn_relu(b, name + ".branch3.0", x, {.channels = row.five_reduce});
  third = conv_bn_relu(b, name + ".branch3.1", third, centred(row.five, 3));
  Value fourth = max_pool(b, name + ".branch4.0", x, {.kernel = {3}, .padding = {1}});
  fourth = conv_bn_relu(b, name + ".branch4.1", fourth, {.channels = row.pool});
  return concat(b, name + ".concat", std::vector<Value>{first, second, third, fourth}, 1);
}

Value halving_pool(Builder& b, const std::string& name, const Value& x, std::int64_t kernel) {
  return max_pool(b, name, x, {.kernel = {kernel}, .stride = {2}, .rounding = Rounding::Up});
}

/// The pool has the windows of the paper, 5x5 at every third position: 4x4 of them.
Value auxiliary_classifier(Builder& b, const std::string& name, const Value& x) {
  Value y = average_pool(b, name + ".pool", x, {.kernel = {5}, .stride = {3}});
  y = conv_bn_relu(b, name + ".conv", y, {.channels = 128});
  y = linear(b, name + ".fc1", flatten(b, name + ".flatten", y), 1024);
  y = dropout(b, name + ".dropout", relu(b, name + ".relu", y), 0.7);
  return linear(b, name + ".fc2", y, 1000);
}

void build_googlenet(Builder& b, Auxiliary auxiliary, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = halving_pool(b, "maxpool1", conv_bn_relu(b, "conv1", x, centred(64, 7, 2)), 3);
  x = conv_bn_relu(b, "conv2", x, {.channels = 64});
  x = halving_pool(b, "maxpool2", conv_bn_relu(b, "conv3", x, centred(192, 3)), 3);
  for (const Inception& row : kThird) x = inception(b, x, row);
  x = halving_pool(b, "maxpool3", x, 3);
  std::vector<Value> outputs;
  for (std::size_t i = 0; i < kFourth.size(); ++i) {
    x = inception(b, x, kFourth[i]);
    if (auxiliary == Auxiliary::Without) continue;
    if (i == kFirstAuxiliary) outputs.push_back(auxiliary_classifier(b, "aux1", x));
    if (i == kSecondAuxiliary) outputs.push_back(auxiliary_classifier(b, "aux2", x));
  }
  x = halving_pool(b, "maxpool4", x, 2);
  for (const Inception& row : kFifth) x = inception(b, x, row);
  x = flatten(b, "flatten", global_average_pool(b, "avgpool", x));
  b.output(linear(b, "fc", dropout(b, "dropout", x, 0.2), 1000));
  for (const Value& each : outputs) b.output(each);
}

Entry googlenet(std::string name, const std::string& what, Auxiliary auxiliary) {
  constexpr std::int64_t kImage = 224;
  Entry entry{.architecture = {.name = std::move(name),
                               .description = what + ", ImageNet (arXiv:1409.4842, torchvision)",
                               .input = "3x224x224",
                               .default_batch = 64,
                               .default_image = kImage},
              .build = [auxiliary](Builder& b, const Sizes& sizes) {
                build_googlenet(b, auxiliary, sizes.image);
              }};
  // The first layers of the auxiliary classifiers fit 4x4 windows only.
  if (auxiliary == Auxiliary::With) entry.images = {.min = kImage, .max = kImage};
  return entry;
}

}  // namespace

std::vector<Entry> googlenet_family() {
  return {googlenet("googlenet", "GoogLeNet", Auxiliary::Without),
          googlenet("googlenet-aux", "GoogLeNet with auxiliary classifiers", Auxiliary::With)};
}

}  // namespace horus::zoo
