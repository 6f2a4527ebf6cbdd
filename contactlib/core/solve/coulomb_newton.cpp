// Newton's method on Coulomb's law as a projection, after Alart and Curnier, "A mixed formulation for frictional
// contact problems prone to Newton like solution methods", Comput. Methods Appl. Mech. Eng. 92 (1991). With q = l -
// u/a, a the diagonals,
//   l_n = max(0, q_n),    l_t = q_t  inside of the disc of radius r = mu q_n,  else  l_t = r d,  d = q_t/|q_t|
// A step assigns each contact the state given by q and computes all forces together from linear equations, in which d
// turns with q_t:
//   open      l = 0
//   sticks    u = 0
//   slides    u_n = 0,   l_t = mu l_n d + l_p p,   u_p + a (|q_t|/r - 1) l_p = 0,   p across d
// So a sliding contact has two unknowns, l_n, whose column is A_n + mu A_d, and l_p. z is not projected onto its cones
// between steps: the part outside of them is the rotation of d.
#include <limits>

#include "coulomb.hpp"
#include "coulomb_rows.hpp"
#include "elimination.hpp"

namespace contactlib::solve {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int patience = 8;                 // steps that may bring no progress
constexpr double rho = 1.0 / (1 << 26);  // of proximal steps, as in mcp.cpp: redundant rows keep near what they have
constexpr double worth_judging = 1e3;  // a residual outside of cones, by the tolerance

}  // namespace

// Returns true when solved; false in a cycle, with z of the least residual, projected onto its cones.
bool CoulombSolver::by_newton(SolveReport& report) noexcept {
  double* const lowest = newton_.lowest.data();
  std::copy_n(z_.begin(), n_, lowest);
  double low = infinity, reached = infinity;
  for (int waited = 0;; ++report.iterations) {
    velocities(false);
    const double now = apart();
    if (now < low) {
      low = now;
      std::copy_n(z_.begin(), n_, lowest);
    }
    if (now <= worth_judging * tolerance * size_ && solves()) return true;
    waited = now < 0.5 * reached ? 0 : waited + 1;
    if (waited == 0) reached = now;
    if (waited > patience || at_limit(report) || !newton_step()) break;
  }
  std::copy_n(lowest, n_, z_.begin());
  return keep_best() <= tolerance * size_;
}

// Whether z, projected onto its cones, is a solution; if not, z is left unprojected.
bool CoulombSolver::solves() noexcept {
  double* const outside = newton_.outside.data();
  std::copy_n(z_.begin(), n_, outside);
  if (keep_best() <= tolerance * size_) return true;
  std::copy_n(outside, n_, z_.begin());
  velocities(false);
  return false;
}

void CoulombSolver::velocities(bool all) noexcept {
  four_at_once([&] { add_velocities(all); });
}

bool CoulombSolver::newton_step() noexcept {
  return four_at_once([&] { return solve_newton_step(); });
}

// w = A z + b; where not `all`, without rows whose z is zero
void CoulombSolver::add_velocities(bool all) noexcept {
  std::copy_n(b_.begin(), stride_, w_.begin());
  int count = 0;
  for (int i = 0; i < n_; ++i) {
    newton_.which[count] = i;
    newton_.factor[count] = z_[i];
    count += all || z_[i] != 0.0;
  }
  add_columns({A_.data(), stride_, count, newton_.which.data(), newton_.factor.data()}, stride_, w_.data());
}

//   K x = right,   z <- next + moves x,   in rows and columns scaled to a diagonal of one
bool CoulombSolver::solve_newton_step() noexcept {
  double* const next = turned_z_.data();
  const int m = choose_unknowns(next);
  fill_equations(m);
  if (!eliminate(newton_.K.data(), m)) return false;
  const double* const x = newton_.K.data() + m * in_fours(m);
  for (int c = 0; c < m; ++c) {
    const Unknown& unknown = newton_.unknowns[c];
    for (int k = 0; k < unknown.rows; ++k) next[unknown.row + k] += unknown.scale * x[c] * unknown.moves[k];
  }
  std::copy_n(next, n_, z_.begin());
  return true;
}

// Chooses the unknowns of the rows between their bounds; `next` has the states of the others, and `load` is b plus
// their contributions. Returns the number of unknowns.
int CoulombSolver::choose_unknowns(double* next) noexcept {
  int count = 0;
  std::fill_n(next, n_, 0.0);
  std::copy_n(b_.begin(), stride_, newton_.load.begin());
  for (int i = 0; i < n_; ++i) {
    if (owner_[i] == tangent) continue;
    const double q = z_[i] - w_[i] / diagonal_[i];
    if (q <= lo_[i] || q >= hi_[i]) {
      next[i] = q <= lo_[i] ? lo_[i] : hi_[i];
      if (next[i] != 0.0) add_column(row_of_A(i), next[i], stride_, newton_.load.data());
      continue;
    }
    count = add_unknown({i, 1, {1.0, 0.0, 0.0}, rho, 1.0 / root_[i]}, count);
    if (owner_[i] != no_contact) count = add_tangents(contacts_[owner_[i]], q, count);
  }
  return count;
}

