// Gauss's elimination of a small dense system, in memory that the caller owns.
#pragma once

#include <algorithm>
#include <cmath>

namespace contactlib {

//   x <- K^-1 x, rows of K (n x n) after each other, K lost; false, and x lost, where K is singular to rounding
inline bool eliminate(double* K, int n, double* x) noexcept {
  for (int j = 0; j < n; ++j) {
    int pivot = j;
    for (int i = j + 1; i < n; ++i)
      if (std::abs(K[i * n + j]) > std::abs(K[pivot * n + j])) pivot = i;
    if (!(std::abs(K[pivot * n + j]) > 1e-14)) return false;
    std::swap_ranges(K + j * n, K + (j + 1) * n, K + pivot * n);
    std::swap(x[j], x[pivot]);
    for (int i = j + 1; i < n; ++i) {
      const double factor = K[i * n + j] / K[j * n + j];
      for (int k = j; k < n; ++k) K[i * n + k] -= factor * K[j * n + k];
      x[i] -= factor * x[j];
    }
  }
  for (int j = n - 1; j >= 0; --j) {
    for (int k = j + 1; k < n; ++k) x[j] -= K[j * n + k] * x[k];
    x[j] /= K[j * n + j];
  }
  return true;
}

}  // namespace contactlib
