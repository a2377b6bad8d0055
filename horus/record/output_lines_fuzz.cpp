// SPDX-License-Identifier: Apache-2.0
// What programs print, through the splitter and everything that looks at a line.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "horus/base/check.hpp"
#include "horus/record/json_object.hpp"
#include "horus/record/output_lines.hpp"
#include "horus/record/step_counter.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using horus::record::LinePart;
  if (size == 0) return 0;
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
  horus::record::StepCounter counter;
  std::size_t lines = 0;
  const auto look = [&](std::string_view line, LinePart) {
    ++lines;
    HORUS_CHECK(line.size() <= horus::record::kLineMax, "pieces have a limit");
    (void)horus::record::reports_out_of_memory(line);
    (void)horus::record::json_text(line);
    for (const auto mark :
         {horus::record::parse_step_line(line), horus::record::parse_step_signal(line)}) {
      if (mark) HORUS_CHECK(counter.count(*mark).steps >= 0, "steps do not run back");
    }
  };
  // However the bytes arrive, the lines are the same.
  const std::size_t piece = data[0] + std::size_t{1};
  horus::record::LineSplitter splitter;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    splitter.feed(bytes.substr(at, piece), look);
  }
  splitter.finish(look);
  const std::size_t in_pieces = lines;
  lines = 0;
  horus::record::LineSplitter whole;
  whole.feed(bytes, look);
  whole.finish(look);
  HORUS_CHECK(lines == in_pieces, "lines do not depend on how bytes arrive");
  return 0;
}
