// Coulomb's disc |l_t| <= mu l_n in three ways, from the fastest to the most robust:
//   Newton steps on the law itself (coulomb_newton.cpp): a few microseconds each, but they may cycle;
//   boxes around the discs (below): each step solves a mixed complementarity problem for open rows and rows at a limit;
//   sweeps of projected Gauss-Seidel: slow; they lead to another start.
//
// Each step of boxes rotates the box of a contact so that one axis is along its force, fixes its size, and solves the
// mixed complementarity problem; a Newton step then updates the sizes from the normal forces. Where a contact slides,
// the disc is curved across the force, and the box is compliant there by the same amount,
//   q = l_t - u_t/a,   d = q/|q|,   u_p + a (|q|/r - 1) l_p = 0   across d,   -r <= l_d <= r   along it,   r = mu l_n
// which is zero at the solution, where l_t = r d and u_t = -a (|q| - r) d: there the box solution is the disc solution.
#include "coulomb.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "coulomb_rows.hpp"
#include "elimination.hpp"

namespace contactlib::solve {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int patience = 4;  // steps of boxes that may bring no progress
constexpr int single_boxes = 3;  // times that one of them alone leads out of a circle
constexpr int first_sweeps = 10;  // twice as many each time

// Projects onto the disc.
void project(double radius, double* p) noexcept {
  const double length = length_of(p[0], p[1]);
  if (!(length > (1.0 + 4.0 * eps) * radius)) return;  // what has been projected stays as it is
  p[0] *= radius / length;
  p[1] *= radius / length;
}

// Projects onto the cone |p_t| <= mu p_n.
void project_on_cone(double mu, double* p) noexcept {
  const double length = length_of(p[1], p[2]);
  if (length <= mu * p[0]) return;
  const double normal = std::max(0.0, (p[0] + mu * length) / (1.0 + mu * mu));
  for (int i = 1; i < 3; ++i) p[i] *= length > 0.0 ? mu * normal / length : 0.0;
  p[0] = normal;
}

}  // namespace

void CoulombSolver::make(int rows, int contacts) {
  mcp_.make(rows);
  const std::size_t n = static_cast<std::size_t>(mcp_.capacity()), m = static_cast<std::size_t>(std::max(contacts, 0));
  const auto lanes = [](std::size_t count) { return static_cast<std::size_t>(in_fours(static_cast<int>(count))); };
  A_.resize(n * lanes(n) + 1);
  turned_A_.resize(n * n);
  for (auto* column : {&b_, &lo_, &hi_, &diagonal_, &root_, &turned_b_, &turned_z_, &z_, &w_, &best_, &swept_})
    column->resize(lanes(n) + 1);
  owner_.resize(n);
  contacts_.resize(m);
  limited_.resize(m);
  slope_.resize(elimination_size(static_cast<int>(m)));
  follow_.resize(m * n);
  newton_.K.resize(elimination_size(mcp_.capacity()));
  newton_.unknowns.resize(n);
  newton_.which.resize(lanes(n));
  for (auto* column : {&newton_.first, &newton_.second, &newton_.pair, &newton_.scale, &newton_.load, &newton_.lowest,
                       &newton_.outside, &newton_.rows, &newton_.factor})
    column->resize(lanes(n) + 1);
}

SolveReport CoulombSolver::solve(const FrictionalProblem& problem, RowState* states, double* z) noexcept {
  SolveReport report = read(problem, states, z);
  if (report.code != SolveCode::solved) return report;
  least_ = infinity;
  for (int round = 0; !by_newton(report) && !at_limit(report); ++round) {
    if (by_boxes(states, report, round < single_boxes ? 1 : max_iterations)) break;
    if (round >= single_boxes && !by_sweeps(report)) break;
  }
  if (report.code != SolveCode::solved) return report;
  if (least_ == infinity) return {SolveCode::not_finite};
  report.code = least_ <= tolerance * size_ ? SolveCode::solved : SolveCode::iteration_limit_reached;
  report.residual = size_ > 0.0 ? least_ / size_ : 0.0;
  std::copy_n(best_.begin(), n_, z);
  return report;
}

