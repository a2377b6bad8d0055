// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/sim/truth/parametric_truth.hpp"
#include "horus/sim/truth/table_truth.hpp"

namespace horus::sim {
namespace {

using testing::HasSubstr;

GpuSpec gpu(const char* name) { return *find_gpu(name).value().spec; }

MixEntry entry(const char* name, double utilization, double compute_share,
               Precision precision = Precision::Fp32) {
  MixEntry e;
  e.name = name;
  e.weight = 1.0;
  e.setup.precision = precision;
  e.truth = ConfigTruth{utilization, Bytes{std::int64_t{2000} << 20}, compute_share};
  return e;
}

Mix three_configs() {
  return Mix{{entry("a", 0.5, 1.0), entry("b", 0.9, 0.0), entry("c", 0.2, 0.5)}};
}

std::unique_ptr<ParametricTruth> truth_of(const Mix& mix, std::vector<GpuSpec> types,
                                          const ParametricOptions& options) {
  auto truth = ParametricTruth::make(mix, types, types[0], gpu("V100-16GB"), options);
  EXPECT_TRUE(truth) << truth.error().text();
  return std::move(*truth);
}

TaskLoad with(double utilization) {
  TaskLoad load;
  load.utilization = utilization;
  return load;
}

std::vector<double> slowdowns_of(const Truth& truth, std::vector<TaskLoad> residents) {
  std::vector<double> out(residents.size());
  truth.slowdowns(0, residents, out);
  return out;
}

TEST(ParametricTruth, TwoJobsThatFillTheGpuRunAtHalfSpeed) {
  const auto truth = truth_of(three_configs(), {gpu("V100-16GB")}, without_spread({}));
  EXPECT_THAT(slowdowns_of(*truth, {with(1.0), with(1.0)}), testing::ElementsAre(2.0, 2.0));
  EXPECT_THAT(slowdowns_of(*truth, {with(0.5), with(0.2)}),
              testing::ElementsAre(testing::DoubleEq(1.1), testing::DoubleEq(1.1)));
}

TEST(ParametricTruth, NeverBeatsTheClockOrTheGpu) {
  const auto truth = truth_of(three_configs(), {gpu("V100-16GB")}, without_spread({}));
  Rng rng{3};
  for (int i = 0; i < 2000; ++i) {
    std::vector<TaskLoad> residents(2 + rng.below(4));
    for (TaskLoad& load : residents) {
      load.utilization = 0.01 + 0.99 * rng.uniform();
      load.sensitivity = std::exp(0.3 * rng.normal());
    }
    const auto slowdowns = slowdowns_of(*truth, residents);
    double progress = 0.0;
    double busy = 0.0;
    for (std::size_t k = 0; k < residents.size(); ++k) {
      EXPECT_GE(slowdowns[k], 1.0);
      progress += 1.0 / slowdowns[k];
      busy += residents[k].utilization / slowdowns[k];
    }
    EXPECT_LE(progress, static_cast<double>(residents.size()));
    EXPECT_LE(busy, 1.0 + 1e-12);
  }
}

TEST(ParametricTruth, MoreCompanyIsNeverBetter) {
  const auto truth = truth_of(three_configs(), {gpu("V100-16GB")}, without_spread({}));
  for (double u = 0.1; u <= 1.0; u += 0.1) {
    double before = 1.0;
    for (double other = 0.1; other <= 1.0; other += 0.1) {
      const double now = slowdowns_of(*truth, {with(u), with(other)})[0];
      EXPECT_GT(now, before);
      before = now;
    }
    EXPECT_GT(slowdowns_of(*truth, {with(u), with(1.0), with(0.5)})[0], before);
  }
}

TEST(ParametricTruth, WithoutGainNobodySlowsAnybody) {
  ParametricOptions options;
  options.gain = 0.0;
  const auto truth = truth_of(three_configs(), {gpu("V100-16GB")}, options);
  EXPECT_THAT(slowdowns_of(*truth, {with(1.0), with(1.0), with(0.9)}), testing::Each(1.0));
}

TEST(ParametricTruth, OtherGpusScaleTheBusyPartOnly) {
  const GpuSpec v100 = gpu("V100-16GB");
  const GpuSpec k80 = gpu("K80");
  const auto truth = truth_of(three_configs(), {v100, k80}, without_spread({}));
  // Config a: half of the step is busy, all of that arithmetic.
  const double compute = v100.fp32_flops / k80.fp32_flops;
  const TaskLoad a = truth->load(JobId{1}, 0, 1);
  EXPECT_NEAR(a.step_ratio, 0.5 + 0.5 * compute, 1e-12);
  EXPECT_NEAR(a.utilization, 0.5 * compute / (0.5 + 0.5 * compute), 1e-12);
  // Config b: nine tenths busy, all of that memory traffic.
  const double memory = v100.bandwidth_bytes_per_s / k80.bandwidth_bytes_per_s;
  EXPECT_NEAR(truth->load(JobId{1}, 1, 1).step_ratio, 0.1 + 0.9 * memory, 1e-12);
  EXPECT_EQ(truth->load(JobId{1}, 1, 0).step_ratio, 1.0);
}

TEST(ParametricTruth, JobsOfOneConfigurationDifferButKeepTheirNature) {
  const auto truth = truth_of(three_configs(), {gpu("V100-16GB"), gpu("K80")}, {});
  EXPECT_EQ(truth->load(JobId{1}, 0, 0), truth->load(JobId{1}, 0, 0));
  EXPECT_NE(truth->load(JobId{1}, 0, 0), truth->load(JobId{2}, 0, 0));
  std::vector<double> logs;
  for (std::uint64_t id = 0; id < 4000; ++id) {
    const TaskLoad load = truth->load(JobId{id}, 0, 1);
    EXPECT_GT(load.utilization, 0.0);
    EXPECT_LT(load.utilization, 1.0);
    EXPECT_EQ(truth->load(JobId{id}, 0, 0).step_ratio, 1.0);
    EXPECT_EQ(load.memory, truth->load(JobId{id}, 0, 0).memory);
    logs.push_back(
        std::log(as_double(load.memory) / static_cast<double>(std::int64_t{2000} << 20)));
  }
  double squares = 0.0;
  for (const double x : logs) squares += x * x;
  EXPECT_NEAR(std::sqrt(squares / 4000.0), ParametricOptions{}.memory_spread, 0.003);
}

TEST(ParametricTruth, MemoryOfFullGpusCanBeAdded) {
  // The largest footprint that a mix may state, times what a spread of 2 can draw:
  // e^17. Sixteen of these on a GPU would overflow.
  Mix mix = three_configs();
  mix.entries[0].truth.memory = Bytes{std::int64_t{10'000'000} << 20};
  ParametricOptions options;
  options.memory_spread = 2.0;
  const auto truth = truth_of(mix, {gpu("V100-16GB")}, options);
  Bytes most{0};
  for (std::uint64_t id = 1; id <= 2'000; ++id) {
    const Bytes memory = truth->load(JobId{id}, 0, 0).memory;
    ASSERT_GT(memory, Bytes{0}) << id;
    most = std::max(most, memory);
  }
  EXPECT_EQ(most, Bytes{std::int64_t{1} << 50});
}

TEST(ParametricTruth, RefusesOptionsOutOfRange) {
  ParametricOptions options;
  options.gain = -1.0;
  const std::vector<GpuSpec> types{gpu("V100-16GB")};
  const auto truth =
      ParametricTruth::make(three_configs(), types, types[0], gpu("V100-16GB"), options);
  ASSERT_FALSE(truth);
  EXPECT_THAT(truth.error().text(), HasSubstr("gain of the truth is -1"));
}

Result<std::unique_ptr<TableTruth>> table_of(std::string_view text) {
  static const std::vector<GpuSpec> types{gpu("V100-16GB"), gpu("K80")};
  return TableTruth::parse(text, "t.csv", three_configs(), types,
                           truth_of(three_configs(), types, without_spread({})));
}

constexpr std::string_view kTable =
    "gpu,config_a,config_b,slowdown_a,slowdown_b,utilization,memory_mib\n"
    "V100-16GB,b,a,1.4,1.2,,\n"
    "V100-16GB,c,c,1.0,1.1,,\n"
    "V100-16GB,a,,,,0.33,3000\n"
    "A100-40GB,a,b,9,9,,\n"
    "V100-16GB,a,unknown,9,9,,\n";

TEST(TableTruth, MeasuredPairsAreUsedInEitherOrder) {
  const auto truth = table_of(kTable);
  ASSERT_TRUE(truth) << truth.error().text();
  const std::vector<TaskLoad> loads{(*truth)->load(JobId{1}, 0, 0), (*truth)->load(JobId{2}, 1, 0),
                                    (*truth)->load(JobId{3}, 2, 0)};
  std::vector<double> out(2);
  EXPECT_EQ((*truth)->slowdowns(0, std::vector{loads[0], loads[1]}, out), TruthSource::Measured);
  EXPECT_THAT(out, testing::ElementsAre(1.2, 1.4));
  EXPECT_EQ((*truth)->slowdowns(0, std::vector{loads[1], loads[0]}, out), TruthSource::Measured);
  EXPECT_THAT(out, testing::ElementsAre(1.4, 1.2));
  EXPECT_EQ((*truth)->slowdowns(0, std::vector{loads[2], loads[2]}, out), TruthSource::Measured);
  EXPECT_THAT(out, testing::Each(testing::DoubleEq(1.05)));
}

TEST(TableTruth, MissingPairsAreParametricAndTheirShareIsKnown) {
  const auto truth = table_of(kTable);
  ASSERT_TRUE(truth);
  const std::vector<TaskLoad> pair{(*truth)->load(JobId{2}, 1, 0), (*truth)->load(JobId{3}, 2, 0)};
  std::vector<double> out(2);
  EXPECT_EQ((*truth)->slowdowns(0, pair, out), TruthSource::Parametric);
  EXPECT_THAT(out, testing::Each(testing::DoubleNear(1.18, 1e-12)));  // 1 + 0.9 x 0.2.
  EXPECT_EQ((*truth)->slowdowns(1, pair, out), TruthSource::Parametric);
  // Six pairs of three configurations on two GPUs: two of twelve are measured.
  EXPECT_EQ((*truth)->coverage().pairs_possible, 12U);
  EXPECT_EQ((*truth)->coverage().pairs_measured, 2U);
  EXPECT_DOUBLE_EQ((*truth)->coverage().share_missing(), 10.0 / 12.0);
  EXPECT_EQ((*truth)->coverage().rows_unused, 2U);
  EXPECT_EQ((*truth)->max_residents(), 2);
}

TEST(TableTruth, MeasuredLoadsReplaceAssumedOnes) {
  const auto truth = table_of(kTable);
  ASSERT_TRUE(truth);
  const TaskLoad measured = (*truth)->load(JobId{1}, 0, 0);
  EXPECT_EQ(measured.utilization, 0.33);
  EXPECT_EQ(measured.memory, Bytes{std::int64_t{3000} << 20});
  EXPECT_NE((*truth)->load(JobId{1}, 0, 1).utilization, 0.33);
  EXPECT_EQ((*truth)->coverage().solos_measured, 1U);
}

TEST(TableTruth, ForeignNamesAreCountedHoweverOftenTheyComeBack) {
  std::string text{"gpu,config_a,config_b,slowdown_a,slowdown_b\n"};
  for (int i = 0; i < 20'000; ++i) text += "Vooodoo-3,a,b,1.5,1.5\n";
  const auto truth = table_of(text);
  ASSERT_TRUE(truth) << truth.error().text();
  EXPECT_EQ((*truth)->coverage().rows_unused, 20'000U);
}

TEST(TableTruth, ErrorsNameTheCell) {
  const auto error = [](std::string_view rows) {
    const auto truth =
        table_of("gpu,config_a,config_b,slowdown_a,slowdown_b\n" + std::string{rows});
    return truth ? std::string{"none"} : truth.error().text();
  };
  EXPECT_THAT(error("V100-16GB,a,b,0,1\n"), HasSubstr("t.csv:2: column 'slowdown_a': found '0'"));
  EXPECT_THAT(error("V100-16GB,a,b,1,nan\n"), HasSubstr("column 'slowdown_b': found 'nan'"));
  EXPECT_THAT(error("V100-16GB,a,b,1,1\nV100-16GB,b,a,1,1\n"),
              HasSubstr("t.csv:3: found the same measurement again"));
  EXPECT_THAT(error("V100-16GB,a,,1,1\n"), HasSubstr("no columns for solo rows"));
  EXPECT_EQ(error(""), "none");
}

}  // namespace
}  // namespace horus::sim
