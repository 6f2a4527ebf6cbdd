#include <algorithm>
#include <cmath>

#include "ends.hpp"
#include "second_order.hpp"
#include "stiffness.hpp"

namespace contactlib::element {

namespace {

constexpr int width = BlockCholesky::size;  // numbers of a node
constexpr double nothing = 1e-12;           // r'.r' of an element that has shrunk to it

using BlockRow = BlockCholesky::BlockRow;

// M v + h M g: consistent mass, rho A l [13/35, 11 l/210, 9/70, -13 l/420; ., l^2/105, 13 l/420, -l^2/140; ...], and
// the load of a uniform field, rho A l g (1/2, l/12, 1/2, -l/12)
void inertia(const CableNodes& v, Lanes l, Lanes mass, const Lanes3& hg, Lanes3 (&out)[4]) noexcept {
  const Lanes a = mass * (13.0 / 35.0), b = mass * l * (11.0 / 210.0), c = mass * (9.0 / 70.0);
  const Lanes d = mass * l * (13.0 / 420.0), e = mass * l * l * (1.0 / 105.0), f = mass * l * l * (1.0 / 140.0);
  const Lanes3 half = (0.5 * mass) * hg, twelfth = (mass * l * (1.0 / 12.0)) * hg;
  out[0] = a * v.r0 + b * v.t0 + c * v.r1 - d * v.t1 + half;
  out[1] = b * v.r0 + e * v.t0 + d * v.r1 - f * v.t1 + twelfth;
  out[2] = c * v.r0 + d * v.t0 + a * v.r1 - b * v.t1 + half;
  out[3] = e * v.t1 - b * v.r1 - d * v.r0 - f * v.t0 - twelfth;
}

struct Assembly {
  const CableDesign& design;
  const CableInputs& in;
  CableScratch& scratch;
  const CableWeights weights = cable_weights(design, in);

  CableStrands strands(const CableNodes& q, const CableGroup& group) const noexcept {
    const CableMaterial& m = design.material;
    const double turning = weights.turning * m.axial_stiffness;
    CableStrands out;
    Lanes l;
    out.curved = false;
    for (int k = 0; k < cable_lanes; ++k) {
      const CableElement& element = design.elements[group.at[k]];
      l[k] = element.length;
      out.rest_strain[k] = element.strain;
      out.rest_curvature[k] = element.curvature;
      out.curved = out.curved || element.curvature > 0.0;
    }
    out.inverse_length = 1.0 / l;
    out.shape = {{out.inverse_length * (q.r1 - q.r0), q.t0, q.t1}};
    out.axial_pull = (weights.pull * m.axial_stiffness) * l;
    out.axial_stiffness = (weights.axial * m.axial_stiffness) * l;
    out.turning = turning * l;
    out.bending_pull = (weights.pull * m.bending_stiffness) * l;
    out.bending_stiffness = (weights.bending * m.bending_stiffness) * l;
    return out;
  }

  void add_rates(const CableNodes& v, CableStrands& s) const noexcept {
    s.rate = {{s.inverse_length * (v.r1 - v.r0), v.t0, v.t1}};
    s.axial_lag = weights.axial_lag;
    s.bending_lag = weights.bending_lag;
  }

  // Adds to b what the strains of rotation pull, for resolved velocities v.
  void add_turns(const double* q, const double* v) const noexcept {
    for (std::size_t e = 0; e < design.elements.size(); e += cable_lanes) {
      const CableGroup group(design, e);
      CableStrands s = strands(CableNodes(q, group), group);
      add_rates(CableNodes(v, group), s);
      s.turning = all(weights.turns) * s.turning;
      Lanes3 turns[shapes];
      sum_turns(design.measure, design.quadrature, s, turns);
      const Lanes3 pull = s.inverse_length * turns[0];
      const Lanes3 b[4] = {pull, all(-1.0) * turns[1], all(-1.0) * pull, all(-1.0) * turns[2]};
      for (int k = 0; k < group.count; ++k) {
        add_to(scratch.impulse, b, k, group.at[k]);
        add_to(scratch.velocity, b, k, group.at[k]);
      }
    }
  }