bool CoulombSolver::at_limit(const SolveReport& report) const noexcept {
  return report.iterations >= max_iterations || (work(report) >= max_work && report.iterations > 0);
}

SolveReport CoulombSolver::read(const FrictionalProblem& problem, const RowState* states, const double* z) noexcept {
  const McpProblem& rows = problem.rows;
  if (rows.n < 0 || rows.n > mcp_.capacity()) return {SolveCode::too_large};
  if (problem.contacts < 0 || problem.contacts > static_cast<int>(contacts_.size())) return {SolveCode::too_large};
  n_ = rows.n;
  count_ = problem.contacts;
  for (int i = 0; i < n_; ++i) {
    if (!std::isfinite(z[i])) return {SolveCode::not_finite, i};
    z_[i] = z[i];
    owner_[i] = no_contact;
  }
  std::copy_n(rows.lo, n_, lo_.begin());
  std::copy_n(rows.hi, n_, hi_.begin());
  for (int k = 0; k < count_; ++k) {
    const SolveReport report = read_contact(problem.contact[k], k);
    if (report.code != SolveCode::solved) return report;
  }
  const SolveReport report = mcp_.check({n_, rows.A, rows.b, lo_.data(), hi_.data()}, states);
  if (report.code == SolveCode::solved) read_rows(rows);
  return report;
}

SolveReport CoulombSolver::read_contact(const FrictionContact& given, int k) noexcept {
  const SolveReport bad{SolveCode::bad_contact, given.row};
  if (given.row < 0 || given.row > n_ - 3 || !(given.mu >= 0.0 && given.mu < infinity)) return bad;
  if (!(lo_[given.row] == 0.0 && hi_[given.row] == infinity)) return bad;
  for (int i = 0; i < 3; ++i) {
    if (owner_[given.row + i] != no_contact) return bad;
    owner_[given.row + i] = i == 0 ? k : tangent;
    if (i > 0) lo_[given.row + i] = hi_[given.row + i] = 0.0;
  }
  contacts_[k] = {given.row, given.mu, 0.0, {1.0, 0.0}, 0.0, 0.0, 0.0};
  return {};
}

void CoulombSolver::read_rows(const McpProblem& rows) noexcept {
  double top = 0.0;
  stride_ = in_fours(n_);
  for (int i = 0; i < n_; ++i) {
    for (int j = 0; j <= i; ++j) A_[i * stride_ + j] = A_[j * stride_ + i] = rows.A[i * n_ + j];
    for (int j = n_; j < stride_; ++j) A_[i * stride_ + j] = 0.0;
    b_[i] = rows.b[i];
    top = std::max(top, A_[i * (stride_ + 1)]);
  }
  size_ = 0.0;
  for (int i = 0; i < n_; ++i) {
    const double a = A_[i * (stride_ + 1)];
    diagonal_[i] = a > 0.0 ? a : (top > 0.0 ? top : 1.0);
    root_[i] = std::sqrt(diagonal_[i]);
    size_ = std::max({size_, std::abs(b_[i]) / root_[i], std::abs(clamp(0.0, lo_[i], hi_[i])) * root_[i]});
  }
  for (int k = 0; k < count_; ++k) {
    const int t = contacts_[k].row + 1;
    contacts_[k].a = 0.5 * (diagonal_[t] + diagonal_[t + 1]);
    contacts_[k].root = std::sqrt(contacts_[k].a);
  }
}

// Up to `most` steps. Returns true when done (solved, failed, or iteration limit reached); false when the steps are
// used up or cycle.
bool CoulombSolver::by_boxes(RowState* states, SolveReport& report, int most) noexcept {
  double reached = infinity;
  for (int waited = 0;; ++report.iterations) {
    const double now = keep_best();
    if (now <= tolerance * size_ || at_limit(report)) return true;
    if (now < 0.5 * reached) {
      reached = now;
      waited = 0;
    } else if (++waited > patience) {
      return false;
    }
    if (most-- == 0) return false;
    aim();
    turn();
    const McpProblem boxes{n_, turned_A_.data(), turned_b_.data(), lo_.data(), hi_.data()};
    mcp_.max_pivots = max_work == no_limit ? no_limit : max_work - work(report) - 1;
    const SolveReport box = mcp_.solve(boxes, states, turned_z_.data());
    report.pivots += box.pivots;
    report.single += box.single;
    if (box.code != SolveCode::solved && box.code != SolveCode::iteration_limit_reached &&
        box.code != SolveCode::inexact) {
      report.code = box.code;
      report.row = box.row;
      return true;
    }
    follow_sizes(states);
  }
}

