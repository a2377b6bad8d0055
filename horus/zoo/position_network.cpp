// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/position_network.hpp"

#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

/// Zeros before the first row and column of the last two axes.
Value pad_prefix(Builder& b, const std::string& name, const Value& x, std::int64_t prefix) {
  if (prefix == 0) return x;
  const Value pads = b.integers({0, prefix, prefix, 0, 0, 0});
  return b.add({.name = name, .op_type = "Pad", .inputs = {x.name, pads.name}},
               {x.shape[0], x.shape[1] + prefix, x.shape[2] + prefix});
}

}  // namespace

Value position_network(Builder& b, const std::string& name, const PositionNetworkSpec& spec) {
  const std::int64_t rows = 2 * spec.height - 1;
  const std::int64_t columns = 2 * spec.width - 1;
  const Value coordinates = b.buffer(name + ".rel_coords_log", {rows, columns, 2});
  Value x = linear(b, name + ".mlp.fc1", coordinates, spec.inner);
  x = dropout(b, name + ".mlp.drop1", relu(b, name + ".mlp.act", x), spec.dropout_rate);
  x = linear(b, name + ".mlp.fc2", x, spec.heads);
  x = shaped(b, name + ".table", x, {rows * columns, spec.heads});
  return pad_prefix(b, name + ".pad", spread_bias(b, name, x, spec.height * spec.width),
                    spec.prefix);
}

}  // namespace horus::zoo
