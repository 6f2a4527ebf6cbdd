// Mixed complementarity: unilateral rows, rows with limits, and bilateral rows. Finds z with
//   w = A z + b,   lo <= z <= hi,   w_i >= 0 where z_i = lo_i,   w_i <= 0 where z_i = hi_i,   w_i = 0 between
// by block principal pivoting: Judice and Pires, "A block principal pivoting algorithm for large-scale strictly
// monotone linear complementarity problems", Computers & Operations Research 21 (1994). See docs/solver.md.
#pragma once

#include <cstdint>
#include <vector>

namespace contactlib::solve {

enum class SolveCode : std::int32_t {
  solved = 0,
  iteration_limit_reached,        // too many iterations: z is the best of them, `residual` says how good that is
  inexact,       // the rows contradict each other: z is as near as it gets
  not_finite,    // A or b holds a nan or an infinity, or a bound is a nan
  bad_bounds,    // lo > hi, lo = +inf or hi = -inf
  not_positive,  // A is not positive semi-definite
  bad_contact,   // friction: rows that do not exist or are shared, a coefficient below zero, a normal that may pull
  too_large,     // more rows or contacts than there is memory for
};

inline constexpr int no_limit = 0x7fffffff;

inline constexpr int solve_code_count = 8;
static_assert(static_cast<int>(SolveCode::too_large) + 1 == solve_code_count);

// A is symmetric and positive semi-definite, n x n without gaps; its upper triangle is not read. A bilateral row has lo
// = -inf and hi = inf; lo = hi prescribes z_i.
struct McpProblem {
  int n;
  const double* A;
  const double* b;
  const double* lo;
  const double* hi;
};

struct SolveReport {
  SolveCode code = SolveCode::solved;
  std::int32_t row = -1;         // of what is wrong with the problem
  std::int32_t pivots = 0;       // changes of the set of free rows
  std::int32_t single = 0;       // of them by one row alone, in the fall-back
  std::int32_t iterations = 0;   // of refinement, or of friction
  std::int32_t sweeps = 0;       // of friction's fall-back over all rows
  double residual = 0.0;  // how far z is from a solution, by the size of b; the rows scaled to a diagonal of one
};

// Each of them costs at most about as much as one factorisation of all rows.
inline int work(const SolveReport& report) noexcept { return report.iterations + report.pivots + report.sweeps; }

// The state of a row in a solution; as a warm start any values are valid.
enum class RowState : std::int8_t { at_lower = -1, between = 0, at_upper = 1 };

// Memory for problems of up to `capacity` rows. The same problem and start give the same bits.
class McpSolver {
 public:
  void make(int capacity);
  int capacity() const noexcept { return capacity_; }

  // The number of sets tried, besides ten for each row
  int max_iterations = 100;
  int max_pivots = no_limit;  // of a call of `solve`, whatever the number of rows

  // The first check of `solve`: what is wrong with a problem, if anything.
  SolveReport check(const McpProblem& problem, const RowState* states) noexcept;

  // `states` (n) is the start, and then the state of z. An invalid problem leaves both unchanged.
  SolveReport solve(const McpProblem& problem, RowState* states, double* z) noexcept;

  // The responses of the free rows of the last solution to small changes of the others: `count` times dz (n), given
  // where a row is at a bound.
  //   dz_F = -A_FF^-1 A_FN dz_N
  void follow(double* dz, int count) noexcept;

 private:
  int capacity_ = 0, n_ = 0, free_ = 0;
  int stride_ = 0, free_stride_ = 0;  // between columns of B and L
  double rho_ = 0.0;
  std::vector<double> B_, L_;  // A scaled and made definite; the factor of its free rows
  std::vector<double> scale_, b_, lo_, hi_, load_, center_, y_, w_, x_;
  std::vector<double> x_four_;  // four columns side by side
  std::vector<double> factor_;  // of columns of B
  std::vector<std::int32_t> rows_, which_;  // that are free; the columns of `factor_`
  std::vector<RowState> state_, next_, fewest_;
  std::vector<char> factored_;  // which rows are in L_

  SolveReport read_matrix(const double* A) noexcept;
  const double* read_row_of_B(const double* A, int i) noexcept;
  SolveReport read_row(const McpProblem& problem, int i, RowState state) noexcept;
  bool factor() noexcept;
  bool solve_free() noexcept;
  int judge(double relative) noexcept;
  bool soften(double rho) noexcept;
  void change(bool block) noexcept;
  bool pivot(SolveReport& report) noexcept;
  void refine(SolveReport& report) noexcept;
  void follow_four(double* dz, int count) noexcept;
  template <class Chosen>
  void add_products(const Chosen& chosen, const double* y) noexcept;
  double residual() noexcept;
  double size() const noexcept;
};

}  // namespace contactlib::solve
