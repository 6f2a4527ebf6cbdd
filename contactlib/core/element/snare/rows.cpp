// The rows of the problem in the impulses p: motors, gears, brakes and stops, then contacts with three rows each.
#include <algorithm>
#include <cmath>
#include <limits>

#include "math/lanes.hpp"
#include "scratch.hpp"
#include "solve/cholesky.hpp"

namespace contactlib::element {

using solve::FrictionalProblem, solve::SolveCode;

namespace {

constexpr int per_node = BlockCholesky::size;
constexpr double infinity = std::numeric_limits<double>::infinity();

using ConstMap3 = Eigen::Map<const Vec3>;
using Map3 = Eigen::Map<Vec3>;

// Fraction of an overlap that a step removes: enough for the errors of linearisation, and too little to add speed.
constexpr double stabilisation = 0.2;

const double* node(const std::vector<double>& of, const CablePlace& at, int which) noexcept {
  return of.data() + per_node * (at.element + which);
}

Vec3 value(const std::vector<double>& of, const CablePlace& at) noexcept {
  const ConstMap3 r0(node(of, at, 0)), t0(node(of, at, 0) + 3), r1(node(of, at, 1)), t1(node(of, at, 1) + 3);
  return at.S[0] * r0 + at.S[1] * t0 + at.S[2] * r1 + at.S[3] * t1;
}

// r', not of unit length
Vec3 tangent(const std::vector<double>& q, const CablePlace& at, double length) noexcept {
  const ConstMap3 r0(node(q, at, 0)), t0(node(q, at, 0) + 3), r1(node(q, at, 1)), t1(node(q, at, 1) + 3);
  const double x = at.xi;
  return (6.0 * x * (1.0 - x) / length) * (r1 - r0) + (1.0 - x) * (1.0 - 3.0 * x) * t0 + x * (3.0 * x - 2.0) * t1;
}

class Rows {
 public:
  Rows(const ElementNow& now, const SnareDesign& design, SnareScratch& scratch) noexcept
      : now_(now), design_(design), s_(scratch), h_(now.h) {}

  Status make() noexcept {
    const SnareBlock<const double> state{now_.state, design_, now_.element.bodies.size()};
    s_.row_count = 0;
    const SnareHead& head = state.head();
    s_.ring_motor = drive(design_.ring, s_.motion.ring, s_.motion.ring_rate, head.ring, head.ring_voltage,
                          head.ring_on != 0.0, head.ring_brake != 0.0);
    s_.carriage_motor = drive(design_.carriage, s_.motion.carriage, s_.motion.carriage_rate, head.carriage,
                              head.carriage_voltage, head.carriage_on != 0.0, head.carriage_brake != 0.0);
    first_contact_ = s_.row_count;
    const std::size_t found =
        find_touches(s_.strands.data(), s_.strands.size(), s_.obstacles.data(), s_.obstacles.size(), s_.reach, s_.skin,
                     s_.touches.data(), s_.touches.size());
    if (found > s_.touches.size()) return {Code::contact_overflow};
    s_.count = static_cast<int>(found);
    for (int i = 0; i < s_.count; ++i) add_contact(i);
    for (int i = 0; i < s_.row_count; ++i) cholesky_forward(i);
    for (int i = 0; i < s_.row_count; ++i)
      for (int j = 0; j <= i; ++j) s_.A[i * s_.row_count + j] = share(i, j);
    for (int i = 0; i < s_.count; ++i)
      for (int j = 0; j <= i; ++j) couple(s_.contacts[i].row, s_.contacts[j].row);
    for (int i = 0; i < first_contact_; ++i) s_.A[i * (s_.row_count + 1)] += compliance_[i];
    return {};
  }

 private:
  const ElementNow& now_;
  const SnareDesign& design_;
  SnareScratch& s_;
  const double h_;
  int first_contact_ = 0;
  double compliance_[8] = {};  // of a drive's rows: each has four at most

