// SPDX-License-Identifier: Apache-2.0
// Einstein summation with plain letters: traces, transposes, products of two or more operands.

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

struct Equation {
  std::vector<std::string> operands;
  std::string result;
  std::map<char, std::int64_t> sizes;
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Letters that occur once, sorted: the result of an equation without "->".
std::string implied_result(const std::vector<std::string>& operands) {
  std::map<char, int> uses;
  for (const std::string& operand : operands) {
    for (const char c : operand) ++uses[c];
  }
  std::string result;
  for (const auto& [letter, times] : uses) {
    if (times == 1) result += letter;
  }
  return result;
}

/// An ellipsis stands for the leading axes that the letters do not name; capital letters that the
/// equation does not use take its place.
Result<std::string> spell(std::string_view text, std::size_t rank, std::string& ellipsis) {
  constexpr std::string_view kSpare = "ZYXWVUTS";
  std::string letters{text};
  const std::size_t dots = letters.find("...");
  if (dots == std::string::npos) return letters;
  const std::size_t named = letters.size() - 3;
  if (rank < named || rank - named > kSpare.size()) return refuse("an ellipsis fits no axes");
  if (ellipsis.empty()) ellipsis = kSpare.substr(0, rank - named);
  letters.replace(dots, 3, ellipsis);
  return letters;
}

Result<Done> bind_sizes(Equation& equation, const std::string& letters, const Shape& shape) {
  if (letters.size() != shape.size()) {
    return refuse(
        fmt::format("'{}' does not name the axes of {}", printable(letters), text_of(shape)));
  }
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (!is_letter(letters[i])) return refuse("the equation has signs that Horus does not read");
    std::int64_t& size = equation.sizes.try_emplace(letters[i], shape[i]).first->second;
    if (size == 1) size = shape[i];
    if (shape[i] != size && shape[i] != 1) {
      return refuse(fmt::format("axis '{}' is {} and {}", letters[i], size, shape[i]));
    }
  }
  return Done{};
}

Result<Equation> read_equation(const NodeView& node) {
  std::string text = node.text("equation", "");
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  Equation equation;
  std::string ellipsis;
  const auto parts = split(std::string_view{text}.substr(0, arrow), ',');
  if (parts.size() != node.input_count()) {
    return refuse(fmt::format("'{}' has {} operands, the node {}", printable(text), parts.size(),
                              node.input_count()));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!node.has_input(i)) return refuse("an operand is missing");
    HORUS_TRY(std::string letters, spell(parts[i], node.shape(i).size(), ellipsis));
    HORUS_TRY_DONE(bind_sizes(equation, letters, node.shape(i)));
    equation.operands.push_back(std::move(letters));
  }
  if (arrow == std::string::npos) {
    equation.result = implied_result(equation.operands);
    return equation;
  }
  const std::string right = text.substr(arrow + 2);
  HORUS_TRY(equation.result, spell(right, right.size() + ellipsis.size() - 3, ellipsis));
  return equation;
}

/// Multiply-accumulates of an equation of several operands, contracted two at a time from the left:
/// each product runs over all letters of what is done so far and of the next operand.
double contraction_macs(const Equation& equation) {
  double macs = 0;
  std::string done = equation.operands.front();
  for (std::size_t i = 1; i < equation.operands.size(); ++i) {
    for (const char letter : equation.operands[i]) {
      if (done.find(letter) == std::string::npos) done += letter;
    }
    double product = 1;
    for (const char letter : done) product *= static_cast<double>(equation.sizes.at(letter));
    macs += product;
    std::erase_if(done, [&](char letter) {
      bool is_needed = equation.result.find(letter) != std::string::npos;
      for (std::size_t later = i + 1; later < equation.operands.size(); ++later) {
        is_needed = is_needed || equation.operands[later].find(letter) != std::string::npos;
      }
      return !is_needed;
    });
  }
  return macs;
}

void cost_contraction(const CostView& node, CostSheet& sheet, double macs) {
  OpWork& work = sheet.work;
  const double products = static_cast<double>(node.input_count() - 1);
  work.macs = macs;
  work.flops_forward = 2 * macs;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    work.elements_read += node.is_activation(i) ? node.size(i) : 0;
  }
  work.elements_written = node.result_size();
  work.kernels_forward = products;
  work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  // Each product has two gradients, each as large as the product.
  work.flops_backward = 2 * work.flops_forward;
  work.elements_read_backward = node.result_size() + work.elements_read;
  work.kernels_backward = 2 * products;
  work.host_ops_backward = 1;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!node.has_input(i)) continue;
    sheet.kept_inputs.push_back(i);
    if (node.operand(i).needs_gradient) work.elements_written_backward += node.size(i);
  }
}

}  // namespace

Result<Facts> infer_einsum(const NodeView& node) {
  HORUS_TRY(const Equation equation, read_equation(node));
  Shape shape;
  for (const char letter : equation.result) {
    const auto size = equation.sizes.find(letter);
    if (size == equation.sizes.end()) {
      return refuse(fmt::format("no operand has the axis '{}'", printable({&letter, 1})));
    }
    shape.push_back(size->second);
  }
  return one(node.input(0).type, std::move(shape));
}

void cost_einsum(const CostView& node, CostSheet& sheet) {
  const auto equation = read_equation(node);
  if (!equation || equation->operands.size() < 2) return cost_copy(node, sheet);
  if (equation->operands.size() > 2) {
    return cost_contraction(node, sheet, contraction_macs(*equation));
  }
  // Letters of the result that both operands have are batches; m, n: those of one operand; k: those
  // that are summed.
  GemmShape gemm{.m = 1, .n = 1, .k = 1, .groups = 1};
  for (const auto& [letter, size] : equation->sizes) {
    const bool in_result = equation->result.find(letter) != std::string::npos;
    const bool in_left = equation->operands[0].find(letter) != std::string::npos;
    const bool in_right = equation->operands[1].find(letter) != std::string::npos;
    double& extent =
        !in_result ? gemm.k : (in_left && in_right ? gemm.groups : (in_left ? gemm.m : gemm.n));
    extent *= static_cast<double>(size);
  }
  const bool is_linear = node.is_static(0) || node.is_static(1);
  sheet.work.kind = is_linear ? OpKind::Linear : OpKind::MatMul;
  sheet.work.gemm = gemm;
  cost_product(node, sheet, gemm.m * gemm.n * gemm.k * gemm.groups);
}

}  // namespace horus::graph
