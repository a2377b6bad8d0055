// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the program's output says: steps, and that memory ran out.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "horus/os/line_pattern.hpp"
#include "horus/os/supervisor.hpp"
#include "horus/record/output_lines.hpp"
#include "horus/record/step_counter.hpp"

namespace horus::apps {

class OutputReader {
 public:
  /// `pattern`: what a line of a step looks like, besides "horus-step".
  explicit OutputReader(std::optional<os::LinePattern> pattern) : pattern_{std::move(pattern)} {}

  /// Steps to count at the time at which `bytes` came, in order: see Measurement::steps. What
  /// cannot be told apart in time, because it came at once, is one number.
  [[nodiscard]] std::vector<std::int64_t> read(os::Stream stream, std::string_view bytes);
  /// After the last bytes: a program that dies may leave its last line without an end. No step is
  /// counted there: the time of its bytes is past.
  void finish();

  [[nodiscard]] bool said_out_of_memory() const { return said_out_of_memory_; }
  /// Lines that matched the pattern, but whose group was no number.
  [[nodiscard]] std::int64_t odd_lines() const { return odd_lines_; }

 private:
  [[nodiscard]] std::optional<record::StepMark> mark_in(std::string_view line);

  std::optional<os::LinePattern> pattern_;
  record::LineSplitter output_;
  record::LineSplitter error_;
  record::LineSplitter steps_;
  record::StepCounter counter_;
  bool said_out_of_memory_{};
  std::int64_t odd_lines_{};
};

}  // namespace horus::apps
