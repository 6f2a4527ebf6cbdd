#include "block_cholesky.hpp"

#include <cmath>

namespace contactlib {

namespace {

constexpr int size = BlockCholesky::size;
using Row = BlockCholesky::Row;
using BlockRow = BlockCholesky::BlockRow;

// [D | E] becomes [U | U^-T E], row by row.
bool eliminate(BlockRow& row, double* inverse) noexcept {
  for (int k = 0; k < size; ++k) {
    if (!(row[k][k] > 0.0)) return false;
    inverse[k] = 1.0 / std::sqrt(row[k][k]);
    for (double& x : row[k]) x *= inverse[k];
    for (int i = k + 1; i < size; ++i)
      for (int j = 0; j < 2 * size; ++j) row[i][j] -= row[k][i] * row[k][j];
  }
  return true;
}

// D of the next block -= E^T E
void update(const BlockRow& row, BlockRow& next) noexcept {
  for (int i = 0; i < size; ++i)
    for (int k = 0; k < size; ++k)
      for (int j = 0; j < size; ++j) next[i][j] -= row[k][size + i] * row[k][size + j];
}

}  // namespace

void BlockCholesky::make(std::size_t blocks) {
  rows_.assign(blocks, {});
  inverse_.assign(size * blocks, 0.0);
}

void BlockCholesky::clear() noexcept {
  for (BlockRow& row : rows_) row = {};
}

bool BlockCholesky::factor() noexcept {
  for (std::size_t b = 0; b < rows_.size(); ++b) {
    if (!eliminate(rows_[b], inverse_.data() + size * b)) return false;
    if (b + 1 < rows_.size()) update(rows_[b], rows_[b + 1]);
  }
  return true;
}

void BlockCholesky::forward(double* x, std::size_t first) const noexcept {
  for (std::size_t b = first; b < rows_.size(); ++b) {
    double* const y = x + size * b;
    const bool last = b + 1 == rows_.size();
    for (int k = 0; k < size; ++k) {
      y[k] *= inverse_[size * b + k];
      for (int j = k + 1; j < size; ++j) y[j] -= rows_[b][k][j] * y[k];
      if (last) continue;
      for (int j = 0; j < size; ++j) y[size + j] -= rows_[b][k][size + j] * y[k];
    }
  }
}

void BlockCholesky::backward(double* x) const noexcept {
  for (std::size_t b = rows_.size(); b-- > 0;) {
    double* const y = x + size * b;
    if (b + 1 < rows_.size())
      for (int j = 0; j < size; ++j)
        for (int k = 0; k < size; ++k) y[k] -= rows_[b][k][size + j] * y[size + j];
    for (int k = size; k-- > 0;) {
      y[k] *= inverse_[size * b + k];
      for (int i = 0; i < k; ++i) y[i] -= rows_[b][i][k] * y[k];
    }
  }
}

}  // namespace contactlib
