// SPDX-License-Identifier: Apache-2.0
// RegNet X and Y (Radosavovic et al. 2020, arXiv:2003.13678), Z (Dollar et al. 2021,
// arXiv:2103.06877) and timm's V, which is Y with normalization first. Widths come from a line that
// is quantized, so four numbers say what a network looks like. Where torchvision and timm agree on
// the result, the network has both names.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

enum class Form { X, Y, Z, V };  ///< X: without squeeze; Y: with; Z: inverted; V: Y, norm first.
/// How widths become multiples of the group's: to the nearest, or never below nine tenths.
enum class Quantization { Nearest, NineTenths };
enum class Shortcut { Convolution, AveragePool };

struct Plan {
  Form form{Form::X};
  int depth{};                 ///< Blocks of all stages together.
  std::int64_t first_width{};  ///< Where the line of widths begins, ...
  double slope{};              ///< ... and how fast it grows by block.
  double step{};               ///< Ratio of one stage's width to the next.
  std::int64_t group{};        ///< Channels of a group of the 3x3 convolution.
  Quantization quantization{Quantization::Nearest};
  Shortcut shortcut{Shortcut::Convolution};
  std::int64_t norm_group{0};  ///< Channels of a group of the normalization; 0: batch norm.
  std::int64_t head{0};        ///< Channels of a last convolution; 0: none.
};

struct Stage {
  int depth{};
  std::int64_t width{};  ///< Of the blocks' output.
  std::int64_t inner{};  ///< Of the 3x3 convolution.
  std::int64_t group{};
};

constexpr std::int64_t kStem = 32;
constexpr std::int64_t kQuantum = 8;
constexpr std::int64_t kInversion = 4;  // Inner width of form Z over the output's.
constexpr double kSqueeze = 0.25;       // Of the block's input channels.

std::int64_t quantized(std::int64_t width, std::int64_t group, Quantization quantization) {
  if (quantization == Quantization::NineTenths)
    return rounded_to(static_cast<double>(width), group);
  const double steps = std::nearbyint(static_cast<double>(width) / static_cast<double>(group));
  return static_cast<std::int64_t>(steps) * group;
}

/// Width of block `index` before it is fitted to the groups.
std::int64_t line_width(const Plan& plan, int index) {
  const auto first = static_cast<double>(plan.first_width);
  const double line = first + plan.slope * index;
  const double stage = std::nearbyint(std::log(line / first) / std::log(plan.step));
  const double width = first * std::pow(plan.step, stage);
  return static_cast<std::int64_t>(std::nearbyint(width / kQuantum)) * kQuantum;
}

std::vector<Stage> stages_of(const Plan& plan) {
  std::vector<Stage> stages;
  for (int index = 0; index < plan.depth; ++index) {
    const std::int64_t width = line_width(plan, index);
    if (stages.empty() || stages.back().width != width) stages.push_back({.width = width});
    ++stages.back().depth;
  }
  const std::int64_t inversion = plan.form == Form::Z ? kInversion : 1;
  for (Stage& stage : stages) {
    const std::int64_t inner = stage.width * inversion;
    stage.group = std::min(plan.group, inner);
    stage.inner = quantized(inner, stage.group, plan.quantization);
    stage.width = stage.inner / inversion;
  }
  return stages;
}

/// Writes the blocks of one network.
class RegNet {
 public:
  RegNet(Builder& b, const Plan& plan)
      : b_{b}, plan_{plan}, activation_{has_silu(plan) ? silu : relu} {}

  void build(std::int64_t image);

 private:
  static bool has_silu(const Plan& plan) {
    return plan.form == Form::Z || plan.form == Form::V || plan.norm_group != 0;
  }

  Value norm(const std::string& name, const Value& x) {
    if (plan_.norm_group == 0) return batch_norm(b_, name, x);
    return group_norm(b_, name, x, x.shape[1] / plan_.norm_group);
  }
  Value conv_norm(const std::string& name, const Value& x, const ConvSpec& spec) {
    return norm(name + ".bn", conv(b_, name + ".conv", x, spec));
  }
  Value conv_norm_act(const std::string& name, const Value& x, const ConvSpec& spec) {
    return activation_(b_, name + ".act", conv_norm(name, x, spec));
  }
  Value norm_act(const std::string& name, const Value& x) {
    return activation_(b_, name + ".act", norm(name, x));
  }
  Value squeeze(const std::string& name, const Value& x, std::int64_t input_channels);
  Value shortcut(const std::string& name, const Value& x, const Stage& stage, std::int64_t stride);
  Value block(const std::string& name, const Value& x, const Stage& stage, std::int64_t stride);
  Value norm_first_block(const std::string& name, const Value& x, const Stage& stage,
                         std::int64_t stride);

  Builder& b_;
  const Plan& plan_;
  Activation activation_;
};

