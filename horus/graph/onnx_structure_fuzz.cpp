// SPDX-License-Identifier: Apache-2.0
// Models that parse but make no sense: structural mutations of real graphs. The analysis of each
// ends with costs that are finite and not negative, gaps, or an error; twice the same.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <onnx/onnx_pb.h>

#include "horus/base/check.hpp"
#include "horus/graph/analysis.hpp"
#include "horus/graph/flatten.hpp"
#include "horus/graph/onnx.hpp"
#include "horus/graph/op_rule.hpp"

// Of libFuzzer: changes bytes at random.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using onnx::AttributeProto;
using onnx::GraphProto;
using onnx::ModelProto;
using onnx::NodeProto;

/// SplitMix64, seeded by the fuzzer.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_{seed} {}

  /// In [0, sides); 0 for no sides.
  int roll(std::size_t sides) {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    z ^= z >> 31U;
    return sides == 0 ? 0 : static_cast<int>(z % sides);
  }
  template <class List>
  auto& pick(List& list) {
    return list[static_cast<std::size_t>(roll(std::size(list)))];
  }

 private:
  std::uint64_t state_;
};

constexpr auto kNumbers = std::to_array<std::int64_t>(
    {-1, 0, 1, 2, 3, 4, 7, 64, -2, -4, 1000, 65536, std::int64_t{1} << 31, std::int64_t{1} << 40,
     std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()});
constexpr auto kAttributes = std::to_array<const char*>({"axis",
                                                         "axes",
                                                         "perm",
                                                         "group",
                                                         "strides",
                                                         "pads",
                                                         "dilations",
                                                         "kernel_shape",
                                                         "keepdims",
                                                         "hidden_size",
                                                         "num_heads",
                                                         "direction",
                                                         "layout",
                                                         "to",
                                                         "num_outputs",
                                                         "split",
                                                         "blocksize",
                                                         "transA",
                                                         "transB",
                                                         "num_scan_inputs",
                                                         "scan_input_axes",
                                                         "scan_output_axes",
                                                         "auto_pad",
                                                         "ceil_mode",
                                                         "value",
                                                         "equation",
                                                         "epsilon",
                                                         "mode",
                                                         "largest",
                                                         "body",
                                                         "then_branch",
                                                         "else_branch"});
constexpr auto kTexts =
    std::to_array<const char*>({"", "bidirectional", "SAME_UPPER", "ij,jk->ik", "linear", "VALID"});
constexpr auto kFlows = std::to_array<const char*>({"If", "Loop", "Scan", "SequenceMap"});

/// The graph of the file, or one inside it.
GraphProto& some_graph(ModelProto& model, Dice& dice) {
  GraphProto* graph = model.mutable_graph();
  while (dice.roll(3) != 0) {
    std::vector<GraphProto*> inner;
    for (NodeProto& node : *graph->mutable_node()) {
      for (AttributeProto& attribute : *node.mutable_attribute()) {
        if (attribute.has_g()) inner.push_back(attribute.mutable_g());
      }
    }
    if (inner.empty()) break;
    graph = dice.pick(inner);
  }
  return *graph;
}

NodeProto* some_node(GraphProto& graph, Dice& dice) {
  if (graph.node_size() == 0) return nullptr;
  return graph.mutable_node(dice.roll(static_cast<std::size_t>(graph.node_size())));
}

std::string some_value(const GraphProto& graph, Dice& dice) {
  std::vector<std::string> names{""};
  for (const auto& input : graph.input()) names.push_back(input.name());
  for (const auto& tensor : graph.initializer()) names.push_back(tensor.name());
  for (const NodeProto& node : graph.node()) {
    names.insert(names.end(), node.output().begin(), node.output().end());
  }
  return dice.pick(names);
}

