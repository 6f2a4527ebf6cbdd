#include "system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/cholesky.hpp"

namespace contactlib::element {

using solve::cholesky, solve::cholesky_solve, solve::in_fours, solve::RowState, solve::SolveCode;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The least compliance of a row, as a part of K_ii: it determines the forces of redundant rows. A locked coordinate is off
// by this part of the way that its force alone would move the bodies in a step.
constexpr double softness = 1e-8;

}  // namespace

void JointSystem::make(int rows, int limited) {
  const auto n = static_cast<std::size_t>(rows), m = static_cast<std::size_t>(limited);
  K_.resize(n * n);
  const auto lanes = static_cast<std::size_t>(solve::in_fours(rows));
  L_.resize(n * lanes);
  X_.resize(lanes * m);
  S_.resize(m * m);
  for (auto* column : {&D_, &lo_, &hi_, &Kz_, &b_, &last_}) column->resize(n);
  y_.resize(lanes);
  pairs_.resize(2 * n);
  for (auto* column : {&S_b_, &S_lo_, &S_hi_, &S_z_}) column->resize(m);
  free_.reserve(n);
  limited_.reserve(n);
  states_.resize(m);
  solver_.make(limited);
}

void JointSystem::begin(int n) noexcept {
  n_ = n;
  free_.clear();
  limited_.clear();
  std::fill_n(Kz_.begin(), n, 0.0);
  std::fill(states_.begin(), states_.end(), RowState::between);
}

void JointSystem::bound(int i, double compliance, double lo, double hi) noexcept {
  D_[i] = compliance;
  lo_[i] = lo, hi_[i] = hi;
  (lo == -infinity && hi == infinity ? free_ : limited_).push_back(i);
}

// Column of X, and what it leaves of the limited rows.
void JointSystem::eliminate(int column, int p) noexcept {
  const int m = static_cast<int>(limited_.size()), j = limited_[column], stride = in_fours(p);
  double* const x = X_.data() + column * stride;
  for (int k = 0; k < p; ++k) x[k] = K_[j * n_ + free_[k]];
  cholesky_solve(L_.data(), p, stride, x, pairs_.data());
  for (int i = 0; i < m; ++i) {
    double left = K_[limited_[i] * n_ + j];
    if (limited_[i] == j) left += D_[j];
    for (int k = 0; k < p; ++k) left -= K_[limited_[i] * n_ + free_[k]] * x[k];
    S_[i * m + column] = left;
  }
}

bool JointSystem::factor() noexcept {
  for (int i = 0; i < n_; ++i) D_[i] = std::max(D_[i], softness * K_[i * n_ + i]);
  const int p = static_cast<int>(free_.size()), m = static_cast<int>(limited_.size()), stride = in_fours(p);
  for (int k = 0; k < p; ++k) {
    const double* const row = K_.data() + free_[k] * n_;
    for (int l = k; l < p; ++l) L_[k * stride + l] = row[free_[l]];
    L_[k * stride + k] += D_[free_[k]];
  }
  if (!cholesky(L_.data(), p, stride)) return false;
  for (int column = 0; column < m; ++column) eliminate(column, p);
  for (int i = 0; i < m; ++i)  // symmetric to the last bit, and with a diagonal above zero, whatever the rounding
    for (int j = 0; j <= i; ++j) S_[i * m + j] = S_[j * m + i] = 0.5 * (S_[i * m + j] + S_[j * m + i]);
  for (int i = 0; i < m; ++i) S_[i * m + i] = std::max(S_[i * m + i], D_[limited_[i]]);
  return true;
}

bool JointSystem::solve(double* z) noexcept {
  const int p = static_cast<int>(free_.size()), m = static_cast<int>(limited_.size()), stride = in_fours(p);
  for (int k = 0; k < p; ++k) y_[k] = -b_[free_[k]];
  cholesky_solve(L_.data(), p, stride, y_.data(), pairs_.data());
  for (int i = 0; i < m; ++i) {
    const int row = limited_[i];
    S_b_[i] = b_[row];
    for (int k = 0; k < p; ++k) S_b_[i] += K_[row * n_ + free_[k]] * y_[k];
    S_lo_[i] = lo_[row], S_hi_[i] = hi_[row];
  }
  const auto report =
      solver_.solve({m, S_.data(), S_b_.data(), S_lo_.data(), S_hi_.data()}, states_.data(), S_z_.data());
  if (report.code > SolveCode::inexact) return false;
  for (int i = 0; i < m; ++i) {
    z[limited_[i]] = S_z_[i];
    for (int k = 0; k < p; ++k) y_[k] -= X_[i * stride + k] * S_z_[i];
  }
  for (int k = 0; k < p; ++k) z[free_[k]] = y_[k];
  return true;
}

double JointSystem::improve(const double* values, double* z) noexcept {
  for (int i = 0; i < n_; ++i) {
    b_[i] = values[i] - Kz_[i];
    last_[i] = z[i];
  }
  if (!solve(z)) return std::numeric_limits<double>::quiet_NaN();
  double most = 0.0;
  for (int j = 0; j < n_; ++j) last_[j] = z[j] - last_[j];
  for (int i = 0; i < n_; ++i) {
    double step = 0.0;
    for (int j = 0; j < n_; ++j) step += K_[i * n_ + j] * last_[j];
    Kz_[i] += step;
    most = std::max(most, std::abs(step));
    if (std::isnan(step)) return step;
  }
  return most;
}

}  // namespace contactlib::element
