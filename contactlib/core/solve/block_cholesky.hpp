// symmetric positive matrices that couple each block of six unknowns with the next one only, as the nodes of a cable:
//   A = U^T U,   in time linear in the number of blocks.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace contactlib::solve {

class BlockCholesky {
 public:
  static constexpr int size = 6;

  // a block row: six rows of the block on the diagonal, of which the upper triangle counts, and of the block to its
  // right. before `factor` of A, after it of U.
  using Row = std::array<double, 2 * size>;
  using BlockRow = std::array<Row, size>;

  void make(std::size_t blocks);  // may throw std::bad_alloc
  std::size_t blocks() const noexcept { return rows_.size(); }
  BlockRow& operator[](std::size_t block) noexcept { return rows_[block]; }
  const BlockRow& operator[](std::size_t block) const noexcept { return rows_[block]; }

  // false where a pivot is not positive, which also a nan is not.
  bool factor() noexcept;

  // leaves unknown k of a block out of all that is solved for from now on: there x = 0. after `factor` of a matrix
  // whose row and column of it are those of the identity.
  void leave_out(std::size_t block, int k) noexcept { inverse_[size * block + k] = 0.0; }

  // x becomes U^-T x; zero before block `first`, where the work begins. products of such columns are those of A^-1:
  //   a^T A^-1 b = (U^-T a)^T (U^-T b)
  void forward(double* x, std::size_t first = 0) const noexcept;
  // x becomes U^-1 x.
  void backward(double* x) const noexcept;

 private:
  std::vector<BlockRow> rows_;
  std::vector<double> inverse_;  // 1/U_kk
};

}  // namespace contactlib::solve
