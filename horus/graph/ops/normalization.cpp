// SPDX-License-Identifier: Apache-2.0
// Normalization over the batch, the features, groups of channels or neighbouring channels.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

// Operations per element, counted on the textbook formulas.
// Batch norm forward: sum 1, sum of squares 2, y = a x + b 2. Backward: x-hat 2, sum of dy 1, sum
// of dy x-hat 2, dx = a (dy - c1 - c2 x-hat) 4.
constexpr double kBatchNormForward = 5;
constexpr double kBatchNormBackward = 9;
// Layer norm: the same statistics (3); normalizing 2 and affine 2 cannot be merged, since the
// statistics run along another axis than the affine weights.
constexpr double kLayerNormForward = 7;
constexpr double kLayerNormBackward = 11;

/// Every normalization reads its input twice (statistics, then values) and its input and the
/// output's gradient twice backward.
void cost_two_passes(const CostView& node, CostSheet& sheet, double forward, double backward) {
  OpWork& work = sheet.work;
  const double size = node.size(0);
  work.flops_forward = forward * size;
  work.elements_read = 2 * size;
  work.elements_written = size;
  work.kernels_forward = work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  work.flops_backward = backward * size;
  work.elements_read_backward = 4 * size;
  work.elements_written_backward = size;
  work.kernels_backward = work.host_ops_backward = 1;
  sheet.kept_inputs.push_back(0);
}

/// A normalization with `statistics` means and deviations of its own and affine weights.
void cost_affine_norm(const CostView& node, CostSheet& sheet, double statistics) {
  cost_two_passes(node, sheet, kLayerNormForward, kLayerNormBackward);
  if (!node.runs_backward()) return;
  // A second kernel sums the gradients of the affine weights.
  if (node.operand(1).needs_gradient) sheet.work.kernels_backward += 1;
  sheet.kept_elements = 2 * statistics;
}

}  // namespace

Result<Facts> infer_batch_norm(const NodeView& node) {
  const Shape& data = node.shape(0);
  if (data.size() < 2) {
    return refuse(
        fmt::format("batch normalization needs channels on axis 1, found {}", text_of(data)));
  }
  // Before version 9, spatial = 0 gave every feature, not every channel, statistics of its own.
  const bool is_spatial = node.integer("spatial", 1) != 0;
  const Shape expected = is_spatial ? Shape{data[1]} : Shape{data.begin() + 1, data.end()};
  for (std::size_t i = 1; i < 5; ++i) {
    if (node.shape(i) == expected) continue;
    return refuse(fmt::format("input {} is {}, expected {}: one entry for each of {} channels", i,
                              text_of(node.shape(i)), text_of(expected), data[1]));
  }
  Facts facts = one(node.input(0).type, data);
  for (std::size_t i = 1; i < node.output_count(); ++i) {
    facts.push_back({.type = node.input(3).type, .shape = expected});
  }
  return facts;
}

void cost_batch_norm(const CostView& node, CostSheet& sheet) {
  cost_two_passes(node, sheet, kBatchNormForward, kBatchNormBackward);
  // PyTorch also counts the batches: one more tiny operator per forward pass.
  sheet.work.kernels_forward += 1;
  sheet.work.host_ops_forward += 1;
  const double channels = static_cast<double>(node.shape(0)[1]);
  if (node.runs_backward())
    sheet.kept_elements = 2 * channels;  // Batch mean and inverse deviation.
}

Result<Facts> infer_layer_norm(const NodeView& node) {
  const Shape& data = node.shape(0);
  HORUS_TRY(const std::size_t axis, axis_index(node.integer("axis", -1), data.size()));
  Facts facts = one(node.input(0).type, data);
  Shape statistics = data;
  for (std::size_t i = axis; i < statistics.size(); ++i) statistics[i] = 1;
  const ElementType type = type_attribute(node, "stash_type", ElementType::Float32);
  facts.push_back({.type = type, .shape = statistics});
  facts.push_back({.type = type, .shape = std::move(statistics)});
  return facts;
}

