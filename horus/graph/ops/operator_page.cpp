// SPDX-License-Identifier: Apache-2.0
// Puts each rule into words. What a cost rule counts is said once for the rule, not per operator.

#include "horus/graph/ops/operator_page.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/graph/op_rule.hpp"
#include "horus/graph/ops/families.hpp"
#include "horus/graph/ops/history.hpp"

namespace horus::graph {
namespace {

struct Wording {
  CostRule cost;
  std::string_view text;
};

constexpr std::string_view kAttention =
    "QK^T, softmax and AV in one kernel that keeps no scores; backward 2.5 times the products";
constexpr std::string_view kProjected =
    "the projections inside, QK^T, softmax and AV in one kernel that keeps no scores";

constexpr std::array kWordings{
    Wording{cost_affine_grid, "one small product per place"},
    Wording{cost_attention, kAttention},
    Wording{cost_average_pool, "the window per output element"},
    Wording{cost_batch_norm, "5 per element, backward 9; batch statistics kept"},
    Wording{cost_cast, "a copy; nothing where the type stays"},
    Wording{cost_causal_convolution, "the kernel per output element"},
    Wording{cost_conv_integer, "multiply-accumulates of the window; no backward"},
    Wording{cost_convolution, "multiply-accumulates of the window, bias"},
    Wording{cost_copy, "bytes copied"},
    Wording{cost_crop_and_resize, "8 per output element (bilinear)"},
    Wording{cost_deformed_convolution, "the convolution, and 8 per sampled element (bilinear)"},
    Wording{cost_dft, "5 n log2 n per complex transform, half for real input"},
    Wording{cost_dropout, "2 per element, a mask of one byte per element kept"},
    Wording{cost_einsum, "multiply-accumulates of the contraction, from the left"},
    Wording{cost_embed_norm, "three lookups, their sum, 7 per element"},
    Wording{cost_fill, "bytes written"},
    Wording{cost_free, "nothing: no kernel"},
    Wording{cost_gather, "bytes of the rows; backward sorts and sums them"},
    Wording{cost_gemm, "multiply-accumulates, bias"},
    Wording{cost_global_pool, "1 per input element"},
    Wording{cost_grid_sample, "8 (bilinear) or 32 (cubic) per output element; copies if nearest"},
    Wording{cost_group_norm, "7 per element, backward 11; statistics per group kept"},
    Wording{cost_group_query_attention, kAttention},
    Wording{cost_host, "nothing: runs on the host"},
    Wording{cost_instance_norm, "7 per element, backward 11; statistics per channel kept"},
    Wording{cost_layer_norm, "7 per element, backward 11; statistics per row kept"},
    Wording{cost_linear_attention, "an update and a reading of the state per position"},
    Wording{cost_local_response, "the window and 5 per element"},
    Wording{cost_longformer_attention, kProjected},
    Wording{cost_loss, "5 per score (softmax), 1 per label"},
    Wording{cost_lp_norm, "7 per element, backward 11"},
    Wording{cost_matmul, "multiply-accumulates"},
    Wording{cost_matmul_integer, "multiply-accumulates; no backward"},
    Wording{cost_matmul_nbits, "multiply-accumulates; no backward"},
    Wording{cost_max_pool, "the window per output element; an index per element kept"},
    Wording{cost_max_roi_pool, "1 per output element"},
    Wording{cost_multi_head_attention, kAttention},
    Wording{cost_nhwc_convolution, "multiply-accumulates of the window, bias"},
    Wording{cost_non_max_suppression, "1 per score, 16 per pair of boxes: a bound"},
    Wording{cost_optimizer, "12 (Adam) or 6 per parameter, bytes of all tensors"},
    Wording{cost_projected_attention, kProjected},
    Wording{cost_qgemm, "multiply-accumulates; no backward"},
    Wording{cost_qlinear_conv, "multiply-accumulates of the window; no backward"},
    Wording{cost_qlinear_matmul, "multiply-accumulates; no backward"},
    Wording{cost_recurrent, "the gates of every step and direction, step after step"},
    Wording{cost_resize, "8 (linear) or 32 (cubic) per output element; copies if nearest"},
    Wording{cost_roi_align, "8 per sample (bilinear)"},
    Wording{cost_skip_norm, "a sum, 7 per element, backward 11"},
    Wording{cost_square_matrix, "2/3 n^3 (determinant) or 2 n^3 (inverse) per matrix"},
    Wording{cost_stft, "a windowed transform per frame, 5 n log2 n, half for real input"},
    Wording{cost_top_k, "1 per element"},
    Wording{cost_transposed_convolution, "the kernel per input element, bias"},
};

std::string in_words(const OpRule& rule) {
  const bool flows = rule.gradient != Gradient::Stops;
  if (rule.cost == cost_pointwise) {
    return fmt::format("{} per element{}", rule.pointwise.flops_forward,
                       flows ? fmt::format(", backward {}", rule.pointwise.flops_backward)
                             : std::string{"; no backward"});
  }
  if (rule.cost == cost_reduction) {
    return fmt::format("{} per input element{}", rule.pointwise.flops_forward,
                       flows ? ", backward 1" : "; no backward");
  }
  const auto* found = std::ranges::find(kWordings, rule.cost, &Wording::cost);
  return found == kWordings.end() ? std::string{} : std::string{found->text};
}

std::string versions_of(const OperatorHistory& history) {
  std::vector<int> versions;
  for (const std::uint8_t version : history.versions) {
    if (version != 0) versions.push_back(version);
  }
  std::string text = fmt::format("{}", fmt::join(versions, ", "));
  if (history.removed != 0) text += fmt::format("; gone in {}", history.removed);
  return text;
}

/// The standard set: every operator that a version has, and those that only exporters know.
std::string standard_table() {
  std::set<std::string_view> names;
  for (const OperatorHistory& history : operator_histories()) names.insert(history.op);
  for (const OpRule& rule : standard_rules()) names.insert(rule.name);
  std::string text = "| Operator | Versions | Counted |\n|---|---|---|\n";
  for (const std::string_view name : names) {
    const OperatorHistory* history = history_of(name);
    const OpRule* rule = find_rule(Node{.name = {}, .op_type = std::string{name}, .domain = {}});
    text += fmt::format("| {} | {} | {} |\n", name,
                        history == nullptr ? "none: written by exporters" : versions_of(*history),
                        rule == nullptr ? "its body, as often as it runs" : in_words(*rule));
  }
  return text;
}

std::string table_of(std::string_view domain) {
  std::string text = fmt::format("\n## {}\n\n| Operator | Counted |\n|---|---|\n", domain);
  for (const OpRule& rule : rules_of(domain)) {
    text += fmt::format("| {} | {} |\n", rule.name, in_words(rule));
  }
  return text;
}

}  // namespace

std::string operator_page() {
  std::string text = fmt::format(
      "# Operators\n\n"
      "What Horus counts for each operator. Written from the tables in `horus/graph/ops`; "
      "`graph.OperatorPage` holds it current.\n\n"
      "A number per element is arithmetic operations, a transcendental function being one. A "
      "multiply-accumulate is two operations. \"Backward\" is per input that needs a gradient. "
      "Shapes are inferred for every operator here, in versions 1 to {} of the standard set; where "
      "sizes depend on data (NonZero, NonMaxSuppression, Unique, Compress, ...) they are upper "
      "bounds and said to be.\n\n"
      "## Standard operators\n\n",
      kNewestOpset);
  text += standard_table();
  for (const char* domain : {"com.microsoft", "ai.onnx.ml", "ai.onnx.preview"}) {
    text += table_of(domain);
  }
  return text;
}

}  // namespace horus::graph
