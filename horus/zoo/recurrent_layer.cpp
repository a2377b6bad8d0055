// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/recurrent_layer.hpp"

#include <array>

#include "horus/base/check.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

struct CellForm {
  const char* op_type;
  std::int64_t gates;
  Attributes attributes;
};

const CellForm& form_of(Cell cell) {
  // PyTorch's GRU multiplies by the reset gate after the recurrent product.
  static const std::array<CellForm, 2> forms{
      {{"LSTM", 4, {}}, {"GRU", 3, {{"linear_before_reset", std::int64_t{1}}}}}};
  return forms.at(static_cast<std::size_t>(cell));
}

}  // namespace

Value recurrent(Builder& b, const std::string& name, const Value& x, const RecurrentSpec& spec) {
  HORUS_CHECK(x.shape.size() == 3, "a recurrent layer reads (time, batch, features)");
  const CellForm& form = form_of(spec.cell);
  const std::int64_t time = x.shape[0];
  const std::int64_t batch = x.shape[1];
  const std::int64_t directions = spec.direction == Direction::Both ? 2 : 1;
  const std::int64_t rows = form.gates * spec.hidden;
  Attributes attributes = form.attributes;
  attributes.emplace("hidden_size", spec.hidden);
  if (directions == 2) attributes.emplace("direction", std::string{"bidirectional"});
  // ONNX stacks the directions along axis 0, the gates and then both biases along axis 1.
  const Value input = b.parameter(name + ".weight_ih", {directions, rows, x.shape[2]});
  const Value recurrence = b.parameter(name + ".weight_hh", {directions, rows, spec.hidden});
  const Value bias = b.parameter(name + ".bias", {directions, 2 * rows});
  const Value y = b.add({.name = name + ".cell",
                         .op_type = form.op_type,
                         .inputs = {x.name, input.name, recurrence.name, bias.name},
                         .attributes = std::move(attributes)},
                        {time, directions, batch, spec.hidden});
  if (directions == 2 && spec.merge == Merge::Concat) {
    const Value side_by_side = transpose(b, name + ".transpose", y, {0, 2, 1, 3});
    return reshape(b, name, side_by_side, {0, 0, 2 * spec.hidden}, {time, batch, 2 * spec.hidden});
  }
  const Value axis = b.integers({1});
  const Shape shape{time, batch, spec.hidden};
  if (directions == 1) {
    return b.add({.name = name, .op_type = "Squeeze", .inputs = {y.name, axis.name}}, shape);
  }
  return b.add({.name = name,
                .op_type = "ReduceSum",
                .inputs = {y.name, axis.name},
                .attributes = {{"keepdims", std::int64_t{0}}}},
               shape);
}

}  // namespace horus::zoo