void swap_operator(ModelProto& model, Dice& dice) {
  NodeProto* node = some_node(some_graph(model, dice), dice);
  if (node == nullptr) return;
  const bool is_fused = dice.roll(6) == 0 && !horus::graph::microsoft_rules().empty();
  const auto rules = is_fused ? horus::graph::microsoft_rules() : horus::graph::standard_rules();
  const auto& rule = rules[static_cast<std::size_t>(dice.roll(rules.size()))];
  node->set_op_type(dice.roll(12) == 0 ? dice.pick(kFlows) : std::string{rule.name});
  node->set_domain(is_fused ? "com.microsoft" : "");
}

void set_attribute(ModelProto& model, Dice& dice) {
  NodeProto* node = some_node(some_graph(model, dice), dice);
  if (node == nullptr) return;
  AttributeProto* attribute = nullptr;
  if (node->attribute_size() > 0 && dice.roll(2) == 0) {
    attribute =
        node->mutable_attribute(dice.roll(static_cast<std::size_t>(node->attribute_size())));
  } else {
    attribute = node->add_attribute();
    attribute->set_name(dice.pick(kAttributes));
  }
  const std::string name = attribute->name();
  attribute->Clear();
  attribute->set_name(name);
  switch (dice.roll(5)) {
    case 0:
      attribute->set_type(AttributeProto::INTS);
      for (int i = dice.roll(5); i > 0; --i) attribute->add_ints(dice.pick(kNumbers));
      break;
    case 1:
      attribute->set_type(AttributeProto::STRING);
      attribute->set_s(dice.pick(kTexts));
      break;
    case 2:
      attribute->set_type(AttributeProto::FLOAT);
      attribute->set_f(static_cast<float>(dice.roll(7)) - 2.5F);
      break;
    default:
      attribute->set_type(AttributeProto::INT);
      attribute->set_i(dice.pick(kNumbers));
      break;
  }
}

void drop_attribute(ModelProto& model, Dice& dice) {
  NodeProto* node = some_node(some_graph(model, dice), dice);
  if (node == nullptr || node->attribute_size() == 0) return;
  node->mutable_attribute()->DeleteSubrange(
      dice.roll(static_cast<std::size_t>(node->attribute_size())), 1);
}

onnx::TypeProto_Tensor* some_type(GraphProto& graph, Dice& dice) {
  auto& list = dice.roll(3) == 0 ? *graph.mutable_output() : *graph.mutable_input();
  if (list.empty()) return nullptr;
  auto& info = list[dice.roll(static_cast<std::size_t>(list.size()))];
  return info.mutable_type()->mutable_tensor_type();
}

void change_dim(ModelProto& model, Dice& dice) {
  GraphProto& graph = some_graph(model, dice);
  if (dice.roll(3) == 0 && graph.initializer_size() > 0) {
    auto& tensor =
        *graph.mutable_initializer(dice.roll(static_cast<std::size_t>(graph.initializer_size())));
    tensor.clear_raw_data();
    if (tensor.dims_size() == 0) return tensor.add_dims(dice.pick(kNumbers));
    return tensor.set_dims(dice.roll(static_cast<std::size_t>(tensor.dims_size())),
                           dice.pick(kNumbers));
  }
  auto* type = some_type(graph, dice);
  if (type == nullptr) return;
  auto& shape = *type->mutable_shape();
  auto& dim = shape.dim_size() == 0 || dice.roll(4) == 0
                  ? *shape.add_dim()
                  : *shape.mutable_dim(dice.roll(static_cast<std::size_t>(shape.dim_size())));
  if (dice.roll(5) == 0) return dim.set_dim_param(dice.roll(2) == 0 ? "N" : "length");
  dim.set_dim_value(dice.pick(kNumbers));
}

void change_type(ModelProto& model, Dice& dice) {
  auto* type = some_type(some_graph(model, dice), dice);
  if (type != nullptr) type->set_elem_type(dice.roll(24));
}

void reconnect(ModelProto& model, Dice& dice) {
  GraphProto& graph = some_graph(model, dice);
  NodeProto* node = some_node(graph, dice);
  if (node == nullptr) return;
  const std::string name = some_value(graph, dice);
  if (node->input_size() == 0 || dice.roll(3) == 0) return node->add_input(name);
  node->set_input(dice.roll(static_cast<std::size_t>(node->input_size())), name);
}

