// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/predict.hpp"

#include <algorithm>
#include <array>

#include "horus/predict/fused_attention.hpp"
#include "horus/predict/lowering.hpp"
#include "horus/predict/peak_memory.hpp"
#include "horus/predict/roofline.hpp"
#include "horus/predict/site.hpp"
#include "horus/predict/step_time.hpp"
#include "horus/predict/tree_inputs.hpp"

namespace horus::predict {
namespace {

/// Nothing is known of the model: the job may take the whole GPU, at any pace.
Prediction unknown(const GpuSpec& gpu) {
  Prediction out;
  out.gpu = gpu.name;
  out.gpu_utilization = {0.5, 0, 1};
  out.memory_bandwidth_utilization = {0.5, 0, 1};
  out.step_time_s = kUnknownStepSeconds;
  out.memory = {to_bytes(as_double(gpu.memory) / 2), Bytes{0}, gpu.memory, gpu.memory};
  out.fits = true;
  out.origin = Origin::Unknown;
  return out;
}

/// Share of the graph's operators that the sums do not contain, 0 to 1.
double uncosted_share(const GraphFeatures& features, const Step& step) {
  const double unusable = step.ops_without_cost;
  const double missing = std::max(0, features.ops_without_cost);
  const double all = static_cast<double>(features.ops.size()) + missing;
  return all > 0 ? (missing + unusable) / all : 1.0;
}

bool has_usable_totals(const GraphFeatures& features) {
  const std::array<double, 4> totals{features.parameters, features.buffers, features.input_elements,
                                     features.output_elements};
  return std::ranges::all_of(totals, [](double x) { return x >= 0 && x <= kMostOfAnything; });
}

StepSpread spread_of(const TimeConstants& constants, const MachineRates& rates, double uncosted) {
  const double unknown = kSigmaUncosted * uncosted;
  return {constants.sigma_gpu + unknown + (rates.emulated ? kSigmaEmulated : 0),
          constants.sigma_host + unknown, constants.sigma_loader};
}

/// Moves utilization and step time by what was learned, as far as it reaches this job.
void correct(const Model& model, const JobOnGpu& job, Prediction& out) {
  const std::vector<double> inputs =
      tree_inputs_of(job, out.gpu_utilization.expected, out.step_time_s.expected);
  for (const Residual& residual : model.residuals) {
    const double correction = residual.correction(inputs);
    if (correction == 0) continue;
    out.origin = Origin::Learned;
    if (residual.target() == ResidualTarget::Utilization) {
      const Interval before = out.gpu_utilization;
      out.gpu_utilization = corrected_utilization(before, correction);
      out.memory_bandwidth_utilization =
          followed(out.memory_bandwidth_utilization, before, out.gpu_utilization);
      if (out.sm_active) out.sm_active = followed(*out.sm_active, before, out.gpu_utilization);
    } else {
      out.step_time_s = corrected_seconds(out.step_time_s, correction);
    }
  }
}

}  // namespace

Prediction predict(const GraphFeatures& features, const TrainingSetup& setup, const GpuSpec& gpu,
                   const Model& model) {
  const SiteFactors site = factors_on(model.sites, gpu.name);
  const TimeConstants time = at_site(model.constants.time, site);
  std::vector<OpWork> fused;
  if (setup.attention == Attention::Fused) fused = fuse_attention(features.ops);
  const std::span<const OpWork> ops =
      setup.attention == Attention::Fused ? std::span<const OpWork>{fused} : features.ops;

  const Step step = lower(features, ops, setup);
  const double uncosted = uncosted_share(features, step);
  if (uncosted >= 1 || !has_usable_totals(features)) return unknown(gpu);

  const MachineRates rates = rates_of(gpu, setup.precision, time);
  const GpuWork work = gpu_work(step.kernels, rates);
  const StepParts parts = parts_of(step, work, rates.peak_bytes_per_s, setup, time);
  const StepSpread spread = spread_of(time, rates, uncosted);

  Prediction out;
  out.gpu = gpu.name;
  out.gpu_utilization = utilization_interval(parts, spread, time);
  out.memory_bandwidth_utilization =
      share_in_use(parts.bandwidth_s, parts, out.gpu_utilization, time);
  out.sm_active = share_in_use(parts.sm_s, parts, out.gpu_utilization, time);
  out.step_time_s = step_interval(parts, spread, time);
  const MemoryParts memory = memory_parts(features, ops, setup, gpu);
  out.memory = memory_interval(memory, uncosted, at_site(model.constants.memory, site));
  out.fits = out.memory.bound <= gpu.memory;
  out.origin = Origin::Analytic;
  if (!model.residuals.empty()) {
    correct(model, {step, memory, setup, gpu, static_cast<double>(features.batch)}, out);
  }
  return out;
}

}  // namespace horus::predict
