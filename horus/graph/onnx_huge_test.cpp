// SPDX-License-Identifier: Apache-2.0
// A model of 3 GB costs little memory, and its weights are never touched.

#include <cstdint>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "horus/graph/onnx.hpp"

namespace horus::graph {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kElements = 750'000'000;
constexpr std::size_t kWeightBytes = std::size_t{kElements} * 4;
constexpr std::size_t kMemoryBytesMax = 64U << 20U;

std::string with_length(char tag, std::size_t size) {
  std::string bytes(1, tag);
  for (; size >= 0x80U; size >>= 7U) bytes.push_back(static_cast<char>((size & 0x7FU) | 0x80U));
  bytes.push_back(static_cast<char>(size));
  return bytes;
}

/// What stands before and after the weights of a file.
struct Frame {
  std::string before;
  std::string after;
};

/// A frame around a TensorProto with kWeightBytes of raw_data that is wrapped in `outer`: pairs of
/// a tag and what follows inside the same message, from the inside out.
Frame frame_of(std::initializer_list<std::pair<char, std::string>> outer) {
  onnx::TensorProto header;
  header.set_name("w");
  header.set_data_type(onnx::TensorProto::FLOAT);
  header.add_dims(kElements);
  Frame frame{header.SerializeAsString() + with_length('\x4a', kWeightBytes), ""};
  for (const auto& [tag, follows] : outer) {
    const std::size_t size = frame.before.size() + kWeightBytes + frame.after.size();
    frame.before = with_length(tag, size) + frame.before;
    frame.after += follows;
  }
  return frame;
}

/// A sparse file on disk, mapped, with the weights made inaccessible: whoever touches one dies.
class MappedModel {
 public:
  explicit MappedModel(const Frame& frame)
      : size_{frame.before.size() + kWeightBytes + frame.after.size()} {
    std::string path = ::testing::TempDir() + "horus_huge_XXXXXX";
    file_ = mkstemp(path.data());
    if (file_ < 0) return;
    unlink(path.c_str());
    if (ftruncate(file_, static_cast<off_t>(size_)) != 0) return;
    put(frame.before, 0);
    put(frame.after, size_ - frame.after.size());
    void* address = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file_, 0);
    if (address == MAP_FAILED) return;
    data_ = static_cast<std::byte*>(address);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t first = (frame.before.size() + page - 1) / page * page;
    const std::size_t last = (size_ - frame.after.size()) / page * page;
    guarded_ = mprotect(data_ + first, last - first, PROT_NONE) == 0;
  }
  MappedModel(const MappedModel&) = delete;
  MappedModel& operator=(const MappedModel&) = delete;
  ~MappedModel() {
    if (data_ != nullptr) munmap(data_, size_);
    if (file_ >= 0) close(file_);
  }

  [[nodiscard]] bool guarded() const { return guarded_; }
  [[nodiscard]] bool sparse() const {
    struct stat status {};
    constexpr std::size_t kBlockBytes = 512;
    return fstat(file_, &status) == 0 &&
           static_cast<std::size_t>(status.st_blocks) * kBlockBytes < kMemoryBytesMax;
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  void put(const std::string& text, std::size_t at) const {
    const ssize_t written = pwrite(file_, text.data(), text.size(), static_cast<off_t>(at));
    EXPECT_EQ(written, static_cast<ssize_t>(text.size()));
  }

  std::size_t size_;
  int file_{-1};
  std::byte* data_{};
  bool guarded_{false};
};

/// Resident memory of this process, in bytes.
std::size_t resident_bytes() {
  std::ifstream status{"/proc/self/statm"};
  std::size_t pages_total = 0;
  std::size_t pages_resident = 0;
  status >> pages_total >> pages_resident;
  return pages_resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::string relu_node() {
  onnx::GraphProto graph;
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("Relu");
  node.add_input("w");
  node.add_output("y");
  return graph.SerializeAsString();
}

void expect_little_memory(const MappedModel& file, Result<Model>& model) {
  const std::size_t before = resident_bytes();
  model = read_onnx(file.bytes());
  const std::size_t after = resident_bytes();
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_LE(after, before + kMemoryBytesMax);
}

TEST(ReadOnnxOfThreeGigabytes, NeverTouchesTheWeightsOfAnInitializer) {
  // GraphProto.initializer, then ModelProto.graph; the node stands behind the weights.
  const MappedModel file{frame_of({{'\x2a', relu_node()}, {'\x3a', ""}})};
  if (!file.guarded() || !file.sparse()) {
    GTEST_SKIP() << "no sparse file of 3 GB in " << ::testing::TempDir();
  }
  Result<Model> model = Model{};
  expect_little_memory(file, model);
  EXPECT_THAT(model->graph.initializers.at(0).dims, ElementsAre(kElements));
  EXPECT_EQ(model->graph.nodes.at(0).op_type, "Relu");
}

TEST(ReadOnnxOfThreeGigabytes, NeverTouchesTheWeightsOfAConstantNode) {
  onnx::AttributeProto attribute;
  attribute.set_name("value");
  attribute.set_type(onnx::AttributeProto::TENSOR);
  onnx::NodeProto node;
  node.set_op_type("Constant");
  node.add_output("w");
  // AttributeProto.t, NodeProto.attribute, GraphProto.node, ModelProto.graph.
  const MappedModel file{frame_of({{'\x2a', attribute.SerializeAsString()},
                                   {'\x2a', node.SerializeAsString()},
                                   {'\x0a', relu_node()},
                                   {'\x3a', ""}})};
  if (!file.guarded() || !file.sparse()) {
    GTEST_SKIP() << "no sparse file of 3 GB in " << ::testing::TempDir();
  }
  Result<Model> model = Model{};
  expect_little_memory(file, model);
  const auto& value = std::get<Tensor>(model->graph.nodes.at(0).attributes.at("value"));
  EXPECT_THAT(value.dims, ElementsAre(kElements));
  EXPECT_EQ(model->graph.nodes.at(1).op_type, "Relu");
}

}  // namespace
}  // namespace horus::graph
