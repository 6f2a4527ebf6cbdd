// The Cholesky factor of a small dense matrix, in memory that the caller owns.
#pragma once

#include <algorithm>
#include <cmath>

#include "fours.hpp"

namespace contactlib::solve {

// Subtracts four columns of L from `count` columns of A, from column j on.
template <int count>
inline void subtract_from_columns(const double* L, int j, int n, int stride, double* A) noexcept {
  double factor[count][four];
  for (int e = 0; e < count; ++e)
    for (int k = 0; k < four; ++k) factor[e][k] = L[k * stride + j + e];
  subtract_four(L, factor, j / four * four, n, stride, A + j * stride);
}

//   A = L L^T, L over the lower triangle of A (n x n, columns `stride` apart, a multiple of four); what stands above it
// is lost. Returns false where A is not positive definite.
inline bool cholesky(double* A, int n, int stride) noexcept {
  for (int top = 0; top < n; top += four) {
    const int below = top + four, end = std::min(below, n);
    for (int j = top; j < end; ++j) {
      double* const column = A + j * stride;
      for (int k = top; k < j; ++k) {
        const double *const a = A + k * stride, aj = a[j];
        for (int i = j; i < end; ++i) column[i] -= aj * a[i];
        add_column(a + below, -aj, n - below, column + below);
      }
      if (!(column[j] > 0.0)) return false;
      const double root = std::sqrt(column[j]), inverse = 1.0 / root;
      column[j] = root;
      for (int i = j + 1; i < end; ++i) column[i] *= inverse;
      scale_column(inverse, n - below, column + below);
    }
    int j = below;
    for (; j + 1 < n; j += 2) subtract_from_columns<2>(A + top * stride, j, n, stride, A);
    if (j < n) subtract_from_columns<1>(A + top * stride, j, n, stride, A);
  }
  return true;
}

//   x <- L^-T L^-1 x, x in whole lanes
inline void cholesky_solve(const double* L, int n, int stride, double* x) noexcept {
  for (int top = 0; top < n; top += four) {
    const int below = top + four, end = std::min(below, n);
    for (int j = top; j < end; ++j) {
      const double *const column = L + j * stride, xj = x[j] /= column[j];
      for (int i = j + 1; i < end; ++i) x[i] -= xj * column[i];
      add_column(column + below, -xj, n - below, x + below);
    }
  }
  for (int j = n - 1; j >= 0; --j) {
    const double* column = L + j * stride;
    double even = 0.0, odd = 0.0;
    int i = j + 1;
    for (; i + 1 < n; i += 2) {
      even += column[i] * x[i];
      odd += column[i + 1] * x[i + 1];
    }
    if (i < n) even += column[i] * x[i];
    x[j] = (x[j] - (even + odd)) / column[j];
  }
}

// The same of four columns side by side.
inline void cholesky_solve_four(const double* L, int n, int stride, double* x) noexcept {
  const auto at = [x](int i) { return math::load<FourLanes>(x + four * i); };
  const auto put = [x](int i, const FourLanes& value) { math::store(x + four * i, value); };
  for (int j = 0; j < n; ++j) {
    const double* const column = L + j * stride;
    const FourLanes xj = at(j) / column[j];
    put(j, xj);
    for (int i = j + 1; i < n; ++i) put(i, at(i) - xj * column[i]);
  }
  for (int j = n - 1; j >= 0; --j) {
    const double* column = L + j * stride;
    FourLanes even{}, odd{};
    int i = j + 1;
    for (; i + 1 < n; i += 2) {
      even += column[i] * at(i);
      odd += column[i + 1] * at(i + 1);
    }
    if (i < n) even += column[i] * at(i);
    put(j, (at(j) - (even + odd)) / column[j]);
  }
}

}  // namespace contactlib::solve
