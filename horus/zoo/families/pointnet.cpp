// SPDX-License-Identifier: Apache-2.0
// PointNet classification (Qi et al. 2017, arXiv:1612.00593): 1024 points, both alignment networks,
// 40 classes (ModelNet40); and the smaller default of fxia22/pointnet.pytorch, three layers before
// the maximum and the first alignment only, for the 16 classes of ShapeNet. Layers over points are
// convolutions of kernel 1, as in the usual code.

#include <span>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kPoints = 1024;
constexpr std::int64_t kClasses = 40;
constexpr double kDropout = 0.3;  // The paper keeps 0.7.

/// A layer shared by all points: (batch, in, points) to (batch, out, points).
Value shared(Builder& b, const std::string& name, const Value& x, std::int64_t channels) {
  const Value y = conv(b, name, x, {.channels = channels, .bias = Bias::Trained});
  return relu(b, name + ".relu", batch_norm(b, name + ".bn", y));
}

Value dense(Builder& b, const std::string& name, const Value& x, std::int64_t features) {
  return batch_norm(b, name + ".bn", linear(b, name, x, features));
}

/// The largest value of each feature over all points: (batch, features).
Value strongest(Builder& b, const std::string& name, const Value& x) {
  return b.add(
      {.name = name,
       .op_type = "ReduceMax",
       .inputs = {x.name},
       .attributes = {{"axes", std::vector<std::int64_t>{2}}, {"keepdims", std::int64_t{0}}}},
      {x.shape[0], x.shape[1]});
}

std::vector<double> identity(std::int64_t size) {
  std::vector<double> values(static_cast<std::size_t>(size * size), 0.0);
  for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(size) + 1) {
    values[i] = 1;
  }
  return values;
}

/// T-Net: a square matrix for each cloud, identity plus what is learned.
Value alignment(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t size = x.shape[1];
  Value y = x;
  int index = 1;
  for (const std::int64_t channels : {64, 128, 1024}) {
    y = shared(b, name + ".conv" + std::to_string(index++), y, channels);
  }
  y = strongest(b, name + ".max", y);
  y = relu(b, name + ".fc1.relu", dense(b, name + ".fc1", y, 512));
  y = relu(b, name + ".fc2.relu", dense(b, name + ".fc2", y, 256));
  y = linear(b, name + ".fc3", y, size * size);
  y = binary(b, name + ".add", "Add", y,
             b.numbers(name + ".identity", {1, size * size}, identity(size)));
  return reshape(b, name, y, {0, size, size}, {kBatch, size, size});
}

/// The cloud `x` turned by its own alignment.
Value align(Builder& b, const std::string& name, const Value& x) {
  const Value matrix = alignment(b, name, x);
  const Value rows = transpose(b, name + ".rows", x, {0, 2, 1});
  const Value turned = matmul(b, name + ".turn", rows, matrix);
  return transpose(b, name + ".columns", turned, {0, 2, 1});
}

void build_pointnet(Builder& b, const Sizes&) {
  Value x = b.input("points", {kBatch, 3, kPoints});
  x = align(b, "stn", x);
  x = shared(b, "conv1", x, 64);
  x = shared(b, "conv2", x, 64);
  x = align(b, "fstn", x);
  x = shared(b, "conv3", x, 64);
  x = shared(b, "conv4", x, 128);
  x = shared(b, "conv5", x, 1024);
  x = strongest(b, "max", x);
  x = relu(b, "fc1.relu", dense(b, "fc1", x, 512));
  x = relu(b, "fc2.relu", dense(b, "fc2", x, 256));
  b.output(linear(b, "fc3", dropout(b, "dropout", x, kDropout), kClasses));
}

void build_shapenet(Builder& b, const Sizes&) {
  Value x = b.input("points", {kBatch, 3, 2500});
  x = align(b, "feat.stn", x);
  x = shared(b, "feat.conv1", x, 64);
  x = shared(b, "feat.conv2", x, 128);
  x = conv(b, "feat.conv3", x, {.channels = 1024, .bias = Bias::Trained});
  x = strongest(b, "feat.max", batch_norm(b, "feat.conv3.bn", x));
  x = relu(b, "fc1.relu", dense(b, "fc1", x, 512));
  x = dropout(b, "dropout", linear(b, "fc2", x, 256), kDropout);
  x = linear(b, "fc3", relu(b, "fc2.relu", batch_norm(b, "fc2.bn", x)), 16);
  b.output(unary(b, "log_softmax", "LogSoftmax", x, {{"axis", std::int64_t{-1}}}));
}

Entry pointnet(std::string name, const std::string& what, std::string input,
               void (*build)(Builder&, const Sizes&)) {
  return {.architecture = {.name = std::move(name),
                           .description = "PointNet classification " + what,
                           .input = std::move(input),
                           .default_batch = 32},
          .aliases = {},
          .build = build};
}

}  // namespace

std::vector<Entry> pointnet_family() {
  return {
      pointnet("pointnet", "with both alignment networks, ModelNet40 (arXiv:1612.00593)",
               "1024 points", build_pointnet),
      pointnet("pointnet-shapenet",
               "with one alignment network, ShapeNet (fxia22/pointnet.pytorch)", "2500 points",
               build_shapenet),
  };
}

}  // namespace horus::zoo
