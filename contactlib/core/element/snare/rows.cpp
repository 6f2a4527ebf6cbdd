// The rows of the problem in the impulses p: motors, gears, brakes and stops, then contacts with three rows each.
#include <algorithm>
#include <cmath>
#include <limits>

#include "scratch.hpp"
#include "solve/elimination.hpp"

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
    transpose();
    for (int i = 0; i < s_.row_count; i += four) cholesky_forward(i);
    share();
    for (int i = 0; i < s_.count; ++i)
      for (int j = 0; j <= i; ++j) couple(i, j);
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
    add_rows(i, touch, axes);
  }

  // u = d . (v_a - v_other) and its response to impulses, d the three axes; the normal row also contains the gap.
  void add_rows(int contact, const CableTouch& touch, const Vec3* axes) noexcept {
    const double away = touch.gap > 0.0 ? touch.gap / h_ : stabilisation * touch.gap / h_;
    const int i = s_.row_count;
    for (int k = 0; k < 3; ++k) add(k == 0 ? away : 0.0, k == 0 ? 0.0 : -infinity, infinity);
    s_.responses[contact] = {{-1, -1}, {0, 0}};
    part(contact, 0, touch.a, axes, 1.0);
    if (touch.obstacle < 0) {
      part(contact, 1, touch.b, axes, -1.0);
    } else {
      const Vec3 p = value(s_.cables[touch.a.cable].q, touch.a);
      const SnareAttachment at{static_cast<std::int32_t>(s_.obstacles[touch.obstacle].body - s_.bodies.data())};
      const Vec3 v = s_.motion.velocity(at, p);
      for (int k = 0; k < 3; ++k) {
        s_.motion.spread(at, p, -axes[k], s_.g_of(i + k));
        s_.b[i + k] -= axes[k].dot(v);
      }
    }
    for (int k = 0; k < 3; ++k)
      for (int c = 0; c < s_.motion.columns; ++c) s_.b[i + k] += s_.g_of(i + k)[c] * s_.dV[c];
  }

  // y = U^-T J^T,   g += T^T (J_e - y^T Y_e) for the ends e,   b += J x,  of all three rows
  void part(int contact, int which, const CablePlace& at, const Vec3* axes, double sign) noexcept {
    SnareCableScratch& cable = s_.cables[at.cable];
    const std::size_t size = cable.q.size(), first = static_cast<std::size_t>(per_node) * at.element;
    const int row = s_.contacts[contact].row;
    s_.responses[contact].cable[which] = at.cable;
    s_.responses[contact].first[which] = first;
    double* const y = s_.y_of(contact, which);
    std::fill(y + four * first, y + four * size, 0.0);
    const Vec3 v = value(cable.step.velocity, at);
    for (int l = 0; l < 3; ++l) {
      const Vec3 d = sign * axes[l];
      for (int k = 0; k < 4; ++k)
        for (int c = 0; c < 3; ++c) y[four * (first + 3 * k + c) + l] = at.S[k] * d[c];
      s_.b[row + l] += d.dot(v);
    }
    cable.step.forward_four(y, at.element);
    const bool at_end[2] = {at.element == 0, first + 2 * per_node == size};
    for (const int side : {0, 1}) {
      if (cable.inputs.ends[side].hold == CableHold::free || s_.motion.columns == 0) continue;
      const Mat3 pull = pull_of_end(cable, side, y, first);
      for (int l = 0; l < 3; ++l) {
        Vec3 f = at_end[side] ? Vec3(at.S[2 * side] * (sign * axes[l])) : Vec3(Vec3::Zero());
        f -= pull.row(l).transpose();
        s_.motion.spread(design_.cables[at.cable].attachments[side], cable.p_OE[side], f, s_.g_of(row + l));
      }
    }
  }

  // y^T Y_e, a row for each axis of the contact; y is zero before number `first`, and the columns of the last end are
  // zero except near it.
  static Mat3 pull_of_end(const SnareCableScratch& cable, int side, const double* y, std::size_t first) noexcept {
    const std::size_t size = cable.q.size();
    const double* const columns = cable.end(side);
    FourLanes even[3] = {}, odd[3] = {};
    for (std::size_t i = side == 0 ? first : std::max(first, size - 2 * per_node); i < size; i += 2) {
      const double* const at = columns + four * i;
      const FourLanes y0 = math::load<FourLanes>(y + four * i), y1 = math::load<FourLanes>(y + four * (i + 1));
      for (int k = 0; k < 3; ++k) {
        even[k] += y0 * at[k];
        odd[k] += y1 * at[four + k];
      }
    }
    Mat3 out;
    for (int k = 0; k < 3; ++k) {
      const FourLanes sum = even[k] + odd[k];
      out.col(k) = Vec3(sum[0], sum[1], sum[2]);
    }
    return out;
  }

  int padded() const noexcept { return solve::in_fours(s_.row_count); }

  // G = g^T
  void transpose() noexcept {
    for (int k = 0; k < s_.motion.columns; ++k) {
      double* const to = s_.G.data() + k * padded();
      for (int i = 0; i < s_.row_count; ++i) to[i] = s_.g_of(i)[k];
      for (int i = s_.row_count; i < padded(); ++i) to[i] = 0.0;
    }
  }

  // g <- L^-1 g with S = L L^T, of four rows
  void cholesky_forward(int row) noexcept {
    const int n = s_.motion.columns;
    double* const G = s_.G.data() + row;
    for (int j = 0; j < n; ++j) {
      const double* const column = s_.S.data() + j * s_.motion.stride();
      const FourLanes g = math::load<FourLanes>(G + j * padded()) / column[j];
      math::store(G + j * padded(), g);
      for (int k = j + 1; k < n; ++k) {
        double* const to = G + k * padded();
        math::store<FourLanes>(to, math::load<FourLanes>(to) - g * column[k]);
      }
    }
  }

  //   A = g S^-1 g^T, of each row up to the diagonal; the rest of four lanes is written again, or not read
  void share() noexcept {
    const int n = s_.motion.columns, stride = padded();
    for (int i = 0; i < s_.row_count; ++i) {
      double* const g = s_.g_of(i);
      for (int k = 0; k < n; ++k) g[k] = s_.G[k * stride + i];
      for (int j = 0; j <= i; j += four) {
        FourLanes sum{};
        for (int k = 0; k < n; ++k) sum += g[k] * math::load<FourLanes>(s_.G.data() + k * stride + j);
        math::store(s_.A.data() + i * s_.row_count + j, sum);
      }
    }
  }

  // J A_ii^-1 J^T between the three rows of two contacts.
  void couple(int i, int j) noexcept {
    const SnareResponse &p = s_.responses[i], &q = s_.responses[j];
    const int row = s_.contacts[i].row, column = s_.contacts[j].row;
    for (const int a : {0, 1})
      for (const int b : {0, 1}) {
        if (p.cable[a] < 0 || p.cable[a] != q.cable[b]) continue;
        const double *const x = s_.y_of(i, a), *const y = s_.y_of(j, b);
        FourLanes sums[3] = {};
        const std::size_t size = s_.cables[p.cable[a]].q.size();
        for (std::size_t k = four * std::max(p.first[a], q.first[b]); k < four * size; k += four) {
          const FourLanes yk = math::load<FourLanes>(y + k);
          for (int l = 0; l < 3; ++l) sums[l] += x[k + l] * yk;
        }
        for (int l = 0; l < 3; ++l)
          for (int m = 0; m < 3; ++m)
            if (row + l >= column + m) s_.A[(row + l) * s_.row_count + column + m] += sums[l][m];
      }
  }
};

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
  return solve::four_at_once([&] { return Rows(now, design, s).make(); });
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
    const double* const column = s.S.data() + j * s.motion.stride();
    for (int k = j + 1; k < n; ++k) sum[j] -= column[k] * sum[k];
    sum[j] /= column[j];
  }
  for (int k = 0; k < n; ++k) s.dV[k] += sum[k];
  return {};
}

}  // namespace contactlib::element
