#include "stability.hpp"

#include <algorithm>
#include <cmath>

#include "law/laws.hpp"

namespace contactlib::monitor {

using model::Body, model::Integrator, model::Motion;
using state::Contact, state::Globals;

namespace {

// Stiffness and damping along the normal, of a contact with its load share.
struct Compliance {
  double stiffness, damping;  // N/m, N s/m
};

// The slopes of the normal law; the first two parameters of a contact model; from the stored energy of a user law.
Compliance compliance_of(const Model& model, const Data& data, const Contact& c, double depth) noexcept {
  const Law& row = model.laws[c.law];
  const LawParameters& parameters = data.laws()[c.law];
  if (row.is_user_law()) {
    const double x2 = c.depth * c.depth;
    return {x2 > 0.0 ? 2.0 * std::max(0.0, c.stored_energy) / x2 : 0.0, 0.0};
  }
  if (row.is_stateful()) return {c.load_share * parameters.model[0], c.load_share * parameters.model[1]};
  if (!(depth > 0.0)) return {0.0, 0.0};
  const double x = depth, dx = 1e-6 * x, rate = 1e-3;
  const auto force = [&](double depth, double depth_rate) {
    return normal_force(row, parameters, c.reference_area, depth, depth_rate);
  };
  const double here = force(x, 0.0);
  return {c.load_share * std::max(0.0, (force(x + dx, 0.0) - here) / dx),
          c.load_share * std::max(0.0, (force(x, rate) - here) / rate)};
}

struct System {
  const Model& model;
  Data& data;
  bool held;  // the master holds the wrenches of interface bodies over a communication step
  double ahead = 0.0;  // s, for which contacts go on deeper
  double* known = nullptr;  // two per contact: what keep_compliances() has found; or null

  bool gives_way(std::int32_t i) const noexcept {
    const Body& body = model.bodies[i];
    return body.motion == Motion::free || (held && body.interface());
  }

  void keep_compliances() const noexcept {
    for (std::size_t k = 0; k < data.count; ++k) {
      const auto [stiffness, damping] = found(data.contacts[k]);
      known[2 * k] = stiffness, known[2 * k + 1] = damping;
    }
  }

  Compliance compliance(const Contact& c) const noexcept {
    if (!known) return found(c);
    const auto k = static_cast<std::size_t>(&c - data.contacts.data());
    return {known[2 * k], known[2 * k + 1]};
  }

  Compliance found(const Contact& c) const noexcept {
    return compliance_of(model, data, c, c.depth + ahead * std::max(0.0, c.depth_rate));
  }

  // Adds the response of a body to a unit impulse along n at the contact: velocity of the centre of mass, angular
  // rates.
  void kick(std::int32_t i, const Vec3& p_W, const Vec3& impulse_W, BodyState& out) const noexcept {
    if (!gives_way(i)) return;
    const Body& body = data.plant[i];
    const Mat3& R = data.R_WB[i];
    const Vec3 L_W = (p_W - R * body.p_BBcm).cross(impulse_W);
    out.v_WB += impulse_W / body.mass;
    out.w_WB += R * (body.I_BBcm_inverse * (R.transpose() * L_W));
  }

  double speed(std::int32_t i, const Vec3& p_W, const Vec3& n_W, const BodyState& s) const noexcept {
    if (!gives_way(i)) return 0.0;
    return n_W.dot(s.v_WB + s.w_WB.cross(p_W - data.R_WB[i] * data.plant[i].p_BBcm));
  }

  // J^T impulse and J u of a contact along a direction, u in `from`
  void kick_along(const Contact& c, const Vec3& impulse_W, BodyState* out) const noexcept {
    kick(c.body_a, c.p_AC_W, -impulse_W, out[c.body_a]);
    kick(c.body_b, c.p_BC_W, impulse_W, out[c.body_b]);
  }
  double rate_along(const Contact& c, const Vec3& n_W, const BodyState* from) const noexcept {
    return speed(c.body_b, c.p_BC_W, n_W, from[c.body_b]) - speed(c.body_a, c.p_AC_W, n_W, from[c.body_a]);
  }

  // ... along the normal
  void kick(const Contact& c, double impulse, BodyState* out) const noexcept { kick_along(c, impulse * c.n_AB_W, out); }
  double rate(const Contact& c, const BodyState* from) const noexcept { return rate_along(c, c.n_AB_W, from); }

  // 1/kg, along n_W. `u`: working memory.
  double mobility(const Contact& c, const Vec3& n_W, BodyState* u) const noexcept {
    u[c.body_a].v_WB = u[c.body_a].w_WB = u[c.body_b].v_WB = u[c.body_b].w_WB = Vec3::Zero();
    kick_along(c, n_W, u);
    return rate_along(c, n_W, u);
  }

  void clear(BodyState* u) const noexcept {
    for (std::size_t i = 0; i < model.bodies.size(); ++i) u[i].v_WB = u[i].w_WB = Vec3::Zero();
  }

  double twice_kinetic(const BodyState* u) const noexcept {
    double sum = 0.0;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      if (!gives_way(static_cast<std::int32_t>(i))) continue;
      const Vec3 w_B = data.R_WB[i].transpose() * u[i].w_WB;
      sum += data.plant[i].mass * u[i].v_WB.squaredNorm() + w_B.dot(data.plant[i].I_BBcm * w_B);
    }
    return sum;
  }

