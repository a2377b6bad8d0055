// SPDX-License-Identifier: Apache-2.0
// Between floating-point and integer codes.

#include "horus/graph/ops/families.hpp"

namespace horus::graph {

Result<Facts> infer_quantize(const NodeView& node) {
  const ElementType type = node.has_input(2) ? node.input(2).type : ElementType::Uint8;
  return one(type, node.shape(0));
}

Result<Facts> infer_dequantize(const NodeView& node) {
  // From version 19 on the result has the type of the scale; before, that was always float32.
  return one(node.input(1).type, node.shape(0));
}

}  // namespace horus::graph
