// SPDX-License-Identifier: Apache-2.0
// BERT (Devlin et al. 2019, arXiv:1810.04805): the encoder with pooler and without a task head, in
// the sizes of google-research/bert, the small ones from Turc et al. 2019 (arXiv:1908.08962); and
// with the head that scores every word of the vocabulary for masked tokens, without a pooler. Layer
// names as in Hugging Face's BertModel and BertForMaskedLM.

#include <algorithm>
#include <array>
#include <iterator>

#include "horus/zoo/attention_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/language_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

enum class Head { Pooler, MaskedLanguage };

struct Plan {
  std::int64_t depth{};
  std::int64_t heads{};
  std::int64_t width{};
  std::int64_t vocabulary{};
  Head head{Head::Pooler};
};

// Word pieces of the published vocabularies.
constexpr std::int64_t kUncased = 30522;
constexpr std::int64_t kCased = 28996;
constexpr std::int64_t kMultilingualCased = 119547;
constexpr std::int64_t kChinese = 21128;

constexpr std::int64_t kPositions = 512;
constexpr std::int64_t kSegments = 2;
constexpr std::int64_t kFeedForward = 4;  // Times the width.
constexpr double kEpsilon = 1e-12;
constexpr double kDropout = 0.1;

struct Inputs {
  Value tokens;
  Value keep;
  Value segments;
};

Inputs declare_inputs(Builder& b, std::int64_t sequence) {
  const Shape shape{kBatch, sequence};
  Value tokens = b.input("input_ids", shape, ElementType::Int64);
  Value keep = b.input("attention_mask", shape, ElementType::Int64);
  Value segments = b.input("token_type_ids", shape, ElementType::Int64);
  return {.tokens = std::move(tokens), .keep = std::move(keep), .segments = std::move(segments)};
}

Value embedding_table(Builder& b, const std::string& what, std::int64_t rows, const Plan& plan) {
  return b.parameter("embeddings." + what + ".weight", {rows, plan.width});
}

Value embed(Builder& b, const Inputs& inputs, const Value& word_table, const Plan& plan) {
  const auto lookup = [&b, &plan](const std::string& what, std::int64_t rows, const Value& ids) {
    return embedding(b, "embeddings." + what, embedding_table(b, what, rows, plan), ids);
  };
  const Value words = embedding(b, "embeddings.word_embeddings", word_table, inputs.tokens);
  const Value segments = lookup("token_type_embeddings", kSegments, inputs.segments);
  const Value places =
      lookup("position_embeddings", kPositions, positions(b, inputs.tokens.shape[1]));
  Value x = binary(b, "embeddings.add", "Add", words, segments);
  x = binary(b, "embeddings.add_1", "Add", x, places);
  return dropout(b, "embeddings.dropout", layer_norm(b, "embeddings.LayerNorm", x, kEpsilon),
                 kDropout);
}

/// dropout, sum with the residual, LayerNorm: what ends both halves of a layer.
Value close(Builder& b, const std::string& name, const Value& x, const Value& residual) {
  const Value y = dropout(b, name + ".dropout", x, kDropout);
  return layer_norm(b, name + ".LayerNorm", binary(b, name + ".add", "Add", y, residual), kEpsilon);
}

Value encoder_layer(Builder& b, const std::string& name, const Value& x, const Plan& plan,
                    const Value& mask) {
  const std::string self = name + ".attention.self";
  const Projections projections =
      project_apart(b, {.query = self + ".query", .key = self + ".key", .value = self + ".value"},
                    x, x, Bias::Trained);
  Value y = attention(b, name + ".attention", projections,
                      {.heads = plan.heads, .dropout = kDropout, .mask = mask});
  y = linear(b, name + ".attention.output.dense", y, plan.width);
  const Value middle = close(b, name + ".attention.output", y, x);
  y = feed_forward(b, middle,
                   {.expand = name + ".intermediate.dense",
                    .activation = name + ".intermediate.gelu",
                    .contract = name + ".output.dense",
                    .inner = kFeedForward * plan.width,
                    .activate = gelu});
  return close(b, name + ".output", y, middle);
}

