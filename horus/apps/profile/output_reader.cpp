// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/profile/output_reader.hpp"

#include <string>
#include <utility>

namespace horus::apps {
namespace {

/// The counts of bytes that came at once.
class Batch {
 public:
  void add(std::int64_t steps) {
    if (steps == 0) {
      end();
      counts.push_back(0);
      is_open_ended_ = true;  // What follows at once has no time before it either.
    } else if (!is_open_ended_) {
      sum_ += steps;
    }
  }
  void end() {
    if (sum_ > 0) counts.push_back(sum_);
    sum_ = 0;
  }

  std::vector<std::int64_t> counts;

 private:
  std::int64_t sum_{};
  bool is_open_ended_{};
};

}  // namespace

std::optional<record::StepMark> OutputReader::mark_in(std::string_view line) {
  if (auto mark = record::parse_step_line(line)) return mark;
  if (!pattern_) return std::nullopt;
  const auto match = pattern_->match(std::string{line});
  if (!match) return std::nullopt;
  if (!match->has_group) return record::StepMark{};
  auto mark = record::parse_step_number(match->group.value_or(""));
  if (!mark) ++odd_lines_;
  return mark;
}

std::vector<std::int64_t> OutputReader::read(os::Stream stream, std::string_view bytes) {
  Batch batch;
  const auto look = [&](std::string_view line, record::LinePart part) {
    said_out_of_memory_ = said_out_of_memory_ || record::reports_out_of_memory(line);
    if (part != record::LinePart::Begin) return;
    if (const auto mark = mark_in(line)) batch.add(counter_.count(*mark).steps);
  };
  const auto look_at_signal = [&](std::string_view line, record::LinePart) {
    if (const auto mark = record::parse_step_signal(line)) batch.add(counter_.count(*mark).steps);
  };
  switch (stream) {
    case os::Stream::Output:
      output_.feed(bytes, look);
      break;
    case os::Stream::Error:
      error_.feed(bytes, look);
      break;
    case os::Stream::Steps:
      steps_.feed(bytes, look_at_signal);
      break;
  }
  batch.end();
  return std::move(batch.counts);
}

void OutputReader::finish() {
  const auto look = [this](std::string_view line, record::LinePart) {
    said_out_of_memory_ = said_out_of_memory_ || record::reports_out_of_memory(line);
  };
  output_.finish(look);
  error_.finish(look);
}

}  // namespace horus::apps
