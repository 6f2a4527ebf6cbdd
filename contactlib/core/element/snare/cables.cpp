// The cables of a snare within a step: read from the state, prepared without contacts, joined at their ends to their
// attachments, and advanced.
#include <algorithm>
#include <cmath>

#include "element/cable/ends.hpp"
#include "scratch.hpp"
#include "solve/cholesky.hpp"

namespace contactlib::element {

using solve::cholesky, solve::cholesky_solve;

namespace {

constexpr int per_node = BlockCholesky::size;
using Map3 = Eigen::Map<Vec3>;
using ConstMap3 = Eigen::Map<const Vec3>;

// Positions and slopes in the axes of body 0, with which they rotate:  r_O = R q,  v = R v_B + w x R q
void take_nodes(const SnareMotion& motion, const double* q_B, const double* v_B, SnareCableScratch& cable) noexcept {
  for (std::size_t i = 0; i < cable.q.size(); i += 3) {
    const Vec3 q = motion.bodies[0].R_WB * ConstMap3(q_B + i);
    Map3(cable.q.data() + i) = q;
    Map3(cable.v.data() + i) = motion.bodies[0].R_WB * ConstMap3(v_B + i) + motion.w_WB.cross(q);
  }
}

bool is_held(const CableEnd& end) noexcept { return end.hold != CableHold::free; }

// The columns U^-T A_ie of an end, which are zero before `first`, and A_ee.
void respond(SnareCableScratch& cable, int side) noexcept {
  const std::size_t last = cable.step.factor.blocks() - 1, size = cable.q.size();
  const std::size_t node = side == 0 ? 0 : last, beside = side == 0 ? 1 : last - 1;
  const BlockCholesky::BlockRow& rows = cable.step.ends[side].row;
  const std::size_t first = std::min(node, beside);
  double* const columns = cable.end(side);
  std::fill(columns + four * per_node * first, columns + four * size, 0.0);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < per_node; ++j) {
      columns[four * (per_node * beside + j) + i] = rows[i][per_node + j];
      if (j >= 3) columns[four * (per_node * node + j) + i] = rows[i][j];
    }
    for (int j = 0; j < 3; ++j) cable.own[side][i][j] = rows[i][j];
  }
  cable.step.forward_four(columns, first);
}

// x <- x + columns f, three of them side by side, from number `first` on.
void add_columns(const double* columns, const Vec3& f, std::size_t first, std::vector<double>& x) noexcept {
  for (std::size_t j = first; j < x.size(); ++j)
    for (int i = 0; i < 3; ++i) x[j] += f[i] * columns[four * j + i];
}

// Adds the response of cable k to the impulse at a contact to x.
void add_response(SnareScratch& s, int contact, std::int32_t k, std::vector<double>& x) noexcept {
  const SnareResponse& response = s.responses[contact];
  const Vec3 p = ConstMap3(s.z.data() + s.contacts[contact].row);
  if (p.isZero(0.0)) return;
  const bool touches_itself = response.cable[0] == response.cable[1];
  for (int i = 0; i < (touches_itself ? 3 : 1); ++i) {
    const Vec3 part_of_p = touches_itself ? Vec3(p[i] * Vec3::Unit(i)) : p;
    for (const int part : {0, 1})
      if (response.cable[part] == k) add_columns(s.y_of(contact, part), part_of_p, response.first[part], x);
  }
}

// K = A_ee' - A_ei A_ii^-1 A_ie' between two ends of a cable.
Mat3 stiffness(const SnareCableScratch& cable, int e, int f) noexcept {
  const std::size_t size = cable.q.size();
  // the columns of the last end are zero except near it
  const std::size_t first = e == 0 && f == 0 ? 0 : size - 2 * per_node;
  const double *const x = cable.end(e), *const y = cable.end(f);
  FourLanes sums[3] = {};
  for (std::size_t k = four * first; k < four * size; k += four) {
    const FourLanes yk = math::load<FourLanes>(y + k);
    for (int i = 0; i < 3; ++i) sums[i] += x[k + i] * yk;
  }
  Mat3 K;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) K(i, j) = (e == f ? cable.own[e][i][j] : 0.0) - sums[i][j];
  return K;
}

// The map from V to the velocity of an end that is attached:  v = T dV
struct EndColumns {
  int count = 0;
  int column[8];
  Vec3 T[8];

