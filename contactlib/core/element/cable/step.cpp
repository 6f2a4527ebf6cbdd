#include <algorithm>
#include <cmath>

#include "ends.hpp"
#include "math/columns.hpp"
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

// Four numbers of each of four elements, one element after the other.
struct Transposed {
  Lanes row[cable_lanes];

  Transposed(const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d) noexcept {
    const auto number = [](const Lanes& of) { return reinterpret_cast<const double*>(&of); };
    const auto out = [this](int k) { return reinterpret_cast<double*>(row + k); };
    math::transpose_four({number(a), number(b), number(c), number(d)}, {out(0), out(1), out(2), out(3)});
  }
};

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
    add_impulses(b, group);
    add_matrices(sums, s.inverse_length, group);
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

  // The same of all elements of a group.
  void add_impulses(const Lanes3 (&b)[4], const CableGroup& group) const noexcept {
    const Transposed head(b[0].x, b[0].y, b[0].z, b[1].x), middle(b[1].y, b[1].z, b[2].x, b[2].y);
    const Transposed tail(b[2].z, b[3].x, b[3].y, b[3].z);
    for (int k = 0; k < group.count; ++k) {
      double* const to = scratch.impulse.data() + width * group.at[k];
      math::store<Lanes>(to, math::load<Lanes>(to) + head.row[k]);
      math::store<Lanes>(to + 4, math::load<Lanes>(to + 4) + middle.row[k]);
      math::store<Lanes>(to + 8, math::load<Lanes>(to + 8) + tail.row[k]);
    }
  }

  // Consistent masses of elements: a, b and f couple a node with itself, c, d and g the two nodes.
  struct Masses {
    Lanes a, b, c, d, f, g;
  };
  Masses masses(const CableGroup& group) const noexcept {
    Lanes l;
    for (int k = 0; k < cable_lanes; ++k) l[k] = design.elements[group.at[k]].length;
    const Lanes mass = design.material.line_density * l * weights.mass;
    return {mass * (13.0 / 35.0),      mass * l * (11.0 / 210.0),    mass * (9.0 / 70.0),
            mass * l * (13.0 / 420.0), mass * l * l * (1.0 / 105.0), mass * l * l * (1.0 / 140.0)};
  }

  // -0 + x is x, also where x is a zero.
  static Lanes after_two(const double* begun) noexcept { return Lanes{begun[0], begun[1], -0.0, -0.0}; }

  // Stiffness and mass, with u = (r1 - r0)/l: rows i of position and slope of both nodes. The element before has begun
  // the diagonal block of the first node, which adds up; all else is written for the first time.
  template <int i>
  void add_rows(const CableSums& sums, const Lanes& il, const Masses& m, const CableGroup& group) const noexcept {
    const Lanes *const t0t0 = sums.t0t0.m[i], *const t0t1 = sums.t0t1.m[i], *const t1t1 = sums.t1t1.m[i];
    const Lanes u0 = il * il * sums.uu.m[i][0], u1 = il * il * sums.uu.m[i][1], u2 = il * il * sums.uu.m[i][2];
    const auto t0 = [&](int j) { return il * sums.ut0.m[i][j]; };
    const auto t1 = [&](int j) { return il * sums.ut1.m[i][j]; };
    const auto u = [&](int j) { return il * sums.ut0.m[j][i]; };
    const auto at = [](int j, const Lanes& x, const Lanes& mass) { return i == j ? x + mass : x; };
    const Transposed r_head(u0, u1, u2, -t0(0)), r_middle(-t0(1), -t0(2), at(0, -u0, m.c), at(1, -u1, m.c));
    const Transposed r_tail(at(2, -u2, m.c), at(0, -t1(0), -m.d), at(1, -t1(1), -m.d), at(2, -t1(2), -m.d));
    const Transposed t_middle(t0t0[1], t0t0[2], at(0, u(0), m.d), at(1, u(1), m.d));
    const Transposed t_tail(at(2, u(2), m.d), at(0, t0t1[0], -m.g), at(1, t0t1[1], -m.g), at(2, t0t1[2], -m.g));
    const Transposed next(at(0, u0, m.a), at(1, u1, m.a), at(2, u2, m.a), at(0, t1(0), -m.b));
    const Transposed slopes(at(1, t1(1), -m.b), at(2, t1(2), -m.b), at(1, t1t1[1], m.f), at(2, t1t1[2], m.f));
    const Lanes t1t1_0 = at(0, t1t1[0], m.f);
#pragma GCC unroll 4
    for (int k = 0; k < group.count; ++k) {
      BlockRow &first = scratch.factor[group.at[k]], &second = scratch.factor[group.at[k] + 1];
      double *const r = first[i].data(), *const t = first[3 + i].data();
      math::store<Lanes>(r, math::load<Lanes>(r) + r_head.row[k]);
      math::store<Lanes>(r + 4, after_two(r + 4) + r_middle.row[k]);
      math::store(r + 8, r_tail.row[k]);
      t[3] += t0t0[0][k];
      math::store<Lanes>(t + 4, after_two(t + 4) + t_middle.row[k]);
      math::store(t + 8, t_tail.row[k]);
      r[i] += m.a[k];
      r[3 + i] += m.b[k];
      t[3 + i] += m.f[k];
      math::store(second[i].data(), next.row[k]);
      math::store(&second[i][4], math::TwoLanes{slopes.row[k][0], slopes.row[k][1]});
      math::store(second[3 + i].data(), Lanes{0.0, 0.0, 0.0, t1t1_0[k]});
      math::store(&second[3 + i][4], math::TwoLanes{slopes.row[k][2], slopes.row[k][3]});
    }
  }

  void add_matrices(const CableSums& sums, const Lanes& inverse_length, const CableGroup& group) const noexcept {
    const Masses m = masses(group);
    add_rows<0>(sums, inverse_length, m, group);
    add_rows<1>(sums, inverse_length, m, group);
    add_rows<2>(sums, inverse_length, m, group);
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

namespace {

// A^-1 or its second half of up to most_beside cables, in place.
template <class Apply>
void apply_beside(const CableScratch* const* cables, double* const* x, std::size_t count, bool forward_too,
                  const Apply& apply) noexcept {
  const BlockCholesky* factors[BlockCholesky::most_beside];
  const auto mirror = [&](std::size_t k) {
    mirror_slope(cables[k]->ends[0], x[k]);
    mirror_slope(cables[k]->ends[1], x[k] + width * (factors[k]->blocks() - 1));
  };
  for (std::size_t k = 0; k < count; ++k) {
    factors[k] = &cables[k]->factor;
    if (forward_too) mirror(k);
  }
  apply(factors, x, count);
  for (std::size_t k = 0; k < count; ++k) mirror(k);
}

}  // namespace

void CableScratch::backward(double* x) const noexcept {
  const CableScratch* const one = this;
  backward(&one, &x, 1);
}

void CableScratch::backward(const CableScratch* const* cables, double* const* x, std::size_t count) noexcept {
  using Apply = void (*)(const BlockCholesky* const*, double* const*, std::size_t) noexcept;
  apply_beside(cables, x, count, false, Apply(&BlockCholesky::backward));
}

namespace {

// A and b.
Status assemble(const CableStart& cable) noexcept {
  const auto& [design, state, inputs, scratch] = cable;
  if (!(inputs->h >= 0.0) || !std::isfinite(inputs->h)) return {Code::bad_argument};
  const Assembly assembly{*design, *inputs, *scratch};
  if (const Status status = solve::four_at_once([&] { return assembly.assemble(cable.state); }); !status) return status;
  if (is_second_order(*design)) add_momenta(*design, *inputs, state.v, *scratch);
  std::copy(scratch->impulse.begin(), scratch->impulse.end(), scratch->velocity.begin());
  hold_ends(*inputs, state, *scratch);
  return {};
}

// With the factor of A, all of b.
void complete(const CableStart& cable) noexcept {
  const auto& [design, state, inputs, scratch] = cable;
  leave_out_ends(*inputs, *scratch);
  if (!is_second_order(*design)) return;
  damp_unresolved(*design, *inputs, state.v, *scratch);
  Assembly{*design, *inputs, *scratch}.add_turns(state.q, scratch->resolved.data());
}

Status prepare_beside(const CableStart* cables, std::size_t count) noexcept {
  BlockCholesky* factors[BlockCholesky::most_beside];
  const CableScratch* scratches[BlockCholesky::most_beside];
  double* x[BlockCholesky::most_beside];
  for (std::size_t k = 0; k < count; ++k) {
    if (const Status status = assemble(cables[k]); !status) return status;
    factors[k] = &cables[k].scratch->factor;
    scratches[k] = cables[k].scratch;
    x[k] = cables[k].scratch->velocity.data();
  }
  if (!BlockCholesky::factor(factors, count)) return {Code::not_finite};
  for (std::size_t k = 0; k < count; ++k) complete(cables[k]);
  apply_beside(scratches, x, count, true, &BlockCholesky::solve);
  for (std::size_t k = 0; k < count; ++k) {
    move_ends(*cables[k].scratch);
    if (!finite(cables[k].scratch->velocity)) return {Code::not_finite};
  }
  return {};
}

}  // namespace

Status prepare_cables(const CableStart* cables, std::size_t count) noexcept {
  constexpr std::size_t most = BlockCholesky::most_beside;
  for (std::size_t k = 0; k < count; k += most)
    if (const Status status = prepare_beside(cables + k, std::min(most, count - k)); !status) return status;
  return {};
}

Status prepare_cable(const CableDesign& design, const CableState& state, const CableInputs& inputs,
                     CableScratch& scratch) noexcept {
  const CableStart one{&design, state, &inputs, &scratch};
  return prepare_cables(&one, 1);
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
