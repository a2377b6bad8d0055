// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pictures as files: SVG as it is, PNG by a converter that need not be there.

#include <string>

#include "horus/base/result.hpp"

namespace horus::apps {

/// Whether `path` names a form that can be written, asked before long work is done.
/// Errors: InvalidArgument for other endings than .svg and .png.
[[nodiscard]] Result<Done> check_picture(const std::string& path);

/// Writes `svg` in the form that the ending of `path` names. PNG is drawn by rsvg-convert (Debian:
/// librsvg2-bin), at twice the size. Errors: Unavailable where that is not installed.
[[nodiscard]] Result<Done> write_picture(const std::string& path, const std::string& svg);

}  // namespace horus::apps
