// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text on its way into HTML and SVG.

#include <string>
#include <string_view>

namespace horus::report {

/// `text` with the five characters that mean something in markup spelled as references, and with
/// control characters, which XML does not allow, shown as \xNN. For content and quoted attributes.
[[nodiscard]] std::string markup_text(std::string_view text);

}  // namespace horus::report
