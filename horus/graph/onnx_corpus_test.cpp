// SPDX-License-Identifier: Apache-2.0
// Reads models that others have made: the conformance models of ONNX itself (Debian package
// libonnx-testdata) and the weight-less graphs of the ONNX model zoo.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "horus/graph/onnx.hpp"

namespace horus::graph {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> models_under(const fs::path& folder) {
  std::vector<fs::path> paths;
  if (!fs::is_directory(folder)) return paths;
  for (const auto& entry : fs::recursive_directory_iterator{folder}) {
    if (entry.path().extension() == ".onnx") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// Compares what the reader found with what the packaged classes find in the same bytes.
void expect_same_graph(const onnx::GraphProto& proto, const Graph& graph) {
  ASSERT_EQ(graph.nodes.size(), static_cast<std::size_t>(proto.node_size()));
  EXPECT_EQ(graph.inputs.size(), static_cast<std::size_t>(proto.input_size()));
  EXPECT_EQ(graph.outputs.size(), static_cast<std::size_t>(proto.output_size()));
  EXPECT_EQ(graph.value_infos.size(), static_cast<std::size_t>(proto.value_info_size()));
  EXPECT_EQ(graph.initializers.size(),
            static_cast<std::size_t>(proto.initializer_size() + proto.sparse_initializer_size()));
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const onnx::NodeProto& expected = proto.node(static_cast<int>(i));
    const Node& node = graph.nodes[i];
    EXPECT_EQ(node.op_type, expected.op_type());
    EXPECT_TRUE(std::equal(node.inputs.begin(), node.inputs.end(), expected.input().begin(),
                           expected.input().end()));
    EXPECT_TRUE(std::equal(node.outputs.begin(), node.outputs.end(), expected.output().begin(),
                           expected.output().end()));
    EXPECT_EQ(node.attributes.size(), static_cast<std::size_t>(expected.attribute_size()));
  }
}

void expect_read_whole(const fs::path& path) {
  const std::string bytes = bytes_of(path);
  const auto model = read_onnx(std::as_bytes(std::span{bytes}));
  ASSERT_TRUE(model) << path << ": " << model.error().text();
  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(bytes)) << path;
  SCOPED_TRACE(path.string());
  expect_same_graph(proto.graph(), model->graph);
}

void expect_round_trip(const fs::path& path) {
  const std::string bytes = bytes_of(path);
  const auto model = read_onnx(std::as_bytes(std::span{bytes}));
  ASSERT_TRUE(model) << path << ": " << model.error().text();
  const std::string written = write_onnx(*model);
  const auto again = read_onnx(std::as_bytes(std::span{written}));
  ASSERT_TRUE(again) << path << ": " << again.error().text();
  EXPECT_TRUE(*again == *model) << path;
}

TEST(OnnxConformanceModels, AreReadAsThePackagedClassesReadThem) {
  const std::vector<fs::path> paths = models_under("/usr/share/libonnx-testdata");
  if (paths.empty()) GTEST_SKIP() << "package libonnx-testdata is not installed";
  for (const fs::path& path : paths) expect_read_whole(path);
}

TEST(OnnxConformanceModels, SurviveWritingAndReading) {
  const std::vector<fs::path> paths = models_under("/usr/share/libonnx-testdata");
  if (paths.empty()) GTEST_SKIP() << "package libonnx-testdata is not installed";
  for (const fs::path& path : paths) expect_round_trip(path);
}

TEST(OnnxZooGraphs, AreReadAsThePackagedClassesReadThem) {
  const std::vector<fs::path> paths = models_under(HORUS_SHARED_DATA "/onnx_light");
  if (paths.empty()) GTEST_SKIP() << "no graphs in " HORUS_SHARED_DATA "/onnx_light";
  EXPECT_EQ(paths.size(), 9U);
  for (const fs::path& path : paths) {
    expect_read_whole(path);
    expect_round_trip(path);
  }
}

}  // namespace
}  // namespace horus::graph
