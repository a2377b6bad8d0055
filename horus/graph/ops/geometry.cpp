// SPDX-License-Identifier: Apache-2.0
// Shapes that grow and shrink around a window: unpooling, overlapping blocks, crops.

#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"
#include "horus/graph/ops/window.hpp"

namespace horus::graph {
namespace {

constexpr std::size_t kSpatial = 2;

Result<Done> check_square(const Shape& shape) {
  if (shape.size() >= 2 && shape.back() == shape[shape.size() - 2]) return Done{};
  return refuse(fmt::format("square matrices are needed, found {}", text_of(shape)));
}

}  // namespace

Result<Facts> infer_max_unpool(const NodeView& node) {
  const Shape& data = node.shape(0);
  if (data.size() <= kSpatial) return refuse("samples, channels and space are needed");
  if (node.has_input(2)) {
    const auto size = node.contents(2);
    if (!size) return refuse("the output shape depends on data, so it is unknown");
    if (size->size() != data.size()) return refuse("the output shape has another rank");
    return one(node.input(0).type, *size);
  }
  HORUS_TRY(const Window window, read_window(node, data.size() - kSpatial));
  Shape shape{data[0], data[1]};
  for (std::size_t i = 0; i + kSpatial < data.size(); ++i) {
    const std::int64_t size = data[kSpatial + i];
    if (size < 1 || size > kMaxElements / window.strides[i]) return refuse("no size for a window");
    shape.push_back((size - 1) * window.strides[i] + window.kernel[i] - window.begins[i] -
                    window.ends[i]);
  }
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_col2im(const NodeView& node) {
  const Shape& data = node.shape(0);
  const auto image = node.contents(1);
  const auto block = node.contents(2);
  if (!image || !block) return refuse("the image or block shape depends on data");
  if (data.size() != 3 || !is_sound(*block) || !is_sound(*image)) {
    return refuse(fmt::format("columns need 3 axes, found {}", text_of(data)));
  }
  const std::int64_t volume = elements(*block);
  if (volume < 1 || data[1] % volume != 0) {
    return refuse(fmt::format("{} rows do not make blocks of {}", data[1], text_of(*block)));
  }
  Shape shape{data[0], data[1] / volume};
  shape.insert(shape.end(), image->begin(), image->end());
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_center_crop_pad(const NodeView& node) {
  Shape shape = node.shape(0);
  const auto sizes = node.contents(1);
  if (!sizes) return refuse("the size depends on data, so it is unknown");
  std::vector<std::int64_t> axes = node.integers("axes");
  if (!node.has_attribute("axes")) {
    axes.resize(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (axes.size() != sizes->size()) {
    return refuse(fmt::format("{} sizes for {} axes", sizes->size(), axes.size()));
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    HORUS_TRY(const std::size_t axis, axis_index(axes[i], shape.size()));
    shape[axis] = (*sizes)[i];
  }
  return one(node.input(0).type, std::move(shape));
}

/// The experimental Crop-1: border (left, top, right, bottom), or border and wanted size.
Result<Facts> infer_crop(const NodeView& node) {
  Shape shape = node.shape(0);
  const auto border = node.integers("border");
  const auto size = node.integers("scale");
  if (shape.size() != 4 || border.size() != 4) {
    return refuse("images of 4 axes and a border of 4 numbers are needed");
  }
  if (size.size() == 2) {
    shape[2] = size[0];
    shape[3] = size[1];
  } else {
    shape[2] -= border[1] + border[3];
    shape[3] -= border[0] + border[2];
  }
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_det(const NodeView& node) {
  HORUS_TRY_DONE(check_square(node.shape(0)));
  Shape shape = node.shape(0);
  shape.resize(shape.size() - 2);
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_inverse(const NodeView& node) {
  HORUS_TRY_DONE(check_square(node.shape(0)));
  return one(node.input(0).type, node.shape(0));
}

void cost_square_matrix(const CostView& node, CostSheet& sheet) {
  // Elimination of n x n takes 2/3 n^3 operations; the inverse takes 2 n^3 in all.
  const double size = static_cast<double>(node.shape(0).back());
  const bool is_inverse = node.node().op_type == "Inverse";
  const double matrices = size > 0 ? node.size(0) / (size * size) : 0;
  OpWork& work = sheet.work;
  work.flops_forward = (is_inverse ? 2.0 : 2.0 / 3.0) * matrices * size * size * size;
  work.elements_read = node.size(0);
  work.elements_written = node.result_size();
  work.kernels_forward = 2;
  work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  work.flops_backward = 4 * matrices * size * size * size;  // Two products with the inverse.
  work.elements_read_backward = node.size(0) + node.result_size();
  work.elements_written_backward = node.size(0);
  work.kernels_backward = 3;
  work.host_ops_backward = 1;
  sheet.kept_inputs.push_back(0);
}

}  // namespace horus::graph
