// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, windows and the matrix of mel weights.

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

// A transform of n complex points takes 5 n log2 n operations (Cooley and Tukey's radix 2, the
// convention of fftw.org/speed); of n real points, half of that.
constexpr double kPerPointAndLevel = 5;

double transform_flops(double transforms, double length) {
  return length < 2 ? 0 : kPerPointAndLevel * transforms * length * std::log2(length);
}

/// The only number of input `i`, or `fallback` where it is left out.
Result<std::int64_t> size_input(const NodeView& node, std::size_t i, std::int64_t fallback) {
  if (!node.has_input(i)) return fallback;
  const auto list = node.contents(i);
  if (!list || list->size() != 1) {
    return refuse(fmt::format("input {} depends on data, so its value is unknown", i));
  }
  if (list->front() < 0 || list->front() > kMaxElements) {
    return refuse(fmt::format("input {} is {}, which is no size", i, list->front()));
  }
  return list->front();
}

Result<std::size_t> transform_axis(const NodeView& node) {
  const std::size_t rank = node.shape(0).size();
  const auto given = node.setting("axis");
  if (node.problem()) return refuse(*node.problem());
  if (given && given->size() != 1) return refuse("the axis must be one number");
  return axis_index(given ? given->front() : node.defaulted("axis", -2), rank);
}

void cost_transforms(const CostView& node, CostSheet& sheet, double transforms, double length) {
  OpWork& work = sheet.work;
  const bool is_real = node.shape(0).empty() || node.shape(0).back() != 2;
  work.flops_forward = transform_flops(transforms, length) * (is_real ? 0.5 : 1);
  work.elements_read = node.size(0);
  work.elements_written = node.result_size();
  work.kernels_forward = work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  // Backward is the transform in the other direction.
  work.flops_backward = work.flops_forward;
  work.elements_read_backward = node.result_size();
  work.elements_written_backward = node.size(0);
  work.kernels_backward = work.host_ops_backward = 1;
}

}  // namespace

Result<Facts> infer_dft(const NodeView& node) {
  Shape shape = node.shape(0);
  if (shape.size() < 2) return refuse("a signal and an axis of 1 or 2 parts are needed");
  HORUS_TRY(const std::size_t axis, transform_axis(node));
  const bool is_onesided = node.integer("onesided", 0) != 0;
  const bool is_inverse = node.integer("inverse", 0) != 0;
  // One side of n / 2 + 1 points stands for n real ones, in both directions.
  const bool gives_reals = is_onesided && is_inverse;
  const std::int64_t whole = gives_reals ? 2 * (shape[axis] - 1) : shape[axis];
  HORUS_TRY(const std::int64_t length, size_input(node, 1, std::max<std::int64_t>(whole, 0)));
  shape[axis] = is_onesided && !is_inverse ? length / 2 + 1 : length;
  shape.back() = gives_reals ? 1 : 2;
  return one(node.input(0).type, std::move(shape));
}

void cost_dft(const CostView& node, CostSheet& sheet) {
  const auto axis = transform_axis(node);
  const double length = axis ? static_cast<double>(node.result().shape[*axis]) : 0;
  const double parts = static_cast<double>(node.result().shape.back());
  const double points = parts > 0 ? node.result_size() / parts : 0;
  cost_transforms(node, sheet, length > 0 ? points / length : 0, length);
}

Result<Facts> infer_stft(const NodeView& node) {
  const Shape& signal = node.shape(0);
  if (signal.size() < 2) {
    return refuse(fmt::format("samples of a signal are needed, found {}", text_of(signal)));
  }
  HORUS_TRY(const std::int64_t step, size_input(node, 1, 0));
  const bool has_window = node.has_input(2) && node.shape(2).size() == 1;
  HORUS_TRY(const std::int64_t length,
            size_input(node, 3, has_window ? node.shape(2)[0] : signal[1]));
  if (step < 1 || length < 1 || length > signal[1]) {
    return refuse(fmt::format("frames of {} every {} do not fit into {}", length, step, signal[1]));
  }
  const std::int64_t frames = 1 + (signal[1] - length) / step;
  const std::int64_t bins = node.integer("onesided", 1) != 0 ? length / 2 + 1 : length;
  return one(node.input(0).type, {signal[0], frames, bins, 2});
}

void cost_stft(const CostView& node, CostSheet& sheet) {
  const Shape& result = node.result().shape;
  const double frames = static_cast<double>(result[0]) * static_cast<double>(result[1]);
  const double bins = static_cast<double>(result[2]);
  const double length = node.integer("onesided", 1) != 0 ? std::max(0.0, 2 * (bins - 1)) : bins;
  cost_transforms(node, sheet, frames, length);
  sheet.work.flops_forward += frames * length;  // Every frame is weighted by the window.
}

Result<Facts> infer_signal_window(const NodeView& node) {
  HORUS_TRY(const std::int64_t size, size_input(node, 0, 0));
  return one(type_attribute(node, "output_datatype", ElementType::Float32), {size});
}

Result<Facts> infer_mel_weights(const NodeView& node) {
  HORUS_TRY(const std::int64_t bins, size_input(node, 0, 0));
  HORUS_TRY(const std::int64_t length, size_input(node, 1, 0));
  return one(type_attribute(node, "output_datatype", ElementType::Float32), {length / 2 + 1, bins});
}

}  // namespace horus::graph
