// SPDX-License-Identifier: Apache-2.0
// Every graph of ONNX's own conformance suite (Debian: libonnx-testdata) says which shapes come
// out, and libonnx infers those in between: ours must be the same.

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include "horus/graph/analysis.hpp"
#include "horus/graph/onnx.hpp"

namespace horus::graph {
namespace {

namespace fs = std::filesystem;
constexpr const char* kSuite = "/usr/share/libonnx-testdata/data";

/// Disagreements that are not ours: the models whose names begin so, each with its reason.
struct Explained {
  std::string_view name;
  std::string_view why;
};
constexpr std::array kExplained{
    Explained{"test_castlike_FLOAT_to_BFLOAT16",
              "the suite stores the bfloat16 tensor whose type is to be copied as uint16"},
    Explained{
        "test_gradient_of_add",
        "the operator differentiates the model that it stands in, which is what costing does"},
    Explained{"test_optional_", "the file does not say what an optional that is fed holds"},
    Explained{"test_sequence_map_",
              "the length of the sequence that is fed does not stand in the file"},
};

std::string bytes_of(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> suite() {
  std::vector<fs::path> models;
  if (!fs::exists(kSuite)) return models;
  for (const auto& entry : fs::recursive_directory_iterator{kSuite}) {
    if (entry.path().extension() == ".onnx") models.push_back(entry.path());
  }
  std::ranges::sort(models);
  return models;
}

/// Inputs that steer shapes come with the suite as files; as initializers they are constants.
void add_inputs(const fs::path& folder, onnx::ModelProto& proto) {
  auto& graph = *proto.mutable_graph();
  std::set<std::string> given;
  for (const auto& tensor : graph.initializer()) given.insert(tensor.name());
  for (int i = 0; i < graph.input_size(); ++i) {
    const fs::path path = folder / "test_data_set_0" / fmt::format("input_{}.pb", i);
    const std::string& name = graph.input(i).name();
    if (!graph.input(i).type().has_tensor_type() || given.contains(name)) continue;
    onnx::TensorProto tensor;
    if (!fs::exists(path) || !tensor.ParseFromString(bytes_of(path))) continue;
    tensor.set_name(name);
    *graph.add_initializer() = std::move(tensor);
  }
}

/// What the oracle says of a value.
struct Expected {
  int type{};
  Shape shape;
};
using Expectations = std::map<std::string, Expected>;

/// Values whose every size is given, among those that `infos` declare.
void collect(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& infos,
             Expectations& found) {
  for (const auto& info : infos) {
    if (!info.type().tensor_type().has_shape()) continue;
    Expected expected{.type = info.type().tensor_type().elem_type(), .shape = {}};
    bool is_whole = true;
    for (const auto& dim : info.type().tensor_type().shape().dim()) {
      is_whole = is_whole && dim.has_dim_value();
      expected.shape.push_back(dim.dim_value());
    }
    if (is_whole) found.insert_or_assign(info.name(), std::move(expected));
  }
}

/// What the file declares of its outputs, and what libonnx infers of everything else.
Expectations expectations_of(onnx::ModelProto proto) {
  Expectations found;
  try {
    onnx::shape_inference::InferShapes(proto);
    collect(proto.graph().value_info(), found);
  } catch (const std::exception&) {
    found.clear();  // The oracle is silent; the declared outputs still speak.
  }
  collect(proto.graph().output(), found);
  return found;
}

bool agrees(const ListedValue& value, const Expected& expected) {
  if (static_cast<int>(value.type) != expected.type) return false;
  if (!value.is_bound) return value.shape == expected.shape;
  return std::ranges::equal(expected.shape, value.shape, std::ranges::less_equal{});
}

std::string gaps_of(const Analysis& analysis) {
  std::string text;
  for (const CostGap& gap : analysis.gaps)
    text += fmt::format(" [{}: {}]", gap.op_type, gap.reason);
  return text;
}

/// The model without what it declares of its results: what inference cannot find must not be read
/// off instead.
std::string undeclared(onnx::ModelProto proto) {
  proto.mutable_graph()->clear_value_info();
  for (auto& output : *proto.mutable_graph()->mutable_output()) {
    if (!output.type().has_tensor_type()) continue;
    output.mutable_type()->mutable_tensor_type()->clear_shape();
  }
  return proto.SerializeAsString();
}

/// Complaints about one model; counts its judged values.
std::vector<std::string> judge(const onnx::ModelProto& proto, std::size_t& judged) {
  const std::string bytes = undeclared(proto);
  const auto model = read_onnx(std::as_bytes(std::span{bytes}));
  if (!model) return {"not read: " + model.error().text()};
  const auto analysis =
      analyse(*model, {.batch = std::nullopt, .dims = {}, .values = ListValues::Yes});
  if (!analysis) return {"not analysed: " + analysis.error().text()};
  std::map<std::string_view, const ListedValue*> ours;
  for (const ListedValue& value : analysis->values) ours[value.name] = &value;
  std::vector<std::string> complaints;
  for (const auto& [name, expected] : expectations_of(proto)) {
    ++judged;
    const auto found = ours.find(name);
    if (found == ours.end()) {
      complaints.push_back(fmt::format("'{}' is not known:{}", name, gaps_of(*analysis)));
    } else if (!agrees(*found->second, expected)) {
      complaints.push_back(fmt::format(
          "'{}' is {}{} of type {}, expected {} of type {}", name,
          found->second->is_bound ? "at most " : "", text_of(found->second->shape),
          static_cast<int>(found->second->type), text_of(expected.shape), expected.type));
    }
  }
  return complaints;
}

const Explained* explanation_of(std::string_view name) {
  const auto* found = std::ranges::find_if(
      kExplained, [&](const Explained& one) { return name.starts_with(one.name); });
  return found == kExplained.end() ? nullptr : found;
}

TEST(ShapeOracle, AgreesWithTheConformanceSuite) {
  const std::vector<fs::path> models = suite();
  if (models.empty()) GTEST_SKIP() << "install libonnx-testdata to run this test";
  EXPECT_GE(models.size(), 1000U) << "the suite seems to be incomplete";
  std::size_t judged = 0;
  std::size_t explained = 0;
  std::set<std::string_view> used;
  for (const fs::path& path : models) {
    const std::string name = path.parent_path().filename().string();
    onnx::ModelProto proto;
    ASSERT_TRUE(proto.ParseFromString(bytes_of(path))) << path;
    add_inputs(path.parent_path(), proto);
    const auto complaints = judge(proto, judged);
    const Explained* explanation = explanation_of(name);
    if (explanation != nullptr && !complaints.empty()) {
      used.insert(explanation->name);
      explained += complaints.size();
      continue;
    }
    for (const std::string& complaint : complaints) ADD_FAILURE() << name << ": " << complaint;
  }
  EXPECT_GE(judged, 1500U) << "too few values for a verdict";
  EXPECT_LE(static_cast<double>(explained), 0.01 * static_cast<double>(judged))
      << "explanations are for exceptions";
  EXPECT_EQ(used.size(), kExplained.size()) << "an explanation is no longer needed";
  RecordProperty("values", static_cast<int>(judged));
  RecordProperty("explained", static_cast<int>(explained));
}

TEST(ShapeOracle, ReadsEveryModelOfTheSuiteAsItIs) {
  const std::vector<fs::path> models = suite();
  if (models.empty()) GTEST_SKIP() << "install libonnx-testdata to run this test";
  for (const fs::path& path : models) {
    const std::string bytes = bytes_of(path);
    const auto model = read_onnx(std::as_bytes(std::span{bytes}));
    ASSERT_TRUE(model) << path << (model ? "" : ": " + model.error().text());
    EXPECT_TRUE(analyse(*model)) << path;
  }
}

}  // namespace
}  // namespace horus::graph
