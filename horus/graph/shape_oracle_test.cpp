// SPDX-License-Identifier: Apache-2.0
// Every graph of ONNX's own conformance suite (Debian: libonnx-testdata) says which shape comes
// out: ours must be the same.

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "horus/graph/binding.hpp"
#include "horus/graph/graph_index.hpp"
#include "horus/graph/inference.hpp"
#include "horus/graph/input_role.hpp"
#include "horus/graph/onnx.hpp"
#include "horus/graph/op_rule.hpp"

namespace horus::graph {
namespace {

namespace fs = std::filesystem;
constexpr const char* kSuite = "/usr/share/libonnx-testdata/data";

std::string bytes_of(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The tensor of an input file, as the reader of models sees tensors: through a model that holds it
/// as its only initializer.
std::optional<Tensor> read_tensor(const fs::path& path, const std::string& name) {
  onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(17);
  proto.mutable_graph()->add_node()->set_op_type("Constant");
  auto* tensor = proto.mutable_graph()->add_initializer();
  if (!tensor->ParseFromString(bytes_of(path))) return std::nullopt;
  tensor->set_name(name);
  const std::string bytes = proto.SerializeAsString();
  auto model = read_onnx(std::as_bytes(std::span{bytes}));
  if (!model || model->graph.initializers.size() != 1) return std::nullopt;
  return std::move(model->graph.initializers.front());
}

/// Inputs that steer shapes come with the suite as files; as initializers they are constants.
void add_inputs(const fs::path& folder, Model& model) {
  for (std::size_t i = 0; i < model.graph.inputs.size(); ++i) {
    const fs::path path = folder / "test_data_set_0" / fmt::format("input_{}.pb", i);
    if (!fs::exists(path)) continue;
    auto tensor = read_tensor(path, model.graph.inputs[i].name);
    const bool is_new = std::ranges::none_of(model.graph.initializers, [&](const Tensor& one) {
      return one.name == model.graph.inputs[i].name;
    });
    if (tensor && is_new) model.graph.initializers.push_back(std::move(*tensor));
  }
}

bool knows_all(const Model& model) {
  return std::ranges::all_of(model.graph.nodes,
                             [](const Node& node) { return find_rule(node) != nullptr; });
}

struct Verdict {
  int outputs{0};
  std::vector<std::string> complaints;
};

void judge(const Model& model, const std::string& name, Verdict& verdict) {
  const auto index = index_graph(model.graph);
  ASSERT_TRUE(index) << name << ": " << index.error().text();
  const auto binding = bind_inputs(*index, classify_inputs(model, *index), {});
  ASSERT_TRUE(binding) << name << ": " << binding.error().text();
  const Inference found = infer(model, *index, *binding, AtBatch::Wanted, nullptr);
  for (std::size_t i = 0; i < model.graph.outputs.size(); ++i) {
    const auto expected = declared_shape(model.graph.outputs[i], {});
    if (!expected) continue;
    ++verdict.outputs;
    const auto& fact = found.facts[index->graph_outputs[i]];
    const NodeIndex maker = index->producer[index->graph_outputs[i]];
    const bool is_gap = !fact || (maker != kNone && !found.gaps[maker].empty());
    if (is_gap) {
      verdict.complaints.push_back(
          fmt::format("{}: gap: {}", name, maker == kNone ? "" : found.gaps[maker]));
    } else if (fact->shape != *expected || fact->type != model.graph.outputs[i].type) {
      verdict.complaints.push_back(fmt::format("{}: found {} of type {}, expected {} of type {}",
                                               name, text_of(fact->shape),
                                               static_cast<int>(fact->type), text_of(*expected),
                                               static_cast<int>(model.graph.outputs[i].type)));
    }
  }
}

// Disagreements that are not ours.
constexpr std::array<std::string_view, 1> kExcused{
    // The suite stores the bfloat16 tensor whose type is to be copied as uint16.
    "test_castlike_FLOAT_to_BFLOAT16",
};

TEST(ShapeOracle, AgreesWithTheConformanceSuite) {
  if (!fs::exists(kSuite)) GTEST_SKIP() << "install libonnx-testdata to run this test";
  std::vector<fs::path> models;
  for (const auto& entry : fs::recursive_directory_iterator{kSuite}) {
    if (entry.path().extension() == ".onnx") models.push_back(entry.path());
  }
  std::ranges::sort(models);
  Verdict verdict;
  int judged = 0;
  for (const fs::path& path : models) {
    const std::string name = path.parent_path().filename().string();
    const std::string bytes = bytes_of(path);
    auto model = read_onnx(std::as_bytes(std::span{bytes}));
    if (!model || !knows_all(*model) || std::ranges::count(kExcused, name) > 0) continue;
    add_inputs(path.parent_path(), *model);
    ++judged;
    judge(*model, name, verdict);
  }
  for (const std::string& complaint : verdict.complaints) ADD_FAILURE() << complaint;
  EXPECT_GE(judged, 900) << "too few models for a verdict";
  EXPECT_GE(verdict.outputs, 1000);
}

}  // namespace
}  // namespace horus::graph
