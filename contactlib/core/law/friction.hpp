// the friction laws, inline: rub_many() takes them into its loop.
#pragma once

#include <algorithm>
#include <cmath>

#include "laws.hpp"
#include "slider.hpp"

namespace contactlib::law {

// Stribeck's curve: mu(v) = mu_k + (mu_s - mu_k) exp(-(v/vs)^2)
inline double stribeck(double v2, double mu_s, double mu_k, double vs) noexcept {
  return mu_s == mu_k ? mu_k : mu_k + (mu_s - mu_k) * std::exp(-v2 / (vs * vs));
}

// how much of LuGre's damper may act: all of it, unless the bristles push with more than `most`, as when a contact
// begins in motion, or the damper gives more than the rest loses, as it can where sliding sets in fast.
inline double passive_part(const Vec3& spring, const Vec3& damper, const Vec3& v, double most, double loss) noexcept {
  const double given = -damper.dot(v);
  double part = given > loss ? loss / given : 1.0;
  if ((spring + part * damper).squaredNorm() <= most * most) return part;
  const double a = damper.squaredNorm(), b = spring.dot(damper), c = spring.squaredNorm() - most * most;
  return std::min(part, std::max(0.0, (std::sqrt(std::max(0.0, b * b - a * c)) - b) / a));
}

inline FrictionForce no_friction(const Sliding&, double, const double*, Bristle&) noexcept {
  return {Vec3::Zero(), 0.0, 0.0};
}

// f = -mu(v) N v / sqrt(v^2 + vs^2): smooth through zero, so it creeps; use the bristle where things must stand still.
inline FrictionForce coulomb(const Sliding& sliding, double, const double* parameters, Bristle&) noexcept {
  const double mu_s = parameters[0], mu_k = parameters[1], vs = parameters[2];
  const double v2 = sliding.v_t_W.squaredNorm();
  const double drag = stribeck(v2, mu_s, mu_k, vs) * sliding.normal_force / std::sqrt(v2 + vs * vs);
  return {-drag * sliding.v_t_W, 0.0, drag * v2};
}

// a spring in the contact plane that holds up to mu_s N and slips at mu_k N.
inline FrictionForce bristle(const Sliding& sliding, double h, const double* parameters, Bristle& memory) noexcept {
  const double mu_s = parameters[0], mu_k = parameters[1], k = parameters[2], c = parameters[3];
  const Slider slider{k, c, mu_s * sliding.normal_force, mu_k * sliding.normal_force};
  return slide<FrictionForce>(slider, sliding.v_t_W, h, isotropic, memory.z_W, memory.slipping);
}

// Canudas de Wit, Olsson, Astrom & Lischinsky (1995) in the contact plane, g(v) = mu(v) N:
//   zdot = v - s0 |v| z / g(v),   f = -(s0 z + s1 zdot + s2 N v)
// implicit in z, which keeps zdot = (z' - z)/h exact and any step stable:
//   z' = (z + h v) g / (g + h s0 |v|)
// |z| <= mu_s N / s0 stays true when N falls.
inline FrictionForce lugre(const Sliding& sliding, double h, const double* parameters, Bristle& memory) noexcept {
  const double mu_s = parameters[0], mu_k = parameters[1], vs = parameters[2];
  const double s0 = parameters[3], s1 = parameters[4], viscous = parameters[5] * sliding.normal_force;
  const double most = mu_s * sliding.normal_force;
  const Vec3& v = sliding.v_t_W;
  Vec3& z = memory.z_W;
  const double v2 = v.squaredNorm(), speed = std::sqrt(v2);
  const double g = stribeck(v2, mu_s, mu_k, vs) * sliding.normal_force;
  memory.slipping = speed > vs;
  const double before = s0 * z.norm();
  if (before > most) z *= most / before;
  const double cut = before > most && h > 0.0 ? (before * before - most * most) / (2.0 * s0 * h) : 0.0;
  if (!(g > 0.0)) return {Vec3::Zero(), 0.0, cut};
  z = (g / (g + h * s0 * speed)) * (z + h * v);
  const Vec3 spring = s0 * z, zdot = v - (speed / g) * spring, damper = s1 * zdot;
  const double part = passive_part(spring, damper, v, most, spring.dot(v - zdot) + viscous * v2);
  const Vec3 f = spring + part * damper + viscous * v;
  return {-f, 0.5 * s0 * z.squaredNorm(), cut + std::max(0.0, f.dot(v) - spring.dot(zdot))};
}

// the forces on a grained surface lie in N times an ellipse: the shadow, on the contact plane, of an ellipsoid about
// the grain d,  M = mu_across^2 + (mu_along^2 - mu_across^2) d d^T.  seen along its grain a surface is isotropic.
// sliding at v it gives  f = -N M v / sqrt(v.Mv),  the force in the ellipse that takes most power.
inline FrictionForce anisotropic(const Sliding& sliding, double h, const double* parameters, Bristle& memory) noexcept {
  const double along2 = parameters[0] * parameters[0], across2 = parameters[1] * parameters[1];
  const double top2 = std::max(along2, across2), N = sliding.normal_force;
  const Vec3 d_W = *sliding.R_WG * (*sliding.R_GS * Vec3(parameters + 4));
  const double length2 = d_W.squaredNorm();
  const Vec3 d_t_W = d_W - d_W.dot(sliding.n_W) * sliding.n_W;
  const double grain = length2 > 0.0 ? (along2 - across2) / length2 : 0.0;
  const auto M = [&](const Vec3& w) -> Vec3 { return across2 * w + grain * d_t_W.dot(w) * d_t_W; };
  const Slider slider{parameters[2] / top2, parameters[3] / top2, N, N};
  return slide<FrictionForce>(slider, sliding.v_t_W, h, M, memory.z_W, memory.slipping);
}

// flatten: the law belongs into the loop, however large it is.
template <auto law>
[[gnu::flatten]] void rub_many(const RubbedBlock& block, double h, const double* parameters) noexcept {
  const Mat3 axes = Mat3::Identity();
  for (std::size_t i = 0; i < block.count; ++i) {
    const bool touches = block.depth[i] > 0.0;
    double* const memory = block.bristles + 3 * i;
    Bristle bristle{Vec3(memory[0], memory[1], 0.0), memory[2] != 0.0};
    FrictionForce found{Vec3::Zero(), 0.0, 0.0};
    if (touches) {
      const Vec3 v_t(block.v_x[i], block.v_y[i], 0.0);
      found = law({v_t, Vec3::UnitZ(), block.normal_force[i], &axes, &axes}, h, parameters, bristle);
    }
    memory[0] = touches ? bristle.z_W[0] : 0.0;
    memory[1] = touches ? bristle.z_W[1] : 0.0;
    memory[2] = touches && bristle.slipping ? 1.0 : 0.0;
    block.f_x[i] = found.f_t_W[0];
    block.f_y[i] = found.f_t_W[1];
    block.stored[i] += found.stored;
    block.heat[i] += found.heat;
  }
}

// as the table has it.
template <auto law>
inline constexpr FrictionLaw friction_law{law, rub_many<law>};

}  // namespace contactlib::law