Value pooler(Builder& b, const Value& x) {
  const Value first = b.integer(0);
  const std::int64_t width = x.shape.back();
  const Value token = b.add({.name = "pooler.first",
                             .op_type = "Gather",
                             .inputs = {x.name, first.name},
                             .attributes = {{"axis", std::int64_t{1}}}},
                            {kBatch, width});
  return unary(b, "pooler.activation", "Tanh", linear(b, "pooler.dense", token, width));
}

/// Scores of every word at every token; the weights are those of the word embedding.
Value masked_language_head(Builder& b, const Value& x, const Value& word_table) {
  const std::string name = "cls.predictions";
  Value y = linear(b, name + ".transform.dense", x, x.shape.back());
  y = gelu(b, name + ".transform.gelu", y);
  y = layer_norm(b, name + ".transform.LayerNorm", y, kEpsilon);
  y = tied_linear(b, name + ".decoder", y, word_table);
  return binary(b, name + ".add", "Add", y, b.parameter(name + ".bias", {word_table.shape[0]}));
}

void build_bert(Builder& b, const Plan& plan, std::int64_t sequence) {
  const Inputs inputs = declare_inputs(b, sequence);
  const Value mask = padding_mask(b, "extended_attention_mask", inputs.keep);
  const Value word_table = embedding_table(b, "word_embeddings", plan.vocabulary, plan);
  Value x = embed(b, inputs, word_table, plan);
  for (std::int64_t layer = 0; layer < plan.depth; ++layer) {
    x = encoder_layer(b, "encoder.layer." + std::to_string(layer), x, plan, mask);
  }
  if (plan.head == Head::MaskedLanguage) {
    b.output(masked_language_head(b, x, word_table));
    return;
  }
  b.output(x);
  b.output(pooler(b, x));
}

}  // namespace

std::vector<Entry> bert_family() {
  const auto rows = std::to_array<LanguageModel<Plan>>({
      {"bert-tiny", "BERT-tiny uncased", {2, 2, 128, kUncased}, 32, {"bert-tiny-uncased"}},
      {"bert-mini", "BERT-mini uncased", {4, 4, 256, kUncased}, 32, {"bert-mini-uncased"}},
      {"bert-small", "BERT-small uncased", {4, 8, 512, kUncased}, 32, {"bert-small-uncased"}},
      {"bert-medium", "BERT-medium uncased", {8, 8, 512, kUncased}, 32, {"bert-medium-uncased"}},
      {"bert-base",
       "BERT-base uncased",
       {12, 12, 768, kUncased},
       32,
       {"bert", "bert-base-uncased"}},
      {"bert-base-cased", "BERT-base cased", {12, 12, 768, kCased}, 32, {}},
      {"bert-base-multilingual-cased",
       "BERT-base of 104 languages, cased",
       {12, 12, 768, kMultilingualCased},
       32,
       {}},
      {"bert-base-chinese", "BERT-base Chinese", {12, 12, 768, kChinese}, 32, {}},
      {"bert-large", "BERT-large uncased", {24, 16, 1024, kUncased}, 32, {"bert-large-uncased"}},
      {"bert-large-cased", "BERT-large cased", {24, 16, 1024, kCased}, 32, {}},
  });
  const auto masked = std::to_array<LanguageModel<Plan>>({
      {"bert-base-cased-mlm",
       "BERT-base cased",
       {12, 12, 768, kCased, Head::MaskedLanguage},
       32,
       {}},
      {"bert-large-cased-mlm",
       "BERT-large cased",
       {24, 16, 1024, kCased, Head::MaskedLanguage},
       32,
       {}},
  });
  LanguageFamily<Plan> family{.about = ", encoder and pooler, up to 512 tokens (arXiv:1810.04805)",
                              .input = "128 tokens",
                              .sequence = 128,
                              .sequence_max = kPositions,
                              .build = build_bert};
  std::vector<Entry> entries = language_entries<Plan>(rows, family);
  family.about = ", scores of masked tokens, up to 512 tokens (arXiv:1810.04805)";
  std::ranges::move(language_entries<Plan>(masked, family), std::back_inserter(entries));
  return entries;
}

}  // namespace horus::zoo
