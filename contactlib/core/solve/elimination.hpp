// Gaussian elimination of a small dense system, in memory that the caller owns. Four columns make a panel: it is
// factored, with its first four rows in registers, and then subtracted from the columns to its right.
#pragma once

#include <algorithm>
#include <cmath>

#include "fours.hpp"

namespace contactlib::solve {

// Numbers of K, columns of n rows in whole lanes, and then x.
inline constexpr int elimination_size(int n) noexcept { return (n + 1) * in_fours(n); }

// Exchanges row j and the first row below whose number in the column is as large as `most`.
inline void exchange_rows(double* K, int j, int n, const double* column, double most) noexcept {
  int pivot = j + 1;
  while (std::abs(column[pivot]) != most) ++pivot;
  for (int k = 0; k <= n; ++k) std::swap(K[k * in_fours(n) + j], K[k * in_fours(n) + pivot]);
}

// Column number j of the panel that begins at column `top`: what the panel's columns before it leave, its pivot, and
// division by the pivot. Returns false where the pivot is zero to rounding.
template <int j>
inline bool factor_column(double* K, int top, int n) noexcept {
  const int stride = in_fours(n);
  double *const L = K + top * stride, *const column = L + j * stride;
  double x[four];
  for (int i = 0; i < four; ++i) x[i] = column[top + i];
#pragma GCC unroll 4
  for (int k = 0; k < j; ++k)
#pragma GCC unroll 4
    for (int i = k + 1; i < four; ++i) x[i] -= L[k * stride + top + i] * x[k];
  FourLanes larger{};
  for (int i = top + four; i < n; i += four) {
    FourLanes y = math::load<FourLanes>(column + i);
#pragma GCC unroll 4
    for (int k = 0; k < j; ++k) y -= x[k] * math::load<FourLanes>(L + k * stride + i);
    math::store(column + i, y);
    larger = math::greater<FourLanes>(math::magnitude(y), larger);
  }
  double most = std::max(std::max(larger[0], larger[1]), std::max(larger[2], larger[3]));
#pragma GCC unroll 4
  for (int i = j + 1; i < four; ++i) most = std::abs(x[i]) > most ? std::abs(x[i]) : most;
  if (most > std::abs(x[j])) {
    for (int i = 0; i < four; ++i) column[top + i] = x[i];
    exchange_rows(K, top + j, n, column, most);
    for (int i = 0; i < four; ++i) x[i] = column[top + i];
  }
  if (!(std::abs(x[j]) > 1e-14)) return false;
  const double inverse = 1.0 / x[j];
#pragma GCC unroll 4
  for (int i = j + 1; i < four; ++i) x[i] *= inverse;
  for (int i = 0; i < four; ++i) column[top + i] = x[i];
  scale_column(inverse, n - top - four, column + top + four);
  return true;
}

inline bool factor_panel(double* K, int top, int n) noexcept {
  if (!factor_column<0>(K, top, n)) return false;
  if (top + 1 < n && !factor_column<1>(K, top, n)) return false;
  if (top + 2 < n && !factor_column<2>(K, top, n)) return false;
  return top + 3 >= n || factor_column<3>(K, top, n);
}

// Subtracts a panel from `count` columns of K; the panel's L has ones that are not stored on its diagonal.
template <int count>
inline void subtract_panel(const double* L, int top, int n, double* K) noexcept {
  const int stride = in_fours(n);
  const double *a = L + top, *b = a + stride, *c = b + stride;
  double factor[count][four];
  for (int e = 0; e < count; ++e) {
    double *const x = K + e * stride + top, *const f = factor[e];
    f[0] = x[0];
    f[1] = x[1] -= a[1] * f[0];
    f[2] = x[2] -= a[2] * f[0] + b[2] * f[1];
    f[3] = x[3] -= (a[3] * f[0] + b[3] * f[1]) + c[3] * f[2];
  }
  subtract_four(L, factor, top + four, n, stride, K);
}

//   x <- U^-1 x
inline void substitute(const double* U, int n, double* x) noexcept {
  const int stride = in_fours(n);
  for (int top = stride - four; top >= 0; top -= four) {
    double y[four];
    for (int i = 0; i < four; ++i) y[i] = x[top + i];
#pragma GCC unroll 4
    for (int j = four - 1; j >= 0; --j) {
      if (top + j >= n) continue;
      const double* const column = U + (top + j) * stride;
      y[j] /= column[top + j];
#pragma GCC unroll 4
      for (int i = 0; i < j; ++i) y[i] -= y[j] * column[top + i];
      add_column(column, -y[j], top, x);
    }
    for (int i = 0; i < four; ++i) x[top + i] = y[i];
  }
}

//   x <- K^-1 x; K is lost. Returns false, and x is lost, where K is singular to rounding.
inline bool eliminate(double* K, int n) noexcept {
  const int stride = in_fours(n);
  double* const x = K + n * stride;
  for (int j = 0; j <= n; ++j)
    for (int i = n; i < stride; ++i) K[j * stride + i] = 0.0;
  for (int top = 0; top < n; top += four) {
    if (!factor_panel(K, top, n)) return false;
    const double* const L = K + top * stride;
    int j = top + four;
    for (; j < n; j += 2) subtract_panel<2>(L, top, n, K + j * stride);
    if (j == n) subtract_panel<1>(L, top, n, x);
  }
  for (int k = n / four * four; k < n; ++k)
    for (int i = k + 1; i < n; ++i) x[i] -= x[k] * K[k * stride + i];
  substitute(K, n, x);
  return true;
}

}  // namespace contactlib::solve
