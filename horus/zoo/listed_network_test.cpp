// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/listed_network.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/base/rng.hpp"
#include "horus/base/text.hpp"
#include "horus/base/unpacked_text_test.hpp"
#include "horus/graph/analysis.hpp"

namespace horus::zoo {
namespace {

using ::testing::HasSubstr;

Result<graph::Model> rebuild(std::string_view run_name, std::string_view list) {
  HORUS_TRY(const auto input, parse_run_name(run_name));
  HORUS_TRY(const auto layers, parse_layer_list(list));
  return build_listed(input, layers);
}

graph::Analysis analysis_of(const Result<graph::Model>& model) {
  EXPECT_TRUE(model) << model.error().text();
  if (!model) return {};
  auto analysis = graph::analyse(*model, {.batch = 1, .dims = {}});
  EXPECT_TRUE(analysis) << analysis.error().text();
  return analysis ? *std::move(analysis) : graph::Analysis{};
}

std::vector<std::string> op_types(const graph::Model& model) {
  std::vector<std::string> types;
  for (const graph::Node& node : model.graph.nodes) {
    if (node.op_type != "Constant") types.push_back(node.op_type);
  }
  return types;
}

constexpr const char* kImage = "input_channels:3_arch:uniform_batch:4_input_size:10";
constexpr const char* kResidual = "input_channels:3_arch:residual_batch:4_input_size:10";
constexpr const char* kDense = "input_channels:3_arch:dense_batch:4_input_size:10";
constexpr const char* kNumbers = "input:20_arch:uniform_batch:4_dropout:0.5";

TEST(ListedNetwork, FindsKernelsByParametersAndOutputs) {
  // 3x3 over 3 channels to 8 with bias: 8 * 28 = 224 parameters, 8 * 10 * 10 outputs.
  const auto model = rebuild(kImage,
                             "[('conv2d', 800, 224), ('batchnorm2d', 800, 16), ('ReLU', 800, 0), "
                             "('conv2d', 200, 584), ('adaptive_avg_pool2d', 8, 0), "
                             "('linear', 5, 45), ('softmax', 5, 0)]");
  const graph::Analysis analysis = analysis_of(model);
  EXPECT_EQ(analysis.features.parameters, 224 + 16 + 584 + 45);
  EXPECT_EQ(analysis.features.ops_without_cost, 0);
  // The second convolution has a stride of 2: 8 * 9 * 8 weights at 5x5 places.
  EXPECT_EQ(graph::totals_of(analysis.features).macs, 100 * 216 + 25 * 576 + 40);
}

TEST(ListedNetwork, ResidualBlocksAreSummedBehindTheirLastActivation) {
  // A 1x1 shortcut of 3 to 4 channels, two 3x3 convolutions beside it; then a second block.
  const auto model = rebuild(kResidual,
                             "[('conv2d', 400, 16), ('conv2d', 400, 112), ('ReLU', 400, 0), "
                             "('conv2d', 400, 148), ('ReLU', 400, 0), "
                             "('conv2d', 500, 25), ('conv2d', 500, 185), ('ReLU', 500, 0), "
                             "('conv2d', 500, 230), ('ReLU', 500, 0), "
                             "('adaptive_avg_pool2d', 5, 0)]");
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_THAT(op_types(*model), ::testing::ElementsAre(
                                    "Conv", "Conv", "Relu", "Conv", "Relu", "Add", "Conv", "Conv",
                                    "Relu", "Conv", "Relu", "Add", "GlobalAveragePool", "Flatten"));
  // The branch reads what the shortcut reads: the input, and the sum of the first block.
  EXPECT_EQ(model->graph.nodes.at(1).inputs.at(0), "input");
  EXPECT_EQ(model->graph.nodes.at(6).inputs.at(0), model->graph.nodes.at(5).outputs.at(0));
  EXPECT_EQ(model->graph.nodes.at(7).inputs.at(0), model->graph.nodes.at(5).outputs.at(0));
  EXPECT_EQ(analysis_of(model).features.parameters, 16 + 112 + 148 + 25 + 185 + 230);
}

TEST(ListedNetwork, DenseLayersReadAllFeaturesAndTransitionsHalveThem) {
  // Two of growth 4 over 3 and 7 channels, a transition of 11 to 5, one over 5 at 5x5.
  const auto model = rebuild(kDense,
                             "[('conv2d', 400, 112), ('Tanh', 400, 0), ('conv2d', 400, 256), "
                             "('Tanh', 400, 0), ('conv2d', 500, 60), ('ReLU', 500, 0), "
                             "('conv2d', 100, 184), ('adaptive_avg_pool2d', 9, 0)]");
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_THAT(
      op_types(*model),
      ::testing::ElementsAre("Conv", "Tanh", "Concat", "Conv", "Tanh", "Concat", "Conv", "Relu",
                             "AveragePool", "Conv", "Concat", "GlobalAveragePool", "Flatten"));
  EXPECT_EQ(analysis_of(model).features.parameters, 112 + 256 + 60 + 184);
}

TEST(ListedNetwork, DenseListsMayEndInAConvolution) {
  // The features of the last convolution join those before it, after the list has ended.
  const auto model =
      rebuild(kDense, "[('conv2d', 400, 112), ('Tanh', 400, 0), ('conv2d', 400, 256)]");
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_THAT(op_types(*model), ::testing::ElementsAre("Conv", "Tanh", "Concat", "Conv", "Concat"));
}

TEST(ListedNetwork, NetworksOfNumbersAreLinearLayers) {
  const auto model = rebuild(kNumbers,
                             "[('linear', 7, 147), ('batch_normalization', 7, 14), "
                             "('PReLU', 7, 0), ('dropout', 7, 0), ('linear', 3, 24), "
                             "('Softmax', 3, 0)]");
  const graph::Analysis analysis = analysis_of(model);
  EXPECT_EQ(analysis.features.parameters, 147 + 14 + 24);
  EXPECT_EQ(analysis.features.ops_without_cost, 0);
}

TEST(ListedNetwork, EveryActivationHasACost) {
  for (const char* kind : {"ELU", "GELU", "Identity", "LeakyReLU", "Mish", "PReLU", "ReLU", "SELU",
                           "SiLU", "Sigmoid", "Softmax", "Softplus", "Tanh"}) {
    const auto model = rebuild(kNumbers, fmt::format("[('linear', 7, 147), ('{}', 7, 0)]", kind));
    const graph::Analysis analysis = analysis_of(model);
    EXPECT_EQ(analysis.features.ops_without_cost, 0) << kind;
    EXPECT_EQ(analysis.features.parameters, 147) << kind;
  }
}

/// A chain, residual or dense network of random sizes, written as the data set writes it.
struct Generated {
  std::string run_name;
  std::string list;
  double parameters{0};