Result<Facts> infer_group_norm(const NodeView& node) {
  const Shape& data = node.shape(0);
  const std::int64_t groups = node.integer("num_groups", 0);
  if (data.size() < 2 || groups < 1 || data[1] % groups != 0) {
    return refuse(fmt::format("{} groups do not divide the channels of {}", groups, text_of(data)));
  }
  // Weights belong to groups in version 18 and to channels since 21; exporters wrote the latter
  // all along.
  for (std::size_t i = 1; i < 3; ++i) {
    if (node.shape(i) != Shape{data[1]} && node.shape(i) != Shape{groups}) {
      return refuse(
          fmt::format("input {} is {}, expected one entry for each of {} channels or {} "
                      "groups",
                      i, text_of(node.shape(i)), data[1], groups));
    }
  }
  return one(node.input(0).type, data);
}

Result<Facts> infer_channel_norm(const NodeView& node) {
  if (node.shape(0).size() < 2) {
    return refuse(fmt::format("channels on axis 1 are needed, found {}", text_of(node.shape(0))));
  }
  return one(node.input(0).type, node.shape(0));
}

void cost_layer_norm(const CostView& node, CostSheet& sheet) {
  const std::span<const std::int64_t> data{node.shape(0)};
  const std::size_t axis = axis_index(node.integer("axis", -1), data.size()).value_or(0);
  cost_affine_norm(node, sheet, count(data.first(axis)));
}

void cost_group_norm(const CostView& node, CostSheet& sheet) {
  // The operator of com.microsoft spells it "groups".
  const std::int64_t given = node.integer("num_groups", node.integer("groups", 1));
  const double groups = static_cast<double>(std::max<std::int64_t>(given, 1));
  if (node.shape(0).empty()) return;
  cost_affine_norm(node, sheet, static_cast<double>(node.shape(0)[0]) * groups);
}

void cost_instance_norm(const CostView& node, CostSheet& sheet) {
  const Shape& data = node.shape(0);
  cost_affine_norm(node, sheet, static_cast<double>(data[0]) * static_cast<double>(data[1]));
}

void cost_lp_norm(const CostView& node, CostSheet& sheet) {
  cost_two_passes(node, sheet, kLayerNormForward, kLayerNormBackward);
}

void cost_skip_norm(const CostView& node, CostSheet& sheet) {
  const double size = node.size(0);
  const double features = static_cast<double>(node.result().shape.back());
  cost_affine_norm(node, sheet, features > 0 ? size / features : 0);
  OpWork& work = sheet.work;
  work.flops_forward += size;  // The sum, read and written once more.
  work.elements_read += size;
  work.elements_written += size;
  if (node.runs_backward()) work.flops_backward += size;
}

void cost_embed_norm(const CostView& node, CostSheet& sheet) {
  const double size = node.result_size();
  const double features = static_cast<double>(node.result().shape.back());
  OpWork& work = sheet.work;
  work.flops_forward = (kLayerNormForward + 2) * size;
  work.elements_read = 3 * size;
  work.elements_written = size;
  work.kernels_forward = work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  // Gradients of the sum, of the affine weights, and of the rows of each table (see cost_gather).
  work.flops_backward = (kLayerNormBackward + 3) * size;
  work.elements_read_backward = 4 * size;
  work.elements_written_backward = size;
  work.kernels_backward = 2 + 3 * 3;
  work.host_ops_backward = 1;
  sheet.kept_elements = size + (features > 0 ? 2 * size / features : 0);
  sheet.kept_inputs.push_back(0);
}

void cost_local_response(const CostView& node, CostSheet& sheet) {
  const double window = static_cast<double>(node.integer("size", 1));
  OpWork& work = sheet.work;
  const double size = node.size(0);
  // Square 1, running sum over the window, scale and offset 2, power 1, division 1.
  work.flops_forward = (window + 5) * size;
  work.elements_read = size;
  work.elements_written = size;
  work.kernels_forward = work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  work.flops_backward = (window + 7) * size;
  work.elements_read_backward = 4 * size;  // Input, output, denominator and gradient.
  work.elements_written_backward = size;
  work.kernels_backward = work.host_ops_backward = 1;
  sheet.kept_inputs.push_back(0);
  sheet.kept_outputs.push_back(0);
  sheet.kept_elements = size;
}

}  // namespace horus::graph