  int add(double b, double lo, double hi) noexcept {
    const int i = s_.row_count++;
    s_.rows[i] = {{-1, -1}, {0, 0}};
    s_.b[i] = b, s_.lo[i] = lo, s_.hi[i] = hi, s_.z[i] = 0.0;
    s_.states[i] = RowState::between;
    std::fill(s_.g_of(i), s_.g_of(i) + s_.motion.columns, 0.0);
    return i;
  }

  int add_drive(int column, double b, double lo, double hi, double compliance) noexcept {
    const int i = add(b, lo, hi);
    s_.g_of(i)[column] = 1.0;
    compliance_[i] = compliance;
    return i;
  }

  // motor      s' + p/(h B) - U/K complements |p| <= h eta K i_max,   K = N Kt,  B = eta K^2/R
  // gear       s' complements |p| <= h (friction + brake)
  // stops      s' + (s - low)/h complements p >= 0, where they are near
  // Returns the row of the motor, or -1.
  int drive(const Drive& drive, int column, double rate, double at, double voltage, bool on, bool brake) noexcept {
    if (column < 0) return -1;
    const double K = drive.constant(), B = drive.damping();
    const double most = h_ * drive.most();
    const double s = rate + s_.dV[column], near = 10.0 * h_ * std::abs(s) + 0.01 * (drive.high - drive.low);
    const int motor = on ? add_drive(column, s - voltage / K, -most, most, 1.0 / (h_ * B)) : -1;
    const double hold = h_ * (drive.friction + (brake ? drive.brake : 0.0));
    if (hold > 0.0) add_drive(column, s, -hold, hold, 0.0);
    if (at - drive.low < near) add_drive(column, s + (at - drive.low) / h_, 0.0, infinity, 0.0);
    if (drive.high - at < near) add_drive(column, s + (at - drive.high) / h_, -infinity, 0.0, 0.0);
    return motor;
  }

  void add_contact(int i) noexcept {
    const CableTouch& touch = s_.touches[i];
    Vec3* const axes = s_.axes.data() + 3 * i;
    axes[0] = touch.n_W;
    const CableDesign& cable = design_.cables[touch.a.cable].cable;
    axes[1] = tangent(s_.cables[touch.a.cable].q, touch.a, cable.elements[touch.a.element].length);
    axes[1] -= axes[0].dot(axes[1]) * axes[0];
    const double length = axes[1].norm();
    axes[1] = length > 1e-6 ? Vec3(axes[1] / length) : axes[0].unitOrthogonal();
    axes[2] = axes[0].cross(axes[1]);
    const bool cables = touch.obstacle < 0;
    s_.contacts[i] = {
        s_.row_count,
        now_.parameters[static_cast<int>(cables ? SnareParameter::cable_friction : SnareParameter::friction)]};
    for (int k = 0; k < 3; ++k) row(touch, axes[k], k);
  }

  // u = d . (v_a - v_other) and its response to impulses; the normal row also contains the gap.
  void row(const CableTouch& touch, const Vec3& d, int k) noexcept {
    const double away = touch.gap > 0.0 ? touch.gap / h_ : stabilisation * touch.gap / h_;
    const int i = add(k == 0 ? away : 0.0, k == 0 ? 0.0 : -infinity, infinity);
    part(i, 0, touch.a, d);
    if (touch.obstacle < 0) {
      part(i, 1, touch.b, -d);
    } else {
      const Vec3 p = value(s_.cables[touch.a.cable].q, touch.a);
      const SnareAttachment at{static_cast<std::int32_t>(s_.obstacles[touch.obstacle].body - s_.bodies.data())};
      s_.motion.spread(at, p, -d, s_.g_of(i));
      s_.b[i] -= d.dot(s_.motion.velocity(at, p));
    }
    for (int c = 0; c < s_.motion.columns; ++c) s_.b[i] += s_.g_of(i)[c] * s_.dV[c];
  }