  void add(const char* kind, std::int64_t outputs, std::int64_t weights) {
    list += fmt::format("{}('{}', {}, {})", list.empty() ? "" : ", ", kind, outputs, weights);
    parameters += static_cast<double>(weights);
  }

  void add_conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t side) {
    add("conv2d", out * side * side, (in * kernel * kernel + 1) * out);
    add("batchnorm2d", out * side * side, 2 * out);
  }
};

/// `blocks` blocks: a convolution, a residual pair beside its shortcut, or two dense convolutions
/// and a transition.
Generated generate(Rng& rng, Wiring wiring, int blocks) {
  constexpr std::int64_t kGrowth = 32;
  const char* const arch = wiring == Wiring::Chain      ? "gradual"
                           : wiring == Wiring::Residual ? "residual"
                                                        : "dense";
  std::int64_t side = 16 + static_cast<std::int64_t>(rng.below(100));
  std::int64_t channels = 3;
  Generated network;
  network.run_name = fmt::format("input_channels:3_arch:{}_batch:8_input_size:{}.out", arch, side);
  for (int block = 0; block < blocks; ++block) {
    const std::int64_t width = channels + 1 + static_cast<std::int64_t>(rng.below(60));
    if (wiring == Wiring::Dense) {
      for (int layer = 0; layer < 2; ++layer, channels += kGrowth) {
        network.add_conv(channels, kGrowth, 3, side);
        network.add("ELU", kGrowth * side * side, 0);
      }
      network.add_conv(channels, width, 1, side);
      network.add("ReLU", width * side * side, 0);
      side /= 2;
    } else if (wiring == Wiring::Residual) {
      side = (side + 1) / 2;
      network.add_conv(channels, width, 1, side);
      network.add_conv(channels, width, 3, side);
      network.add("ELU", width * side * side, 0);
      network.add_conv(width, width, 3, side);
      network.add("ELU", width * side * side, 0);
    } else {
      network.add_conv(channels, width, 3, side);
      network.add("ELU", width * side * side, 0);
    }
    channels = width;
  }
  network.add("adaptive_avg_pool2d", channels, 0);
  network.add("linear", 10, 10 * (channels + 1));
  network.list = "[" + network.list + "]";
  return network;
}

TEST(ListedNetwork, GeneratedListsAreRebuiltWithTheirParameters) {
  Rng rng{17};
  for (const Wiring wiring : {Wiring::Chain, Wiring::Residual, Wiring::Dense}) {
    for (const int blocks : {1, 2, 3}) {
      const Generated network = generate(rng, wiring, blocks);
      const graph::Analysis analysis = analysis_of(rebuild(network.run_name, network.list));
      EXPECT_EQ(analysis.features.parameters, network.parameters) << network.list;
      EXPECT_EQ(analysis.features.ops_without_cost, 0) << network.list;
    }
  }
}

TEST(ListedNetwork, NumbersThatFitNoLayerAreNamed) {
  struct Case {
    const char* run;
    const char* list;
    const char* where;
    const char* message;
  };
  const std::vector<Case> cases{
      {kImage, "[('conv2d', 800, 225)]", "layer 1", "3 channels at 10x10"},
      {kImage, "[('conv2d', 800, 224), ('ReLU', 801, 0)]", "layer 2", "801 outputs"},
      {kImage, "[('conv2d', 800, 224), ('batchnorm2d', 800, 17)]", "layer 2", "17 parameters"},
      {kImage, "[('conv2d', 800, 224), ('linear', 5, 45)]", "layer 2", "where there is an image"},
      {kNumbers, "[('conv2d', 800, 224)]", "layer 1", "where there is no image"},
      {kNumbers, "[('linear', 7, 147), ('linear', 3, 25)]", "layer 2", "7 inputs and 3 outputs"},
      {kImage, "[('dropout', 300, 0)]", "layer 1", "no rate"},
      {kImage, "[('lstm', 300, 0)]", "layer 1", "kind 'lstm'"},
      {kDense, "[('conv2d', 100, 112), ('conv2d', 100, 256)]", "layer 2", "dense block"},
  };
  for (const Case& each : cases) {
    const auto model = rebuild(each.run, each.list);
    ASSERT_FALSE(model) << each.list;
    EXPECT_EQ(model.error().where, each.where) << each.list;
    EXPECT_THAT(model.error().message, HasSubstr(each.message)) << each.list;
  }
}

TEST(ListedNetwork, RefusesWhatNoNetworkIs) {
  EXPECT_FALSE(build_listed({.channels = 3, .image = 8}, {}));
  const std::vector<ListedLayer> layers{{.kind = "ReLU", .outputs = 3, .parameters = 0}};
  EXPECT_TRUE(build_listed({.channels = 3}, layers));
  EXPECT_FALSE(build_listed({.channels = 3}, layers, 0));
  EXPECT_FALSE(build_listed({.channels = 0}, layers));
  EXPECT_FALSE(build_listed({.channels = 1'000'000'000, .image = 65536}, layers));
}

// The published lists, where they are there.

struct PublishedList {
  std::string_view run_name;
  std::string_view list;
  double parameters{};
};

/// Rows of the form NAME,DEPTH,"LIST",ACTIVATION,TOTAL ACTIVATIONS,TOTAL PARAMETERS,...
std::vector<PublishedList> published_lists(std::string_view text) {
  std::vector<PublishedList> rows;
  for (const std::string_view line : split(text, '\n')) {
    const auto parts = split(line, '"');
    if (parts.size() != 3) continue;
    const auto after = split(parts[2], ',');
    rows.push_back({.run_name = split(parts[0], ',')[0],
                    .list = parts[1],
                    .parameters = parse_number(after.at(3)).value()});
  }
  return rows;
}

/// How many of `rows` are rebuilt with as many parameters as their column says.
std::size_t rebuilt_exactly(const std::vector<PublishedList>& rows) {
  std::size_t exact = 0;
  std::string first_error;
  for (const PublishedList& row : rows) {
    const auto model = rebuild(row.run_name, row.list);
    if (!model) {
      if (first_error.empty()) first_error = model.error().text();
      continue;
    }
    const auto analysis = graph::analyse(*model, {.batch = 1, .dims = {}});
    if (analysis && analysis->features.parameters == row.parameters &&
        analysis->features.ops_without_cost == 0) {
      ++exact;
    }
  }
  if (!first_error.empty()) std::printf("first of the rows not rebuilt: %s\n", first_error.c_str());
  return exact;
}

class PublishedLists : public ::testing::TestWithParam<const char*> {};

TEST_P(PublishedLists, AreRebuiltWithTheirParameters) {
  const std::string text =
      unpacked_text(std::string{HORUS_SHARED_DATA} + "/gpumemnet/" + GetParam());
  if (text.empty()) GTEST_SKIP() << "no gpumemnet/" << GetParam() << " in HORUS_SHARED_DATA";
  std::vector<PublishedList> rows = published_lists(text);
  ASSERT_GT(rows.size(), 1000u);
  // Runs that ended before their network was written down have an empty list.
  std::erase_if(rows, [](const PublishedList& row) { return row.list == "[]"; });
  // Every seventh row: enough to meet all forms in a test's time.
  std::vector<PublishedList> sample;
  for (std::size_t i = 0; i < rows.size(); i += 7) sample.push_back(rows[i]);
  EXPECT_GE(static_cast<double>(rebuilt_exactly(sample)),
            0.99 * static_cast<double>(sample.size()));
}

INSTANTIATE_TEST_SUITE_P(Gpumemnet, PublishedLists,
                         ::testing::Values("cnn_step1.csv.gz", "mlp_step1.csv.gz",
                                           "mlp_step2.csv.gz"));

TEST(Encoder, HasTheParametersOfItsLayers) {
  const EncoderSizes sizes{.classes = 10,
                           .embedding = 16,
                           .layers = 3,
                           .heads = 4,
                           .feed_forward = 40,
                           .sequence = 7,
                           .vocabulary = 100};
  const graph::Analysis analysis = analysis_of(build_encoder(sizes));
  constexpr double kAttention = 4 * (16 * 16 + 16);
  constexpr double kFeedForward = 16 * 40 + 40 + 40 * 16 + 16;
  constexpr double kNorms = 4 * 16;
  EXPECT_EQ(analysis.features.parameters,
            100 * 16 + 3 * (kAttention + kFeedForward + kNorms) + 17 * 10);
  EXPECT_EQ(analysis.features.ops_without_cost, 0);
}

TEST(Encoder, RefusesSizesThatNoEncoderHas) {
  const EncoderSizes good{.classes = 1,
                          .embedding = 6,
                          .layers = 1,
                          .heads = 2,
                          .feed_forward = 1,
                          .sequence = 1,
                          .vocabulary = 1};
  EXPECT_TRUE(build_encoder(good));
  EncoderSizes wrong = good;
  wrong.heads = 4;
  EXPECT_THAT(build_encoder(wrong).error().message, HasSubstr("6 is not shared evenly by 4"));
  wrong = good;
  wrong.layers = 1025;
  EXPECT_EQ(build_encoder(wrong).error().where, "layers");
  EXPECT_EQ(build_encoder(good, 0).error().where, "batch");
}

TEST(Encoder, PublishedSampleCountsAllButTheAttentions) {
  // The data set's column adds up the layers that have no layers inside; torch's attention holds
  // its weights itself, so 4 * (embedding + 1) * embedding are missing for each layer.
  std::ifstream file{std::string{HORUS_SHARED_DATA} + "/gpumemnet/transformer_sample.csv"};
  if (!file) GTEST_SKIP() << "no gpumemnet/transformer_sample.csv in HORUS_SHARED_DATA";
  std::string line;
  std::getline(file, line);
  int rows = 0;
  while (std::getline(file, line)) {
    const auto fields = split(line, ',');
    const auto number = [&fields](std::size_t i) { return parse_integer(fields.at(i)).value(); };
    const EncoderSizes sizes{.classes = number(0),
                             .embedding = number(1),
                             .layers = number(2),
                             .heads = number(3),
                             .feed_forward = number(4),
                             .sequence = number(5),
                             .vocabulary = number(6)};
    const std::int64_t attentions = sizes.layers * 4 * (sizes.embedding + 1) * sizes.embedding;
    EXPECT_EQ(analysis_of(build_encoder(sizes)).features.parameters,
              static_cast<double>(number(8) + attentions))
        << line;
    ++rows;
  }
  EXPECT_GT(rows, 0);
}

}  // namespace
}  // namespace horus::zoo