Value RegNet::squeeze(const std::string& name, const Value& x, std::int64_t input_channels) {
  if (plan_.form == Form::X) return x;
  const double squeezed = std::nearbyint(kSqueeze * static_cast<double>(input_channels));
  return squeeze_excite(
      b_, name, x, {.squeezed = static_cast<std::int64_t>(squeezed), .activation = activation_});
}

Value RegNet::shortcut(const std::string& name, const Value& x, const Stage& stage,
                       std::int64_t stride) {
  if (stride == 1 && x.shape[1] == stage.width) return x;
  ConvSpec spec{.channels = stage.width, .stride = {stride}};
  Value y = x;
  if (plan_.shortcut == Shortcut::AveragePool && stride > 1) {
    y = average_pool(b_, name + ".pool", y,
                     {.kernel = {2},
                      .stride = {stride},
                      .rounding = Rounding::Up,
                      .padding_counts = PaddingCounts::No});
    spec.stride = {1};
  }
  return plan_.form == Form::V ? conv(b_, name, y, spec) : conv_norm(name, y, spec);
}

Value RegNet::block(const std::string& name, const Value& x, const Stage& stage,
                    std::int64_t stride) {
  Value y = conv_norm_act(name + ".conv1", x, {.channels = stage.inner});
  y = conv_norm_act(name + ".conv2", y, centred(stage.inner, 3, stride, stage.inner / stage.group));
  y = squeeze(name + ".se", y, x.shape[1]);
  y = conv_norm(name + ".conv3", y, {.channels = stage.width});
  if (plan_.form != Form::Z) {
    y = binary(b_, name + ".add", "Add", y, shortcut(name + ".downsample", x, stage, stride));
    return activation_(b_, name + ".act3", y);
  }
  // Form Z adds only where shapes agree, and activates nothing afterwards.
  const bool residual = stride == 1 && x.shape[1] == stage.width;
  return residual ? binary(b_, name + ".add", "Add", y, x) : y;
}

Value RegNet::norm_first_block(const std::string& name, const Value& x, const Stage& stage,
                               std::int64_t stride) {
  const Value normal = norm_act(name + ".norm1", x);
  Value y = conv(b_, name + ".conv1", normal, {.channels = stage.inner});
  y = norm_act(name + ".norm2", y);
  y = conv(b_, name + ".conv2", y, centred(stage.inner, 3, stride, stage.inner / stage.group));
  y = norm_act(name + ".norm3", squeeze(name + ".se", y, x.shape[1]));
  y = conv(b_, name + ".conv3", y, {.channels = stage.width});
  return binary(b_, name + ".add", "Add", y, shortcut(name + ".downsample", normal, stage, stride));
}

void RegNet::build(std::int64_t image) {
  const bool norm_first = plan_.form == Form::V;
  Value x = b_.input("input", {kBatch, 3, image, image});
  x = norm_first ? conv(b_, "stem", x, centred(kStem, 3, 2))
                 : conv_norm_act("stem", x, centred(kStem, 3, 2));
  int number = 1;
  for (const Stage& stage : stages_of(plan_)) {
    const std::string place = "s" + std::to_string(number++) + ".b";
    for (int i = 0; i < stage.depth; ++i) {
      const std::string name = place + std::to_string(i + 1);
      const std::int64_t stride = i == 0 ? 2 : 1;
      x = norm_first ? norm_first_block(name, x, stage, stride) : block(name, x, stage, stride);
    }
  }
  if (plan_.head != 0) {
    x = conv_norm_act("final_conv", x, {.channels = plan_.head});
  } else if (norm_first || plan_.form == Form::Z) {
    x = activation_(b_, "final_conv", x);
  }
  b_.output(classifier(b_, "head", "head.fc", x));
}

struct Row {
  const char* name;
  const char* alias;  ///< timm's name for the same network, or null.
  std::int64_t image{};
  Plan plan;
};

constexpr auto kNineTenths = Quantization::NineTenths;
constexpr auto kNearest = Quantization::Nearest;
constexpr auto kConvolution = Shortcut::Convolution;

