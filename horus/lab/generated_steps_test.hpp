// SPDX-License-Identifier: Apache-2.0
#pragma once
// Jobs whose steps follow known constants, for tests of what fits find.

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "horus/base/rng.hpp"
#include "horus/lab/time_fit.hpp"
#include "horus/predict/step_time.hpp"

namespace horus::lab::generated {

/// A machine, and what is true on it.
struct Machine {
  std::string gpu;
  std::string host;
  predict::TimeConstants truth;
};

/// `jobs` of jobs/2 models, each with two batches, on each of the machines. Measurements are off by
/// up to e^+-noise.
class Jobs {
 public:
  Jobs(const std::vector<Machine>& machines, std::size_t jobs, double noise = 0,
       std::uint64_t seed = 5) {
    rows_.resize(jobs * machines.size());
    samples_.resize(rows_.size());
    Rng rng{seed};
    std::size_t at = 0;
    for (const Machine& machine : machines) {
      for (std::size_t job = 0; job < jobs; ++job, ++at) make(at, job, machine, noise, rng);
    }
    for (const Sample& sample : samples_) all_.push_back(&sample);
  }
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;
  ~Jobs() = default;

  [[nodiscard]] std::span<const Sample* const> all() const { return all_; }
  [[nodiscard]] std::span<const Sample* const> first(std::size_t count) const {
    return all().first(count);
  }
  [[nodiscard]] Row& row(std::size_t i) { return rows_[i]; }
  [[nodiscard]] const Row& row(std::size_t i) const { return rows_[i]; }

 private:
  /// Between `least` and `most`, evenly on a logarithmic scale.
  static double between(Rng& rng, double least, double most) {
    return least * std::pow(most / least, rng.uniform());
  }

  /// Some networks multiply, others move, and some are so small that the host is what they wait
  /// for.
  static predict::Step step_of(Rng& rng) {
    using K = predict::KernelClass;
    predict::Step step;
    const double layers = std::floor(between(rng, 20, 200));
    const double size = between(rng, 0.02, 5);
    step.kernels = {
        {K::Convolution, layers * rng.uniform(), 4e9 * size, 4e6 * size},
        {K::MatrixProduct, layers * rng.uniform(), 4e9 * size, 4e6 * size},
        {K::Normalization, layers * rng.uniform(), 1e6 * size, 2e8 * size},
        {K::Pointwise, layers * rng.uniform(), 1e6 * size, 2e8 * size},
    };
    step.host_ops_forward = 3 * layers;
    step.host_ops_backward = 3 * layers;
    step.host_launches = 9 * layers;
    step.samples = std::floor(between(rng, 8, 256));
    step.input_elements = step.samples * between(rng, 1e3, 2e5);
    return step;
  }

  void make(std::size_t at, std::size_t job, const Machine& machine, double noise, Rng& rng) {
    Row& row = rows_[at];
    Sample& sample = samples_[at];
    row.id = std::to_string(at);
    row.model = row.family = "model " + std::to_string(job / 2);
    row.gpu = machine.gpu;
    row.host = machine.host;
    row.setup.loader_workers = 4;
    sample.row = &row;
    sample.step = step_of(rng);
    sample.batch = sample.step.samples;
    const predict::StepParts parts = parts_at(sample, machine.truth);
    const double off = std::exp(noise * (2 * rng.uniform() - 1));
    row.measured.step_s = predict::step_seconds(parts, machine.truth) * off;
    row.measured.utilization = predict::utilization(parts, machine.truth) / off;
  }

  std::vector<Row> rows_;
  std::vector<Sample> samples_;
  std::vector<const Sample*> all_;
};

}  // namespace horus::lab::generated
