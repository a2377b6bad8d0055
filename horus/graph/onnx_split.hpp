// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where hand-walking and the packaged protobuf classes meet: the large fields of a message are kept
// apart as slices of the file, everything else is parsed by its protobuf class. So a node with
// gigabytes of weights in an attribute is read without copying them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "horus/base/result.hpp"
#include "horus/graph/limits.hpp"
#include "horus/graph/wire_reader.hpp"

namespace google::protobuf {
class MessageLite;
}

namespace horus::graph {

/// Parses all of `text`, found at `offset` in the file, as `message`, called `name` in errors.
/// Errors: Unsupported (more than kLightBytesMax), Corrupt.
[[nodiscard]] Result<Done> parse_whole(std::string_view name, std::string_view text,
                                       std::uint64_t offset,
                                       google::protobuf::MessageLite& message);

/// Parses `slice`, a message of type `spec`, as `message`, except for the fields with the numbers
/// `apart`: `visit(const WireField&) -> Result<Done>` is called with each of those, in order,
/// before `message` is filled.
template <class Visit>
Result<Done> parse_apart(const MessageSpec& spec, std::span<const std::uint32_t> apart, Slice slice,
                         google::protobuf::MessageLite& message, Visit&& visit) {
  // Messages of the wire format may be cut at field boundaries and joined again at will.
  std::string light;
  for (WireReader reader{spec, slice}; !reader.at_end();) {
    HORUS_TRY(const WireField field, reader.next());
    if (std::find(apart.begin(), apart.end(), field.number) != apart.end()) {
      HORUS_TRY_DONE(visit(field));
      continue;
    }
    if (field.encoded.size() > kLightBytesMax - light.size()) {
      return fail(Errc::Unsupported,
                  fmt::format("{} at byte {} holds more than {} bytes besides tensors and graphs, "
                              "the most that Horus reads",
                              spec.name, slice.offset, kLightBytesMax));
    }
    light += chars_of(field.encoded);
  }
  return parse_whole(spec.name, light, slice.offset, message);
}

}  // namespace horus::graph
