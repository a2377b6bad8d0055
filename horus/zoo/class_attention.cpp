// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/class_attention.hpp"

#include "horus/zoo/layers.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {

Value class_attention(Builder& b, const std::string& name, const Value& x, std::int64_t heads) {
  const std::int64_t width = x.shape.back();
  const Value first = slice(b, name + ".class", x, 1, 0, 1);
  HeadTriple parts;
  parts.query = part_heads(b, name + ".query", linear(b, name + ".q", first, width), heads);
  parts.key = part_heads(b, name + ".key", linear(b, name + ".k", x, width), heads);
  parts.value = part_heads(b, name + ".value", linear(b, name + ".v", x, width), heads);
  const Value y = unite_heads(b, name + ".context", attend(b, name + ".attend", parts));
  return linear(b, name + ".proj", y, width);
}

}  // namespace horus::zoo
