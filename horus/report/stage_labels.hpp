// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which stages of a network to name below a picture, and how, so that the names have room.

#include <string>
#include <string_view>
#include <vector>

#include "horus/report/depth_profile.hpp"

namespace horus::report {

struct StageLabel {
  Stage stage;
  std::string text;  ///< Empty: it has no room. May be wider than the stage.
};

/// Width of `text` in a sans-serif face of `size`, roughly.
[[nodiscard]] double text_width(std::string_view text, double size);

/// The stages at the depth of names at which the most of them can be named, as long as the named
/// ones hold most operators. Where one stage holds almost all operators, one level deeper instead,
/// with as many names as have room. Empty where names tell nothing about stages.
/// `width`: of all operators, in the same unit as `font_size`.
[[nodiscard]] std::vector<StageLabel> label_stages(const std::vector<wire::NodeRow>& rows,
                                                   double width, double font_size);

}  // namespace horus::report
