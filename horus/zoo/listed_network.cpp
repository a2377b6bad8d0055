// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/listed_network.hpp"

#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kBatchMax = 1'000'000;
constexpr double kSlope = 0.25;  // Where PReLU starts, in PyTorch.

/// Elements of one sample. Stays exact: no list states more than kListNumberMax for a layer.
std::int64_t elements(const Value& x) {
  std::int64_t count = 1;
  for (std::size_t axis = 1; axis < x.shape.size(); ++axis) count *= x.shape[axis];
  return count;
}

/// The convolution over `channels` of a square image that has the layer's numbers: square kernels
/// of odd size, padded to keep the image's side at stride 1.
std::optional<ConvSpec> kernel_of(std::int64_t channels, std::int64_t side,
                                  const ListedLayer& layer) {
  for (const Bias bias : {Bias::Trained, Bias::None}) {
    for (const std::int64_t size : {3, 1, 5, 7}) {
      const std::int64_t weights = channels * size * size + (bias == Bias::Trained ? 1 : 0);
      const std::int64_t outputs = layer.parameters / weights;
      if (outputs == 0 || outputs * weights != layer.parameters) continue;
      for (const std::int64_t stride : {1, 2}) {
        const std::int64_t reached = (side - 1) / stride + 1;
        if (layer.outputs % (reached * reached) != 0) continue;
        if (layer.outputs / (reached * reached) != outputs) continue;
        return ConvSpec{.channels = outputs,
                        .kernel = {size},
                        .stride = {stride},
                        .padding = {size / 2},
                        .bias = bias};
      }
    }
  }
  return std::nullopt;
}

/// Softplus, Tanh, Mul: an operator of its own from opset 18 only.
Value mish(Builder& b, const std::string& name, const Value& x) {
  return binary(b, name, "Mul", x,
                tanh(b, name + ".tanh", unary(b, name + ".softplus", "Softplus", x)));
}

Value prelu(Builder& b, const std::string& name, const Value& x) {
  return binary(b, name, "PRelu", x, b.filled(kSlope, 1));
}

/// A layer without weights whose output has the shape of its input: one operator, or several.
struct Pointwise {
  const char* kind;
  const char* op_type;
  Value (*apply)(Builder& b, const std::string& name, const Value& x){};
};

// Kinds with the names that lists give them. The lists count no weight for PReLU, which has one
// slope in the framework: it stands as a constant here.
constexpr auto kPointwise = std::to_array<Pointwise>({{"ELU", "Elu"},
                                                      {"GELU", "", gelu},
                                                      {"Identity", "Identity"},
                                                      {"LeakyReLU", "LeakyRelu"},
                                                      {"Mish", "", mish},
                                                      {"PReLU", "", prelu},
                                                      {"ReLU", "Relu"},
                                                      {"SELU", "Selu"},
                                                      {"SiLU", "", silu},
                                                      {"Sigmoid", "Sigmoid"},
                                                      {"Softmax", "", softmax},
                                                      {"Softplus", "Softplus"},
                                                      {"Tanh", "Tanh"},
                                                      {"softmax", "", softmax}});

/// The network as far as its layers are read.
class Listed {
 public:
  Listed(Builder& b, const ListedInput& input) : b_{b}, input_{input} {
    const std::int64_t side = input.image;
    x_ = side == 0 ? b.input("input", {kBatch, input.channels})
                   : b.input("input", {kBatch, input.channels, side, side});
  }

  Result<Done> add(const ListedLayer& layer);
  Result<Value> finish();

 private:
  Result<Done> add_conv(const ListedLayer& layer);
  Result<Done> add_norm(const ListedLayer& layer);
  Result<Done> add_pool(const ListedLayer& layer);
  Result<Done> add_linear(const ListedLayer& layer);
  Result<Done> add_dropout(const ListedLayer& layer);
  Result<Done> add_pointwise(const Pointwise& pointwise, const ListedLayer& layer);

  Result<Done> settle();
  Result<Done> sum_block();
  Result<Done> join_features();
  [[nodiscard]] Result<Done> same_numbers(const ListedLayer& layer, std::int64_t parameters) const;
  [[nodiscard]] bool is_map() const { return x_.shape.size() == 4; }
  [[nodiscard]] std::string name() const { return fmt::format("layers.{}", index_); }

