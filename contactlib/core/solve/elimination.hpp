// Gaussian elimination of a small dense system, in memory that the caller owns.
#pragma once

#include <algorithm>
#include <cmath>

#include "fours.hpp"

namespace contactlib::solve {

// L^-1 over four columns of L, from row `top` on, of `count` columns of K; L has ones that are not stored on its diagonal.
template <int count>
inline void subtract_four_columns(const double* L, int top, int n, int stride, double* K) noexcept {
  const double *a = L, *b = a + stride, *c = b + stride, *d = c + stride;
  double factor[count][four];
  for (int e = 0; e < count; ++e) {
    double *const x = K + e * stride + top, *const f = factor[e];
    f[0] = x[0];
    f[1] = x[1] -= a[top + 1] * f[0];
    f[2] = x[2] -= a[top + 2] * f[0] + b[top + 2] * f[1];
    f[3] = x[3] -= (a[top + 3] * f[0] + b[top + 3] * f[1]) + c[top + 3] * f[2];
  }
  subtract_four(L, factor, top + four, n, stride, K);
}

// The same over columns `top` to `end`, fewer than four, one after the other.
inline void subtract_few_columns(const double* K, int top, int end, int n, int stride, double* column) noexcept {
  const int below = top + four;
  for (int k = top; k < end; ++k) {
    const double *const a = K + k * stride, ak = column[k];
    for (int i = k + 1; i < std::min(below, n); ++i) column[i] -= ak * a[i];
    add_column(a + below, -ak, n - below, column + below);
  }
}

// The first of the largest numbers of a column from row `first` on, which is less than four rows below row `top`.
inline int largest_row(const double* column, int top, int first, int n) noexcept {
  int row = first;
  for (int i = first + 1; i < std::min(top + four, n); ++i)
    if (std::abs(column[i]) > std::abs(column[row])) row = i;
  FourLanes most{};
  for (int i = top + four; i < n; i += four)
    most = math::greater<FourLanes>(math::magnitude(math::load<FourLanes>(column + i)), most);
  const double below = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
  if (!(below > std::abs(column[row]))) return row;
  for (row = top + four; std::abs(column[row]) != below;) ++row;
  return row;
}

//   x <- U^-1 x
inline void substitute(const double* U, int n, int stride, double* x) noexcept {
  for (int top = (n - 1) / four * four; top >= 0; top -= four)
    for (int j = std::min(top + four, n) - 1; j >= top; --j) {
      const double *const column = U + j * stride, xj = x[j] /= column[j];
      for (int i = top; i < j; ++i) x[i] -= xj * column[i];
      add_column(column, -xj, top, x);
    }
}

//   x <- K^-1 x, columns of K (n x n) and then x, `stride` apart, a multiple of four; K is lost. Returns false, and x is
// lost, where K is singular to rounding.
inline bool eliminate(double* K, int n, int stride) noexcept {
  for (int j = 0; j <= n; ++j)
    for (int i = n; i < in_fours(n); ++i) K[j * stride + i] = 0.0;
  for (int top = 0; top < n; top += four) {
    const int end = std::min(top + four, n);
    for (int j = top; j < end; ++j) {
      double* const column = K + j * stride;
      subtract_few_columns(K, top, j, n, stride, column);
      const int pivot = largest_row(column, top, j, n);
      if (!(std::abs(column[pivot]) > 1e-14)) return false;
      if (pivot != j)
        for (int k = 0; k <= n; ++k) std::swap(K[k * stride + j], K[k * stride + pivot]);
      const double inverse = 1.0 / column[j];
      for (int i = j + 1; i < std::min(top + four, n); ++i) column[i] *= inverse;
      scale_column(inverse, n - top - four, column + top + four);
    }
    if (end < top + four) {
      subtract_few_columns(K, top, end, n, stride, K + n * stride);
      break;
    }
    int j = end;
    for (; j < n; j += 2) subtract_four_columns<2>(K + top * stride, top, n, stride, K + j * stride);
    if (j == n) subtract_four_columns<1>(K + top * stride, top, n, stride, K + j * stride);
  }
  substitute(K, n, stride, K + n * stride);
  return true;
}

}  // namespace contactlib::solve
