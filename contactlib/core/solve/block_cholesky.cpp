// Rows are processed two numbers at a time. The factor is computed as L D L^T, so that no root stands between one pivot
// and the next, and then scaled.
#include "block_cholesky.hpp"

#include <cmath>

#include "fours.hpp"

namespace contactlib::solve {

namespace {

constexpr int size = BlockCholesky::size, half = size / 2;
using Row = BlockCholesky::Row;
using BlockRow = BlockCholesky::BlockRow;

using Pair = double __attribute__((vector_size(2 * sizeof(double))));
using Unaligned = double __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

inline Pair both(double x) noexcept { return Pair{x, x}; }
inline Pair load(const double* x) noexcept { return *reinterpret_cast<const Unaligned*>(x); }
inline void store(double* x, Pair value) noexcept { *reinterpret_cast<Unaligned*>(x) = value; }

// The upper triangle of a diagonal block, by rows, from the pair that contains the diagonal on.
struct Triangle {
  Pair row[size][half];

  double at(int i, int j) const noexcept { return row[i][j / 2][j % 2]; }
};

// D - E^T E, E of the block before; null: none.
inline void reduce(const BlockRow& block, const BlockRow* before, Triangle& d) noexcept {
#pragma GCC unroll 6
  for (int i = 0; i < size; ++i)
#pragma GCC unroll 3
    for (int j = i / 2; j < half; ++j) d.row[i][j] = load(&block[i][2 * j]);
  if (before == nullptr) return;
#pragma GCC unroll 6
  for (int i = 0; i < size; ++i)
#pragma GCC unroll 6
    for (int k = 0; k < size; ++k) {
      const Pair e = both((*before)[k][size + i]);
#pragma GCC unroll 3
      for (int j = i / 2; j < half; ++j) d.row[i][j] -= e * load(&(*before)[k][size + 2 * j]);
    }
}

// L D L^T: 1/D, and L^T as factors of rows; false where a pivot is not positive.
inline bool eliminate(Triangle& d, double (&factor)[size][size], double (&inverse)[size]) noexcept {
  bool positive = true;
#pragma GCC unroll 6
  for (int k = 0; k < size; ++k) {
    const double pivot = d.at(k, k);
    positive = positive && pivot > 0.0;
    inverse[k] = 1.0 / pivot;
#pragma GCC unroll 6
    for (int i = k + 1; i < size; ++i) {
      factor[k][i] = d.at(k, i) * inverse[k];
#pragma GCC unroll 3
      for (int j = i / 2; j < half; ++j) d.row[i][j] -= both(factor[k][i]) * d.row[k][j];
    }
  }
  return positive;
}

// U = D^1/2 L^T, and U^-T E beside it.
inline void scale(const Triangle& d, const double (&factor)[size][size], double (&root)[size],
                  BlockRow& block) noexcept {
  Pair e[size][half];
#pragma GCC unroll 6
  for (int i = 0; i < size; ++i) {
#pragma GCC unroll 3
    for (int j = 0; j < half; ++j) e[i][j] = load(&block[i][size + 2 * j]);
#pragma GCC unroll 6
    for (int k = 0; k < i; ++k)
#pragma GCC unroll 3
      for (int j = 0; j < half; ++j) e[i][j] -= both(factor[k][i]) * e[k][j];
  }
#pragma GCC unroll 6
  for (int i = 0; i < size; ++i) {
#pragma GCC unroll 3
    for (int j = i / 2; j < half; ++j) store(&block[i][2 * j], both(root[i]) * d.row[i][j]);
#pragma GCC unroll 3
    for (int j = 0; j < half; ++j) store(&block[i][size + 2 * j], both(root[i]) * e[i][j]);
  }
}

}  // namespace

void BlockCholesky::make(std::size_t blocks) {
  rows_.assign(blocks, {});
  inverse_.assign(size * blocks, 0.0);
}

void BlockCholesky::multiply(const double* x, double* y) const noexcept {
  for (std::size_t i = 0; i < size * rows_.size(); ++i) y[i] = 0.0;
  for (std::size_t b = 0; b < rows_.size(); ++b) {
    const BlockRow& a = rows_[b];
    const double* const from = x + size * b;
    double* const to = y + size * b;
    const int width = b + 1 < rows_.size() ? 2 * size : size;
    for (int i = 0; i < size; ++i) {
      double sum = a[i][i] * from[i];
      for (int j = i + 1; j < width; ++j) {
        sum += a[i][j] * from[j];
        to[j] += a[i][j] * from[i];
      }
      to[i] += sum;
    }
  }
}

bool BlockCholesky::factor() noexcept {
  for (std::size_t b = 0; b < rows_.size(); ++b) {
    Triangle d;
    double factor[size][size], inverse[size];
    reduce(rows_[b], b > 0 ? &rows_[b - 1] : nullptr, d);
    if (!eliminate(d, factor, inverse)) return false;
    for (double& x : inverse) x = std::sqrt(x);
    scale(d, factor, inverse, rows_[b]);
    for (int k = 0; k < size; ++k) inverse_[size * b + k] = inverse[k];
  }
  return true;
}

void BlockCholesky::forward(double* x, std::size_t first) const noexcept {
  Pair next[half];
  for (int j = 0; j < half; ++j) next[j] = load(x + size * first + 2 * j);
  for (std::size_t b = first; b < rows_.size(); ++b) {
    const BlockRow& u = rows_[b];
    const bool last = b + 1 == rows_.size();
    double* const y = x + size * b;
    Pair now[half];
    for (int j = 0; j < half; ++j) {
      now[j] = next[j];
      next[j] = last ? Pair{} : load(y + size + 2 * j);
    }
#pragma GCC unroll 6
    for (int k = 0; k < size; ++k) {
      y[k] = now[k / 2][k % 2] * inverse_[size * b + k];
#pragma GCC unroll 3
      for (int j = k / 2; j < half; ++j) now[j] -= load(&u[k][2 * j]) * both(y[k]);
#pragma GCC unroll 3
      for (int j = 0; j < half; ++j) next[j] -= load(&u[k][size + 2 * j]) * both(y[k]);
    }
  }
}

void BlockCholesky::forward_lanes(double* x, std::size_t first) const noexcept {
  FourLanes next[size];
  for (int j = 0; j < size; ++j) next[j] = math::load<FourLanes>(x + four * (size * first + j));
  for (std::size_t b = first; b < rows_.size(); ++b) {
    const BlockRow& u = rows_[b];
    const bool last = b + 1 == rows_.size();
    double* const y = x + four * size * b;
    FourLanes now[size];
#pragma GCC unroll 6
    for (int j = 0; j < size; ++j) {
      now[j] = next[j];
      next[j] = last ? FourLanes{} : math::load<FourLanes>(y + four * (size + j));
    }
#pragma GCC unroll 6
    for (int k = 0; k < size; ++k) {
      now[k] *= inverse_[size * b + k];
      math::store(y + four * k, now[k]);
#pragma GCC unroll 6
      for (int j = k + 1; j < size; ++j) now[j] -= u[k][j] * now[k];
#pragma GCC unroll 6
      for (int j = 0; j < size; ++j) next[j] -= u[k][size + j] * now[k];
    }
  }
}

void BlockCholesky::forward_four(double* x, std::size_t first) const noexcept {
  four_at_once([&] { forward_lanes(x, first); });
}

void BlockCholesky::backward(double* x) const noexcept {
  Pair after[half] = {};
  for (std::size_t b = rows_.size(); b-- > 0;) {
    const BlockRow& u = rows_[b];
    double* const y = x + size * b;
    double now[size];
#pragma GCC unroll 6
    for (int k = 0; k < size; ++k) {
      Pair sum = load(&u[k][size]) * after[0];
#pragma GCC unroll 3
      for (int j = 1; j < half; ++j) sum += load(&u[k][size + 2 * j]) * after[j];
      now[k] = y[k] - (sum[0] + sum[1]);
    }
#pragma GCC unroll 6
    for (int k = size - 1; k >= 0; --k) {
      now[k] *= inverse_[size * b + k];
#pragma GCC unroll 6
      for (int i = 0; i < k; ++i) now[i] -= u[i][k] * now[k];
      y[k] = now[k];
    }
    for (int j = 0; j < half; ++j) after[j] = Pair{now[2 * j], now[2 * j + 1]};
  }
}

}  // namespace contactlib::solve
