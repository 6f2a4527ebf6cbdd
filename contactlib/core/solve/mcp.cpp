// Rows are scaled to a unit diagonal, so that newtons and newton-metres are comparable:  z = s y,  B = s A s, s_i =
// A_ii^-1/2
//
// Redundant rows make B singular. A proximal step makes it definite, and the next step removes the change,
//   (B + rho I) y' + b - rho y   complements   y',   y <- y'
// so that w is that of A itself, and z is near the smallest of all forces that give this w. rho = sqrt(eps) leaves half
// of the digits to either side: a Cholesky pivot, at least rho, has the error n eps / rho, and a step reduces the
// remainder by the factor rho / (rho + lambda).
#include "mcp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cholesky.hpp"

namespace contactlib::solve {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double rho = 1.0 / (1 << 26);  // sqrt(eps)
constexpr char unknown = 2;  // of a row in the factor: neither in nor out
constexpr double loosest = 1e-10;  // the most that a row may be wrong, by the size of y, and stay
constexpr double contradiction = 1e-9;  // a residual that steps of refinement cannot reduce to this is no rounding
constexpr int max_steps = 20;  // of refinement: each at least halves the residual
constexpr int patience = 10;  // blocks that may bring no progress before rows change one at a time

double largest(const std::vector<double>& values, int n) noexcept {
  double out = 0.0;
  for (int i = 0; i < n; ++i) out = std::max(out, std::abs(values[i]));
  return out;
}

RowState first_state(RowState given, double lo, double hi) noexcept {
  if (lo == hi) return RowState::at_lower;
  if (given == RowState::between) return given;
  if (given == RowState::at_upper && hi < infinity) return RowState::at_upper;
  if (lo > -infinity) return RowState::at_lower;
  return hi < infinity ? RowState::at_upper : RowState::between;
}

}  // namespace

void McpSolver::make(int capacity) {
  const std::size_t n = static_cast<std::size_t>(std::max(capacity, 0));
  capacity_ = static_cast<int>(n);
  n_ = free_ = 0;
  const auto lanes = static_cast<std::size_t>(in_fours(capacity_));
  B_.resize(n * lanes);
  L_.resize(n * lanes);
  for (auto* column : {&scale_, &b_, &lo_, &hi_, &load_, &center_, &y_, &w_, &x_, &factor_}) column->resize(lanes);
  x_four_.resize(four * lanes);
  rows_.resize(n);
  which_.resize(n);
  for (auto* states : {&state_, &next_, &fewest_}) states->resize(n);
  factored_.resize(n);
}

SolveReport McpSolver::solve(const McpProblem& problem, RowState* states, double* z) noexcept {
  SolveReport report = check(problem, states);
  if (report.code != SolveCode::solved) return report;
  four_at_once([&] { refine(report); });
  if (report.code == SolveCode::not_finite || report.code == SolveCode::not_positive) return report;
  for (int i = 0; i < n_; ++i) {
    states[i] = state_[i];
    const double lo = problem.lo[i], hi = problem.hi[i];
    if (center_[i] <= lo_[i]) {
      z[i] = lo;
    } else {
      z[i] = center_[i] >= hi_[i] ? hi : std::min(std::max(scale_[i] * center_[i], lo), hi);
    }
  }
  return report;
}

void McpSolver::follow(double* dz, int count) noexcept {
  for (int first = 0; first < count; first += four)
    four_at_once([&] { follow_four(dz + first * n_, std::min(four, count - first)); });
}

// One to four of them.
void McpSolver::follow_four(double* dz, int count) noexcept {
  for (int c = 0; c < count; ++c) {
    const double* const given = dz + c * n_;
    std::fill_n(w_.begin(), stride_, 0.0);
    for (int j = 0; j < n_; ++j)
      if (!factored_[j] && given[j] != 0.0) add_column(&B_[j * stride_], given[j] / scale_[j], n_, w_.data());
    for (int k = 0; k < free_; ++k) x_four_[four * k + c] = -w_[rows_[k]];
  }
  cholesky_solve_four(L_.data(), free_, free_stride_, x_four_.data());
  for (int c = 0; c < count; ++c)
    for (int k = 0; k < free_; ++k) dz[c * n_ + rows_[k]] = scale_[rows_[k]] * x_four_[four * k + c];
}

SolveReport McpSolver::check(const McpProblem& problem, const RowState* states) noexcept {
  if (problem.n < 0 || problem.n > capacity_) return {SolveCode::too_large};
  n_ = problem.n;
  SolveReport report = four_at_once([&] { return read_matrix(problem.A); });
  for (int i = 0; i < n_ && report.code == SolveCode::solved; ++i) report = read_row(problem, i, states[i]);
  return report;
}