  // y = U^-T J^T,   g += T^T (J_e - y^T Y_e) for the ends e,   b += J x
  void part(int i, int which, const CablePlace& at, const Vec3& d) noexcept {
    SnareCableScratch& cable = s_.cables[at.cable];
    const std::size_t size = cable.q.size(), first = static_cast<std::size_t>(per_node) * at.element;
    s_.rows[i].cable[which] = at.cable;
    s_.rows[i].first[which] = first;
    double* const y = s_.y_of(i, which);
    std::fill(y + first, y + size, 0.0);
    for (int k = 0; k < 4; ++k) Map3(y + first + 3 * k) = at.S[k] * d;
    s_.b[i] += d.dot(value(cable.step.velocity, at));
    double* const g = s_.g_of(i);
    const bool at_end[2] = {at.element == 0, first + 2 * per_node == size};
    cable.step.forward(y, at.element);
    for (const int side : {0, 1}) {
      if (cable.inputs.ends[side].hold == CableHold::free || s_.motion.columns == 0) continue;
      Vec3 f = at_end[side] ? Vec3(at.S[2 * side] * d) : Vec3(Vec3::Zero());
      for (int k = 0; k < 3; ++k) f[k] -= dot(y, cable.ends.data() + (3 * side + k) * size, first, size);
      s_.motion.spread(design_.cables[at.cable].attachments[side], cable.p_OE[side], f, g);
    }
  }

  static double dot(const double* a, const double* b, std::size_t first, std::size_t size) noexcept {
    double even = 0.0, odd = 0.0;
    for (std::size_t i = first; i < size; i += 2) {
      even += a[i] * b[i];
      odd += a[i + 1] * b[i + 1];
    }
    return even + odd;
  }

  // g <- L^-1 g with S = L L^T
  void cholesky_forward(int i) noexcept {
    const int n = s_.motion.columns;
    double* const g = s_.g_of(i);
    for (int j = 0; j < n; ++j) {
      const double* const column = s_.S.data() + j * n;
      g[j] /= column[j];
      for (int k = j + 1; k < n; ++k) g[k] -= g[j] * column[k];
    }
  }

  // g S^-1 g^T
  double share(int i, int j) noexcept {
    double sum = 0.0;
    const double *const g = s_.g_of(i), *const f = s_.g_of(j);
    for (int k = 0; k < s_.motion.columns; ++k) sum += g[k] * f[k];
    return sum;
  }

