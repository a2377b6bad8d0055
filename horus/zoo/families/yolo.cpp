// SPDX-License-Identifier: Apache-2.0
// YOLOv3 (Redmon and Farhadi 2018, arXiv:1804.02767) for the 80 classes of COCO: Darknet-53 and
// three detection heads. Layers are numbered as in pjreddie/darknet, cfg/yolov3.cfg. The decoding
// of boxes and the loss are not part of it.

#include <array>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kClasses = 80;
constexpr std::int64_t kAnchors = 3;  // Of each head.
constexpr double kSlope = 0.1;        // Of LeakyRelu below 0.
constexpr std::array<int, 5> kDepths{1, 2, 8, 8, 4};

class Network {
 public:
  explicit Network(Builder& b) : b_{b} {}

  Value conv_bn_leaky(const Value& x, std::int64_t channels, std::int64_t kernel,
                      std::int64_t stride = 1) {
    const std::string name = next();
    Value y = conv(
        b_, name + ".conv", x,
        {.channels = channels, .kernel = {kernel}, .stride = {stride}, .padding = {kernel / 2}});
    y = batch_norm(b_, name + ".batch_norm", y);
    return unary(b_, name + ".leaky", "LeakyRelu", y, {{"alpha", kSlope}});
  }

  Value residual(const Value& x) {
    Value y = conv_bn_leaky(x, x.shape[1] / 2, 1);
    y = conv_bn_leaky(y, x.shape[1], 3);
    return binary(b_, next(), "Add", x, y);
  }

  /// Scores of a head; the layer after it decodes them and computes nothing here.
  Value detection(const Value& x) {
    const Value y = conv_bn_leaky(x, 2 * x.shape[1], 3);
    Value scores = conv(b_, next() + ".conv", y,
                        {.channels = kAnchors * (kClasses + 5), .bias = Bias::Trained});
    next();
    return scores;
  }

  /// `x` with half the channels and twice the size, joined with `early`.
  Value join(const Value& x, const Value& early) {
    next();  // A route that only names the layer to go on from.
    const Value half = conv_bn_leaky(x, x.shape[1] / 2, 1);
    const Value large = upsample(b_, next(), half, 2);
    return concat(b_, next(), std::vector<Value>{large, early}, 1);
  }

  /// Five convolutions, 1x1 and 3x3 in turn.
  Value neck(Value x, std::int64_t channels) {
    for (int index = 0; index < 5; ++index) {
      x = index % 2 == 0 ? conv_bn_leaky(x, channels, 1) : conv_bn_leaky(x, 2 * channels, 3);
    }
    return x;
  }

 private:
  std::string next() { return "module_list." + std::to_string(index_++); }

  Builder& b_;
  int index_{0};
};

void build_yolov3(Builder& b, const Sizes& sizes) {
  Network net{b};
  Value x = b.input("image", {kBatch, 3, sizes.image, sizes.image});
  x = net.conv_bn_leaky(x, 32, 3);
  std::vector<Value> stages;
  std::int64_t channels = 64;
  for (const int depth : kDepths) {
    x = net.conv_bn_leaky(x, channels, 3, 2);
    for (int block = 0; block < depth; ++block) x = net.residual(x);
    stages.push_back(x);
    channels *= 2;
  }
  x = net.neck(x, 512);
  b.output(net.detection(x));
  x = net.neck(net.join(x, stages[3]), 256);
  b.output(net.detection(x));
  x = net.neck(net.join(x, stages[2]), 128);
  b.output(net.detection(x));
}

}  // namespace

std::vector<Entry> yolo_family() {
  return {{.architecture = {.name = "yolov3",
                            .description = "YOLOv3, 80 classes of COCO (arXiv:1804.02767, "
                                           "pjreddie/darknet)",
                            .input = "3x416x416",
                            .default_batch = 8,
                            .default_image = 416},
           .images = {.min = 32, .step = 32},
           .aliases = {"yolo"},
           .build = build_yolov3}};
}

}  // namespace horus::zoo