// A row without a diagonal must be zero if A is positive semi-definite; |B_ij| > 1 shows that A is not.
SolveReport McpSolver::read_matrix(const double* A) noexcept {
  double top = 0.0;
  stride_ = in_fours(n_);
  for (int i = 0; i < n_; ++i) {
    const double diagonal = A[i * n_ + i];
    if (!std::isfinite(diagonal)) return {SolveCode::not_finite, i};
    if (diagonal < 0.0) return {SolveCode::not_positive, i};
    top = std::max(top, diagonal);
  }
  for (int i = 0; i < n_; ++i) {
    const double diagonal = A[i * n_ + i];
    scale_[i] = 1.0 / std::sqrt(diagonal > 0.0 ? diagonal : (top > 0.0 ? top : 1.0));
    B_[i * stride_ + i] = diagonal > 0.0 ? 1.0 + rho : rho;
    std::fill_n(B_.begin() + i * stride_ + n_, stride_ - n_, 0.0);
    x_[i] = diagonal > 0.0 ? 1.0 + rho : 0.0;  // the most that other entries may be
    if (const double* const entry = read_row_of_B(A + i * n_, i))
      return {std::isfinite(*entry) ? SolveCode::not_positive : SolveCode::not_finite, i};
  }
  std::fill_n(factored_.begin(), n_, unknown);
  rho_ = rho;
  return {};
}

// The row up to the diagonal, and the column above it. Returns the first entry of A that is too large, or null.
const double* McpSolver::read_row_of_B(const double* A, int i) noexcept {
  double *const row = &B_[i * stride_], *const column = &B_[i];
  const double *const scale = scale_.data(), *const most = x_.data(), own = scale[i];
  const FourLanes own_most = most[i] - FourLanes{};
  FourLanes fits = 1.0 - FourLanes{};
  int j = 0;
  for (; j + four <= i; j += four) {
    const FourLanes entry = own * math::load<FourLanes>(A + j) * math::load<FourLanes>(scale + j);
    const FourLanes bound = math::lesser(math::load<FourLanes>(most + j), own_most);
    fits = math::lesser(fits, math::at_most(math::magnitude(entry), bound));
    math::store(row + j, entry);
  }
  for (int k = j; k < i; ++k) row[k] = own * A[k] * scale[k];
  const bool all_fit = fits[0] * fits[1] * fits[2] * fits[3] != 0.0;
  for (int k = all_fit ? j : 0; k < i; ++k)
    if (!(std::abs(row[k]) <= std::min(most[i], most[k]))) return A + k;
  for (int k = 0; k < i; ++k) column[k * stride_] = row[k];
  return nullptr;
}

SolveReport McpSolver::read_row(const McpProblem& problem, int i, RowState state) noexcept {
  const double lo = problem.lo[i], hi = problem.hi[i];
  if (std::isnan(lo) || std::isnan(hi)) return {SolveCode::not_finite, i};
  if (!(lo <= hi) || lo == infinity || hi == -infinity) return {SolveCode::bad_bounds, i};
  b_[i] = scale_[i] * problem.b[i];
  lo_[i] = lo / scale_[i];
  hi_[i] = hi / scale_[i];
  if (!std::isfinite(b_[i]) || lo_[i] == infinity || hi_[i] == -infinity) return {SolveCode::not_finite, i};
  state_[i] = first_state(state, lo_[i], hi_[i]);
  return {};
}

// Proximal steps until the residual of B itself is rounding. `center_` is the best y. Where a step does not halve the
// residual, an eigenvalue of B is smaller than rho: rho is reduced, until Cholesky's pivots would be rounding.
void McpSolver::refine(SolveReport& report) noexcept {
  double best = infinity;
  std::fill_n(center_.begin(), n_, 0.0);
  for (; report.iterations <= max_steps; ++report.iterations) {
    for (int i = 0; i < n_; ++i) load_[i] = b_[i] - rho_ * center_[i];
    if (!pivot(report)) return;
    const double now = residual();
    if (!std::isfinite(now)) {
      report.code = SolveCode::not_finite;
      return;
    }
    const bool slow = !(now < 0.5 * best);
    if (now < best) {
      best = now;
      std::copy_n(y_.begin(), n_, center_.begin());
    }
    if (report.code == SolveCode::iteration_limit_reached || now <= 4.0 * eps * (size() + largest(y_, n_))) break;
    if (slow && !soften(rho_ / 64.0)) break;
  }
  const double whole = size();
  const bool rounding = best <= contradiction * whole + n_ * eps * largest(center_, n_);
  if (rounding || report.code == SolveCode::solved) report.code = rounding ? SolveCode::solved : SolveCode::inexact;
  report.residual = whole > 0.0 ? best / whole : best;
}

bool McpSolver::soften(double rho) noexcept {
  if (!(rho > n_ * (n_ + 1) * eps)) return false;
  for (int i = 0; i < n_; ++i) B_[i * stride_ + i] += rho - rho_;
  rho_ = rho;
  std::fill_n(factored_.begin(), n_, unknown);
  return true;
}