// From the end of the last sweeps, at first from the best z. Returns false when no sweeps are left.
bool CoulombSolver::by_sweeps(SolveReport& report) noexcept {
  if (report.sweeps == 0) std::copy_n(best_.begin(), n_, swept_.begin());
  const int sweeps = std::min({report.sweeps + first_sweeps, max_sweeps - report.sweeps, max_work - work(report)});
  for (int k = 0; k < sweeps; ++k) sweep(swept_.data());
  std::copy_n(swept_.begin(), n_, z_.begin());
  report.sweeps += std::max(sweeps, 0);
  return sweeps > 0;
}

// The residual if z is projected onto its bounds and cones.
double CoulombSolver::keep_best() noexcept {
  const double now = judge();
  if (now < least_) {
    least_ = now;
    std::copy_n(z_.begin(), n_, best_.begin());
  }
  return now;
}

double CoulombSolver::velocity(int row, const double* z) const noexcept {
  const double* A = row_of_A(row);
  double out = b_[row];
  for (int j = 0; j < n_; ++j) out += A[j] * z[j];
  return out;
}

// Projects z onto its bounds and cones; returns the residual there.
double CoulombSolver::judge() noexcept {
  for (int i = 0; i < n_; ++i)
    if (owner_[i] != tangent) z_[i] = clamp(z_[i], lo_[i], hi_[i]);
  for (int k = 0; k < count_; ++k) {
    Contact& contact = contacts_[k];
    contact.radius = contact.mu * z_[contact.row];
    project(contact.radius, &z_[contact.row + 1]);
  }
  velocities(true);
  return apart();
}

// The largest change of z by one projection step.
double CoulombSolver::apart() const noexcept {
  double out = 0.0;
  for (int i = 0; i < n_; ++i) {
    if (owner_[i] == tangent) continue;
    const double change = std::abs(z_[i] - clamp(z_[i] - w_[i] / diagonal_[i], lo_[i], hi_[i]));
    if (std::isnan(change)) return change;
    out = std::max(out, change * root_[i]);
  }
  for (int k = 0; k < count_; ++k) out = std::max(out, apart(contacts_[k]));
  return out;
}

double CoulombSolver::apart(const Contact& contact) const noexcept {
  const int t = contact.row + 1;
  const double a = contact.a;
  double q[2] = {z_[t] - w_[t] / a, z_[t + 1] - w_[t + 1] / a};
  project(contact.mu * std::max(0.0, z_[contact.row]), q);
  return contact.root * length_of(z_[t] - q[0], z_[t + 1] - q[1]);
}

void CoulombSolver::aim() noexcept {
  for (int k = 0; k < count_; ++k) {
    Contact& contact = contacts_[k];
    const int t = contact.row + 1;
    const double a = contact.a, r = contact.radius;
    const double q[2] = {z_[t] - w_[t] / a, z_[t + 1] - w_[t + 1] / a}, length = length_of(q[0], q[1]);
    contact.axis[0] = length > 0.0 ? q[0] / length : 1.0;
    contact.axis[1] = length > 0.0 ? q[1] / length : 0.0;
    contact.compliance = length > r && r > 0.0 ? a * std::min(length / r - 1.0, max_compliance) : 0.0;
    for (int i = t; i < t + 2; ++i) {
      lo_[i] = -r;
      hi_[i] = r;
    }
  }
}

