// SPDX-License-Identifier: Apache-2.0
#include "horus/record/output_lines.hpp"

#include <algorithm>
#include <array>

#include "horus/base/text.hpp"

namespace horus::record {
namespace {

/// In lower case. Each was seen in the output of the program named behind it.
constexpr auto kMemoryPhrases = std::to_array<std::string_view>({
    "out of memory",               // torch.OutOfMemoryError, cudaGetErrorString, JAX
    "outofmemoryerror",            // the name alone, at the end of a traceback
    "cuda_error_out_of_memory",    // the driver's name of it
    "cudaerrormemoryallocation",   // the runtime's name of it
    "oom when allocating tensor",  // TensorFlow
    "cublas_status_alloc_failed",  // cuBLAS, when its workspace does not fit
    "cudnn_status_alloc_failed",   // cuDNN, likewise
});

constexpr std::string_view kStepWord = "horus-step";

}  // namespace

void LineSplitter::feed(std::string_view bytes, const OnLine& on_line) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find_first_of("\r\n");
    append(bytes.substr(0, end), on_line);
    if (end == std::string_view::npos) return;
    const bool is_return = bytes[end] == '\r';
    const bool is_second_half = !is_return && after_return_ && line_.empty();
    if (!is_second_half && !(is_return && line_.empty())) end_line(on_line);
    after_return_ = is_return;
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::append(std::string_view bytes, const OnLine& on_line) {
  while (!bytes.empty()) {
    after_return_ = false;
    const std::size_t room = kLineMax - line_.size();
    line_ += bytes.substr(0, room);
    bytes.remove_prefix(std::min(room, bytes.size()));
    if (line_.size() < kLineMax) return;
    on_line(line_, part_);
    part_ = LinePart::More;
    line_.erase(0, line_.size() - kOverlap);
  }
}

void LineSplitter::end_line(const OnLine& on_line) {
  on_line(line_, part_);
  line_.clear();
  part_ = LinePart::Begin;
}

void LineSplitter::finish(const OnLine& on_line) {
  if (!line_.empty()) end_line(on_line);
}

bool reports_out_of_memory(std::string_view line) {
  const std::string lower = to_lower(line);
  return std::ranges::any_of(kMemoryPhrases, [&lower](std::string_view phrase) {
    return lower.find(phrase) != std::string::npos;
  });
}

std::optional<StepMark> parse_step_number(std::string_view text) {
  const bool has_digits_only =
      !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  const auto number = has_digits_only ? parse_integer(text) : std::nullopt;
  if (!number) return std::nullopt;
  return StepMark{.number = number};
}

std::optional<StepMark> parse_step_line(std::string_view line) {
  line = trim(line);
  if (!line.starts_with(kStepWord)) return std::nullopt;
  line.remove_prefix(kStepWord.size());
  if (line.empty()) return StepMark{};
  const std::string_view number = trim(line);
  if (number.size() == line.size()) return std::nullopt;  // "horus-stepping"
  return parse_step_number(number);
}

std::optional<StepMark> parse_step_signal(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.empty()) return StepMark{};
  if (auto mark = parse_step_number(text)) return mark;
  return parse_step_line(text);
}

}  // namespace horus::record