// Murty's rule (only the first row that is wrong changes) ends after finitely many sets: while the last row keeps its
// state, the rows before it find their solution (by induction), and its w_n increases with z_n, so that the last row
// changes from a bound to between, or from there to a bound, at most twice. Block pivots are faster and may cycle; so
// may rounding: therefore each change of one row alone doubles the tolerance of rounding.
bool McpSolver::pivot(SolveReport& report) noexcept {
  int fewest = n_ + 1, blocks = patience;
  double tolerance = (n_ + 8) * eps;
  for (int tried = 0;; ++tried) {
    if (!solve_free()) {
      report.code = SolveCode::not_positive;
      return false;
    }
    const int wrong = judge(tolerance);
    if (wrong == 0 || report.code == SolveCode::iteration_limit_reached) break;
    if (wrong < fewest) {
      fewest = wrong;
      blocks = patience;
      std::copy_n(state_.begin(), n_, fewest_.begin());
    } else if (blocks > 0) {
      --blocks;
    }
    if (tried + 1 >= max_iterations + 10 * n_ || report.pivots >= max_pivots) {
      report.code = SolveCode::iteration_limit_reached;
      std::copy_n(fewest_.begin(), n_, state_.begin());
    } else {
      ++report.pivots;
      if (blocks == 0) {
        ++report.single;
        tolerance = std::min(2.0 * tolerance, loosest);
      }
      change(blocks > 0);
    }
  }
  for (int i = 0; i < n_; ++i) y_[i] = std::min(std::max(y_[i], lo_[i]), hi_[i]);
  return true;
}

bool McpSolver::factor() noexcept {
  bool same = true;
  free_ = 0;
  for (int i = 0; i < n_; ++i) {
    const char free = state_[i] == RowState::between;
    same = same && factored_[i] == free;
    factored_[i] = free;
    if (free) rows_[free_++] = i;
  }
  if (same) return true;
  free_stride_ = in_fours(free_);
  for (int k = 0; k < free_; ++k) {
    const double* column = &B_[rows_[k] * stride_];
    for (int l = k; l < free_; ++l) L_[k * free_stride_ + l] = column[rows_[l]];
  }
  return cholesky(L_.data(), free_, free_stride_);
}

//   y_N at its bounds,   y_F = -B_FF^-1 (b + B_FN y_N),   w = B y + b
bool McpSolver::solve_free() noexcept {
  if (!factor()) return false;
  std::copy_n(load_.begin(), n_, w_.begin());
  for (int j = 0; j < n_; ++j)
    if (!factored_[j]) y_[j] = state_[j] == RowState::at_lower ? lo_[j] : hi_[j];
  add_products([this](int j) { return !factored_[j] && y_[j] != 0.0; }, y_.data());
  for (int k = 0; k < free_; ++k) x_[k] = -w_[rows_[k]];
  cholesky_solve(L_.data(), free_, free_stride_, x_.data(), x_four_.data());
  add_columns({B_.data(), stride_, free_, rows_.data(), x_.data()}, n_, w_.data());
  for (int k = 0; k < free_; ++k) {
    y_[rows_[k]] = x_[k];
    w_[rows_[k]] = 0.0;
  }
  return true;
}

// w += B y over the chosen rows
template <class Chosen>
void McpSolver::add_products(const Chosen& chosen, const double* y) noexcept {
  int count = 0;
  for (int j = 0; j < n_; ++j) {
    which_[count] = j;
    factor_[count] = y[j];
    count += chosen(j);
  }
  add_columns({B_.data(), stride_, count, which_.data(), factor_.data()}, n_, w_.data());
}

// Writes the state of each row to `next_`; returns the number of changed rows. Deviations below the rounding of w are
// accepted: a row at its bound without a force keeps its state.
int McpSolver::judge(double relative) noexcept {
  const double tolerance = relative * (largest(y_, n_) + largest(load_, n_));
  int wrong = 0;
  for (int i = 0; i < n_; ++i) {
    RowState belongs = state_[i];
    if (state_[i] == RowState::between) {
      if (y_[i] < lo_[i] - tolerance) belongs = RowState::at_lower;
      if (y_[i] > hi_[i] + tolerance) belongs = RowState::at_upper;
    } else if (lo_[i] < hi_[i] && (state_[i] == RowState::at_lower ? w_[i] < -tolerance : w_[i] > tolerance)) {
      belongs = RowState::between;
    }
    wrong += belongs != state_[i];
    next_[i] = belongs;
  }
  return wrong;
}

void McpSolver::change(bool block) noexcept {
  for (int i = 0; i < n_; ++i) {
    if (next_[i] == state_[i]) continue;
    state_[i] = next_[i];
    if (!block) return;
  }
}

//   max |y - clamp(y - w, lo, hi)|,   w = B y + b without rho
double McpSolver::residual() noexcept {
  for (int i = 0; i < n_; ++i) w_[i] = b_[i] - rho_ * y_[i];
  add_products([this](int j) { return y_[j] != 0.0; }, y_.data());
  double out = 0.0;
  for (int i = 0; i < n_; ++i) {
    const double apart = std::abs(y_[i] - std::min(std::max(y_[i] - w_[i], lo_[i]), hi_[i]));
    if (std::isnan(apart)) return apart;
    out = std::max(out, apart);
  }
  return out;
}

double McpSolver::size() const noexcept {
  double out = 0.0;
  for (int i = 0; i < n_; ++i)
    out = std::max({out, std::abs(b_[i]), state_[i] == RowState::between ? 0.0 : std::abs(y_[i])});
  return out;
}

}  // namespace contactlib::solve
