// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/numbered_conv.hpp"

namespace horus::zoo {

Value numbered_conv(Builder& b, const std::string& name, int index, const Value& x,
                    const ConvSpec& spec) {
  const std::string number = std::to_string(index);
  return batch_norm(b, name + ".bn" + number, conv(b, name + ".conv" + number, x, spec));
}

Value numbered_conv_relu(Builder& b, const std::string& name, int index, const Value& x,
                         const ConvSpec& spec) {
  return relu(b, name + ".relu" + std::to_string(index), numbered_conv(b, name, index, x, spec));
}

}  // namespace horus::zoo