  Builder& b_;
  const ListedInput& input_;
  Value x_;
  int index_{0};

  /// Residual: what the block reads, and the 1x1 convolution beside it until they are summed.
  std::optional<Value> block_input_;
  std::optional<Value> shortcut_;
  int branch_convolutions_{0};

  /// Dense: everything found before x_, until x_ joins it.
  std::optional<Value> features_;
  enum class Branch { None, Growth, Transition } branch_{Branch::None};
};

Result<Done> Listed::same_numbers(const ListedLayer& layer, std::int64_t parameters) const {
  if (layer.outputs == elements(x_) && layer.parameters == parameters) return Done{};
  return fail(Errc::Corrupt,
              fmt::format("{} has {} outputs and {} parameters in the list, but {} and {} where it "
                          "stands",
                          layer.kind, layer.outputs, layer.parameters, elements(x_), parameters));
}

/// Ends a residual block, whose sum comes behind the activation and the dropout of its second
/// convolution (NeuroNetGen_scripts/CNN/cnn.py of github.com/itu-rad/GPUMemNet).
Result<Done> Listed::sum_block() {
  if (x_.shape != shortcut_->shape) {
    return fail(Errc::Corrupt,
                "a residual block ends before it with other sizes than its shortcut");
  }
  x_ = binary(b_, fmt::format("layers.{}.residual", index_), "Add", x_, *shortcut_);
  shortcut_.reset();
  block_input_.reset();
  return Done{};
}

/// Adds what the convolutions since the last one found to all features. A transition replaces them
/// and is followed by a pooling, which the list leaves out.
Result<Done> Listed::join_features() {
  if (branch_ == Branch::Growth) {
    if (x_.shape[2] != features_->shape[2]) {
      return fail(Errc::Corrupt, "the convolution before it changes the size of a dense block");
    }
    x_ = concat(b_, fmt::format("layers.{}.features", index_), std::vector<Value>{*features_, x_},
                1);
  }
  if (branch_ == Branch::Transition && x_.shape[2] >= 2) {
    x_ =
        average_pool(b_, fmt::format("layers.{}.pool", index_), x_, {.kernel = {2}, .stride = {2}});
  }
  branch_ = Branch::None;
  features_ = x_;
  return Done{};
}

/// Brings to its end what the list leaves out, before a layer that reads all of it.
Result<Done> Listed::settle() {
  if (shortcut_ && branch_convolutions_ > 0) HORUS_TRY_DONE(sum_block());
  if (input_.wiring == Wiring::Dense && is_map()) HORUS_TRY_DONE(join_features());
  return Done{};
}

Result<Done> Listed::add_conv(const ListedLayer& layer) {
  if (!is_map()) return fail(Errc::Corrupt, "a convolution stands where there is no image");
  if (input_.wiring == Wiring::Dense) HORUS_TRY_DONE(join_features());
  if (shortcut_ && branch_convolutions_ == 0) {
    // The branch reads what the shortcut before it reads.
    shortcut_ = std::exchange(x_, *block_input_);
  } else if (shortcut_ && branch_convolutions_ > 1) {
    HORUS_TRY_DONE(sum_block());
  }
  const auto spec = kernel_of(x_.shape[1], x_.shape[2], layer);
  if (!spec) {
    return fail(
        Errc::Corrupt,
        fmt::format("no convolution of {} channels at {}x{} has {} outputs and {} "
                    "parameters",
                    x_.shape[1], x_.shape[2], x_.shape[2], layer.outputs, layer.parameters));
  }
  const bool is_point = spec->kernel.front() == 1;
  if (shortcut_) ++branch_convolutions_;
  if (!shortcut_ && is_point && input_.wiring == Wiring::Residual) {
    block_input_ = x_;
    shortcut_ = x_;  // Replaced by what follows, once the branch begins.
    branch_convolutions_ = 0;
  }
  branch_ = is_point ? Branch::Transition : Branch::Growth;
  x_ = conv(b_, name(), x_, *spec);
  return Done{};
}

Result<Done> Listed::add_norm(const ListedLayer& layer) {
  HORUS_TRY_DONE(same_numbers(layer, 2 * x_.shape[1]));
  x_ = batch_norm(b_, name(), x_);
  return Done{};
}

