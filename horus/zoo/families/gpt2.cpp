// SPDX-License-Identifier: Apache-2.0
// GPT-2 (Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"), layer names
// as in Hugging Face's GPT2LMHeadModel. The output layer shares the token embedding's weights.

#include <array>

#include "horus/zoo/attention_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/language_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

struct Plan {
  std::int64_t depth{};
  std::int64_t heads{};
  std::int64_t width{};
};

constexpr std::int64_t kVocabulary = 50257;
constexpr std::int64_t kContext = 1024;
constexpr std::int64_t kFeedForward = 4;  // Times the width.
constexpr double kEpsilon = 1e-5;
constexpr double kDropout = 0.1;

Value decoder_layer(Builder& b, const std::string& name, const Value& x, const Plan& plan,
                    const Value& mask) {
  Value y = layer_norm(b, name + ".ln_1", x, kEpsilon);
  const Projections projections = project_together(b, name + ".attn.c_attn", y);
  y = attention(b, name + ".attn", projections,
                {.heads = plan.heads, .dropout = kDropout, .mask = mask});
  y = linear(b, name + ".attn.c_proj", y, plan.width);
  y = dropout(b, name + ".attn.resid_dropout", y, kDropout);
  const Value middle = binary(b, name + ".add_1", "Add", y, x);
  y = layer_norm(b, name + ".ln_2", middle, kEpsilon);
  y = feed_forward(b, y,
                   {.expand = name + ".mlp.c_fc",
                    .activation = name + ".mlp.act",
                    .contract = name + ".mlp.c_proj",
                    .inner = kFeedForward * plan.width,
                    .activate = gelu_tanh});
  y = dropout(b, name + ".mlp.dropout", y, kDropout);
  return binary(b, name + ".add_2", "Add", middle, y);
}

void build_gpt2(Builder& b, const Plan& plan, std::int64_t sequence) {
  const Value ids = b.input("input_ids", {kBatch, sequence}, ElementType::Int64);
  const Value tokens = b.parameter("wte.weight", {kVocabulary, plan.width});
  const Value places = b.parameter("wpe.weight", {kContext, plan.width});
  // -infinity above the diagonal: no token sees a later one.
  const Value mask = b.buffer("causal_mask", {sequence, sequence});
  const Value words = embedding(b, "wte", tokens, ids);
  Value x = binary(b, "embeddings.add", "Add", words,
                   embedding(b, "wpe", places, positions(b, sequence)));
  x = dropout(b, "drop", x, kDropout);
  for (std::int64_t layer = 0; layer < plan.depth; ++layer) {
    x = decoder_layer(b, "h." + std::to_string(layer), x, plan, mask);
  }
  b.output(tied_linear(b, "lm_head", layer_norm(b, "ln_f", x, kEpsilon), tokens));
}

}  // namespace

std::vector<Entry> gpt2_family() {
  const auto rows = std::to_array<LanguageModel<Plan>>({
      {"gpt2", "GPT-2 small", {12, 12, 768}, 4, {"gpt2-small", "gpt"}},
      {"gpt2-medium", "GPT-2 medium", {24, 16, 1024}, 4, {}},
      {"gpt2-large", "GPT-2 large", {36, 20, 1280}, 2, {}},
      {"gpt2-xl", "GPT-2 XL", {48, 25, 1600}, 1, {}},
  });
  return language_entries<Plan>(
      rows,
      {.about = ", language model, tied output layer, up to 1024 tokens (Radford et al. 2019)",
       .input = "1024 tokens",
       .sequence = kContext,
       .sequence_max = kContext,
       .build = build_gpt2});
}

}  // namespace horus::zoo
