// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/element_type.hpp"

#include <array>

namespace horus::graph {

std::string_view name_of(ElementType type) {
  // Indexed by the numbers of TensorProto.DataType.
  constexpr std::array<std::string_view, 29> kNames{
      "undefined",      "float32",    "uint8",          "int8",       "uint16",    "int16",
      "int32",          "int64",      "string",         "bool",       "float16",   "float64",
      "uint32",         "uint64",     "complex64",      "complex128", "bfloat16",  "float8e4m3fn",
      "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",      "int4",      "float4e2m1",
      "float8e8m0",     "uint2",      "int2",           "float6e2m3", "float6e3m2"};
  const auto index = static_cast<std::size_t>(type);
  return index < kNames.size() ? kNames[index] : kNames[0];
}

}  // namespace horus::graph
