// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/multi_query.hpp"

#include <cmath>

#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

/// Keys or values, shape (batch, 1, head width, positions).
Value shared_projection(Builder& b, const std::string& name, const Value& x,
                        const MultiQuerySpec& spec) {
  Value y = x;
  if (spec.key_stride > 1) {
    y = conv(b, name + ".down_conv", y,
             {.channels = x.shape[1],
              .kernel = {spec.kernel},
              .stride = {spec.key_stride},
              .padding = {spec.kernel / 2},
              .groups = x.shape[1]});
    y = batch_norm(b, name + ".norm", y);
  }
  y = conv(b, name + ".proj", y, {.channels = spec.head_width});
  return reshape(b, name + ".view", y, {0, 1, spec.head_width, -1},
                 {x.shape[0], 1, spec.head_width, y.shape[2] * y.shape[3]});
}

}  // namespace

Value multi_query_attention(Builder& b, const std::string& name, const Value& x,
                            const MultiQuerySpec& spec) {
  const std::int64_t height = x.shape[2];
  const std::int64_t width = x.shape[3];
  const std::int64_t inner = spec.heads * spec.head_width;
  const double scale = 1 / std::sqrt(static_cast<double>(spec.head_width));
  Value query = conv(b, name + ".query.proj", x, {.channels = inner});
  query = reshape(b, name + ".query.view", query, {0, spec.heads, spec.head_width, -1},
                  {x.shape[0], spec.heads, spec.head_width, height * width});
  query = transpose(b, name + ".query.transpose", query, {0, 1, 3, 2});
  const Value key = shared_projection(b, name + ".key", x, spec);
  const Value value = shared_projection(b, name + ".value", x, spec);
  Value weights = matmul(b, name + ".scores", query, key);
  weights = binary(b, name + ".scale", "Mul", weights, b.number(scale));
  weights = softmax(b, name + ".softmax", weights);
  const Value values = transpose(b, name + ".value.transpose", value, {0, 1, 3, 2});
  Value y = matmul(b, name + ".context", weights, values);
  y = transpose(b, name + ".context.transpose", y, {0, 1, 3, 2});
  y = reshape(b, name + ".context.view", y, {0, inner, height, width},
              {x.shape[0], inner, height, width});
  return conv(b, name + ".output.proj", y, {.channels = spec.channels});
}

}  // namespace horus::zoo
