// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/zoo.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/base/text.hpp"
#include "horus/graph/onnx.hpp"
#include "horus/zoo/sample_test.hpp"

namespace horus::zoo {
namespace {

using ::testing::HasSubstr;

graph::Model must_build(std::string_view name, const BuildOptions& options = {}) {
  Result<graph::Model> model = build(name, options);
  EXPECT_TRUE(model) << name << ": " << model.error().text();
  return model ? *std::move(model) : graph::Model{};
}

std::vector<std::string> listed(const graph::Model& model, const char* key) {
  std::vector<std::string> names;
  const auto found = model.metadata.find(key);
  if (found == model.metadata.end()) return names;
  for (const std::string_view name : split(found->second, ',')) names.emplace_back(name);
  return names;
}

/// What is wrong with the edges of `model`, or "".
std::string broken_edge(const graph::Model& model) {
  std::set<std::string> known{""};  // An optional input that is left out.
  for (const graph::ValueInfo& input : model.graph.inputs) {
    if (!known.insert(input.name).second) return "input twice: " + input.name;
  }
  for (const graph::Node& node : model.graph.nodes) {
    for (const std::string& input : node.inputs) {
      if (!known.contains(input)) return node.name + " reads what nobody produced: " + input;
    }
    for (const std::string& output : node.outputs) {
      if (!known.insert(output).second) return node.name + " produces again: " + output;
    }
  }
  for (const graph::ValueInfo& output : model.graph.outputs) {
    if (!known.contains(output.name)) return "output without producer: " + output.name;
  }
  return model.graph.outputs.empty() ? "no output" : "";
}

/// Values that some node or output reads.
std::set<std::string> read_values(const graph::Model& model) {
  std::set<std::string> read;
  for (const graph::Node& node : model.graph.nodes) {
    read.insert(node.inputs.begin(), node.inputs.end());
  }
  for (const graph::ValueInfo& output : model.graph.outputs) read.insert(output.name);
  return read;
}

TEST(Zoo, ListsTheSixteenFamiliesInOrderOfName) {
  std::vector<std::string> names;
  for (const Architecture& each : architectures()) names.push_back(each.name);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const char* name :
       {"alexnet", "vgg16", "resnet18", "resnet50", "resnet18-cifar", "resnet50-cifar",
        "densenet121", "mobilenet-v2", "efficientnet-b0", "inception-v3", "vit-b-16", "bert-base",
        "gpt2", "transformer", "lstm-lm", "dcgan", "neumf", "pointnet"}) {
    EXPECT_TRUE(std::binary_search(names.begin(), names.end(), name)) << name;
  }
}

TEST(Zoo, DescribesEveryArchitecture) {
  for (const Architecture& each : tested_architectures()) {
    EXPECT_FALSE(each.description.empty()) << each.name;
    EXPECT_FALSE(each.input.empty()) << each.name;
    EXPECT_GE(each.default_batch, 1) << each.name;
    const bool reads_sequence = each.input.find("tokens") != std::string::npos ||
                                each.input.find("frames") != std::string::npos;
    EXPECT_EQ(each.default_sequence > 0, reads_sequence) << each.name;
    if (!reads_sequence) continue;
    EXPECT_THAT(each.input, HasSubstr(std::to_string(each.default_sequence))) << each.name;
  }
}

TEST(Zoo, EveryEdgeResolvesAtEveryBatchAndSequence) {
  for (const Architecture& each : tested_architectures()) {
    EXPECT_EQ(broken_edge(must_build(each.name)), "") << each.name;
    EXPECT_EQ(broken_edge(must_build(each.name, {.batch = 3})), "") << each.name;
    if (each.default_sequence == 0) continue;
    EXPECT_EQ(broken_edge(must_build(each.name, {.sequence = 7})), "") << each.name;
  }
}

TEST(Zoo, EveryInputAndNodeIsOfUse) {
  for (const Architecture& each : tested_architectures()) {
    const graph::Model model = must_build(each.name);
    const std::set<std::string> read = read_values(model);
    for (const graph::ValueInfo& input : model.graph.inputs) {
      // XLNet's checkpoint holds a vector that only its second stream of pretraining reads.
      if (input.name == "mask_emb") continue;
      EXPECT_TRUE(read.contains(input.name)) << each.name << ": " << input.name;
    }
    for (const graph::Node& node : model.graph.nodes) {
      EXPECT_TRUE(read.contains(node.outputs.front())) << each.name << ": " << node.name;
    }
  }
}

TEST(Zoo, TheSymbolNIsTheOnlyOpenDimension) {
  for (const Architecture& each : tested_architectures()) {
    const graph::Model model = must_build(each.name);
    for (const auto* values : {&model.graph.inputs, &model.graph.outputs}) {
      for (const graph::ValueInfo& value : *values) {
        for (const graph::Dim& dim : *value.shape) {
          EXPECT_TRUE(dim.size.has_value() != (dim.symbol == "N")) << each.name << value.name;
        }
      }
    }
    EXPECT_EQ(model.graph.inputs.front().shape->front(), graph::dim("N")) << each.name;
  }
}

TEST(Zoo, AFixedBatchChangesDeclarationsAndNothingElse) {
  for (const Architecture& each : tested_architectures()) {
    graph::Model open = must_build(each.name);
    const graph::Model fixed = must_build(each.name, {.batch = 5});
    for (auto* values : {&open.graph.inputs, &open.graph.outputs}) {
      for (graph::ValueInfo& value : *values) {
        std::replace(value.shape->begin(), value.shape->end(), graph::dim("N"), graph::dim(5));
      }
    }
    EXPECT_TRUE(graph::write_onnx(open) == graph::write_onnx(fixed)) << each.name;
  }
}

TEST(Zoo, WeightsAreTheInputsThatTheMetadataLists) {
  for (const Architecture& each : tested_architectures()) {
    const graph::Model model = must_build(each.name);
    std::set<std::string> weights;
    for (const char* key : {graph::kParametersKey, graph::kBuffersKey}) {
      for (const std::string& name : listed(model, key)) weights.insert(name);
    }
    // Data inputs come first, and only they have the batch axis.
    for (const graph::ValueInfo& input : model.graph.inputs) {
      const bool has_batch = !input.shape->empty() && input.shape->front().symbol == "N";
      EXPECT_EQ(weights.erase(input.name) == 0, has_batch) << each.name << ": " << input.name;
    }
    EXPECT_TRUE(weights.empty()) << each.name << " lists what is no input: " << *weights.begin();
  }
}

TEST(Zoo, TokensAreInt64) {
  for (const Architecture& each : tested_architectures()) {
    if (each.input.find("tokens") == std::string::npos && each.name != "neumf") continue;
    const graph::Model model = must_build(each.name);
    EXPECT_EQ(model.graph.inputs.front().type, graph::ElementType::Int64) << each.name;
  }
}

TEST(Zoo, BuildsTheSameBytesTwice) {
  for (const Architecture& each : tested_architectures()) {
    const std::string first = graph::write_onnx(must_build(each.name));
    EXPECT_TRUE(first == graph::write_onnx(must_build(each.name))) << each.name;
  }
}

TEST(Zoo, FilesAreSmall) {
  for (const Architecture& each : tested_architectures()) {
    // Nodes, their names and the declarations of weights; no weights and no large constants.
    // DenseNets name each of their features in up to 64 concatenations.
    const graph::Model model = must_build(each.name);
    const std::size_t per_node = each.family == "densenet" ? 1'200 : 500;
    EXPECT_LT(graph::write_onnx(model).size(), 4'000 + per_node * model.graph.nodes.size())
        << each.name;
  }
}

TEST(Zoo, SurvivesBeingWrittenAndReadBack) {
  for (const Architecture& each : tested_architectures()) {
    const std::string bytes = graph::write_onnx(must_build(each.name));
    const auto model = graph::read_onnx(std::as_bytes(std::span{bytes}));
    ASSERT_TRUE(model) << each.name << ": " << model.error().text();
    EXPECT_EQ(model->opsets.at(""), 17) << each.name;
    EXPECT_EQ(model->producer, "horus zoo");
    EXPECT_EQ(broken_edge(*model), "") << each.name;
    EXPECT_EQ(listed(*model, graph::kParametersKey),
              listed(must_build(each.name), graph::kParametersKey));
  }
}

TEST(Zoo, AcceptsAnySpellingOfAName) {
  const auto spellings =
      std::to_array<std::pair<const char*, const char*>>({{"ResNet_50", "resnet50"},
                                                          {"resnet-50", "resnet50"},
                                                          {"VIT_B_16", "vit-b-16"},
                                                          {"ViT-B/16", "vit-b-16"},
                                                          {"bert", "bert-base"},
                                                          {"BERT_base_uncased", "bert-base"},
                                                          {"gpt2-small", "gpt2"},
                                                          {"GPT-2", "gpt2"},
                                                          {"mobilenetv2", "mobilenet-v2"},
                                                          {"efficientnet_b0", "efficientnet-b0"},
                                                          {"inception_v3", "inception-v3"},
                                                          {"lstm", "lstm-lm"}});
  for (const auto& [spelling, name] : spellings) {
    EXPECT_EQ(must_build(spelling).graph.name, name) << spelling;
  }
}

TEST(Zoo, SuggestsTheNearestNameForAnUnknownOne) {
  const auto model = build("resnet55");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, Errc::NotFound);
  EXPECT_THAT(model.error().text(), HasSubstr("'resnet55'"));
  EXPECT_THAT(model.error().text(), HasSubstr("Did you mean 'resnet50'?"));
  EXPECT_THAT(model.error().text(), HasSubstr("'horus zoo' lists them"));
}

TEST(Zoo, SuggestsNothingForANameThatIsNearNone) {
  for (const char* name : {"", "-", "the quick brown fox"}) {
    const auto model = build(name);
    ASSERT_FALSE(model) << name;
    EXPECT_EQ(model.error().code, Errc::NotFound) << name;
    EXPECT_EQ(model.error().text().find("Did you mean"), std::string::npos) << name;
  }
}

TEST(Zoo, RefusesBatchesOutsideOfItsLimits) {
  for (const std::int64_t batch : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1'000'001}}) {
    const auto model = build("neumf", {.batch = batch});
    ASSERT_FALSE(model) << batch;
    EXPECT_EQ(model.error().code, Errc::InvalidArgument);
    EXPECT_THAT(model.error().text(), HasSubstr("1..1000000"));
  }
  EXPECT_TRUE(build("neumf", {.batch = 1'000'000}));
}