void drop_input(ModelProto& model, Dice& dice) {
  NodeProto* node = some_node(some_graph(model, dice), dice);
  if (node == nullptr) return;
  auto& list = dice.roll(3) == 0 ? *node->mutable_output() : *node->mutable_input();
  if (!list.empty()) list.RemoveLast();
}

void drop_node(ModelProto& model, Dice& dice) {
  GraphProto& graph = some_graph(model, dice);
  if (graph.node_size() < 2) return;
  graph.mutable_node()->DeleteSubrange(dice.roll(static_cast<std::size_t>(graph.node_size())), 1);
}

void double_node(ModelProto& model, Dice& dice) {
  GraphProto& graph = some_graph(model, dice);
  NodeProto* node = some_node(graph, dice);
  if (node == nullptr) return;
  NodeProto copy = *node;
  if (dice.roll(4) != 0) {  // The copy reads what the node made.
    for (int i = 0; i < copy.output_size(); ++i) {
      if (i < copy.input_size() && dice.roll(2) == 0) copy.set_input(i, copy.output(i));
      copy.set_output(i, copy.output(i) + "'");
    }
  }
  *graph.add_node() = std::move(copy);
}

void drop_output(ModelProto& model, Dice& dice) {
  GraphProto& graph = some_graph(model, dice);
  if (graph.output_size() == 0) return;
  if (dice.roll(2) == 0) return graph.mutable_output()->RemoveLast();
  graph.add_output()->set_name(some_value(graph, dice));
}

GraphProto& add_body(NodeProto& flow, const char* name, const NodeProto& node) {
  AttributeProto& attribute = *flow.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::GRAPH);
  GraphProto& body = *attribute.mutable_g();
  *body.add_node() = node;
  return body;
}

/// Moves a node into the branches of an If or the body of a Loop or Scan.
void wrap_in_flow(ModelProto& model, Dice& dice) {
  GraphProto& graph = some_graph(model, dice);
  NodeProto* node = some_node(graph, dice);
  if (node == nullptr) return;
  const NodeProto inner = *node;
  NodeProto flow;
  flow.set_op_type(dice.pick(kFlows));
  *flow.mutable_output() = inner.output();
  const bool is_if = flow.op_type() == "If";
  const bool is_loop = flow.op_type() == "Loop";
  if (is_if || is_loop) flow.add_input(some_value(graph, dice));
  if (is_loop) flow.add_input(dice.roll(2) == 0 ? "" : some_value(graph, dice));
  GraphProto& body = add_body(flow, is_if ? "then_branch" : "body", inner);
  if (is_loop) {
    body.add_input()->set_name("trip");
    body.add_input()->set_name("goes_on");
    body.add_output()->set_name("goes_on");
  }
  if (!is_if) {
    for (const std::string& input : inner.input()) {
      flow.add_input(input);
      body.add_input()->set_name(input);
    }
  }
  for (const std::string& output : inner.output()) body.add_output()->set_name(output);
  if (is_if) {
    GraphProto& other = add_body(flow, "else_branch", inner);
    *other.mutable_output() = body.output();
  }
  if (flow.op_type() == "Scan") {
    AttributeProto& scans = *flow.add_attribute();
    scans.set_name("num_scan_inputs");
    scans.set_type(AttributeProto::INT);
    scans.set_i(1 + dice.roll(static_cast<std::size_t>(inner.input_size())));
  }
  *node = std::move(flow);
}

