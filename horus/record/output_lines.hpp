// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bytes that a program prints, cut into lines, and what a line means. Whoever wrote the program
// did not have us in mind: lines of any length and bytes of any kind are fine.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace horus::record {

/// A longer line is given in pieces of this size.
inline constexpr std::size_t kLineMax = 4096;

enum class LinePart { Begin, More };

/// Cuts at \n and \r (progress bars end their lines so). Empty lines are left out where \r\n or \r
/// makes them, and given otherwise.
class LineSplitter {
 public:
  /// `on_line` is called for each complete line of all bytes so far. A line longer than kLineMax
  /// comes as Begin and then More, whose first kOverlap bytes were also the end of the piece
  /// before, so that no short phrase is torn apart.
  using OnLine = std::function<void(std::string_view line, LinePart part)>;
  static constexpr std::size_t kOverlap = 64;

  void feed(std::string_view bytes, const OnLine& on_line);
  /// What stands behind the last line end, if anything.
  void finish(const OnLine& on_line);

 private:
  void append(std::string_view bytes, const OnLine& on_line);
  void end_line(const OnLine& on_line);

  std::string line_;
  LinePart part_{LinePart::Begin};
  bool after_return_{};
};

/// True for what PyTorch, TensorFlow, JAX, CUDA and its libraries say when GPU memory runs out.
[[nodiscard]] bool reports_out_of_memory(std::string_view line);

/// A program says that it has finished a step.
struct StepMark {
  std::optional<std::int64_t> number;  ///< Of the step, where the program says it; not negative.
};

/// "horus-step" or "horus-step 123", with blanks around; nothing for any other line.
[[nodiscard]] std::optional<StepMark> parse_step_line(std::string_view line);

/// A line of the descriptor that HORUS_STEP_FD names: "", "123", or as parse_step_line has it.
[[nodiscard]] std::optional<StepMark> parse_step_signal(std::string_view line);

/// A number that a pattern found: digits only. Nothing for other text.
[[nodiscard]] std::optional<StepMark> parse_step_number(std::string_view text);

}  // namespace horus::record
