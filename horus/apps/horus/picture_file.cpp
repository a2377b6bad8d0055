// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/picture_file.hpp"

#include "horus/base/text.hpp"
#include "horus/os/file.hpp"
#include "horus/os/filter.hpp"

namespace horus::apps {
namespace {

constexpr std::size_t kPngBytesMax = std::size_t{256} << 20U;

bool ends_with(const std::string& path, std::string_view ending) {
  return to_lower(path).ends_with(ending);
}

}  // namespace

Result<Done> check_picture(const std::string& path) {
  if (ends_with(path, ".svg") || ends_with(path, ".png")) return Done{};
  return fail(Errc::InvalidArgument,
              "expected a file name that ends in .svg or .png, found '" + printable(path) + "'",
              "--plot");
}

Result<Done> write_picture(const std::string& path, const std::string& svg) {
  if (!ends_with(path, ".png")) return os::write_file(path, svg);
  const auto png = os::filter_through(
      {"rsvg-convert", "--format", "png", "--zoom", "2", "--background-color", "white"}, svg,
      kPngBytesMax);
  if (png) return os::write_file(path, *png);
  return fail(Errc::Unavailable,
              "PNG needs a working rsvg-convert (Debian and Ubuntu: librsvg2-bin), which says: " +
                  png.error().message + "; or name a file that ends in .svg",
              path);
}

}  // namespace horus::apps
