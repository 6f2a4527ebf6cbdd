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

// Subtracts `count` columns of L, from column `top` on, from the rows below them.
template <int count>
inline void subtract_below(const double* L, int top, int n, int stride, double* x) noexcept {
  const double *const a = L + top * stride, *const f = x + top;
  for (int i = top + four; i < n; i += four) {
    FourLanes sum = math::load<FourLanes>(x + i);
    for (int k = 0; k < count; ++k) sum += -f[k] * math::load<FourLanes>(a + k * stride + i);
    math::store(x + i, sum);
  }
}

//   x <- L^-1 x
inline void cholesky_forward(const double* L, int n, int stride, double* x) noexcept {
  for (int top = 0; top < n; top += four) {
    const int end = std::min(top + four, n);
    for (int j = top; j < end; ++j) {
      const double *const column = L + j * stride, xj = x[j] /= column[j];
      for (int i = j + 1; i < end; ++i) x[i] -= xj * column[i];
    }
    if (top + four < n) subtract_below<four>(L, top, n, stride, x);
  }
}

//   x <- L^-T x. `pairs` (2 n) is scratch: x_i and x_i+1 stand there side by side, so that what has just been stored is
// loaded as it was stored.
inline void cholesky_backward(const double* L, int n, int stride, double* x, double* pairs) noexcept {
  double after = 0.0;
  for (int j = n - 1; j >= 0; --j) {
    const double* const column = L + j * stride;
    math::TwoLanes sum{};
    int i = j + 1;
    for (; i + 1 < n; i += 2) sum += math::load<math::TwoLanes>(column + i) * math::load<math::TwoLanes>(pairs + 2 * i);
    if (i < n) sum[0] += column[i] * x[i];
    const double own = (x[j] - (sum[0] + sum[1])) / column[j];
    x[j] = own;
    math::store(pairs + 2 * j, math::TwoLanes{own, after});
    after = own;
  }
}

//   x <- L^-T L^-1 x, x in whole lanes; `pairs` (2 n) is scratch
inline void cholesky_solve(const double* L, int n, int stride, double* x, double* pairs) noexcept {
  cholesky_forward(L, n, stride, x);
  cholesky_backward(L, n, stride, x, pairs);
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
