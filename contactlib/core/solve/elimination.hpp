// Gaussian elimination of a small dense system, in memory that the caller owns. Columns are subtracted from columns, so
// that a compiler may use vector registers without changing the order of a sum.
#pragma once

#include <algorithm>
#include <cmath>

namespace contactlib::solve {

//   column <- L^-1 column,  over the first `count` columns of L, each with ones that are not stored at its top
inline void subtract_columns(const double* L, int count, int n, double* column) noexcept {
  int k = 0;
  for (; k + 3 < count; k += 4) {
    const double *a = L + k * n, *b = a + n, *c = b + n, *d = c + n;
    const double ak = column[k];
    const double bk = column[k + 1] -= a[k + 1] * ak;
    const double ck = column[k + 2] -= a[k + 2] * ak + b[k + 2] * bk;
    const double dk = column[k + 3] -= (a[k + 3] * ak + b[k + 3] * bk) + c[k + 3] * ck;
    for (int i = k + 4; i < n; ++i) column[i] -= (ak * a[i] + bk * b[i]) + (ck * c[i] + dk * d[i]);
  }
  for (; k < count; ++k) {
    const double *a = L + k * n, ak = column[k];
    for (int i = k + 1; i < n; ++i) column[i] -= ak * a[i];
  }
}

//   x <- K^-1 x, columns of K (n x n) after each other, K lost; false, and x lost, where K is singular to rounding
inline bool eliminate(double* K, int n, double* x) noexcept {
  for (int j = 0; j < n; ++j) {
    double* const column = K + j * n;
    subtract_columns(K, j, n, column);
    int pivot = j;
    for (int i = j + 1; i < n; ++i)
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    if (!(std::abs(column[pivot]) > 1e-14)) return false;
    if (pivot != j) {
      for (int k = 0; k < n; ++k) std::swap(K[k * n + j], K[k * n + pivot]);
      std::swap(x[j], x[pivot]);
    }
    const double inverse = 1.0 / column[j];
    for (int i = j + 1; i < n; ++i) column[i] *= inverse;
  }
  subtract_columns(K, n, n, x);
  for (int j = n - 1; j >= 0; --j) {
    const double *column = K + j * n, xj = x[j] /= column[j];
    for (int i = 0; i < j; ++i) x[i] -= xj * column[i];
  }
  return true;
}

}  // namespace contactlib::solve
