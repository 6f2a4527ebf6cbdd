// Symmetric positive definite matrices that couple each block of six unknowns only with the next block, as the nodes of
// a cable do:
//   A = U^T U,   in time linear in the number of blocks.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace contactlib::solve {

class BlockCholesky {
 public:
  static constexpr int size = 6;

  // A block row: six rows of the diagonal block, of which the upper triangle counts, and of the block to its right.
  // Before `factor` of A, after it of U.
  using Row = std::array<double, 2 * size>;
  using BlockRow = std::array<Row, size>;

  void make(std::size_t blocks);  // may throw std::bad_alloc
  std::size_t blocks() const noexcept { return rows_.size(); }
  BlockRow& operator[](std::size_t block) noexcept { return rows_[block]; }
  const BlockRow& operator[](std::size_t block) const noexcept { return rows_[block]; }

  // y = A x, before `factor`.
  void multiply(const double* x, double* y) const noexcept;

  // Returns false if a pivot is not positive, or not a number.
  bool factor() noexcept;

  // Excludes unknown k of a block from all further solutions: x = 0 there. Requires `factor` of a matrix whose row and
  // column of this unknown are those of the identity.
  void leave_out(std::size_t block, int k) noexcept { inverse_[size * block + k] = 0.0; }

  // x becomes U^-T x; x is zero before block `first`, where the computation begins. Dot products of such columns are
  // those of A^-1:
  //   a^T A^-1 b = (U^-T a)^T (U^-T b)
  void forward(double* x, std::size_t first = 0) const noexcept;
  // The same of four columns side by side: x has four numbers for each unknown.
  void forward_four(double* x, std::size_t first = 0) const noexcept;
  // x becomes U^-1 x.
  void backward(double* x) const noexcept;

  // The same of up to `most_beside` matrices, with a column each: a processor works on one matrix while it waits for a
  // result of another. x becomes A^-1 x in `solve`.
  static constexpr std::size_t most_beside = 4;
  static bool factor(BlockCholesky* const* matrices, std::size_t count) noexcept;
  static void solve(const BlockCholesky* const* matrices, double* const* x, std::size_t count) noexcept;
  static void backward(const BlockCholesky* const* matrices, double* const* x, std::size_t count) noexcept;

 private:
  std::vector<BlockRow> rows_;
  std::vector<double> inverse_;  // 1/U_kk

  bool factor_next(std::size_t block) noexcept;
  void forward_lanes(double* x, std::size_t first) const noexcept;
};

}  // namespace contactlib::solve