  // J A_ii^-1 J^T between the three rows of two contacts.
  void couple(int i, int j) noexcept {
    const SnareRow &p = s_.rows[i], &q = s_.rows[j];
    for (const int a : {0, 1})
      for (const int b : {0, 1}) {
        if (p.cable[a] < 0 || p.cable[a] != q.cable[b]) continue;
        const double* const x[3] = {s_.y_of(i, a), s_.y_of(i + 1, a), s_.y_of(i + 2, a)};
        const double* const y[3] = {s_.y_of(j, b), s_.y_of(j + 1, b), s_.y_of(j + 2, b)};
        double sums[3][3] = {};
        const std::size_t size = s_.cables[p.cable[a]].q.size();
        for (std::size_t k = std::max(p.first[a], q.first[b]); k < size; ++k)
          for (int l = 0; l < 3; ++l)
            for (int m = 0; m < 3; ++m) sums[l][m] += x[l][k] * y[m][k];
        for (int l = 0; l < 3; ++l)
          for (int m = 0; m < 3; ++m)
            if (i + l >= j + m) s_.A[(i + l) * s_.row_count + j + m] += sums[l][m];
      }
  }
};

#ifdef CONTACTLIB_FOUR_LANES
CONTACTLIB_FOUR_LANES Status wide_rows(const ElementNow& now, const SnareDesign& design, SnareScratch& s) noexcept {
  return Rows(now, design, s).make();
}
#endif

// The distance by which the fastest parts may approach each other within the step.
double approach(const SnareScratch& s, double h, bool moved) noexcept {
  double cable = 0.0, body = 0.0;
  for (const SnareCableScratch& of : s.cables) {
    const std::vector<double>& v = moved ? of.step.velocity : of.v;
    for (std::size_t i = 0; i < v.size(); i += per_node) cable = std::max(cable, ConstMap3(v.data() + i).squaredNorm());
  }
  for (const CableObstacle& obstacle : s.obstacles) {
    const auto k = static_cast<std::size_t>(obstacle.body - s.bodies.data());
    const SnareCarrier& at = s.motion.bodies[k];
    body = std::max(body, at.v.norm() + at.w.norm() * obstacle.shape->p_BC.norm());
  }
  cable = std::sqrt(cable);
  return h * (cable + std::max(cable, body));
}

// Warm start from the impulses of the last step.
void warm_start(const SnareBlock<const double>& state, SnareScratch& s) noexcept {
  const auto count = static_cast<int>(state.head().remembered);
  for (int i = 0; i < s.count; ++i)
    for (int k = 0; k < count; ++k) {
      const SnareMemory& old = state.memory()[(i + k) % count];
      if (old.key != static_cast<double>(s.touches[i].key)) continue;
      const int row = s.contacts[i].row;
      std::copy_n(old.impulse, 3, s.z.data() + row);
      const double along = old.impulse[1], across = old.impulse[2], most = 0.999 * s.contacts[i].mu * old.impulse[0];
      if (!(old.impulse[0] > 0.0)) s.states[row] = RowState::at_lower;
      if (along * along + across * across > most * most) s.states[row + 1] = RowState::at_upper;
      break;
    }
}

// Limits of the solver without max_iterations, which bound the time of the slowest step.
constexpr int max_iterations = 150, max_sweeps = 150;

}  // namespace

bool reached_far_enough(const ElementNow& now, SnareScratch& s) noexcept {
  const double needed = approach(s, now.h, true);
  if (needed <= s.reach) return true;
  s.reach = 1.5 * needed;
  return false;
}

Status find_rows(const ElementNow& now, const SnareDesign& design, SnareScratch& s) noexcept {
  if (s.reach == 0.0) {
    double radius = 0.0;
    for (const SnareCable& cable : design.cables) radius = std::max(radius, cable.skin.radius);
    s.reach = 1.5 * approach(s, now.h, false) + 0.05 * radius;
  }
  for (std::size_t k = 0; k < s.bodies.size(); ++k) s.bodies[k] = {s.motion.bodies[k].R_WB, s.motion.bodies[k].p_OB};
#ifdef CONTACTLIB_FOUR_LANES
  if (math::lane_count() >= 4) return wide_rows(now, design, s);
#endif
  return Rows(now, design, s).make();
}

// p, then dV <- dV + S^-1 sum g p
Status solve_rows(const ElementNow& now, const SnareDesign& design, SnareScratch& s) noexcept {
  s.report = {};
  if (s.row_count == 0) return {};
  warm_start({now.state, design, now.element.bodies.size()}, s);
  const FrictionalProblem problem{
      {s.row_count, s.A.data(), s.b.data(), s.lo.data(), s.hi.data()}, s.count, s.contacts.data()};
  s.solver.max_iterations = max_iterations;
  s.solver.max_sweeps = max_sweeps;
  const double limit = now.data.globals().max_iterations;
  s.solver.max_work = limit > 0.0 ? std::max(static_cast<int>(limit) - s.work, 1) : solve::no_limit;
  s.report = s.solver.solve(problem, s.states.data(), s.z.data());
  s.work += work(s.report);
  if (s.report.code > SolveCode::inexact) return {Code::not_finite};
  const int n = s.motion.columns;
  if (n == 0) return {};
  double* const sum = s.g.data() + s.row_count * s.motion_columns;  // one row more than there can be
  std::fill(sum, sum + n, 0.0);
  for (int i = 0; i < s.row_count; ++i)
    for (int k = 0; k < n; ++k) sum[k] += s.z[i] * s.g_of(i)[k];
  for (int j = n - 1; j >= 0; --j) {
    const double* const column = s.S.data() + j * n;
    for (int k = j + 1; k < n; ++k) sum[j] -= column[k] * sum[k];
    sum[j] /= column[j];
  }
  for (int k = 0; k < n; ++k) s.dV[k] += sum[k];
  return {};
}

}  // namespace contactlib::element
