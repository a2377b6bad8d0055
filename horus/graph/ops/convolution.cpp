// SPDX-License-Identifier: Apache-2.0
// Convolution and transposed convolution in any number of spatial dimensions.

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"
#include "horus/graph/ops/window.hpp"

namespace horus::graph {
namespace {

constexpr std::size_t kSpatial = 2;  // Axes 0 and 1 are samples and channels.

std::span<const std::int64_t> spatial(const Shape& shape) {
  return std::span{shape}.subspan(kSpatial);
}

/// What Conv and ConvTranspose require alike of data (N, C, ...) and weight (., ., kernel...).
Result<std::int64_t> groups_of(const NodeView& node) {
  const Shape& data = node.shape(0);
  const Shape& weight = node.shape(1);
  if (data.size() <= kSpatial || weight.size() != data.size()) {
    return refuse(fmt::format("data {} and weight {} must have one rank, at least 3", text_of(data),
                              text_of(weight)));
  }
  const std::int64_t groups = node.integer("group", 1);
  if (groups < 1 || data[1] < groups || data[1] % groups != 0) {
    return refuse(fmt::format("{} groups do not divide {} channels", groups, data[1]));
  }
  return groups;
}

Result<std::int64_t> transposed_size(const Window& window, std::size_t i, std::int64_t size,
                                     std::int64_t extra) {
  if (size > kMaxElements / window.strides[i]) return refuse("the output is beyond all bounds");
  if (window.padding == Padding::SameUpper || window.padding == Padding::SameLower) {
    return size * window.strides[i];
  }
  const std::int64_t reach = window.dilations[i] * (window.kernel[i] - 1) + 1;
  const std::int64_t result =
      (size - 1) * window.strides[i] + extra + reach - window.begins[i] - window.ends[i];
  if (size == 0 || result < 0) {
    return refuse(fmt::format("size {} with its padding leaves no output", size));
  }
  return result;
}

OpKind kind_of(double groups, double channels) {
  if (groups <= 1) return OpKind::Convolution;
  return groups == channels ? OpKind::DepthwiseConvolution : OpKind::GroupedConvolution;
}

/// Shared by both directions: a product of (m x k) by (k x n) per group, once forward and once for
/// each of the two gradients.
void fill(const CostView& node, CostSheet& sheet, const GemmShape& gemm) {
  OpWork& work = sheet.work;
  work.kind = kind_of(gemm.groups, static_cast<double>(node.shape(0)[1]));
  work.gemm = gemm;
  cost_product(node, sheet, gemm.m * gemm.n * gemm.k * gemm.groups);
  // cuDNN convolves and a second kernel adds the bias (ATen/native/cudnn/ConvShared.cpp).
  if (node.has_bias(2)) work.kernels_forward += 1;
}

}  // namespace

Result<Facts> infer_convolution(const NodeView& node) {
  HORUS_TRY(const std::int64_t groups, groups_of(node));
  const Shape& data = node.shape(0);
  const Shape& weight = node.shape(1);
  if (weight[1] != data[1] / groups || weight[0] % groups != 0) {
    return refuse(fmt::format("weight {} does not match {} channels in {} groups", text_of(weight),
                              data[1], groups));
  }
  HORUS_TRY(const Window window, read_window(node, data.size() - kSpatial, spatial(weight)));
  HORUS_TRY(const Shape sizes, slide(window, spatial(data)));
  Shape shape{data[0], weight[0]};
  shape.insert(shape.end(), sizes.begin(), sizes.end());
  return one(node.input(0).type, std::move(shape));
}

GemmShape convolution_gemm(const Shape& weight, const Shape& result, double groups) {
  const double channels = static_cast<double>(result[1]);
  if (count(result) == 0 || weight[0] == 0) return {};
  return {.m = count(result) / channels,
          .n = channels / groups,
          .k = count(weight) / static_cast<double>(weight[0]),
          .groups = groups};
}

void cost_convolution(const CostView& node, CostSheet& sheet) {
  const double groups = static_cast<double>(node.integer("group", 1));
  if (node.result_size() == 0) return;
  fill(node, sheet, convolution_gemm(node.shape(1), node.result().shape, groups));
}

/// DeformConv (X, W, offset, B, mask): the convolution, at places that are computed.
Result<Facts> infer_deformed_convolution(const NodeView& node) {
  HORUS_TRY(Facts facts, infer_convolution(node));
  const Shape& result = facts[0].shape;
  const Shape& offset = node.shape(2);
  const bool fits = offset.size() == result.size() && offset[0] == result[0] &&
                    std::ranges::equal(spatial(offset), spatial(result));
  if (!fits) {
    return refuse(
        fmt::format("offsets {} do not fit the output {}", text_of(offset), text_of(result)));
  }
  return facts;
}

void cost_deformed_convolution(const CostView& node, CostSheet& sheet) {
  // Every element under the window is interpolated between four neighbours first (8 operations,
  // and the same again backward), into columns that the product reads (torchvision's
  // deform_conv2d).
  constexpr double kBilinear = 8;
  const double groups = static_cast<double>(node.integer("group", 1));
  const GemmShape gemm = convolution_gemm(node.shape(1), node.result().shape, groups);
  if (node.result_size() == 0) return;
  OpWork& work = sheet.work;
  work.gemm = gemm;
  const double columns = gemm.m * gemm.k * gemm.groups;
  cost_product(node, sheet, columns * gemm.n);
  work.flops_forward += kBilinear * columns - (node.has_input(3) ? 0 : node.result_size());
  work.elements_read += columns + node.size(2) + node.size(4);
  work.elements_written += columns;
  work.kernels_forward += 1;
  if (!node.runs_backward()) return;
  work.flops_backward += 2 * kBilinear * columns;
  work.elements_read_backward += columns + node.size(2) + node.size(4);
  work.kernels_backward += 1;  // Columns are scattered back.
  sheet.kept_inputs.push_back(2);
  if (node.has_input(4)) sheet.kept_inputs.push_back(4);
}

Result<Facts> infer_transposed_convolution(const NodeView& node) {
  HORUS_TRY(const std::int64_t groups, groups_of(node));
  const Shape& data = node.shape(0);
  const Shape& weight = node.shape(1);
  if (weight[0] != data[1]) {
    return refuse(fmt::format("weight {} does not match {} channels", text_of(weight), data[1]));
  }
  const std::size_t axes = data.size() - kSpatial;
  HORUS_TRY(const Window window, read_window(node, axes, spatial(weight)));
  const auto extra = node.integers("output_padding");
  const auto wanted = node.integers("output_shape");
  if (weight[1] > kMaxElements / groups || (!extra.empty() && extra.size() != axes)) {
    return refuse("output_padding needs one entry per spatial axis");
  }
  Shape shape{data[0], weight[1] * groups};
  for (std::size_t i = 0; i < axes; ++i) {
    HORUS_TRY(std::int64_t size,
              transposed_size(window, i, data[kSpatial + i], extra.empty() ? 0 : extra[i]));
    // output_shape may list all axes or the spatial ones only.
    if (wanted.size() >= axes) size = wanted[wanted.size() - axes + i];
    shape.push_back(size);
  }
  return one(node.input(0).type, std::move(shape));
}

void cost_transposed_convolution(const CostView& node, CostSheet& sheet) {
  const Shape& data = node.shape(0);
  const Shape& weight = node.shape(1);
  const double groups = static_cast<double>(node.integer("group", 1));
  if (count(data) == 0 || count(weight) == 0) return;
  const double channels = static_cast<double>(data[1]);
  // Every input element meets the whole kernel once: the cost follows the input, not the output.
  fill(node, sheet,
       {.m = count(data) / channels,
        .n = count(weight) / static_cast<double>(weight[0]),
        .k = channels / groups,
        .groups = groups});
}

}  // namespace horus::graph
