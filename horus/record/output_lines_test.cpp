// SPDX-License-Identifier: Apache-2.0
#include "horus/record/output_lines.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::record {
namespace {

using ::testing::ElementsAre;

/// The lines of `pieces`, fed one after the other.
std::vector<std::string> lines_of(const std::vector<std::string>& pieces) {
  std::vector<std::string> lines;
  const auto keep = [&lines](std::string_view line, LinePart) { lines.emplace_back(line); };
  LineSplitter splitter;
  for (const std::string& piece : pieces) splitter.feed(piece, keep);
  splitter.finish(keep);
  return lines;
}

TEST(LineSplitter, CutsAtLineFeedsAndReturns) {
  EXPECT_THAT(lines_of({"a\nb\n"}), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of({"a\r\nb\r\n\r\nc"}), ElementsAre("a", "b", "c"));
  EXPECT_THAT(lines_of({"10%\r20%\r30%\n"}), ElementsAre("10%", "20%", "30%"));
}

TEST(LineSplitter, GivesEmptyLinesOfLineFeeds) {
  EXPECT_THAT(lines_of({"\n\na\n\n"}), ElementsAre("", "", "a", ""));
}

TEST(LineSplitter, DoesNotCareHowBytesArrive) {
  const std::string text = "one\r\ntwo\rthree\n\nfour";
  std::vector<std::string> single;
  for (const char c : text) single.emplace_back(1, c);
  EXPECT_EQ(lines_of(single), lines_of({text}));
}

TEST(LineSplitter, GivesLongLinesInPiecesThatTearNoPhraseApart) {
  const std::string phrase = "CUDA out of memory";
  for (std::size_t before = kLineMax - 20; before < kLineMax + 2; ++before) {
    std::vector<LinePart> parts;
    bool is_found = false;
    LineSplitter splitter;
    splitter.feed(std::string(before, 'x') + phrase + std::string(9000, 'y') + "\n",
                  [&](std::string_view line, LinePart part) {
                    EXPECT_LE(line.size(), kLineMax);
                    parts.push_back(part);
                    is_found = is_found || reports_out_of_memory(line);
                  });
    EXPECT_TRUE(is_found) << before;
    ASSERT_GE(parts.size(), 3U);
    EXPECT_EQ(parts.front(), LinePart::Begin);
    EXPECT_EQ(parts.back(), LinePart::More);
  }
}

TEST(LineSplitter, GivesAllOfALineThatDoesNotEnd) {
  LineSplitter splitter;
  std::size_t bytes = 0;
  for (int i = 0; i < 10; ++i) {
    splitter.feed(std::string(100'000, 'x'),
                  [&bytes](std::string_view line, LinePart) { bytes += line.size(); });
  }
  EXPECT_GE(bytes, 1'000'000U - kLineMax);
}

// What the programs themselves print.
TEST(OutOfMemory, IsRecognised) {
  for (const char* line :
       {"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; ...",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB.",
        "RuntimeError: CUDA error: out of memory",
        "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating "
        "tensor with shape[256,56,56,64]",
        "failed to allocate 15.5G (16643096576 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY",
        "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8 bytes.",
        "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        "RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED"}) {
    EXPECT_TRUE(reports_out_of_memory(line)) << line;
  }
}

TEST(OutOfMemory, IsNotEveryLineAboutMemory) {
  for (const char* line :
       {"", "memory: 3.2 GiB of 16 GiB", "DefaultCPUAllocator: can't allocate memory",
        "std::bad_alloc", "MemoryError", "room for memory", "OOM killer is off"}) {
    EXPECT_FALSE(reports_out_of_memory(line)) << line;
  }
}

TEST(StepLine, IsTheWordAloneOrWithANumber) {
  EXPECT_FALSE(parse_step_line("horus-step").value().number);
  EXPECT_EQ(parse_step_line("  horus-step 12 ").value().number, 12);
  for (const char* line : {"", "horus-stepping", "a horus-step", "horus-step12", "horus-step x",
                           "horus-step -3", "horus-step 99999999999999999999"}) {
    EXPECT_FALSE(parse_step_line(line)) << line;
  }
}

TEST(StepSignal, IsALineWithOrWithoutANumber) {
  EXPECT_FALSE(parse_step_signal("").value().number);
  EXPECT_EQ(parse_step_signal("7").value().number, 7);
  EXPECT_EQ(parse_step_signal("horus-step 8").value().number, 8);
  EXPECT_FALSE(parse_step_signal("loss 0.3"));
  EXPECT_FALSE(parse_step_signal("+7"));
}

}  // namespace
}  // namespace horus::record