  // u <- M^-1 K u by way of `next`
  void iterate(BodyState* u, BodyState* next) const noexcept {
    clear(next);
    for (std::size_t k = 0; k < data.count; ++k) {
      const Contact& c = data.contacts[k];
      const double stiffness = compliance(c).stiffness;
      if (stiffness > 0.0) kick(c, stiffness * rate(c, u), next);
    }
    const double size = std::sqrt(twice_kinetic(next));
    if (!(size > 0.0) || !std::isfinite(size)) return;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      u[i].v_WB = next[i].v_WB / size;
      u[i].w_WB = next[i].w_WB / size;
    }
  }
};

// Of one contact alone. `u`: working memory.
Rates rates_of(const System& system, const Contact& c, BodyState* u) noexcept {
  const auto [stiffness, damping] = system.compliance(c);
  const double mobility = system.mobility(c, c.n_AB_W, u);
  return {stiffness * mobility, damping * mobility};
}

}  // namespace

double normal_force(const Law& row, const LawParameters& parameters, double area, double depth,
                    double depth_rate) noexcept {
  const law::Curve curve{row.curve.data(), row.curve.size()};
  return law::normal_laws[row.normal].force(law::of_face(area, depth, depth_rate, curve), parameters.normal).force;
}

double longest_step(double w2, double d, bool rk4) noexcept {
  const double spring = w2 > 0.0 ? 4.0 / (std::sqrt(d * d + 4.0 * w2) + d) : 1e300;
  const double damper = d > 0.0 ? 1.0 / d : 1e300;
  return rk4 ? std::min(1.4 * spring, 2.8 * damper) : std::min(spring, damper);
}

Rates contact_rates(const Model& model, Data& data, bool held, const Contact& c, BodyState* u) noexcept {
  return rates_of({model, data, held}, c, u);
}

Rates sliding_rates(const Model& model, Data& data, bool held, const Contact& c, BodyState* u) noexcept {
  constexpr double dz = 1e-9, dv = 1e-7;  // m, m/s
  const Law& row = model.laws[c.law];
  if (row.is_stateful() || !(c.normal_force > 0.0)) return {};
  const Vec3 v_t_W = c.v_AB_W - c.v_AB_W.dot(c.n_AB_W) * c.n_AB_W;
  const double v = v_t_W.norm();
  const Vec3 t_W = v > dv ? Vec3(v_t_W / v) : Vec3(c.n_AB_W.unitOrthogonal());
  const geometry::Shape &A = model.shapes[c.shape_a], &B = model.shapes[c.shape_b];
  const geometry::Shape& grained = model.grained(c.pair, A, B);
  const auto force = [&](const Vec3& v_W, const Vec3& z_W) {
    law::Bristle bristle{z_W, false};
    const law::FrictionInput sliding{v_W, c.n_AB_W, c.normal_force / c.load_share, &data.R_WB[grained.body],
                                     &grained.R_BS};
    return law::friction_laws[row.friction].force(sliding, 0.0, data.laws()[c.law].friction, bristle).f_t_W.norm();
  };
  const Vec3 rest = Vec3::Zero();
  const double stiffness = force(rest, dz * t_W) / dz, reference = stiffness > 0.0 ? dv : std::max(v, dv);
  const double damping = force(reference * t_W, rest) / reference;
  const double mobility = c.load_share * System{model, data, held}.mobility(c, t_W, u);
  return {stiffness * mobility, damping * mobility};
}

// The fastest mode u of M^-1 K by power iteration from the stiffest single contact; its Rayleigh quotients
//   w^2 = u.K u/(u.M u),  d = u.C u/(u.M u)
// never exceed those of the mode, so no warning is false.
FastestMode fastest_mode(const Model& model, Data& data, bool held, double ahead, BodyState* u) noexcept {
  const System system{model, data, held, ahead, data.compliances.data()};
  system.keep_compliances();
  BodyState* const next = u + model.bodies.size();
  FastestMode mode;
  double most = 0.0;
  for (std::size_t k = 0; k < data.count; ++k) {
    const Contact& c = data.contacts[k];
    const auto [w2, d] = rates_of(system, c, u);
    if (w2 + d * d > most) most = w2 + d * d, mode.stiffest = &c;
  }
  if (mode.stiffest == nullptr) return mode;
  system.clear(u);
  system.kick(*mode.stiffest, 1.0, u);
  for (int k = 0; k < 3; ++k) system.iterate(u, next);
  const double mass = system.twice_kinetic(u);
  for (std::size_t k = 0; k < data.count; ++k) {
    const auto [stiffness, damping] = system.compliance(data.contacts[k]);
    const double rate = system.rate(data.contacts[k], u);
    mode.rates.w2 += stiffness * rate * rate / mass;
    mode.rates.d += damping * rate * rate / mass;
  }
  return mode;
}

void check_step(const Model& model, Data& data, double h, double H) noexcept {
  Globals& g = data.globals();
  const System system{model, data, H > 0.0};
  const auto [rates, stiffest] = fastest_mode(model, data, H > 0.0, 0.0, data.stage.data());
  if (stiffest == nullptr) return;
  const double limit = longest_step(rates.w2, rates.d, model.options.integrator == Integrator::rk4);
  const bool a = system.gives_way(stiffest->body_a);
  const Motion motion = model.bodies[a ? stiffest->body_a : stiffest->body_b].motion;
  const double step = motion == Motion::free ? h : H;
  if (!(limit > 0.0) || !std::isfinite(limit) || !(step / limit > g.max_step_ratio)) return;
  g.max_step_ratio = step / limit;
  g.step_limit = limit;
  g.step_taken = step;
  g.stiff_body = a ? stiffest->body_a : stiffest->body_b;
  g.stiff_other = a ? stiffest->body_b : stiffest->body_a;
  g.stiff_law = stiffest->law;
}

}  // namespace contactlib::monitor
