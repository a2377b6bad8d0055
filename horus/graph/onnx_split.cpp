// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/onnx_split.hpp"

#include <google/protobuf/message_lite.h>

namespace horus::graph {

Result<Done> parse_whole(std::string_view name, std::string_view text, std::uint64_t offset,
                         google::protobuf::MessageLite& message) {
  if (text.size() > kLightBytesMax) {
    return fail(Errc::Unsupported, fmt::format("{} at byte {} has {} bytes, Horus reads up to {}",
                                               name, offset, text.size(), kLightBytesMax));
  }
  // "Partial" as in required fields: ONNX has none.
  if (!message.ParsePartialFromArray(text.data(), static_cast<int>(text.size()))) {
    return fail(Errc::Corrupt,
                fmt::format("{} at byte {} is damaged: its fields do not parse", name, offset));
  }
  return Done{};
}

}  // namespace horus::graph
