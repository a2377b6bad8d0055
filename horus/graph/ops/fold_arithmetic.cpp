// SPDX-License-Identifier: Apache-2.0
// Contents computed element by element: the arithmetic that exporters do on shapes.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "horus/graph/ops/families.hpp"
#include "horus/graph/rounding.hpp"

namespace horus::graph {
namespace {

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

/// The element of a broadcast operand that stands behind element `place` of a result of `shape`.
std::size_t source_place(const Shape& shape, const Shape& operand, std::int64_t place) {
  std::int64_t result = 0;
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < operand.size(); ++i) {
    const std::size_t axis = shape.size() - 1 - i;
    const std::int64_t size = operand[operand.size() - 1 - i];
    const std::int64_t index = shape[axis] == 0 ? 0 : place % shape[axis];
    place = shape[axis] == 0 ? 0 : place / shape[axis];
    if (size != 1) result += index * stride;
    stride *= size;
  }
  return static_cast<std::size_t>(result);
}

// Checked integer operations: shape arithmetic that overflows is a broken file, not a number.
std::optional<std::int64_t> add(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional{r};
}
std::optional<std::int64_t> subtract(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  return __builtin_sub_overflow(a, b, &r) ? std::nullopt : std::optional{r};
}
std::optional<std::int64_t> multiply(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional{r};
}
std::optional<std::int64_t> divide(std::int64_t a, std::int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
  return a / b;
}
std::optional<std::int64_t> modulo(std::int64_t a, std::int64_t b) {
  if (b == 0 || b == -1) return b == 0 ? std::nullopt : std::optional<std::int64_t>{0};
  const std::int64_t r = a % b;  // ONNX follows Python: the sign of the divisor.
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}
std::optional<std::int64_t> power(std::int64_t a, std::int64_t b) {
  if (b < 0 || b > 62) return std::nullopt;
  std::optional<std::int64_t> r = 1;
  for (std::int64_t i = 0; i < b && r; ++i) r = multiply(*r, a);
  return r;
}

struct Binary {
  std::string_view name;
  std::optional<std::int64_t> (*integers)(std::int64_t, std::int64_t);
  double (*reals)(double, double);
};
constexpr std::array kBinary{
    Binary{"Add", add, [](double a, double b) { return a + b; }},
    Binary{"Div", divide, [](double a, double b) { return a / b; }},
    Binary{"Max", [](std::int64_t a, std::int64_t b) { return std::optional{std::max(a, b)}; },
           [](double a, double b) { return std::max(a, b); }},
    Binary{"Min", [](std::int64_t a, std::int64_t b) { return std::optional{std::min(a, b)}; },
           [](double a, double b) { return std::min(a, b); }},
    Binary{"Mod", modulo, [](double a, double b) { return std::fmod(a, b); }},
    Binary{"Mul", multiply, [](double a, double b) { return a * b; }},
    Binary{"Pow", power, [](double a, double b) { return std::pow(a, b); }},
    Binary{"Sub", subtract, [](double a, double b) { return a - b; }},
};

struct Comparison {
  std::string_view name;
  bool (*holds)(double, double);
};
constexpr std::array kComparisons{
    Comparison{"And", [](double a, double b) { return a != 0 && b != 0; }},
    Comparison{"Equal", [](double a, double b) { return a == b; }},
    Comparison{"Greater", [](double a, double b) { return a > b; }},
    Comparison{"GreaterOrEqual", [](double a, double b) { return a >= b; }},
    Comparison{"Less", [](double a, double b) { return a < b; }},
    Comparison{"LessOrEqual", [](double a, double b) { return a <= b; }},
    Comparison{"Or", [](double a, double b) { return a != 0 || b != 0; }},
    Comparison{"Xor", [](double a, double b) { return (a != 0) != (b != 0); }},
};

struct Unary {
  std::string_view name;
  double (*apply)(double);
};
constexpr std::array kUnary{
    Unary{"Abs", [](double a) { return std::abs(a); }},
    Unary{"Ceil", [](double a) { return std::ceil(a); }},
    Unary{"Floor", [](double a) { return std::floor(a); }},
    Unary{"Neg", [](double a) { return -a; }},
    Unary{"Not", [](double a) { return a == 0 ? 1.0 : 0.0; }},
    Unary{"Reciprocal", [](double a) { return 1.0 / a; }},
    Unary{"Relu", [](double a) { return std::max(a, 0.0); }},
    Unary{"Round", [](double a) { return std::nearbyint(a); }},
    Unary{"Sqrt", [](double a) { return std::sqrt(a); }},
};

double real_at(const Contents& contents, std::size_t place) {
  return std::visit([&](const auto& list) { return static_cast<double>(list[place]); }, contents);
}

/// Numbers beyond 2^53 are kept as integers only where no real function sees them.
std::optional<Contents> to_integers(const Reals& reals) {
  constexpr double kExact = static_cast<double>(kMaxElements);
  Integers integers;
  integers.reserve(reals.size());
  for (const double real : reals) {
    if (!(std::abs(real) <= kExact)) return std::nullopt;
    integers.push_back(static_cast<std::int64_t>(real));
  }
  return integers;
}

std::optional<Contents> fold_integers(const NodeView& node, const Shape& shape,
                                      const Binary& binary) {
  const Integers* left = integers_of(node.input(0));
  const Integers* right = integers_of(node.input(1));
  if (left == nullptr || right == nullptr) return std::nullopt;
  Integers result;
  for (std::int64_t i = 0; i < elements(shape); ++i) {
    const auto value = binary.integers((*left)[source_place(shape, node.shape(0), i)],
                                       (*right)[source_place(shape, node.shape(1), i)]);
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

template <class Apply>
Reals fold_reals(const NodeView& node, const Shape& shape, Apply apply) {
  Reals result;
  for (std::int64_t i = 0; i < elements(shape); ++i) {
    result.push_back(
        apply(real_at(*node.input(0).contents, source_place(shape, node.shape(0), i)),
              real_at(*node.input(1).contents, source_place(shape, node.shape(1), i))));
  }
  return result;
}

}  // namespace

std::optional<Contents> fold_arithmetic(const NodeView& node, const Fact& output) {
  const auto* binary = std::ranges::find(kBinary, node.node().op_type, &Binary::name);
  if (binary == kBinary.end() || node.input_count() != 2) return std::nullopt;
  if (!is_floating(output.type)) return fold_integers(node, output.shape, *binary);
  return fold_reals(node, output.shape, binary->reals);
}

std::optional<Contents> fold_comparison(const NodeView& node, const Fact& output) {
  const auto* found = std::ranges::find(kComparisons, node.node().op_type, &Comparison::name);
  if (found == kComparisons.end()) return std::nullopt;
  return to_integers(fold_reals(
      node, output.shape, [&](double a, double b) { return found->holds(a, b) ? 1.0 : 0.0; }));
}

std::optional<Contents> fold_unary(const NodeView& node, const Fact& output) {
  const auto* found = std::ranges::find(kUnary, node.node().op_type, &Unary::name);
  if (found == kUnary.end()) return std::nullopt;
  Reals result;
  for (std::int64_t i = 0; i < elements(output.shape); ++i) {
    result.push_back(found->apply(real_at(*node.input(0).contents, static_cast<std::size_t>(i))));
  }
  if (is_floating(output.type)) return result;
  return to_integers(result);
}

std::optional<Contents> fold_where(const NodeView& node, const Fact& output) {
  const Integers* chosen = integers_of(node.input(0));
  if (chosen == nullptr) return std::nullopt;
  Integers integers;
  Reals reals;
  for (std::int64_t i = 0; i < elements(output.shape); ++i) {
    const std::size_t from = (*chosen)[source_place(output.shape, node.shape(0), i)] != 0 ? 1 : 2;
    const std::size_t place = source_place(output.shape, node.shape(from), i);
    const Integers* list = integers_of(node.input(from));
    if (list != nullptr)
      integers.push_back((*list)[place]);
    else
      reals.push_back(real_at(*node.input(from).contents, place));
  }
  return is_floating(output.type) ? Contents{std::move(reals)} : Contents{std::move(integers)};
}

std::optional<Contents> fold_cast(const NodeView& node, const Fact& output) {
  const Contents& contents = *node.input(0).contents;
  if (const Integers* list = std::get_if<Integers>(&contents)) {
    if (is_floating(output.type)) return Reals{list->begin(), list->end()};
    if (output.type != ElementType::Bool) return *list;
    Integers truths;
    for (const std::int64_t number : *list) truths.push_back(number != 0 ? 1 : 0);
    return truths;
  }
  const Reals& reals = std::get<Reals>(contents);
  if (is_floating(output.type)) return reals;
  Reals whole;
  for (const double real : reals) {
    whole.push_back(output.type == ElementType::Bool ? (real != 0 ? 1.0 : 0.0) : std::trunc(real));
  }
  auto integers = to_integers(whole);
  if (!integers) return std::nullopt;
  // A real number beyond the integers of the type becomes whatever the machine makes of it.
  const auto fits = [&output](std::int64_t number) { return holds(output.type, number); };
  if (!std::ranges::all_of(std::get<Integers>(*integers), fits)) return std::nullopt;
  return integers;
}

std::optional<Contents> fold_reduction(const NodeView& node, const Fact& output) {
  // Exporters reduce shapes to one number; partial reductions of constants are not followed.
  const Integers* list = integers_of(node.input(0));
  if (list == nullptr || list->empty() || elements(output.shape) != 1) return std::nullopt;
  const std::string_view op = node.node().op_type;
  std::optional<std::int64_t> total = list->front();
  for (std::size_t i = 1; i < list->size() && total; ++i) {
    const std::int64_t number = (*list)[i];
    if (op == "ReduceProd")
      total = multiply(*total, number);
    else if (op == "ReduceSum")
      total = add(*total, number);
    else if (op == "ReduceMax")
      total = std::max(*total, number);
    else if (op == "ReduceMin")
      total = std::min(*total, number);
    else
      return std::nullopt;
  }
  if (!total) return std::nullopt;
  return Integers{*total};
}

}  // namespace horus::graph