// Appendix tables of the papers.
constexpr auto kRows = std::to_array<Row>({
    {"regnet-x-400mf", "regnetx_004_tv", 224, {Form::X, 22, 24, 24.48, 2.54, 16, kNineTenths}},
    {"regnet-x-800mf", "regnetx_008", 224, {Form::X, 16, 56, 35.73, 2.28, 16, kNineTenths}},
    {"regnet-x-1-6gf", "regnetx_016", 224, {Form::X, 18, 80, 34.01, 2.25, 24, kNineTenths}},
    {"regnet-x-3-2gf", "regnetx_032", 224, {Form::X, 25, 88, 26.31, 2.25, 48, kNineTenths}},
    {"regnet-x-8gf", "regnetx_080", 224, {Form::X, 23, 80, 49.56, 2.88, 120, kNineTenths}},
    {"regnet-x-16gf", "regnetx_160", 224, {Form::X, 22, 216, 55.59, 2.1, 128, kNineTenths}},
    {"regnet-x-32gf", "regnetx_320", 224, {Form::X, 23, 320, 69.86, 2.0, 168, kNineTenths}},
    {"regnetx_002", nullptr, 224, {Form::X, 13, 24, 36.44, 2.49, 8}},
    {"regnetx_004", nullptr, 224, {Form::X, 22, 24, 24.48, 2.54, 16}},
    {"regnetx_006", nullptr, 224, {Form::X, 16, 48, 36.97, 2.24, 24}},
    {"regnetx_040", nullptr, 224, {Form::X, 23, 96, 38.65, 2.43, 40}},
    {"regnetx_064", nullptr, 224, {Form::X, 17, 184, 60.83, 2.07, 56}},
    {"regnetx_120", nullptr, 224, {Form::X, 19, 168, 73.36, 2.37, 112}},
    {"regnet-y-400mf", "regnety_004", 224, {Form::Y, 16, 48, 27.89, 2.09, 8, kNineTenths}},
    {"regnet-y-800mf", "regnety_008_tv", 224, {Form::Y, 14, 56, 38.84, 2.4, 16, kNineTenths}},
    {"regnet-y-1-6gf", "regnety_016", 224, {Form::Y, 27, 48, 20.71, 2.65, 24, kNineTenths}},
    {"regnet-y-3-2gf", "regnety_032", 224, {Form::Y, 21, 80, 42.63, 2.66, 24, kNineTenths}},
    {"regnet-y-8gf", "regnety_080_tv", 224, {Form::Y, 17, 192, 76.82, 2.19, 56, kNineTenths}},
    {"regnet-y-16gf", "regnety_160", 224, {Form::Y, 18, 200, 106.23, 2.48, 112, kNineTenths}},
    {"regnet-y-32gf", "regnety_320", 224, {Form::Y, 20, 232, 115.89, 2.53, 232, kNineTenths}},
    {"regnet-y-128gf", "regnety_1280", 384, {Form::Y, 27, 456, 160.83, 2.52, 264, kNineTenths}},
    {"regnety_002", nullptr, 224, {Form::Y, 13, 24, 36.44, 2.49, 8}},
    {"regnety_006", nullptr, 224, {Form::Y, 15, 48, 32.54, 2.32, 16}},
    {"regnety_008", nullptr, 224, {Form::Y, 14, 56, 38.84, 2.4, 16}},
    {"regnety_040", nullptr, 224, {Form::Y, 22, 96, 31.41, 2.24, 64}},
    {"regnety_040_sgn",
     nullptr,
     224,
     {Form::Y, 22, 96, 31.41, 2.24, 64, kNearest, kConvolution, 16}},
    {"regnety_064", nullptr, 224, {Form::Y, 25, 112, 33.22, 2.27, 72}},
    {"regnety_080", nullptr, 224, {Form::Y, 17, 192, 76.82, 2.19, 56}},
    {"regnety_120", nullptr, 224, {Form::Y, 19, 168, 73.36, 2.37, 112}},
    {"regnety_640", nullptr, 224, {Form::Y, 20, 352, 147.48, 2.4, 328}},
    {"regnety_2560", nullptr, 384, {Form::Y, 27, 640, 230.83, 2.53, 373}},
    {"regnetv_040", nullptr, 224, {Form::V, 22, 96, 31.41, 2.24, 64}},
    {"regnetv_064",
     nullptr,
     224,
     {Form::V, 25, 112, 33.22, 2.27, 72, kNearest, Shortcut::AveragePool}},
    {"regnetz_005",
     nullptr,
     224,
     {Form::Z, 21, 16, 10.7, 2.51, 4, kNearest, kConvolution, 0, 1024}},
    {"regnetz_040", nullptr, 256, {Form::Z, 28, 48, 14.5, 2.226, 8}},
    {"regnetz_040_h",
     nullptr,
     256,
     {Form::Z, 28, 48, 14.5, 2.226, 8, kNearest, kConvolution, 0, 1536}},
});

const char* description_of(const Row& row) {
  if (row.plan.form == Form::Z) return "RegNetZ, ImageNet (arXiv:2103.06877, timm)";
  if (row.plan.form == Form::V) return "RegNetY with normalization first, ImageNet (timm)";
  return row.alias != nullptr ? "RegNet, ImageNet (arXiv:2003.13678, torchvision)"
                              : "RegNet, ImageNet (arXiv:2003.13678, timm)";
}

}  // namespace

std::vector<Entry> regnet_family() {
  std::vector<Entry> entries;
  for (const Row& row : kRows) {
    const std::string side = std::to_string(row.image);
    Architecture architecture{.name = row.name,
                              .description = description_of(row),
                              .input = "3x" + side + "x" + side,
                              .default_batch = 32,
                              .default_image = row.image};
    entries.push_back({.architecture = std::move(architecture),
                       .build = [plan = row.plan](Builder& b, const Sizes& sizes) {
                         RegNet{b, plan}.build(sizes.image);
                       }});
    if (row.alias != nullptr) entries.back().aliases.emplace_back(row.alias);
  }
  return entries;
}

}  // namespace horus::zoo
