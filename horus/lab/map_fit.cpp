// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/map_fit.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <unsupported/Eigen/LevenbergMarquardt>

#include "horus/base/check.hpp"

namespace horus::lab {
namespace {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Residuals that are not finite or beyond belief.
constexpr double kGross = 1e6;
/// Step of the numerical derivative, in standard deviations of the prior.
constexpr double kDerivativeStep = 1e-5;

Index to_index(std::size_t n) { return static_cast<Index>(n); }

/// A residual whose square is the soft L1 loss of `r`: r itself where it is small against
/// `outlier`, growing with its square root where it is large.
double softened(double r, double outlier) {
  if (!std::isfinite(r)) r = kGross;
  r = std::clamp(r, -kGross, kGross);
  const double z = r / outlier;
  return std::copysign(outlier * std::sqrt(2 * (std::sqrt(1 + z * z) - 1)), r);
}

/// The problem in standard coordinates: z_i = (ln v_i - ln prior_i) / sigma_i for what may move.
/// The first `count` entries of f are the softened residuals, the others z itself: the prior.
class Problem : public Eigen::DenseFunctor<double> {
 public:
  Problem(std::span<const FitParameter> parameters, std::size_t count,
          const ResidualFunction& residuals, const FitOptions& options)
      : parameters_{parameters},
        count_{count},
        residuals_{residuals},
        moved_{options.moved},
        outlier_{options.outlier},
        values_(parameters.size()),
        raw_(count),
        raw_moved_(count) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      HORUS_CHECK(parameters[i].prior > 0, "a log-normal prior is positive");
      if (parameters[i].sigma > 0) free_.push_back(i);
    }
  }

  [[nodiscard]] Index inputs() const { return to_index(free_.size()); }
  [[nodiscard]] Index values() const { return to_index(count_ + free_.size()); }

  /// All parameters at the coordinates `z`, within their bounds.
  [[nodiscard]] const std::vector<double>& values_at(const Vector& z) const {
    for (std::size_t i = 0; i < parameters_.size(); ++i) values_[i] = parameters_[i].prior;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const FitParameter& p = parameters_[free_[i]];
      values_[free_[i]] = std::clamp(p.prior * std::exp(p.sigma * z[to_index(i)]), p.least, p.most);
    }
    return values_;
  }

  /// The coordinates of `values`; the priors where these are empty.
  [[nodiscard]] Vector coordinates(std::span<const double> values) const {
    Vector z = Vector::Zero(inputs());
    if (values.empty()) return z;
    HORUS_CHECK(values.size() == parameters_.size(), "a start has a value for every parameter");
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const FitParameter& p = parameters_[free_[i]];
      z[to_index(i)] = std::log(values[free_[i]] / p.prior) / p.sigma;
    }
    return z;
  }

  int operator()(const Vector& z, Vector& f) const {
    std::ranges::fill(raw_, 0.0);
    residuals_(values_at(z), raw_);
    for (std::size_t i = 0; i < count_; ++i) f[to_index(i)] = softened(raw_[i], outlier_);
    f.tail(inputs()) = z;
    return 0;
  }

  int df(const Vector& z, Matrix& jacobian) const {
    Vector here(values());
    (*this)(z, here);
    jacobian.setZero();
    Vector moved = z;
    for (Index j = 0; j < inputs(); ++j) {
      const double step = kDerivativeStep * std::max(1.0, std::abs(z[j]));
      moved[j] = z[j] + step;
      move(moved, j);
      for (std::size_t i = 0; i < count_; ++i) {
        if (raw_moved_[i] == raw_[i]) continue;
        const Index row = to_index(i);
        jacobian(row, j) = (softened(raw_moved_[i], outlier_) - here[row]) / step;
      }
      jacobian(to_index(count_) + j, j) = 1;
      moved[j] = z[j];
    }
    return 0;
  }

  /// Standard errors of the logarithms from the curvature at `z`.
  [[nodiscard]] std::vector<double> log_errors(const Vector& z) const {
    Matrix jacobian(values(), inputs());
    df(z, jacobian);
    const Matrix covariance =
        (jacobian.transpose() * jacobian).ldlt().solve(Matrix::Identity(inputs(), inputs()));
    std::vector<double> errors(parameters_.size(), 0.0);
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const double variance = covariance(to_index(i), to_index(i));
      errors[free_[i]] = parameters_[free_[i]].sigma * std::sqrt(std::max(0.0, variance));
    }
    return errors;
  }

 private:
  /// Residuals at `z`, which differs from where they were computed last in its entry `j`.
  void move(const Vector& z, Index j) const {
    if (moved_) {
      std::ranges::copy(raw_, raw_moved_.begin());
      moved_(values_at(z), free_[static_cast<std::size_t>(j)], raw_moved_);
    } else {
      std::ranges::fill(raw_moved_, 0.0);
      residuals_(values_at(z), raw_moved_);
    }
  }

  std::span<const FitParameter> parameters_;
  std::size_t count_;
  const ResidualFunction& residuals_;
  const MovedFunction& moved_;
  double outlier_;
  std::vector<std::size_t> free_;       ///< Indices of the parameters that may move.
  mutable std::vector<double> values_;  ///< Room for one evaluation.
  mutable std::vector<double> raw_;     ///< Residuals where they were computed last.
  mutable std::vector<double> raw_moved_;
};

}  // namespace

MapFit map_fit(std::span<const FitParameter> parameters, std::size_t count,
               const ResidualFunction& residuals, const FitOptions& options) {
  Problem problem{parameters, count, residuals, options};
  Vector z = problem.coordinates(options.start);
  MapFit fit;
  fit.converged = true;
  if (problem.inputs() > 0) {
    Eigen::LevenbergMarquardt<Problem> solver{problem};
    solver.setMaxfev(options.iterations_max);
    solver.setXtol(1e-6);
    solver.setFtol(1e-8);
    const auto status = solver.minimize(z);
    fit.converged = status != Eigen::LevenbergMarquardtSpace::TooManyFunctionEvaluation &&
                    status != Eigen::LevenbergMarquardtSpace::ImproperInputParameters;
  }
  Vector f(problem.values());
  problem(z, f);
  fit.cost = f.squaredNorm() / 2;
  fit.log_errors = problem.log_errors(z);
  fit.values = problem.values_at(z);
  return fit;
}

}  // namespace horus::lab
