// SPDX-License-Identifier: Apache-2.0
// The table of changes.

#include "horus/graph/ops/versions.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace horus::graph {
namespace {

using enum Change;

// Columns: operator, setting, what changed, since which version, position, default or yes and no.
// clang-format off
constexpr auto kChanges = std::to_array<VersionChange>({
    {"Add", "aligns at axis", Behaviour, 1, 1},
    {"Add", "aligns at axis", Behaviour, 7, 0},
    {"And", "aligns at axis", Behaviour, 1, 1},
    {"And", "aligns at axis", Behaviour, 7, 0},
    {"Concat", "axis", Default, 1, 1},
    {"Concat", "axis", Default, 4, kRequired},
    {"DFT", "axis", Input, 20, 2},
    {"DFT", "axis", Default, 17, 1},
    {"DFT", "axis", Default, 20, -2},
    {"Div", "aligns at axis", Behaviour, 1, 1},
    {"Div", "aligns at axis", Behaviour, 7, 0},
    {"Dropout", "boolean mask", Behaviour, 1, 0},
    {"Dropout", "boolean mask", Behaviour, 10, 1},
    {"Dropout", "ratio", Input, 12, 1},
    {"Equal", "aligns at axis", Behaviour, 1, 1},
    {"Equal", "aligns at axis", Behaviour, 7, 0},
    {"Greater", "aligns at axis", Behaviour, 1, 1},
    {"Greater", "aligns at axis", Behaviour, 7, 0},
    {"Hardmax", "axis", Default, 1, 1},
    {"Hardmax", "axis", Default, 13, -1},
    {"Hardmax", "flattens", Behaviour, 1, 1},
    {"Hardmax", "flattens", Behaviour, 13, 0},
    {"Less", "aligns at axis", Behaviour, 1, 1},
    {"Less", "aligns at axis", Behaviour, 7, 0},
    {"LogSoftmax", "axis", Default, 1, 1},
    {"LogSoftmax", "axis", Default, 13, -1},
    {"LogSoftmax", "flattens", Behaviour, 1, 1},
    {"LogSoftmax", "flattens", Behaviour, 13, 0},
    {"Mul", "aligns at axis", Behaviour, 1, 1},
    {"Mul", "aligns at axis", Behaviour, 7, 0},
    {"Or", "aligns at axis", Behaviour, 1, 1},
    {"Or", "aligns at axis", Behaviour, 7, 0},
    {"Pad", "axes", Input, 18, 3},
    {"Pad", "pads", Input, 11, 1},
    {"Pow", "aligns at axis", Behaviour, 1, 1},
    {"Pow", "aligns at axis", Behaviour, 7, 0},
    {"ReduceL1", "axes", Input, 18, 1},
    {"ReduceL2", "axes", Input, 18, 1},
    {"ReduceLogSum", "axes", Input, 18, 1},
    {"ReduceLogSumExp", "axes", Input, 18, 1},
    {"ReduceMax", "axes", Input, 18, 1},
    {"ReduceMean", "axes", Input, 18, 1},
    {"ReduceMin", "axes", Input, 18, 1},
    {"ReduceProd", "axes", Input, 18, 1},
    {"ReduceSum", "axes", Input, 13, 1},
    {"ReduceSumSquare", "axes", Input, 18, 1},
    {"Reshape", "shape", Input, 5, 1},
    {"Resize", "scales", Input, 10, 1},
    {"Resize", "scales", Input, 11, 2},
    {"Resize", "sizes", Input, 11, 3},
    {"Slice", "axes", Input, 10, 3},
    {"Slice", "ends", Input, 10, 2},
    {"Slice", "starts", Input, 10, 1},
    {"Slice", "steps", Input, 10, 4},
    {"Softmax", "axis", Default, 1, 1},
    {"Softmax", "axis", Default, 13, -1},
    {"Softmax", "flattens", Behaviour, 1, 1},
    {"Softmax", "flattens", Behaviour, 13, 0},
    {"Split", "split", Input, 13, 1},
    {"Split", "unequal parts", Behaviour, 1, 0},
    {"Split", "unequal parts", Behaviour, 18, 1},
    {"Squeeze", "axes", Input, 13, 1},
    {"Sub", "aligns at axis", Behaviour, 1, 1},
    {"Sub", "aligns at axis", Behaviour, 7, 0},
    {"Tile", "repeats one axis", Behaviour, 1, 1},
    {"Tile", "repeats one axis", Behaviour, 6, 0},
    {"TopK", "k", Input, 10, 1},
    {"Unsqueeze", "axes", Input, 13, 1},
    {"Upsample", "scales", Input, 9, 1},
    {"Xor", "aligns at axis", Behaviour, 1, 1},
    {"Xor", "aligns at axis", Behaviour, 7, 0},
});
// clang-format on

constexpr auto key_of(const VersionChange& row) {
  return std::tuple{row.op, row.setting, row.change};
}

static_assert(std::ranges::is_sorted(kChanges, {},
                                     [](const VersionChange& row) {
                                       return std::tuple_cat(key_of(row), std::tuple{row.since});
                                     }),
              "change_of searches by halves and takes the last");

}  // namespace

std::span<const VersionChange> version_changes() { return kChanges; }

const VersionChange* change_of(std::string_view op, std::string_view setting, Change change,
                               std::int64_t opset) {
  const auto key = std::tuple{op, setting, change};
  const VersionChange* found = nullptr;
  for (auto row = std::ranges::lower_bound(kChanges, key, {}, key_of);
       row != kChanges.end() && key_of(*row) == key; ++row) {
    if (found == nullptr || row->since <= opset) found = &*row;
  }
  return found;
}

}  // namespace horus::graph