  Status add(const CableState& state, const CableGroup& group) const noexcept {
    const CableNodes v(state.v, group);
    CableStrands s = strands(CableNodes(state.q, group), group);
    if (is_second_order(design)) add_rates(v, s);
    CableSums sums;
    sum_strains(design.measure, design.quadrature, s, sums);
    const Lanes l = 1.0 / s.inverse_length, mass = design.material.line_density * l;
    const Vec3 hg = weights.pull * in.gravity;
    Lanes3 b[4];
    inertia(v, l, mass, {all(hg.x()), all(hg.y()), all(hg.z())}, b);
    const Lanes3 pull = s.inverse_length * sums.pull[0];
    b[0] = b[0] + pull;
    b[1] = b[1] - sums.pull[1];
    b[2] = b[2] - pull;
    b[3] = b[3] - sums.pull[2];
    for (int k = 0; k < group.count; ++k) {
      add_to(scratch.impulse, b, k, group.at[k]);
      add_stiffness(sums, s.inverse_length[k], k, group.at[k]);
      add_mass(group.at[k]);
    }
    for (int k = 0; k < group.count; ++k)
      if (!(sums.least[k] > nothing)) return {Code::element_failed, static_cast<std::int32_t>(group.at[k])};
    return {};
  }

  static void add_to(std::vector<double>& sums, const Lanes3 (&b)[4], int k, std::size_t e) noexcept {
    double* const to = sums.data() + width * e;
    for (int i = 0; i < 4; ++i) {
      to[3 * i] += b[i].x[k];
      to[3 * i + 1] += b[i].y[k];
      to[3 * i + 2] += b[i].z[k];
    }
  }

  // With u = (r1 - r0)/l.
  void add_stiffness(const CableSums& sums, double inverse_length, int k, std::size_t e) const noexcept {
    const double il = inverse_length;
    BlockRow &first = scratch.factor[e], &second = scratch.factor[e + 1];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const double uu = il * il * sums.uu.m[i][j][k], ut0 = il * sums.ut0.m[i][j][k], ut1 = il * sums.ut1.m[i][j][k];
        first[i][j] += uu;
        first[i][3 + j] -= ut0;
        first[3 + i][3 + j] += sums.t0t0.m[i][j][k];
        first[i][6 + j] = -uu;
        first[i][9 + j] = -ut1;
        first[3 + i][6 + j] = il * sums.ut0.m[j][i][k];
        first[3 + i][9 + j] = sums.t0t1.m[i][j][k];
        second[i][j] = uu;
        second[i][3 + j] = ut1;
        second[3 + i][j] = 0.0;
        second[3 + i][3 + j] = sums.t1t1.m[i][j][k];
      }
  }

  void add_mass(std::size_t e) const noexcept {
    const double l = design.elements[e].length;
    const double mass = design.material.line_density * l * weights.mass;
    const double a = mass * (13.0 / 35.0), b = mass * l * (11.0 / 210.0), c = mass * (9.0 / 70.0);
    const double d = mass * l * (13.0 / 420.0), f = mass * l * l * (1.0 / 105.0), g = mass * l * l * (1.0 / 140.0);
    BlockRow &first = scratch.factor[e], &second = scratch.factor[e + 1];
    for (int i = 0; i < 3; ++i) {
      first[i][i] += a;
      first[i][3 + i] += b;
      first[3 + i][3 + i] += f;
      first[i][6 + i] += c;
      first[i][9 + i] -= d;
      first[3 + i][6 + i] += d;
      first[3 + i][9 + i] -= g;
      second[i][i] += a;
      second[i][3 + i] -= b;
      second[3 + i][3 + i] += f;
    }
  }