/// Makes a node a call of a function with that node as its body, or a call of one that is there.
void wrap_in_function(ModelProto& model, Dice& dice) {
  NodeProto* node = some_node(some_graph(model, dice), dice);
  if (node == nullptr) return;
  if (model.functions_size() > 0 && dice.roll(2) == 0) {
    auto& functions = *model.mutable_functions();
    auto& function = functions[dice.roll(static_cast<std::size_t>(functions.size()))];
    node->set_domain(function.domain());
    node->set_op_type(function.name());
    // Calls among functions, so that some of them double and double again.
    if (dice.roll(2) == 0) *function.add_node() = *node;
    return;
  }
  auto& function = *model.add_functions();
  function.set_domain("local");
  function.set_name("f" + std::to_string(model.functions_size()));
  *function.mutable_input() = node->input();
  *function.mutable_output() = node->output();
  *function.add_node() = *node;
  if (dice.roll(3) == 0) function.add_opset_import()->set_version(1 + dice.roll(25));
  node->set_domain(function.domain());
  node->set_op_type(function.name());
  node->clear_attribute();
}

void change_opset(ModelProto& model, Dice& dice) {
  if (model.opset_import_size() == 0) model.add_opset_import();
  model.mutable_opset_import(0)->set_version(1 + dice.roll(25));
}

using Mutation = void (*)(ModelProto&, Dice&);
constexpr auto kMutations = std::to_array<Mutation>(
    {swap_operator, set_attribute, drop_attribute, change_dim, change_type, reconnect, drop_input,
     drop_node, double_node, drop_output, wrap_in_flow, wrap_in_function, change_opset});

void check_amount(double amount) {
  HORUS_CHECK(std::isfinite(amount) && amount >= 0, "costs are finite and not negative");
}

void check_work(const horus::OpWork& work) {
  for (const double amount :
       {work.macs, work.flops_forward, work.flops_backward, work.elements_read,
        work.elements_written, work.elements_read_backward, work.elements_written_backward,
        work.weight_elements, work.saved_elements, work.kernels_forward, work.kernels_backward,
        work.host_ops_forward, work.host_ops_backward, work.sequential_steps, work.gemm.m,
        work.gemm.n, work.gemm.k, work.gemm.groups}) {
    check_amount(amount);
  }
  HORUS_CHECK(work.index_bytes.count() >= 0 && work.saved_index_bytes.count() >= 0,
              "bytes are not negative");
}

void check_analysis(const horus::graph::Model& model, std::int64_t batch) {
  horus::graph::AnalysisOptions options;
  options.batch = batch;
  // Small enough that a function that doubles without end is refused within the fuzzer's patience.
  options.limits.nodes = 20'000;
  options.limits.bytes = std::size_t{16} << 20U;
  const auto analysis = horus::graph::analyse(model, options);
  if (!analysis) {
    HORUS_CHECK(!analysis.error().message.empty(), "an error says what is wrong");
    return;
  }
  for (const horus::OpWork& work : analysis->features.ops) check_work(work);
  for (const auto& gap : analysis->gaps) HORUS_CHECK(!gap.reason.empty(), "a gap has a reason");
  check_amount(analysis->features.parameters);
  const auto nodes = analysis->features.ops.size() + analysis->gaps.size();
  HORUS_CHECK(!horus::graph::is_flat(model) || nodes == model.graph.nodes.size(),
              "every node has a cost or a gap");
  const auto again = horus::graph::analyse(model, options);
  HORUS_CHECK(again.has_value(), "an analysis can be repeated");
  HORUS_CHECK(again->features.ops == analysis->features.ops, "costs are the same every time");
  HORUS_CHECK(again->warnings == analysis->warnings, "warnings are the same every time");
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned int seed) {
  Dice dice{seed};
  ModelProto model;
  if (dice.roll(20) == 0 || !model.ParseFromArray(data, static_cast<int>(size))) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  for (int changes = 1 + dice.roll(3); changes > 0; --changes) dice.pick(kMutations)(model, dice);
  const std::string bytes = model.SerializePartialAsString();
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto model = horus::graph::read_onnx(std::as_bytes(std::span{data, size}));
  if (!model) {
    HORUS_CHECK(!model.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  check_analysis(*model, 1);
  check_analysis(*model, 3);
  return 0;
}
