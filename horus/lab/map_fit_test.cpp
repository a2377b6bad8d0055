// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/map_fit.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace horus::lab {
namespace {

constexpr std::array<double, 5> kAbscissae{1, 2, 4, 8, 16};

/// Points of y = 3 x^0.5, in logarithms with an error of 1 %.
void power_law(std::span<const double> values, std::span<double> residuals) {
  for (std::size_t i = 0; i < kAbscissae.size(); ++i) {
    const double predicted = values[0] * std::pow(kAbscissae[i], values[1]);
    residuals[i] = std::log(predicted / (3 * std::sqrt(kAbscissae[i]))) / 0.01;
  }
}

TEST(MapFit, FindsTheLawBehindExactPoints) {
  const std::array<FitParameter, 2> start{{{1, 1}, {1, 1}}};
  const MapFit fit = map_fit(start, kAbscissae.size(), power_law);
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.values[0], 3, 0.01);
  EXPECT_NEAR(fit.values[1], 0.5, 0.005);
}

TEST(MapFit, OneObservationIsWeighedAgainstThePriorByTheirVariances) {
  // ln v = 0 +- 1 by the prior, 3 +- 0.5 observed: (0 / 1 + 3 / 0.25) / (1 + 4) = 2.4, and the
  // precision is 1 + 4. The outlier limit is out of reach.
  const std::array<FitParameter, 1> parameter{{{1, 1}}};
  const MapFit fit = map_fit(
      parameter, 1,
      [](std::span<const double> v, std::span<double> r) { r[0] = (std::log(v[0]) - 3) / 0.5; },
      {.outlier = 1e4});
  EXPECT_NEAR(std::log(fit.values[0]), 2.4, 1e-4);
  EXPECT_NEAR(fit.log_errors[0], 1 / std::sqrt(5), 1e-4);
}

TEST(MapFit, WithoutObservationsThePriorStays) {
  const std::array<FitParameter, 2> parameters{{{7, 0.3}, {1e-6, 2}}};
  const MapFit fit = map_fit(parameters, 0, [](std::span<const double>, std::span<double>) {});
  EXPECT_NEAR(fit.values[0], 7, 1e-9);
  EXPECT_NEAR(fit.values[1], 1e-6, 1e-15);
  EXPECT_NEAR(fit.log_errors[0], 0.3, 1e-6);
  EXPECT_NEAR(fit.log_errors[1], 2, 1e-5);
}

TEST(MapFit, NumbersWithoutSpreadStayWhateverIsMeasured) {
  const std::array<FitParameter, 2> parameters{{{2, 0}, {1, 1}}};
  const MapFit fit = map_fit(parameters, kAbscissae.size(), power_law);
  EXPECT_EQ(fit.values[0], 2);
  EXPECT_EQ(fit.log_errors[0], 0);
}

TEST(MapFit, OneWrongRowMovesLittle) {
  const std::array<FitParameter, 1> parameter{{{1, 10}}};
  const auto fitted = [&](double wrong) {
    return map_fit(parameter, 9, [wrong](std::span<const double> v, std::span<double> r) {
      for (std::size_t i = 0; i < 8; ++i) {
        r[i] = std::log(v[0]) / 0.1 + (i % 2 == 0 ? 0.5 : -0.5);
      }
      r[8] = (std::log(v[0]) - wrong) / 0.1;
    });
  };
  // Squares alone would give 5 / 9 = 0.56.
  EXPECT_LT(std::log(fitted(5).values[0]), 0.1);
  // Ten times as wrong is hardly worse.
  EXPECT_NEAR(std::log(fitted(50).values[0]), std::log(fitted(5).values[0]), 0.02);
}

TEST(MapFit, StartDecidesBetweenTwoValleysAndThePriorStaysWhatItIs) {
  // (ln v)^2 = 4 at 2 and at -2.
  const std::array<FitParameter, 1> parameter{{{1, 1}}};
  const auto valleys = [](std::span<const double> v, std::span<double> r) {
    r[0] = (std::log(v[0]) * std::log(v[0]) - 4) / 0.01;
  };
  const MapFit low = map_fit(parameter, 1, valleys, {.start = {0.3}});
  const MapFit high = map_fit(parameter, 1, valleys, {.start = {3}});
  EXPECT_NEAR(std::log(low.values[0]), -2, 0.01);
  EXPECT_NEAR(std::log(high.values[0]), 2, 0.01);
  EXPECT_NEAR(low.cost, high.cost, 1e-6);
}

TEST(MapFit, ValuesStayWithinTheirBounds) {
  const std::array<FitParameter, 1> parameter{{{0.5, 10, 0.1, 1.0}}};
  const MapFit fit = map_fit(parameter, 1, [](std::span<const double> v, std::span<double> r) {
    EXPECT_LE(v[0], 1.0);
    EXPECT_GE(v[0], 0.1);
    r[0] = std::log(v[0] / 3) / 0.01;
  });
  EXPECT_LE(fit.values[0], 1.0);
  EXPECT_GT(fit.values[0], 0.9);
}

TEST(MapFit, ResidualsThatAreNoNumbersAreGrossErrorsNotCrashes) {
  const std::array<FitParameter, 1> parameter{{{1, 1}}};
  const MapFit fit = map_fit(parameter, 2, [](std::span<const double> v, std::span<double> r) {
    r[0] = std::numeric_limits<double>::quiet_NaN();
    r[1] = std::log(v[0]) - 1;
  });
  EXPECT_TRUE(std::isfinite(fit.cost));
  EXPECT_NEAR(std::log(fit.values[0]), 0.5, 0.02);
}

TEST(MapFit, SameInputGivesTheSameBits) {
  const std::array<FitParameter, 2> start{{{1, 1}, {1, 1}}};
  const MapFit first = map_fit(start, kAbscissae.size(), power_law);
  const MapFit second = map_fit(start, kAbscissae.size(), power_law);
  EXPECT_EQ(first.values, second.values);
  EXPECT_EQ(first.cost, second.cost);
}

TEST(MapFit, CheaperDerivativesLeadToTheSameOptimum) {
  // Two machines, one number each: the second cannot move the residuals of the first.
  const std::array<FitParameter, 2> start{{{1, 1}, {1, 1}}};
  const auto put = [](std::span<const double> v, std::size_t machine, std::span<double> r) {
    r[2 * machine] = std::log(v[machine] / 2) / 0.1;
    r[2 * machine + 1] = (v[machine] - 3) / 0.1;
  };
  const auto all = [&](std::span<const double> v, std::span<double> r) {
    put(v, 0, r);
    put(v, 1, r);
  };
  int asked = 0;
  const auto moved = [&](std::span<const double> v, std::size_t parameter, std::span<double> r) {
    ++asked;
    put(v, parameter, r);
  };
  const MapFit plain = map_fit(start, 4, all);
  const MapFit fast = map_fit(start, 4, all, {.moved = moved});
  EXPECT_GT(asked, 0);
  EXPECT_EQ(fast.values, plain.values);
  EXPECT_EQ(fast.log_errors, plain.log_errors);
}

}  // namespace
}  // namespace horus::lab
