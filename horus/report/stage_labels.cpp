// SPDX-License-Identifier: Apache-2.0
#include "horus/report/stage_labels.hpp"

#include <algorithm>
#include <set>

namespace horus::report {
namespace {

constexpr std::size_t kDepthMax = 6;
/// Beyond this many stages, bands are noise.
constexpr std::size_t kStagesMax = 120;

/// The longest end of `name`, cut at separators, that is at most `room` wide and does not begin
/// with a number, which says nothing alone; empty if there is none.
std::string fitting_end(std::string_view name, double room, double font_size) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  while (name.empty() || is_digit(name.front()) || text_width(name, font_size) > room) {
    const std::size_t separator = name.find_first_of("/.");
    if (separator == std::string_view::npos) return {};
    name.remove_prefix(separator + 1);
  }
  return std::string{name};
}

struct Candidate {
  std::vector<StageLabel> labels;
  std::set<std::string> names;  ///< Different ones: "block" ten times over tells nothing.
  std::size_t operators{};      ///< In stages with a name.
};

Candidate labelled(std::vector<Stage> stages, double operator_width, double font_size) {
  Candidate candidate;
  for (Stage& stage : stages) {
    const std::size_t operators = stage.end - stage.begin;
    const double room = static_cast<double>(operators) * operator_width - font_size;
    std::string text = fitting_end(stage.name, room, font_size);
    if (!text.empty()) {
      candidate.names.insert(text);
      candidate.operators += operators;
    }
    candidate.labels.push_back({.stage = std::move(stage), .text = std::move(text)});
  }
  return candidate;
}

/// True where one stage holds almost everything: its name tells nothing about where one is.
bool is_single(const std::vector<StageLabel>& labels) {
  const std::size_t operators = labels.empty() ? 0 : labels.back().stage.end;
  return std::ranges::any_of(labels, [operators](const StageLabel& label) {
    return (label.stage.end - label.stage.begin) * 10 >= operators * 8;
  });
}

/// Stages that are too narrow for their names, named as often as there is room: every fifth, say.
Candidate sparsely_labelled(std::vector<Stage> stages, double operator_width, double font_size) {
  constexpr double kAnyWidth = 1e9;
  Candidate candidate;
  double free_from = 0.0;
  const double end = static_cast<double>(stages.back().end) * operator_width;
  for (Stage& stage : stages) {
    const double middle = static_cast<double>(stage.begin + stage.end) / 2.0 * operator_width;
    std::string text = fitting_end(stage.name, kAnyWidth, font_size);
    const double half = (text_width(text, font_size) + font_size) / 2.0;
    if (text.empty() || middle - half < free_from || middle + half > end) {
      text.clear();
    } else {
      free_from = middle + half;
      candidate.names.insert(text);
    }
    candidate.labels.push_back({.stage = std::move(stage), .text = std::move(text)});
  }
  return candidate;
}

/// Naming most operators comes first, naming many stages second.
bool is_better(const Candidate& left, const Candidate& right, std::size_t operators) {
  const auto names_most = [&](const Candidate& c) { return c.operators * 10 >= operators * 6; };
  if (names_most(left) != names_most(right)) return names_most(left);
  return names_most(left) ? left.names.size() > right.names.size()
                          : left.operators > right.operators;
}

}  // namespace

double text_width(std::string_view text, double size) {
  // Of the size, in Helvetica and its kin. Letters beyond ASCII may fill a square.
  constexpr double kMeanLetter = 0.56;
  constexpr double kCapital = 0.72;
  constexpr double kWide = 0.9;
  constexpr std::string_view kWideLetters = "MW@mw%";
  constexpr double kSquare = 1.0;
  double width = 0.0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned>(static_cast<unsigned char>(c));
    if ((byte & 0xc0U) == 0x80U) continue;
    if (byte >= 0x80U) {
      width += kSquare;
    } else if (kWideLetters.find(c) != std::string_view::npos) {
      width += kWide;
    } else {
      width += c >= 'A' && c <= 'Z' ? kCapital : kMeanLetter;
    }
  }
  return width * size;
}

std::vector<StageLabel> label_stages(const std::vector<wire::NodeRow>& rows, double width,
                                     double font_size) {
  Candidate best;
  for (std::size_t depth = 1; depth <= kDepthMax; ++depth) {
    std::vector<Stage> stages = stages_at(rows, depth);
    if (stages.size() > kStagesMax) break;
    if (stages.size() < 2) continue;
    const std::size_t operators = stages.back().end;
    Candidate candidate =
        labelled(std::move(stages), width / static_cast<double>(operators), font_size);
    if (is_better(candidate, best, operators)) best = std::move(candidate);
  }
  if (rows.empty() || !is_single(best.labels)) return std::move(best.labels);
  for (std::size_t depth = 2; depth <= kDepthMax; ++depth) {
    std::vector<Stage> stages = stages_at(rows, depth);
    if (stages.size() > kStagesMax) break;
    const std::size_t operators = stages.back().end;
    Candidate candidate =
        sparsely_labelled(std::move(stages), width / static_cast<double>(operators), font_size);
    if (!is_single(candidate.labels) && candidate.names.size() > best.names.size()) {
      return std::move(candidate.labels);
    }
  }
  return std::move(best.labels);
}

}  // namespace horus::report
