// The linear problem of a step: with K = J M^-1 J^T and the compliances D of the rows, find z with
//   w = (K + D) z + b,   lo <= z <= hi,   w complementary to the bounds (solve/mcp.hpp)
// Most rows have no bounds. They are eliminated once in a step; what remains is a small problem of the others:
//   z_u = -A_uu^-1 b_u - X z_l,  X = A_uu^-1 A_ul,   (A_ll - A_lu X) z_l + b_l - A_lu A_uu^-1 b_u complements z_l
#pragma once

#include <vector>

#include "solve/mcp.hpp"

namespace contactlib::element {

class JointSystem {
 public:
  void make(int rows, int limited);

  // Begins a problem of n rows; fills K by `set`, bounds and compliances by `bound`.
  void begin(int n) noexcept;
  void set(int i, int j, double value) noexcept { K_[i * n_ + j] = K_[j * n_ + i] = value; }
  void bound(int i, double compliance, double lo, double hi) noexcept;

  bool factor() noexcept;  // false where K + D is not positive definite
  // The next z from the last one and the rows' values under it; returns the largest |K (z' - z)|, or nan if it fails.
  double improve(const double* values, double* z) noexcept;

 private:
  int n_ = 0;
  std::vector<double> K_, L_, X_, S_;
  std::vector<double> D_, lo_, hi_, Kz_, b_, y_, pairs_, last_, S_b_, S_lo_, S_hi_, S_z_;
  std::vector<int> free_, limited_;
  std::vector<solve::RowState> states_;
  solve::McpSolver solver_;

  void eliminate(int column, int p) noexcept;
  bool solve(double* z) noexcept;
};

}  // namespace contactlib::element