// A and b in the axes of the boxes: of each pair of tangents first the rows, then the columns. Only the lower triangle
// is read, and within a pair all four numbers are.
void CoulombSolver::turn() noexcept {
  for (int i = 0; i < n_; ++i) std::copy_n(row_of_A(i), std::min(i + 2, n_), &turned_A_[i * n_]);
  std::copy_n(b_.begin(), n_, turned_b_.begin());
  const auto rotate = [](const double* axis, double& p, double& q) {
    const double along = axis[0] * p + axis[1] * q;
    q = axis[0] * q - axis[1] * p;
    p = along;
  };
  for (int k = 0; k < count_; ++k) {
    const int t = contacts_[k].row + 1;
    double* A = turned_A_.data();
    for (int i = 0; i < t + 2; ++i) rotate(contacts_[k].axis, A[t * n_ + i], A[(t + 1) * n_ + i]);
    for (int i = t; i < n_; ++i) rotate(contacts_[k].axis, A[i * n_ + t], A[i * n_ + t + 1]);
    rotate(contacts_[k].axis, turned_b_[t], turned_b_[t + 1]);
    A[(t + 1) * (n_ + 1)] += contacts_[k].compliance;
  }
}

// Updates the sizes of the boxes with nonzero forces from the normal forces, and z from the solution for the sizes
// before.
//   r_i + dr_i = mu_i (l_i + sum_j (dl_i/dr_j) dr_j)
void CoulombSolver::follow_sizes(const RowState* states) noexcept {
  int m = 0;
  for (int k = 0; k < count_; ++k) {
    const int t = contacts_[k].row + 1;
    if (!(contacts_[k].radius > 0.0) || (states[t] == RowState::between && states[t + 1] == RowState::between))
      continue;
    double* follow = &follow_[m * n_];
    std::fill_n(follow, n_, 0.0);
    for (int i = t; i < t + 2; ++i) follow[i] = static_cast<double>(states[i]);
    limited_[m++] = k;
  }
  mcp_.follow(follow_.data(), m);
  const int stride = in_fours(m);
  for (int i = 0; i < m; ++i) {
    const Contact& contact = contacts_[limited_[i]];
    slope_[m * stride + i] = contact.mu * turned_z_[contact.row] - contact.radius;
    for (int j = 0; j < m; ++j) slope_[j * stride + i] = (i == j) - contact.mu * follow_[j * n_ + contact.row];
  }
  if (eliminate(slope_.data(), m))
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < n_; ++i) turned_z_[i] += slope_[m * stride + j] * follow_[j * n_ + i];
  std::copy_n(turned_z_.begin(), n_, z_.begin());
  for (int k = 0; k < count_; ++k) {
    const int t = contacts_[k].row + 1;
    const double* axis = contacts_[k].axis;
    z_[t] = axis[0] * turned_z_[t] - axis[1] * turned_z_[t + 1];
    z_[t + 1] = axis[1] * turned_z_[t] + axis[0] * turned_z_[t + 1];
  }
}

// Projected Gauss-Seidel: each row, and the three rows of a contact together, with the others fixed.
void CoulombSolver::sweep(double* z) const noexcept {
  for (int i = 0; i < n_; ++i) {
    if (owner_[i] == no_contact) z[i] = clamp(z[i] - velocity(i, z) / diagonal_[i], lo_[i], hi_[i]);
    if (owner_[i] >= 0) sweep_contact(contacts_[owner_[i]], z);
  }
}

// De Saxce's form of the law: the force and u~ = (u_n + mu |u_t|, u_t) complement each other in the cone and its dual.
//   l <- projection(l - u~/s),   s no less than the largest eigenvalue of the three rows
void CoulombSolver::sweep_contact(const Contact& contact, double* z) const noexcept {
  const int n = contact.row;
  double u[3], s = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double* A = row_of_A(n + i) + n;
    u[i] = velocity(n + i, z);
    s = std::max(s, std::abs(A[0]) + std::abs(A[1]) + std::abs(A[2]));
  }
  u[0] += contact.mu * length_of(u[1], u[2]);
  for (int i = 0; i < 3 && s > 0.0; ++i) z[n + i] -= u[i] / s;
  project_on_cone(contact.mu, z + n);
}

}  // namespace contactlib::solve
