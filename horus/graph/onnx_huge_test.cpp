// SPDX-License-Identifier: Apache-2.0
// A model of 3 GB costs little memory, and its weights are never touched.

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

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

/// Memory that is only there where something is written.
class SparseMemory {
 public:
  explicit SparseMemory(std::size_t size) : size_{size} {
    void* address = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address != MAP_FAILED) data_ = static_cast<std::byte*>(address);
  }
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;
  ~SparseMemory() {
    if (data_ != nullptr) munmap(data_, size_);
  }

  [[nodiscard]] bool is_there() const { return data_ != nullptr; }
  void append(const std::string& text) {
    std::memcpy(data_ + end_, text.data(), text.size());
    end_ += text.size();
  }
  void skip(std::size_t bytes) { end_ += bytes; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, end_}; }

 private:
  std::size_t size_;
  std::size_t end_{};
  std::byte* data_{};
};

TEST(ReadOnnxOfFiveGigabytes, FindsInitializersBeyondEveryPowerOfTwoThatCouldOverflow) {
  // Four weights of 1.25 GB: they begin at 0, 1.25, 2.5 and 3.75 GB and end beyond 2^32. Packed
  // classes stop at 2^31 (onnx/onnx #3275, microsoft/onnxruntime #4424).
  constexpr std::int64_t kRows = 312'500;
  constexpr std::size_t kBytes = std::size_t{kRows} * 1000 * 4;
  std::vector<std::string> heads;
  std::size_t graph_bytes = relu_node().size();
  for (int i = 0; i < 4; ++i) {
    onnx::TensorProto header;
    header.set_name("w" + std::to_string(i));
    header.set_data_type(onnx::TensorProto::FLOAT);
    header.add_dims(kRows);
    header.add_dims(1000);
    const std::string head = header.SerializeAsString() + with_length('\x4a', kBytes);
    heads.push_back(with_length('\x2a', head.size() + kBytes) + head);
    graph_bytes += heads.back().size() + kBytes;
  }
  SparseMemory memory{graph_bytes + 64};
  if (!memory.is_there()) GTEST_SKIP() << "no address space of 5 GB";
  memory.append(with_length('\x3a', graph_bytes));
  for (const std::string& head : heads) {
    memory.append(head);
    memory.skip(kBytes);
  }
  memory.append(relu_node());
  const std::size_t before = resident_bytes();
  const auto model = read_onnx(memory.bytes());
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_LE(resident_bytes(), before + kMemoryBytesMax);
  ASSERT_EQ(model->graph.initializers.size(), 4U);
  EXPECT_EQ(model->graph.initializers[3].name, "w3");
  EXPECT_THAT(model->graph.initializers[3].dims, ElementsAre(kRows, 1000));
  EXPECT_EQ(model->graph.nodes.at(0).op_type, "Relu");
}

}  // namespace
}  // namespace horus::graph
