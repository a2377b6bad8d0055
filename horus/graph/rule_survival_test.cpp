// SPDX-License-Identifier: Apache-2.0
// Every rule against nonsense: whatever a node claims, the answer is numbers, a gap or an error.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "horus/base/rng.hpp"
#include "horus/graph/analysis.hpp"
#include "horus/graph/model_sketch.hpp"
#include "horus/graph/op_rule.hpp"

namespace horus::graph {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

template <class T, std::size_t N>
const T& any_of(const std::array<T, N>& values, Rng& rng) {
  return values[static_cast<std::size_t>(rng.below(N))];
}

std::vector<std::int64_t> numbers(Rng& rng, std::size_t longest) {
  constexpr std::array<std::int64_t, 16> kNumbers{0,
                                                  1,
                                                  1,
                                                  2,
                                                  2,
                                                  3,
                                                  4,
                                                  8,
                                                  -1,
                                                  -2,
                                                  7,
                                                  1 << 20,
                                                  std::int64_t{1} << 31,
                                                  std::int64_t{1} << 40,
                                                  kHuge,
                                                  -kHuge - 1};
  std::vector<std::int64_t> list;
  for (std::size_t n = rng.below(longest + 1); n > 0; --n) list.push_back(any_of(kNumbers, rng));
  return list;
}

std::vector<std::int64_t> sizes(Rng& rng) {
  constexpr std::array<std::int64_t, 12> kSizes{0, 1, 1, 2,  2,       3,
                                                4, 4, 8, 16, 1 << 20, std::int64_t{1} << 40};
  std::vector<std::int64_t> list;
  for (std::size_t n = rng.below(6); n > 0; --n) list.push_back(any_of(kSizes, rng));
  return list;
}

AttributeValue nonsense(Rng& rng) {
  switch (rng.below(6)) {
    case 0:
      return numbers(rng, 1).empty() ? std::int64_t{1} : numbers(rng, 6).size() > 3 ? 2 : -1;
    case 1:
      return 0.5;
    case 2:
      return std::string{"SAME_UPPER"};
    case 3:
      return numbers(rng, 4);
    case 4:
      return std::vector<double>{2.0, std::nan(""), -1.0};
    default:
      return numbers(rng, 8);
  }
}

void add_input(ModelSketch& sketch, const std::string& name, Rng& rng) {
  switch (rng.below(5)) {
    case 0:
      sketch.integers(name, numbers(rng, 5));
      break;
    case 1:
      sketch.weight(name, sizes(rng));
      break;
    case 2:
      sketch.scalar(name, rng.below(2) == 0 ? 3.0 : std::nan(""));
      break;
    case 3:
      sketch.input(name + "_part", sizes(rng));
      sketch.node("SequenceConstruct", {name + "_part", name + "_part"}, {name});
      break;
    default:
      sketch.input(name, sizes(rng));
      break;
  }
}

Model nonsense_model(const OpRule& rule, const std::string& domain, Rng& rng) {
  constexpr std::array<const char*, 46> kAttributes{"axis",
                                                    "axes",
                                                    "kernel_shape",
                                                    "strides",
                                                    "pads",
                                                    "dilations",
                                                    "group",
                                                    "auto_pad",
                                                    "ceil_mode",
                                                    "perm",
                                                    "to",
                                                    "equation",
                                                    "batch_dims",
                                                    "split",
                                                    "k",
                                                    "blocksize",
                                                    "direction",
                                                    "num_groups",
                                                    "shape",
                                                    "size",
                                                    "output_shape",
                                                    "scales",
                                                    "starts",
                                                    "ends",
                                                    "num_heads",
                                                    "q_num_heads",
                                                    "kv_num_heads",
                                                    "qkv_hidden_sizes",
                                                    "window",
                                                    "K",
                                                    "N",
                                                    "onesided",
                                                    "inverse",
                                                    "output_height",
                                                    "sampling_ratio",
                                                    "pooled_shape",
                                                    "border",
                                                    "scale",
                                                    "ngram_indexes",
                                                    "maxsplit",
                                                    "channels_last",
                                                    "new_axis",
                                                    "keepdims",
                                                    "output_padding",
                                                    "transA",
                                                    "n_targets"};
  ModelSketch sketch{std::array<std::int64_t, 6>{1, 7, 11, 13, 18, 28}[rng.below(6)]};
  std::vector<std::string> inputs;
  const std::size_t spare = std::min<std::size_t>(rule.inputs_max - rule.inputs_min, 4);
  const std::size_t wanted = rule.inputs_min + rng.below(spare + 2);
  for (std::size_t i = 0; i < wanted; ++i) {
    inputs.push_back(rng.below(12) == 0 ? "" : "in" + std::to_string(i));
    if (!inputs.back().empty()) add_input(sketch, inputs.back(), rng);
  }
  ModelSketch::Attributes attributes;
  for (std::size_t n = rng.below(7); n > 0; --n) {
    attributes[any_of(kAttributes, rng)] = nonsense(rng);
  }
  if (rng.below(3) == 0) attributes["equation"] = std::string{"...ij,...jk->...ik"};
  sketch.node(std::string{rule.name}, inputs, {"a", "b", "c"}, std::move(attributes));
  sketch.model().graph.nodes.back().domain = domain;
  sketch.node("Relu", {"a"}, {"d"}).node("Reshape", {"d", "b"}, {"e"});
  return sketch.model();
}

bool is_sane(const OpWork& work) {
  for (const double number :
       {work.macs, work.flops_forward, work.flops_backward, work.elements_read,
        work.elements_written, work.saved_elements, work.kernels_forward, work.kernels_backward}) {
    if (!(number >= 0) || std::isinf(number)) return false;
  }
  return work.index_bytes.count() >= 0 && work.saved_index_bytes.count() >= 0;
}

/// Analyses nonsense of every rule of a domain; how many graphs had an answer.
int survive(const std::string& domain, Rng& rng) {
  constexpr int kTries = 24;
  int analysed = 0;
  for (const OpRule& rule : rules_of(domain)) {
    for (int i = 0; i < kTries; ++i) {
      const auto analysis = analyse(
          nonsense_model(rule, domain, rng),
          {.batch = i % 3 == 0 ? std::optional<std::int64_t>{8} : std::nullopt, .dims = {}});
      if (!analysis) continue;
      ++analysed;
      EXPECT_EQ(analysis->nodes,
                static_cast<std::int64_t>(analysis->features.ops.size() + analysis->gaps.size()));
      for (const OpWork& work : analysis->features.ops) {
        EXPECT_TRUE(is_sane(work)) << rule.name << " try " << i << " at " << work.op_type;
      }
    }
  }
  return analysed;
}

TEST(Rules, SurviveNonsense) {
  Rng rng{20240229};
  EXPECT_GT(survive("", rng), 2000);
  EXPECT_GT(survive("com.microsoft", rng), 400);
  EXPECT_GT(survive("ai.onnx.ml", rng), 120);
  EXPECT_GT(survive("ai.onnx.preview", rng), 40);
}

TEST(Rules, AreSortedAndNamedOnceInEveryDomain) {
  for (const char* domain : {"", "com.microsoft", "ai.onnx.ml", "ai.onnx.preview"}) {
    const auto rules = rules_of(domain);
    EXPECT_FALSE(rules.empty()) << domain;
    for (std::size_t i = 1; i < rules.size(); ++i) {
      EXPECT_LT(rules[i - 1].name, rules[i].name) << domain;
    }
  }
  EXPECT_TRUE(rules_of("nobody.knows").empty());
}

TEST(Rules, CoverTheStandard) { EXPECT_GE(standard_rules().size(), 200U); }

}  // namespace
}  // namespace horus::graph
