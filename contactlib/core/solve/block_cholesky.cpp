// Rows are processed two or four numbers at a time. The factor is computed as L D L^T, so that no root stands between
// one pivot and the next, and then scaled.
#include "block_cholesky.hpp"

#include <algorithm>
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

// A block row in lanes: columns 0 to 3 of its upper four rows, columns 4 to 7, and columns 8 to 11. The diagonal block
// is columns 0 to 5; what stands below its diagonal does not count.
struct Lines {
  FourLanes head[four], middle[size], tail[size];

  double at(int i, int j) const noexcept { return j < four ? head[i][j] : middle[i][j - four]; }
};

// D - E^T E, E of the block before; null: none.
inline void reduce(const BlockRow& block, const BlockRow* before, Lines& d) noexcept {
  Pair last[size];
#pragma GCC unroll 6
  for (int i = 0; i < size; ++i) {
    if (i < four) d.head[i] = math::load<FourLanes>(block[i].data());
    last[i] = load(&block[i][four]);
  }
  if (before != nullptr)
#pragma GCC unroll 6
    for (int k = 0; k < size; ++k) {
      const double* const e = &(*before)[k][size];
      const FourLanes e_head = math::load<FourLanes>(e);
      const Pair e_last = load(e + four);
#pragma GCC unroll 6
      for (int i = 0; i < size; ++i) {
        if (i < four) d.head[i] -= e[i] * e_head;
        last[i] -= both(e[i]) * e_last;
      }
    }
#pragma GCC unroll 6
  for (int i = 0; i < size; ++i) {
    d.middle[i] = FourLanes{last[i][0], last[i][1], block[i][size], block[i][size + 1]};
    d.tail[i] = math::load<FourLanes>(&block[i][2 * four]);
  }
}

// L D L^T with E beside it; 1/D. False where a pivot is not positive.
inline bool eliminate(Lines& d, double (&inverse)[size]) noexcept {
  bool positive = true;
#pragma GCC unroll 6
  for (int k = 0; k < size; ++k) {
    const double pivot = d.at(k, k);
    positive = positive && pivot > 0.0;
    inverse[k] = 1.0 / pivot;
#pragma GCC unroll 6
    for (int i = k + 1; i < size; ++i) {
      const double factor = d.at(k, i) * inverse[k];
      if (i < four) d.head[i] -= factor * d.head[k];
      d.middle[i] -= factor * d.middle[k];
      d.tail[i] -= factor * d.tail[k];
    }
  }
  return positive;
}

// U = D^1/2 L^T, and U^-T E beside it.
inline bool factor_block(BlockRow& block, const BlockRow* before, double* root) noexcept {
  Lines d;
  double inverse[size];
  reduce(block, before, d);
  if (!eliminate(d, inverse)) return false;
#pragma GCC unroll 6
  for (int i = 0; i < size; ++i) {
    root[i] = std::sqrt(inverse[i]);
    if (i < four) math::store<FourLanes>(block[i].data(), root[i] * d.head[i]);
    math::store<FourLanes>(&block[i][four], root[i] * d.middle[i]);
    math::store<FourLanes>(&block[i][2 * four], root[i] * d.tail[i]);
  }
  return true;
}

// A block of U^-T x: `next` is its part of x, and then that of the block after it.
inline void forward_block(const BlockRow& u, const double* inverse, double* y, bool last, Pair (&next)[half]) noexcept {
  Pair now[half];
  for (int j = 0; j < half; ++j) {
    now[j] = next[j];
    next[j] = last ? Pair{} : load(y + size + 2 * j);
  }
#pragma GCC unroll 6
  for (int k = 0; k < size; ++k) {
    y[k] = now[k / 2][k % 2] * inverse[k];
#pragma GCC unroll 3
    for (int j = k / 2; j < half; ++j) now[j] -= load(&u[k][2 * j]) * both(y[k]);
#pragma GCC unroll 3
    for (int j = 0; j < half; ++j) next[j] -= load(&u[k][size + 2 * j]) * both(y[k]);
  }
}

// A block of U^-1 x: `after` is the result of the block after it, and then of this one.
inline void backward_block(const BlockRow& u, const double* inverse, double* y, Pair (&after)[half]) noexcept {
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
    now[k] *= inverse[k];
#pragma GCC unroll 6
    for (int i = 0; i < k; ++i) now[i] -= u[i][k] * now[k];
    y[k] = now[k];
  }
  for (int j = 0; j < half; ++j) after[j] = Pair{now[2 * j], now[2 * j + 1]};
}

std::size_t most_blocks(const BlockCholesky* const* matrices, std::size_t count) noexcept {
  std::size_t most = 0;
  for (std::size_t m = 0; m < count; ++m) most = std::max(most, matrices[m]->blocks());
  return most;
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

bool BlockCholesky::factor_next(std::size_t b) noexcept {
  return b >= rows_.size() || factor_block(rows_[b], b > 0 ? &rows_[b - 1] : nullptr, &inverse_[size * b]);
}

bool BlockCholesky::factor() noexcept {
  BlockCholesky* const one = this;
  return factor(&one, 1);
}

bool BlockCholesky::factor(BlockCholesky* const* matrices, std::size_t count) noexcept {
  const std::size_t blocks = most_blocks(matrices, count);
  return four_at_once([=] {
    for (std::size_t b = 0; b < blocks; ++b)
      for (std::size_t m = 0; m < count; ++m)
        if (!matrices[m]->factor_next(b)) return false;
    return true;
  });
}

void BlockCholesky::forward(double* x, std::size_t first) const noexcept {
  Pair next[half];
  for (int j = 0; j < half; ++j) next[j] = load(x + size * first + 2 * j);
  for (std::size_t b = first; b < rows_.size(); ++b)
    forward_block(rows_[b], &inverse_[size * b], x + size * b, b + 1 == rows_.size(), next);
}

void BlockCholesky::solve(const BlockCholesky* const* matrices, double* const* x, std::size_t count) noexcept {
  Pair next[most_beside][half];
  for (std::size_t m = 0; m < count; ++m)
    for (int j = 0; j < half; ++j) next[m][j] = load(x[m] + 2 * j);
  const std::size_t blocks = most_blocks(matrices, count);
  for (std::size_t b = 0; b < blocks; ++b)
    for (std::size_t m = 0; m < count; ++m)
      if (const BlockCholesky& A = *matrices[m]; b < A.blocks())
        forward_block(A.rows_[b], &A.inverse_[size * b], x[m] + size * b, b + 1 == A.blocks(), next[m]);
  backward(matrices, x, count);
}

void BlockCholesky::backward(const BlockCholesky* const* matrices, double* const* x, std::size_t count) noexcept {
  Pair after[most_beside][half] = {};
  for (std::size_t b = most_blocks(matrices, count); b-- > 0;)
    for (std::size_t m = 0; m < count; ++m)
      if (const BlockCholesky& A = *matrices[m]; b < A.blocks())
        backward_block(A.rows_[b], &A.inverse_[size * b], x[m] + size * b, after[m]);
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
  const BlockCholesky* const one = this;
  backward(&one, &x, 1);
}

}  // namespace contactlib::solve