  EndColumns(const SnareMotion& motion, const SnareAttachment& attachment, const Vec3& p_OE) noexcept {
    const SnareCarrier& body = motion.bodies[attachment.body];
    const Vec3 arm = p_OE - body.p_OC;
    if (body.column >= 0)
      for (int i = 0; i < 3; ++i) {
        add(body.column + i, Vec3::Unit(i));
        add(body.column + 3 + i, Vec3::Unit(i).cross(arm));
      }
    if (attachment.turns && motion.ring >= 0) add(motion.ring, motion.axis_W.cross(p_OE - motion.p_OR));
    if (attachment.slides && motion.carriage >= 0) add(motion.carriage, motion.axis_W);
  }
  void add(int at, const Vec3& value) noexcept {
    column[count] = at;
    T[count++] = value;
  }
};

// S += T_e^T K T_f, in the lower triangle.
void add_stiffness(const EndColumns& e, const EndColumns& f, const Mat3& K, SnareScratch& s) noexcept {
  for (int b = 0; b < f.count; ++b) {
    const Vec3 pull = K * f.T[b];
    for (int a = 0; a < e.count; ++a)
      if (e.column[a] >= f.column[b]) s.S[f.column[b] * s.motion.stride() + e.column[a]] += e.T[a].dot(pull);
  }
}

void add_masses(const SnareDesign& design, SnareScratch& s) noexcept {
  const SnareMotion& motion = s.motion;
  const int n = motion.stride();
  for (const SnareCarrier& body : motion.bodies) {
    if (body.column < 0) continue;
    const auto& [force, mixed, torque] = body.mass;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) {
        s.S[(body.column + j) * n + body.column + i] += force(i, j);
        s.S[(body.column + j) * n + body.column + 3 + i] += mixed(j, i);
        s.S[(body.column + 3 + j) * n + body.column + 3 + i] += torque(i, j);
      }
  }
  if (motion.ring >= 0) s.S[motion.ring * (n + 1)] += design.ring.inertia;
  if (motion.carriage >= 0) s.S[motion.carriage * (n + 1)] += design.carriage.inertia;
}

// The first step of cables that no free body, ring or carriage moves with begins with velocities of its own time.
double kick(const SnareMotion& motion, const SnareHead& head, const CableDesign& cable) noexcept {
  return is_second_order(cable) && head.time == 0.0 && motion.columns == 0 ? 0.5 : 1.0;
}

void measure_before(const SnareMotion& motion, const CableDesign& design, SnareCableScratch& cable) noexcept {
  if (!is_second_order(design)) return;
  const CableEnergy energy = measure_cable(design, {cable.q.data(), cable.v.data()}, nullptr);
  cable.strain_before = energy.axial + energy.bending;
  cable.momentum_before = energy.momentum + mass_of(design) * motion.v_WO;
}

bool finite(const std::vector<double>& x, std::size_t count) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) sum += x[i] * 0.0;
  return sum == 0.0;
}

}  // namespace

Status prepare_cables(const ElementNow& now, const SnareDesign& design, SnareScratch& s) noexcept {
  const SnareBlock<const double> state{now.state, design, now.element.bodies.size()};
  s.motion.take(now, design, state.head());
  if (s.motion.carriage >= 0) s.motion.carriage_rate += now.h * s.carriage_push / design.carriage.inertia;
  for (std::size_t k = 0; k < design.cables.size(); ++k) {
    SnareCableScratch& cable = s.cables[k];
    take_nodes(s.motion, state.q(k), state.v(k), cable);
    measure_before(s.motion, design.cables[k].cable, cable);
    cable.inputs.h = now.h;
    cable.inputs.kick = kick(s.motion, state.head(), design.cables[k].cable);
    cable.inputs.gravity = now.model.options.gravity_W;
    for (const int side : {0, 1}) {
      const SnareAttachment& attachment = design.cables[k].attachments[side];
      CableEnd& end = cable.inputs.ends[side];
      const bool broken = state.cable(k).broken != 0.0 && side == 1;
      end.hold = attachment.free || broken ? CableHold::free : CableHold::position;
      if (!is_held(end)) continue;
      cable.p_OE[side] = s.motion.place(attachment, state.head());
      end.p_OE = cable.p_OE[side] + now.h * s.motion.velocity(attachment, cable.p_OE[side]);
    }
  }
  return element::prepare_cables(s.starts.data(), s.starts.size());
}

