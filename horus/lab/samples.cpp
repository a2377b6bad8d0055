// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/samples.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "horus/domain/gpu.hpp"
#include "horus/predict/fused_attention.hpp"
#include "horus/predict/lowering.hpp"
#include "horus/predict/tree_inputs.hpp"

namespace horus::lab {
namespace {

/// The mean step of a pass over the data, whose last batch is smaller.
predict::Step mean_step(predict::Step step, const Row& row) {
  if (!row.samples_per_epoch || step.samples <= 0) return step;
  const double all = std::max(1.0, static_cast<double>(*row.samples_per_epoch));
  const double steps = std::ceil(all / step.samples);
  step = predict::at_share_of_batch(std::move(step), all / steps / step.samples);
  step.epochs = 1 / steps;
  return step;
}

Result<Sample> sample_of(const Row& row) {
  HORUS_TRY(const GraphFeatures features, row.features());
  HORUS_TRY(const GpuChoice gpu, find_gpu(row.gpu));
  std::vector<OpWork> fused;
  std::span<const OpWork> ops = features.ops;
  if (row.setup.attention == Attention::Fused) ops = fused = predict::fuse_attention(features.ops);
  Sample sample;
  sample.row = &row;
  sample.step = mean_step(predict::merged(predict::lower(features, ops, row.setup)), row);
  sample.parts = predict::memory_parts(features, ops, row.setup, *gpu.spec);
  sample.batch = static_cast<double>(features.batch);
  constexpr double kNotYetPredicted = 0.5;  // each fit says its own
  sample.for_trees = predict::tree_inputs_of(
      {sample.step, sample.parts, row.setup, *gpu.spec, sample.batch}, kNotYetPredicted, 1.0);
  return sample;
}

}  // namespace

Result<std::vector<Sample>> samples_of(std::span<const Row> rows, const Progress& progress) {
  std::vector<Sample> samples;
  samples.reserve(rows.size());
  for (const Row& row : rows) {
    auto sample = sample_of(row);
    if (!sample) {
      sample.error().where =
          row.id + (sample.error().where.empty() ? "" : ": ") + sample.error().where;
      return tl::make_unexpected(std::move(sample).error());
    }
    samples.push_back(*std::move(sample));
    if (progress) progress(samples.size(), rows.size());
  }
  return samples;
}

}  // namespace horus::lab
