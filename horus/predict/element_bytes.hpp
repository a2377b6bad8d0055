// SPDX-License-Identifier: Apache-2.0
#pragma once
// How many bytes a number takes, by what it is and the precision of the training.

#include "horus/domain/graph_features.hpp"
#include "horus/domain/prediction.hpp"

namespace horus::predict {

/// Bytes per element. Conventions:
///   fp32, tf32  everything in 4 bytes (tf32 changes the products, not the storage);
///   fp16, bf16  the whole model is cast: parameters, gradients and states in 2 bytes;
///   amp         automatic mixed precision with FP16: activations in 2 bytes, parameters, gradients
///               and states in 4, plus a 2-byte copy of the weights that products read; operators
///               that lose accuracy in FP16 stay in 4.
struct ElementBytes {
  double activation{4};
  double sensitive{4};    ///< Activations of softmax, layer normalization and loss.
  double parameter{4};    ///< Stored parameters, gradients and optimizer states.
  double weight_read{4};  ///< Weights as products read them.
};

[[nodiscard]] constexpr ElementBytes element_bytes(Precision precision) {
  switch (precision) {
    case Precision::Fp16:
    case Precision::Bf16:
      return {2, 2, 2, 2};
    case Precision::Amp:
      return {2, 4, 4, 2};
    case Precision::Fp32:
    case Precision::Tf32:
      break;
  }
  return {4, 4, 4, 4};
}

/// Operators that automatic mixed precision keeps in FP32.
[[nodiscard]] constexpr bool is_sensitive(OpKind kind) {
  return kind == OpKind::Softmax || kind == OpKind::LayerNorm;
}

/// Bytes of one activation element of an operator of this kind.
[[nodiscard]] constexpr double activation_bytes(const ElementBytes& bytes, OpKind kind) {
  return is_sensitive(kind) ? bytes.sensitive : bytes.activation;
}

}  // namespace horus::predict
