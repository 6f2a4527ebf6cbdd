// The Cholesky factor of a small dense matrix, in memory that the caller owns. Columns are subtracted from columns, so
// that a compiler may use vector registers without changing the order of a sum.
#pragma once

#include <cmath>

namespace contactlib::solve {

//   A = L L^T, L over the lower triangle of A (n x n, columns `stride` apart); false where A is not positive definite
inline bool cholesky(double* A, int n, int stride) noexcept {
  for (int j = 0; j < n; ++j) {
    double* column = A + j * stride;
    int k = 0;
    for (; k + 3 < j; k += 4) {
      const double *a = A + k * stride, *b = a + stride, *c = b + stride, *d = c + stride;
      const double aj = a[j], bj = b[j], cj = c[j], dj = d[j];
      for (int i = j; i < n; ++i) column[i] -= (aj * a[i] + bj * b[i]) + (cj * c[i] + dj * d[i]);
    }
    for (; k < j; ++k) {
      const double *a = A + k * stride, aj = a[j];
      for (int i = j; i < n; ++i) column[i] -= aj * a[i];
    }
    if (!(column[j] > 0.0)) return false;
    const double root = std::sqrt(column[j]), inverse = 1.0 / root;
    column[j] = root;
    for (int i = j + 1; i < n; ++i) column[i] *= inverse;
  }
  return true;
}

//   x <- L^-T L^-1 x
inline void cholesky_solve(const double* L, int n, int stride, double* x) noexcept {
  for (int j = 0; j < n; ++j) {
    const double *column = L + j * stride, xj = x[j] /= column[j];
    for (int i = j + 1; i < n; ++i) x[i] -= xj * column[i];
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

}  // namespace contactlib::solve
