// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/tree_inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "horus/base/check.hpp"
#include "horus/predict/lowering.hpp"
#include "horus/predict/roofline.hpp"
#include "horus/predict/step_time.hpp"

namespace horus::predict {
namespace {

/// Sums over the kernels of a step, by what they are.
struct Sums {
  std::array<double, kKernelClasses> busy_by_class{};  ///< Seconds.
  double busy_s{};
  double short_s{};  ///< In kernels that latency dominates.
  double flops{};
  double bytes{};
  double launches{};
};

Sums sums_of(const Step& step, const MachineRates& rates) {
  /// Shorter kernels are mostly start and drain (kKernelLatencySeconds).
  constexpr double kShortSeconds = 4 * kKernelLatencySeconds;
  Sums sums;
  for (const Kernel& kernel : step.kernels) {
    const double busy = busy_seconds(kernel, rates);
    sums.busy_by_class[static_cast<std::size_t>(kernel.kind)] += busy;
    sums.busy_s += busy;
    if (busy < kShortSeconds * kernel.launches) sums.short_s += busy;
    sums.flops += kernel.flops * kernel.launches;
    sums.bytes += kernel.bytes * kernel.launches;
    sums.launches += kernel.launches;
  }
  return sums;
}

/// What the inputs are computed from.
struct View {
  const JobOnGpu& job;
  MachineRates rates;
  Sums sums;
  double host_s{};
  double loader_s{};
};

/// The logarithm of something that is positive where it matters.
double log_of(double value) { return std::log(std::max(value, 1e-9)); }

/// The logarithm of a ratio of times, within e^+-6: beyond, the smaller one no longer matters.
double log_ratio(double a, double b) { return std::clamp(log_of(a) - log_of(b), -6.0, 6.0); }

template <KernelClass kind>
double share_of(const View& view) {
  const double busy = view.sums.busy_by_class[static_cast<std::size_t>(kind)];
  return view.sums.busy_s > 0 ? busy / view.sums.busy_s : 0;
}

struct InputRow {
  TreeInput input;
  double (*of)(const View& view);  ///< Null: set by set_analytic_inputs().
};

constexpr const char* kShare = "share of busy seconds";

const std::vector<InputRow>& rows() {
  using K = KernelClass;
  static const std::vector<InputRow> kRows{
      {{"batch", "ln samples"}, [](const View& v) { return log_of(v.job.batch); }},
      {{"parameters", "ln bytes"}, [](const View& v) { return log_of(v.job.memory.parameters); }},
      {{"activations", "ln bytes per sample"},
       [](const View& v) { return log_of(v.job.memory.activations / v.job.batch); }},
      {{"states", "optimizer states per parameter"},
       [](const View& v) { return update_cost(v.job.setup.optimizer).states; }},
      {{"flops", "ln FLOPs per sample"},
       [](const View& v) { return log_of(v.sums.flops / v.job.step.samples); }},
      {{"bytes", "ln bytes per sample"},
       [](const View& v) { return log_of(v.sums.bytes / v.job.step.samples); }},
      {{"input", "ln elements per sample"},
       [](const View& v) { return log_of(v.job.step.input_elements / v.job.step.samples); }},
      {{"intensity", "ln FLOPs per byte"},
       [](const View& v) { return log_of(v.sums.flops) - log_of(v.sums.bytes); }},
      {{"launches", "ln kernels"}, [](const View& v) { return log_of(v.sums.launches); }},
      {{"convolution", kShare}, share_of<K::Convolution>},
      {{"winograd", kShare}, share_of<K::Winograd>},
      {{"depthwise", kShare}, share_of<K::DepthwiseConvolution>},
      {{"grouped", kShare}, share_of<K::GroupedConvolution>},
      {{"matrix_product", kShare}, share_of<K::MatrixProduct>},
      {{"recurrent", kShare}, share_of<K::RecurrentStep>},
      {{"attention", kShare}, share_of<K::Attention>},
      {{"normalization", kShare}, share_of<K::Normalization>},
      {{"pointwise", kShare}, share_of<K::Pointwise>},
      {{"update", kShare}, share_of<K::Update>},
      {{"short_kernels", kShare},
       [](const View& v) { return v.sums.busy_s > 0 ? v.sums.short_s / v.sums.busy_s : 0; }},
      {{"gpu", "ln busy seconds"}, [](const View& v) { return log_of(v.sums.busy_s); }},
      {{"host", "ln host over busy seconds"},
       [](const View& v) { return log_ratio(v.host_s, v.sums.busy_s); }},
      {{"loader", "ln loader over busy seconds"},
       [](const View& v) { return log_ratio(v.loader_s, v.sums.busy_s); }},
      {{"half", "1: half precision"},
       [](const View& v) {
         const Precision p = v.job.setup.precision;
         return p == Precision::Fp32 || p == Precision::Tf32 ? 0.0 : 1.0;
       }},
      {{"peak", "ln FLOP/s of products"},
       [](const View& v) {
         return log_of(v.rates.by_class[static_cast<std::size_t>(K::MatrixProduct)].flops_per_s);
       }},
      {{"bandwidth", "ln bytes/s"}, [](const View& v) { return log_of(v.rates.peak_bytes_per_s); }},
      {{"sms", "ln multiprocessors"}, [](const View& v) { return log_of(v.rates.sms); }},
      {{"analytic_utilization", "logit"}, nullptr},
      {{"analytic_step", "ln seconds"}, nullptr},
  };
  return kRows;
}

std::vector<TreeInput> names() {
  std::vector<TreeInput> inputs;
  for (const InputRow& row : rows()) inputs.push_back(row.input);
  return inputs;
}

}  // namespace

std::span<const TreeInput> tree_inputs() {
  static const std::vector<TreeInput> kInputs = names();
  return kInputs;
}

std::vector<double> tree_inputs_of(const JobOnGpu& job, double utilization, double step_s) {
  const MachineRates rates = rates_of(job.gpu, job.setup.precision);
  const View view{job, rates, sums_of(job.step, rates), host_seconds(job.step),
                  loader_seconds(job.step.samples, job.setup.samples_per_second)};
  std::vector<double> inputs;
  inputs.reserve(rows().size());
  for (const InputRow& row : rows()) inputs.push_back(row.of != nullptr ? row.of(view) : 0.0);
  set_analytic_inputs(inputs, utilization, step_s);
  return inputs;
}

void set_analytic_inputs(std::span<double> inputs, double utilization, double step_s) {
  HORUS_CHECK(inputs.size() == rows().size(), "inputs come from tree_inputs_of()");
  inputs[inputs.size() - 2] = logit(utilization);
  inputs[inputs.size() - 1] = log_of(step_s);
}

double logit(double share) {
  const double kept = std::clamp(share, 0.01, 0.99);
  return std::log(kept / (1 - kept));
}

double from_logit(double logit) { return 1 / (1 + std::exp(-logit)); }

}  // namespace horus::predict
