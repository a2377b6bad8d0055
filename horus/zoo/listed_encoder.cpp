// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <fmt/format.h>

#include "horus/zoo/attention_block.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/listed_network.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kSizeMax = 1'000'000'000;
constexpr std::int64_t kDepthMax = 1024;
constexpr double kDropout = 0.1;
constexpr double kEpsilon = 1e-5;

Result<Done> check(const EncoderSizes& sizes, std::optional<std::int64_t> batch) {
  struct Size {
    const char* name;
    std::int64_t value;
    std::int64_t max;
  };
  const auto all = std::to_array<Size>({{"classes", sizes.classes, kSizeMax},
                                        {"embedding", sizes.embedding, kSizeMax},
                                        {"layers", sizes.layers, kDepthMax},
                                        {"heads", sizes.heads, kSizeMax},
                                        {"feed_forward", sizes.feed_forward, kSizeMax},
                                        {"sequence", sizes.sequence, kSizeMax},
                                        {"vocabulary", sizes.vocabulary, kSizeMax},
                                        {"batch", batch.value_or(1), kSizeMax}});
  for (const Size& size : all) {
    if (size.value >= 1 && size.value <= size.max) continue;
    return fail(Errc::InvalidArgument,
                fmt::format("{} is {}, outside of 1..{}", size.name, size.value, size.max),
                size.name);
  }
  if (sizes.embedding % sizes.heads == 0) return Done{};
  return fail(Errc::InvalidArgument,
              fmt::format("an embedding of {} is not shared evenly by {} heads", sizes.embedding,
                          sizes.heads),
              "heads");
}

/// Residual sum and LayerNorm around a half of a layer.
Value close(Builder& b, const std::string& name, const std::string& number, const Value& x,
            const Value& residual) {
  const Value y = dropout(b, name + ".dropout" + number, x, kDropout);
  return layer_norm(b, name + ".norm" + number,
                    binary(b, name + ".add" + number, "Add", residual, y), kEpsilon);
}

Value encoder_layer(Builder& b, const std::string& name, const Value& x,
                    const EncoderSizes& sizes) {
  const std::string self = name + ".self_attn";
  const Projections projections = project_together(b, self + ".in_proj", x);
  Value y =
      attention(b, self, projections, {.heads = sizes.heads, .dropout = kDropout, .mask = {}});
  const Value middle = close(b, name, "1", linear(b, self + ".out_proj", y, sizes.embedding), x);
  y = relu(b, name + ".relu", linear(b, name + ".linear1", middle, sizes.feed_forward));
  y = linear(b, name + ".linear2", dropout(b, name + ".dropout", y, kDropout), sizes.embedding);
  return close(b, name, "2", y, middle);
}

}  // namespace

Result<graph::Model> build_encoder(const EncoderSizes& sizes, std::optional<std::int64_t> batch) {
  HORUS_TRY_DONE(check(sizes, batch));
  Builder b{"listed-encoder", batch};
  const Value ids = b.input("input_ids", {kBatch, sizes.sequence}, ElementType::Int64);
  const Value table = b.parameter("embedding.weight", {sizes.vocabulary, sizes.embedding});
  Value x = embedding(b, "embedding", table, ids);
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    x = encoder_layer(b, "encoder.layers." + std::to_string(layer), x, sizes);
  }
  b.output(linear(b, "fc", mean_over(b, "mean", x, 1), sizes.classes));
  return std::move(b).finish();
}

}  // namespace horus::zoo