Result<Done> Listed::add_pool(const ListedLayer& layer) {
  if (!is_map()) return fail(Errc::Corrupt, "a pooling stands where there is no image");
  HORUS_TRY_DONE(settle());
  x_ = flatten(b_, name() + ".flatten", global_average_pool(b_, name(), x_));
  return same_numbers(layer, 0);
}

Result<Done> Listed::add_linear(const ListedLayer& layer) {
  if (is_map()) return fail(Errc::Corrupt, "a linear layer stands where there is an image");
  const std::int64_t weights = layer.parameters / layer.outputs;
  const std::int64_t width = x_.shape[1];
  const bool divides = layer.parameters % layer.outputs == 0;
  if (!divides || (weights != width && weights != width + 1)) {
    return fail(Errc::Corrupt,
                fmt::format("a linear layer of {} inputs and {} outputs has {} parameters in the "
                            "list",
                            width, layer.outputs, layer.parameters));
  }
  x_ = linear(b_, name(), x_, layer.outputs, weights == width ? Bias::None : Bias::Trained);
  return Done{};
}

Result<Done> Listed::add_dropout(const ListedLayer& layer) {
  if (input_.dropout <= 0) return fail(Errc::Corrupt, "a dropout stands where no rate is given");
  HORUS_TRY_DONE(same_numbers(layer, 0));
  x_ = dropout(b_, name(), x_, input_.dropout);
  return Done{};
}

Result<Done> Listed::add_pointwise(const Pointwise& pointwise, const ListedLayer& layer) {
  HORUS_TRY_DONE(same_numbers(layer, 0));
  x_ = pointwise.apply != nullptr ? pointwise.apply(b_, name(), x_)
                                  : unary(b_, name(), pointwise.op_type, x_);
  return Done{};
}

Result<Done> Listed::add(const ListedLayer& layer) {
  struct Kind {
    const char* name;
    Result<Done> (Listed::*add)(const ListedLayer&);
  };
  constexpr auto kKinds = std::to_array<Kind>({{"adaptive_avg_pool2d", &Listed::add_pool},
                                               {"batch_normalization", &Listed::add_norm},
                                               {"batchnorm2d", &Listed::add_norm},
                                               {"conv2d", &Listed::add_conv},
                                               {"dropout", &Listed::add_dropout},
                                               {"linear", &Listed::add_linear}});
  ++index_;
  for (const Kind& kind : kKinds) {
    if (layer.kind == kind.name) return (this->*kind.add)(layer);
  }
  for (const Pointwise& pointwise : kPointwise) {
    if (layer.kind == pointwise.kind) return add_pointwise(pointwise, layer);
  }
  return fail(Errc::Unsupported,
              fmt::format("layers of kind '{}' are not known", printable(layer.kind)));
}

Result<Value> Listed::finish() {
  ++index_;  // What the end adds stands after the last layer and has names of its own.
  HORUS_TRY_DONE(settle());
  return x_;
}

Result<Done> check(const ListedInput& input, std::span<const ListedLayer> layers,
                   std::optional<std::int64_t> batch) {
  if (layers.empty()) return fail(Errc::InvalidArgument, "the layer list is empty");
  if (batch && (*batch < 1 || *batch > kBatchMax)) {
    return fail(Errc::InvalidArgument,
                fmt::format("batch {} is outside of 1..{}", *batch, kBatchMax));
  }
  const std::int64_t channels_max = input.image == 0 ? kListNumberMax : kListImageMax;
  if (input.channels >= 1 && input.channels <= channels_max && input.image >= 0 &&
      input.image <= kListImageMax) {
    return Done{};
  }
  return fail(Errc::InvalidArgument,
              fmt::format("an input of {} channels at {}x{} is outside of 1..{} channels and {} "
                          "pixels",
                          input.channels, input.image, input.image, channels_max, kListImageMax));
}

}  // namespace

Result<graph::Model> build_listed(const ListedInput& input, std::span<const ListedLayer> layers,
                                  std::optional<std::int64_t> batch) {
  HORUS_TRY_DONE(check(input, layers, batch));
  Builder builder{"listed", batch};
  Listed network{builder, input};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    auto done = network.add(layers[i]);
    if (done) continue;
    done.error().where = fmt::format("layer {}", i + 1);
    return tl::make_unexpected(std::move(done).error());
  }
  HORUS_TRY(const Value result, network.finish());
  builder.output(result);
  return std::move(builder).finish();
}

}  // namespace horus::zoo
