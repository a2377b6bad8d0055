// SPDX-License-Identifier: Apache-2.0
// One function per trap.

#include "horus/graph/export_check.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/graph/element_type.hpp"
#include "horus/graph/input_role.hpp"
#include "horus/graph/shape.hpp"

namespace horus::graph {
namespace {

using Warning = std::optional<std::string>;

/// How many there are, and where the first one is.
struct Found {
  std::size_t count{};
  std::string first;

  void add(std::string_view name) {
    if (count++ == 0) first = printable(name);
  }
};

bool is_convolution(OpKind kind) {
  return kind == OpKind::Convolution || kind == OpKind::DepthwiseConvolution ||
         kind == OpKind::GroupedConvolution;
}

/// Tensors that an exporter computes lose the names of the parameters behind them: PyTorch's calls
/// them "onnx::Conv_123", earlier versions "123".
bool is_computed(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  return name.starts_with("onnx::") || name.find_first_not_of(kDigits) == std::string_view::npos;
}

/// The exporter of torch.export keeps the weight's name, "conv1.weight", and calls the bias that it
/// computed "conv1.weight_bias".
bool is_fused_bias(std::string_view weight, std::string_view bias) {
  return !weight.empty() && bias.starts_with(weight) && bias.substr(weight.size()) == "_bias";
}

/// "conv1.bias" belongs to "conv1.weight": nothing was folded into either.
bool is_pair(std::string_view weight, std::string_view bias) {
  constexpr std::string_view kWeight = "weight";
  constexpr std::string_view kBias = "bias";
  return weight.ends_with(kWeight) && bias.ends_with(kBias) &&
         weight.substr(0, weight.size() - kWeight.size()) ==
             bias.substr(0, bias.size() - kBias.size());
}

/// The name of the tensor behind input `i` of a node, "" where there is none.
std::string_view source_name(const ExportView& view, NodeIndex n, std::size_t i) {
  if (i >= view.index.inputs[n].size() || view.index.inputs[n][i] == kNone) return {};
  const ValueIndex source = view.training.source[view.index.inputs[n][i]];
  return source == kNone ? std::string_view{} : view.index.names[source];
}

constexpr std::string_view kUnfold =
    "batch normalization seems to be folded in, so training would keep more memory than this graph "
    "shows; export with training=TRAINING and do_constant_folding=False (with dynamo=True: "
    "optimize=False)";

Warning folded_normalization(const ExportView& view) {
  constexpr std::size_t kFewest = 8;
  std::size_t convolutions = 0;
  std::size_t biased = 0;
  Found computed;
  bool has_pairs = false;
  bool is_normalized = false;
  bool is_modern = false;  // Residual sums and grouped convolutions came with normalization.
  for (const NodeWork& entry : view.works) {
    const OpWork& work = entry.work;
    const bool is_sum = work.op_type == "Add" || work.op_type == "Sum";
    is_modern = is_modern || (is_sum && work.weight_tensors == 0) ||
                work.kind == OpKind::DepthwiseConvolution ||
                work.kind == OpKind::GroupedConvolution;
    is_normalized =
        is_normalized || work.kind == OpKind::BatchNorm || work.kind == OpKind::LayerNorm;
    if (!is_convolution(work.kind)) continue;
    ++convolutions;
    if (work.weight_tensors < 2) continue;
    ++biased;
    const std::string_view weight = source_name(view, entry.node, 1);
    const std::string_view bias = source_name(view, entry.node, 2);
    has_pairs = has_pairs || is_pair(weight, bias);
    const bool are_computed =
        !weight.empty() && !bias.empty() && is_computed(weight) && is_computed(bias);
    if (are_computed || is_fused_bias(weight, bias)) computed.add(work.name);
  }
  if (computed.count > 0) {
    return fmt::format(
        "{} of {} convolutions have weights and biases that the exporter computed (first '{}'): {}",
        computed.count, convolutions, computed.first, kUnfold);
  }
  // An untrained normalization folds into a bias of zero, which some exporters drop. What then
  // still has one is the head of the network.
  constexpr std::size_t kBodyPerHead = 8;
  const bool is_bare = biased * kBodyPerHead <= convolutions;
  const bool is_full = biased == convolutions && !has_pairs;
  const bool is_suspect = (is_bare || is_full) && !is_normalized && is_modern;
  if (convolutions < kFewest || !is_suspect) return std::nullopt;
  return fmt::format("{} of {} convolutions have a bias and nothing is normalized: {}", biased,
                     convolutions, kUnfold);
}

/// Attention blocks and the wide layers behind convolutions are where networks drop out.
Warning removed_dropout(const ExportView& view) {
  constexpr double kWide = 4e6;  // 2,048 x 2,048: the narrowest of AlexNet and VGG have 4,096.
  Found attention;
  Found wide;
  bool has_convolutions = false;
  for (const NodeWork& entry : view.works) {
    const OpWork& work = entry.work;
    if (work.op_type == "Dropout") return std::nullopt;
    has_convolutions = has_convolutions || is_convolution(work.kind);
    if (work.attention == AttentionRole::Softmax) attention.add(work.name);
    if (work.kind == OpKind::Linear && work.weight_elements >= kWide) wide.add(work.name);
  }
  if (!has_convolutions || wide.count < 2) wide = {};
  if (attention.count + wide.count == 0) return std::nullopt;
  const Found& found = attention.count > 0 ? attention : wide;
  return fmt::format(
      "no dropout in {} {} (first '{}'): exporters remove it in evaluation mode; if the network "
      "trains with dropout, its masks and kernels are missing here: export with training=TRAINING",
      found.count, attention.count > 0 ? "attention blocks" : "wide layers", found.first);
}

Warning spelled_attention(const ExportView& view) {
  Found found;
  for (const NodeWork& entry : view.works) {
    if (entry.work.attention == AttentionRole::Softmax) found.add(entry.work.name);
  }
  if (found.count == 0) return std::nullopt;
  return fmt::format(
      "{} attention blocks are spelled out as products and softmax (first '{}'): counted so; a "
      "framework that runs them fused neither moves nor keeps their scores",
      found.count, found.first);
}

Warning fused_attention(const ExportView& view) {
  constexpr std::array<std::string_view, 4> kFused{"Attention", "DecoderMaskedMultiHeadAttention",
                                                   "GroupQueryAttention", "MultiHeadAttention"};
  Found found;
  for (const NodeWork& entry : view.works) {
    if (std::ranges::find(kFused, entry.work.op_type) != kFused.end()) found.add(entry.work.name);
  }
  if (found.count == 0) return std::nullopt;
  return fmt::format(
      "{} attention blocks are one fused operator each (first '{}'): counted so; training code "
      "that spells attention out moves and keeps its scores as well",
      found.count, found.first);
}

Warning mixed_precision(const ExportView& view) {
  std::map<ElementType, Found> types;
  for (const ValueIndex value : view.training.trained) {
    const auto& fact = view.inference.facts[value];
    if (fact && is_floating(fact->type)) types[fact->type].add(view.index.names[value]);
  }
  if (types.size() < 2) return std::nullopt;
  std::string list;
  for (const auto& [type, found] : types) {
    list += fmt::format("{}{} {} (first '{}')", list.empty() ? "" : ", ", found.count,
                        name_of(type), found.first);
  }
  return fmt::format(
      "weights of several types: {}; a prediction takes one precision for all of them: export the "
      "model in the precision that it trains in",
      list);
}

Warning double_precision(const ExportView& view) {
  Found found;
  for (const ValueIndex value : view.training.trained) {
    const auto& fact = view.inference.facts[value];
    if (fact && fact->type == ElementType::Float64) found.add(view.index.names[value]);
  }
  if (found.count == 0) return std::nullopt;
  return fmt::format(
      "{} weights are float64 (first '{}'): GPUs compute in it at 1/2 to 1/64 of the speed of "
      "float32, which predictions do not take into account: export the model as float32",
      found.count, found.first);
}

/// How a node uses a weight. Pieces of one weight are put together again before they are used, as
/// PyTorch's exporters do with the gates of recurrent layers: all cuts together are one use.
enum class WeightUse { None, Cut, Full };

WeightUse use_of_weight(std::string_view op_type) {
  constexpr std::array<std::string_view, 3> kAsks{"CastLike", "Shape", "Size"};
  if (passes_weight_on(op_type)) return WeightUse::None;
  if (std::ranges::find(kAsks, op_type) != kAsks.end()) return WeightUse::None;
  return op_type == "Slice" || op_type == "Split" ? WeightUse::Cut : WeightUse::Full;
}

/// Per value, how many nodes use it as a weight.
std::vector<std::uint32_t> uses_of_weights(const ExportView& view) {
  std::vector<std::uint32_t> uses(view.index.names.size(), 0);
  std::vector<NodeIndex> last(view.index.names.size(), kNone);
  std::vector<bool> is_cut(view.index.names.size(), false);
  for (const NodeIndex n : view.index.order) {
    const WeightUse use = use_of_weight(view.model.graph.nodes[n].op_type);
    if (use == WeightUse::None) continue;
    for (const ValueIndex value : view.index.inputs[n]) {
      const ValueIndex source = value == kNone ? kNone : view.training.source[value];
      if (source == kNone || last[source] == n) continue;
      last[source] = n;
      if (use == WeightUse::Full || !is_cut[source]) ++uses[source];
      is_cut[source] = is_cut[source] || use == WeightUse::Cut;
    }
  }
  return uses;
}

Warning shared_weights(const ExportView& view) {
  const std::vector<std::uint32_t> uses = uses_of_weights(view);
  Found found;
  double shared = 0;
  std::uint32_t first_uses = 0;
  for (const ValueIndex value : view.training.trained) {
    if (uses[value] < 2 || !view.inference.facts[value]) continue;
    if (found.count == 0) first_uses = uses[value];
    found.add(view.index.names[value]);
    shared += count(view.inference.facts[value]->shape);
  }
  if (found.count == 0) return std::nullopt;
  return fmt::format(
      "{} weights with {:.0f} parameters are used by several nodes (first '{}', by {}): counted "
      "once; if the network trains copies of them, the exporter has merged equal tensors",
      found.count, shared, found.first, first_uses);
}

Warning quantized(const ExportView& view) {
  constexpr std::array<std::string_view, 5> kNames{"ConvInteger", "DequantizeLinear",
                                                   "DynamicQuantizeLinear", "MatMulInteger",
                                                   "QuantizeLinear"};
  Found found;
  for (const NodeIndex n : view.index.order) {
    const Node& node = view.model.graph.nodes[n];
    const bool is_one = node.op_type.starts_with("QLinear") ||
                        std::ranges::find(kNames, node.op_type) != kNames.end();
    if (is_one) found.add(name_of(node));
  }
  if (found.count == 0) return std::nullopt;
  return fmt::format(
      "{} nodes quantize (first '{}'): costs are those of training with fake quantization; for "
      "the training of the original network export it before it is quantized",
      found.count, found.first);
}

/// Floating-point tensors that are neither trained nor state: masks, positional tables, anchors,
/// or weights that an exporter froze.
Warning untrained_constants(const ExportView& view) {
  constexpr double kFewest = 1024;
  std::vector<bool> is_counted(view.index.names.size(), false);
  for (const ValueIndex value : view.training.trained) is_counted[value] = true;
  for (const ValueIndex value : view.training.buffers) is_counted[value] = true;
  Found found;
  double elements = 0;
  for (ValueIndex value = 0; value < view.index.names.size(); ++value) {
    const auto& fact = view.inference.facts[value];
    const bool is_source = view.training.source[value] == value;
    if (!is_source || is_counted[value] || !fact || !is_floating(fact->type)) continue;
    if (view.index.consumers[value].empty() || count(fact->shape) < kFewest) continue;
    const NodeIndex maker = view.index.producer[value];
    if (maker != kNone && view.model.graph.nodes[maker].op_type == "ConstantOfShape") continue;
    found.add(view.index.names[value]);
    elements += count(fact->shape);
  }
  if (found.count == 0) return std::nullopt;
  return fmt::format(
      "{} constants with {:.0f} elements are not counted as parameters (first '{}'): masks and "
      "position tables are none; if weights are among them, export the model with its parameters "
      "as initializers",
      found.count, elements, found.first);
}

constexpr std::array kChecks{folded_normalization, removed_dropout, spelled_attention,
                             fused_attention,      mixed_precision, double_precision,
                             shared_weights,       quantized,       untrained_constants};

}  // namespace

std::vector<std::string> export_warnings(const ExportView& view) {
  std::vector<std::string> warnings;
  if (view.model.producer.starts_with("horus")) return warnings;
  for (const auto check : kChecks) {
    if (auto warning = check(view)) warnings.push_back(std::move(*warning));
  }
  return warnings;
}

}  // namespace horus::graph
