// SPDX-License-Identifier: Apache-2.0
#pragma once
// Networks that a data set describes by a list of their layers, as GPUMemNet (arXiv:2602.17817)
// records them: "[('conv2d', 2967048, 2744), ('GELU', 2967048, 0), ...]", and by a run's name:
// "input_channels:3_..._arch:uniform_..._batch:62_input_size:174_...". Both are foreign text.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"

namespace horus::zoo {

struct ListedLayer {
  std::string kind;        ///< "conv2d", "linear", "GELU", ...
  std::int64_t outputs{};  ///< Elements of one sample, at least 1.
  std::int64_t parameters{};
};

/// How the layers hang together; the list names their order only.
enum class Wiring {
  Chain,     ///< Each layer reads the one before it.
  Residual,  ///< Blocks of two convolutions beside a 1x1 convolution that is listed before them.
  Dense,     ///< Each convolution reads what all before it have found.
};

/// What a list does not say and the run's name does.
struct ListedInput {
  std::int64_t channels{};  ///< Of the image; of a row of numbers its length.
  std::int64_t image{};     ///< Side in pixels; 0: the input is a row of numbers.
  std::int64_t batch{};
  Wiring wiring{Wiring::Chain};
  double dropout{};  ///< Rate of every dropout; 0: the name has none.
};

/// Limits of foreign text: far above every published list, far below what would hurt.
inline constexpr std::size_t kListBytesMax = std::size_t{1} << 20;
inline constexpr std::size_t kListLayersMax = 4096;
inline constexpr std::size_t kRunNameBytesMax = 4096;
inline constexpr std::int64_t kListNumberMax = 1'000'000'000'000;
inline constexpr std::int64_t kListImageMax = 65536;

/// The layers of a list. Blanks do not matter.
/// Errors: Corrupt with "character N" (from 1) as its place; Unsupported beyond the limits.
[[nodiscard]] Result<std::vector<ListedLayer>> parse_layer_list(std::string_view text);

/// The fields of a run's name that a network depends on. An ending ".out" does not matter.
/// Errors: Corrupt for a field that is missing or no number in its range, named as the place;
/// Unsupported for an unknown arch.
[[nodiscard]] Result<ListedInput> parse_run_name(std::string_view text);

}  // namespace horus::zoo