namespace {

Status join(const SnareDesign& design, SnareScratch& s) noexcept {
  const int n = s.motion.columns, stride = s.motion.stride();
  std::fill(s.S.begin(), s.S.begin() + n * stride, 0.0);
  std::fill(s.dV.begin(), s.dV.begin() + n, 0.0);
  add_masses(design, s);
  for (std::size_t k = 0; k < design.cables.size(); ++k) {
    SnareCableScratch& cable = s.cables[k];
    const SnareCable& own = design.cables[k];
    for (const int side : {0, 1}) {
      if (!is_held(cable.inputs.ends[side])) continue;
      respond(cable, side);
      const Vec3 held = cable.inputs.h * reaction(cable.inputs, cable.step, side).force;
      s.motion.spread(own.attachments[side], cable.p_OE[side], -held, s.dV.data());
    }
    if (n == 0) continue;
    const EndColumns ends[] = {{s.motion, own.attachments[0], cable.p_OE[0]},
                               {s.motion, own.attachments[1], cable.p_OE[1]}};
    for (const int e : {0, 1})
      for (const int f : {0, 1}) {
        if (!is_held(cable.inputs.ends[e]) || !is_held(cable.inputs.ends[f])) continue;
        if (ends[e].count > 0 && ends[f].count > 0) add_stiffness(ends[e], ends[f], stiffness(cable, e, f), s);
      }
  }
  if (!cholesky(s.S.data(), n, stride)) return {Code::not_finite};
  cholesky_solve(s.S.data(), n, stride, s.dV.data(), s.pairs.data());
  std::copy_n(s.dV.begin(), n, s.dV_free.begin());
  for (SnareCableScratch& cable : s.cables)
    std::copy(cable.step.velocity.begin(), cable.step.velocity.end(), cable.free.begin());
  return {};
}

}  // namespace

// S dV = -sum T^T (A_e v - b_e): the holding forces at V = V0 act back on the attachments.
Status join_ends(const SnareDesign& design, SnareScratch& s) noexcept {
  return solve::four_at_once([&] { return join(design, s); });
}

namespace {

// The change of the velocities of cable k by the impulses p of all rows and by its ends, before `backward`.
void begin_change(const SnareDesign& design, SnareScratch& s, std::size_t k, Vec3 (&moved)[2]) noexcept {
  SnareCableScratch& cable = s.cables[k];
  std::vector<double>& x = cable.change;
  std::fill(x.begin(), x.end(), 0.0);
  for (int i = 0; i < s.count; ++i) add_response(s, i, static_cast<std::int32_t>(k), x);
  for (const int side : {0, 1}) {
    moved[side].setZero();
    if (!is_held(cable.inputs.ends[side])) continue;
    moved[side] = s.motion.change(design.cables[k].attachments[side], cable.p_OE[side], s.dV.data());
    // the columns of the last end are zero except near it
    const std::size_t first = side == 0 ? 0 : x.size() - 2 * per_node;
    add_columns(cable.end(side), -moved[side], first, x);
  }
}

bool end_change(SnareCableScratch& cable, const Vec3 (&moved)[2]) noexcept {
  const std::vector<double>& x = cable.change;
  for (std::size_t j = 0; j < x.size(); ++j) cable.step.velocity[j] += x[j];
  Map3(cable.step.velocity.data()) += moved[0];
  Map3(cable.step.velocity.data() + x.size() - per_node) += moved[1];
  return finite(cable.step.velocity, x.size());
}

}  // namespace

// Velocities under the impulses p of all rows: of V, of the ends that follow it, and of the nodes between.
Status move_cables(const SnareDesign& design, SnareScratch& s) noexcept {
  constexpr std::size_t most = BlockCholesky::most_beside;
  for (std::size_t first = 0; first < s.cables.size(); first += most) {
    const std::size_t count = std::min(most, s.cables.size() - first);
    Vec3 moved[most][2];
    const CableScratch* steps[most];
    double* x[most];
    for (std::size_t k = 0; k < count; ++k) {
      SnareCableScratch& cable = s.cables[first + k];
      begin_change(design, s, first + k, moved[k]);
      steps[k] = &cable.step;
      x[k] = cable.change.data();
    }
    CableScratch::backward(steps, x, count);
    for (std::size_t k = 0; k < count; ++k)
      if (!end_change(s.cables[first + k], moved[k])) return {Code::not_finite};
  }
  return {};
}

}  // namespace contactlib::element