int CoulombSolver::add_unknown(const Unknown& unknown, int count) noexcept {
  const int i = unknown.row;
  newton_.first[i] = unknown.moves[0];
  newton_.second[i] = unknown.moves[1];
  newton_.pair[i] = unknown.rows == 2;
  newton_.scale[i] = unknown.scale;
  newton_.unknowns[count] = unknown;
  return count + 1;
}

// The tangents of a contact, after its normal, which is the last unknown so far.
int CoulombSolver::add_tangents(const Contact& contact, double normal, int count) noexcept {
  const int t = contact.row + 1;
  const double a = contact.a, r = contact.mu * normal, scale = 1.0 / contact.root;
  const double q[2] = {z_[t] - w_[t] / a, z_[t + 1] - w_[t + 1] / a}, length = length_of(q[0], q[1]);
  if (length <= r) {
    for (int k = t; k < t + 2; ++k) count = add_unknown({k, 1, {1.0, 0.0, 0.0}, rho, scale}, count);
  } else if (r > 0.0) {
    const double d[2] = {q[0] / length, q[1] / length};
    Unknown& with_normal = newton_.unknowns[count - 1];
    with_normal.rows = 3;
    for (int k = 0; k < 2; ++k) with_normal.moves[1 + k] = contact.mu * d[k];
    const double soft = rho + std::min(length / r - 1.0, max_compliance);
    count = add_unknown({t, 2, {-d[1], d[0], 0.0}, soft, scale}, count);
  }
  return count;
}

// K and the right side: all rows are computed, then those with an unknown are picked.
void CoulombSolver::fill_equations(int count) noexcept {
  double* const rows = newton_.rows.data();
  const Equations equations{newton_.first.data(), newton_.second.data(), newton_.pair.data(), newton_.scale.data()};
  const int stride = in_fours(count);
  std::int32_t* const which = newton_.which.data();
  for (int r = 0; r < stride; ++r) which[r] = r < count ? newton_.unknowns[r].row : 0;
  const auto pick = [which, rows, stride](double* column) {
    for (int r = 0; r < stride; r += four) {
      const std::int32_t* const at = which + r;
      math::store(column + r, FourLanes{rows[at[0]], rows[at[1]], rows[at[2]], rows[at[3]]});
    }
  };
  for (int c = 0; c < count; ++c) {
    fill_column(newton_.unknowns[c], equations, rows);
    double* const K = newton_.K.data() + c * stride;
    pick(K);
    K[c] += newton_.unknowns[c].soft;
  }
  const auto of = [&](const std::vector<double>& u, int i) {
    return equations(i, math::load<FourLanes>(u.data() + i), math::load<FourLanes>(u.data() + i + 1));
  };
  for (int i = 0; i < n_; i += four) {
    const FourLanes scale = math::load<FourLanes>(equations.scale + i), before = of(z_, i) / (scale * scale);
    math::store<FourLanes>(rows + i, rho * before - of(newton_.load, i));
  }
  pick(newton_.K.data() + count * stride);
}

// The equations of all rows, of the velocities that an unknown changes: A moves
void CoulombSolver::fill_column(const Unknown& unknown, const Equations& equations, double* rows) const noexcept {
  const double *const A = row_of_A(unknown.row), *const B = A + stride_, *const C = B + stride_;
  const double f = unknown.scale * unknown.moves[0], g = unknown.scale * unknown.moves[1];
  const double h = unknown.scale * unknown.moves[2];
  const auto in = [](const double* row, int i) { return math::load<FourLanes>(row + i); };
  const auto fill = [this, rows, own = equations](auto&& sum) {
    const int n = n_;
    for (int i = 0; i < n; i += four) math::store<FourLanes>(rows + i, own(i, sum(i), sum(i + 1)));
  };
  if (unknown.rows == 1) fill([=](int i) -> FourLanes { return f * in(A, i); });
  if (unknown.rows == 2) fill([=](int i) -> FourLanes { return f * in(A, i) + g * in(B, i); });
  if (unknown.rows == 3) fill([=](int i) -> FourLanes { return f * in(A, i) + (g * in(B, i) + h * in(C, i)); });
}

}  // namespace contactlib::solve