  Status assemble(const CableState& state) const noexcept {
    scratch.factor[0] = {};
    std::fill(scratch.impulse.begin(), scratch.impulse.end(), 0.0);
    for (std::size_t e = 0; e < design.elements.size(); e += cable_lanes)
      if (const Status status = add(state, CableGroup(design, e)); !status) return status;
    if (in.forces == nullptr) return {};
    for (std::size_t i = 0; i < scratch.impulse.size(); ++i) scratch.impulse[i] += weights.pull * in.forces[i];
    return {};
  }
};

bool finite(const std::vector<double>& x) noexcept {
  double sum = 0.0;
  for (const double value : x) sum += value * 0.0;
  return sum == 0.0;
}

}  // namespace

void CableScratch::make(const CableDesign& design) {
  factor.make(design.nodes());
  impulse.assign(width * design.nodes(), 0.0);
  velocity.assign(width * design.nodes(), 0.0);
  if (!is_second_order(design)) return;
  for (std::vector<double>* const x : {&stiff, &momentum, &resolved}) x->assign(width * design.nodes(), 0.0);
}

void CableScratch::forward(double* x, std::size_t first) const noexcept {
  const std::size_t last = factor.blocks() - 1;
  if (first == 0) mirror_slope(ends[0], x);
  mirror_slope(ends[1], x + width * last);
  factor.forward(x, first);
}

void CableScratch::forward_four(double* x, std::size_t first) const noexcept {
  constexpr std::size_t four = math::lanes<math::FourLanes>;
  const std::size_t last = factor.blocks() - 1;
  if (first == 0) mirror_slopes(ends[0], x);
  mirror_slopes(ends[1], x + four * width * last);
  factor.forward_four(x, first);
}

void CableScratch::backward(double* x) const noexcept {
  factor.backward(x);
  mirror_slope(ends[0], x);
  mirror_slope(ends[1], x + width * (factor.blocks() - 1));
}

Status prepare_cable(const CableDesign& design, const CableState& state, const CableInputs& inputs,
                     CableScratch& scratch) noexcept {
  if (!(inputs.h >= 0.0) || !std::isfinite(inputs.h)) return {Code::bad_argument};
  if (const Status status = Assembly{design, inputs, scratch}.assemble(state); !status) return status;
  const bool second = is_second_order(design);
  if (second) add_momenta(design, inputs, state.v, scratch);
  std::copy(scratch.impulse.begin(), scratch.impulse.end(), scratch.velocity.begin());
  hold_ends(inputs, state, scratch);
  if (!scratch.factor.factor()) return {Code::not_finite};
  leave_out_ends(inputs, scratch);
  if (second) {
    damp_unresolved(design, inputs, state.v, scratch);
    Assembly{design, inputs, scratch}.add_turns(state.q, scratch.resolved.data());
  }
  scratch.forward(scratch.velocity.data());
  scratch.backward(scratch.velocity.data());
  move_ends(scratch);
  return finite(scratch.velocity) ? Status{} : Status{Code::not_finite};
}

Status advance_cable(const CableInputs& inputs, const CableScratch& scratch, CableState& state,
                     CableReaction reactions[2]) noexcept {
  if (!(inputs.h > 0.0)) return {Code::bad_argument};
  if (!finite(scratch.velocity) || !finite(scratch.impulse)) return {Code::not_finite};
  CableReaction found[2] = {reaction(inputs, scratch, 0), reaction(inputs, scratch, 1)};
  for (const CableReaction& end : found)
    if (!end.force.allFinite() || !end.couple.allFinite()) return {Code::not_finite};
  std::copy(found, found + 2, reactions);
  for (std::size_t i = 0; i < scratch.velocity.size(); ++i) {
    state.v[i] = scratch.velocity[i];
    state.q[i] += inputs.h * scratch.velocity[i];
  }
  return {};
}

Status step_cable(const CableDesign& design, const CableInputs& inputs, CableScratch& scratch, CableState& state,
                  CableReaction reactions[2]) noexcept {
  if (const Status status = prepare_cable(design, state, inputs, scratch); !status) return status;
  return advance_cable(inputs, scratch, state, reactions);
}

}  // namespace contactlib::element