TEST(Zoo, RefusesSequencesThatTheArchitectureCannotRead) {
  const auto limits = std::to_array<std::pair<const char*, std::int64_t>>({{"bert-base", 512},
                                                                           {"gpt2", 1024},
                                                                           {"transformer", 8192},
                                                                           {"lstm-lm", 8192},
                                                                           {"t5-small", 8192},
                                                                           {"xlnet-base", 8192},
                                                                           {"deepspeech2", 8192}});
  for (const auto& [name, limit] : limits) {
    EXPECT_TRUE(build(name, {.sequence = limit})) << name;
    for (const std::int64_t wrong : {limit + 1, std::int64_t{0}, std::int64_t{-5}}) {
      const auto model = build(name, {.sequence = wrong});
      ASSERT_FALSE(model) << name << ' ' << wrong;
      EXPECT_EQ(model.error().code, Errc::InvalidArgument);
      EXPECT_THAT(model.error().text(), HasSubstr("1.." + std::to_string(limit)));
    }
  }
}

TEST(Zoo, RefusesASequenceForAnImageNetwork) {
  const auto model = build("resnet50", {.sequence = 128});
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, Errc::InvalidArgument);
  EXPECT_THAT(model.error().text(), HasSubstr("resnet50 reads no sequence"));
}

}  // namespace
}  // namespace horus::zoo
