// The friction laws. A law is a function, an enum of its parameters, and its row in the table below.
#include <algorithm>
#include <cmath>

#include "bristle_loop.hpp"
#include "laws.hpp"
#include "math/elementary.hpp"
#include "slider.hpp"

namespace contactlib::law {

namespace {

// Stribeck's curve: mu(v) = mu_k + (mu_s - mu_k) exp(-(v/vs)^2)
double stribeck(double v2, double mu_s, double mu_k, double vs) noexcept {
  return mu_s == mu_k ? mu_k : mu_k + (mu_s - mu_k) * math::exp(-v2 / (vs * vs));
}

// The fraction of LuGre's damping force that may act. It is 1 unless the bristle force would exceed `limit`, as when a
// contact begins in motion, or the damping would add more power than the rest dissipates, as at a fast start of
// sliding.
double passive_part(const Vec3& spring, const Vec3& damper, const Vec3& v, double limit, double loss) noexcept {
  const double given = -damper.dot(v);
  double part = given > loss ? loss / given : 1.0;
  if ((spring + part * damper).squaredNorm() <= limit * limit) return part;
  const double a = damper.squaredNorm(), b = spring.dot(damper), c = spring.squaredNorm() - limit * limit;
  return std::min(part, std::max(0.0, (std::sqrt(std::max(0.0, b * b - a * c)) - b) / a));
}

FrictionForce none(const FrictionInput&, double, const double*, Bristle&) noexcept { return {Vec3::Zero(), 0.0, 0.0}; }

// f = -mu(v) N v / sqrt(v^2 + vs^2). The force is smooth at v = 0, so contacts creep; `bristle` gives true stiction.
struct Coulomb {
  enum : int { mu_static, mu_kinetic, slip_velocity, count };
};
FrictionForce coulomb(const FrictionInput& sliding, double, const double* parameters, Bristle&) noexcept {
  const double mu_s = parameters[Coulomb::mu_static], mu_k = parameters[Coulomb::mu_kinetic];
  const double vs = parameters[Coulomb::slip_velocity];
  const double v2 = sliding.v_t_W.squaredNorm();
  const double drag = stribeck(v2, mu_s, mu_k, vs) * sliding.normal_force / std::sqrt(v2 + vs * vs);
  return {-drag * sliding.v_t_W, 0.0, drag * v2};
}

// A spring in the contact plane that sticks up to mu_s N and slips at mu_k N.
struct BristleLaw {
  enum : int { mu_static, mu_kinetic, stiffness, damping, count };
};
FrictionForce bristle(const FrictionInput& sliding, double h, const double* parameters, Bristle& memory) noexcept {
  const double mu_s = parameters[BristleLaw::mu_static], mu_k = parameters[BristleLaw::mu_kinetic];
  const double k = parameters[BristleLaw::stiffness], c = parameters[BristleLaw::damping];
  const Slider slider{k, c, mu_s * sliding.normal_force, mu_k * sliding.normal_force};
  return slide<FrictionForce>(slider, sliding.v_t_W, h, isotropic, memory.z_W, memory.slipping);
}

// A bristle whose coefficient depends on the sliding speed, and may rise with it:
//   mu(v) = mu_slow + (mu_fast - mu_slow) v/(v + v_t)
struct RateBristle {
  enum : int { mu_slow, mu_fast, transition_speed, stiffness, damping, count };
};
FrictionForce rate_bristle(const FrictionInput& sliding, double h, const double* parameters, Bristle& memory) noexcept {
  const double slow = parameters[RateBristle::mu_slow], fast = parameters[RateBristle::mu_fast];
  const double k = parameters[RateBristle::stiffness], c = parameters[RateBristle::damping];
  const double v = sliding.v_t_W.norm(), v_t = parameters[RateBristle::transition_speed];
  const double limit = (slow + (fast - slow) * (v / (v + v_t))) * sliding.normal_force;
  return slide<FrictionForce>(Slider{k, c, limit, limit}, sliding.v_t_W, h, isotropic, memory.z_W, memory.slipping);
}

// Canudas de Wit, Olsson, Astrom & Lischinsky (1995) in the contact plane, g(v) = mu(v) N:
//   zdot = v - s0 |v| z / g(v),   f = -(s0 z + s1 zdot + s2 N v)
// Implicit in z, so that zdot = (z' - z)/h is exact and every step is stable:
//   z' = (z + h v) g / (g + h s0 |v|)
// |z| <= mu_s N / s0 also holds while N decreases.
struct LuGre {
  enum : int { mu_static, mu_kinetic, stribeck_velocity, sigma_0, sigma_1, sigma_2, count };
};
FrictionForce lugre(const FrictionInput& sliding, double h, const double* parameters, Bristle& memory) noexcept {
  const double mu_s = parameters[LuGre::mu_static], mu_k = parameters[LuGre::mu_kinetic];
  const double vs = parameters[LuGre::stribeck_velocity], s0 = parameters[LuGre::sigma_0];
  const double s1 = parameters[LuGre::sigma_1], viscous = parameters[LuGre::sigma_2] * sliding.normal_force;
  const double limit = mu_s * sliding.normal_force;
  const Vec3& v = sliding.v_t_W;
  Vec3& z = memory.z_W;
  const double v2 = v.squaredNorm(), speed = std::sqrt(v2);
  const double g = stribeck(v2, mu_s, mu_k, vs) * sliding.normal_force;
  memory.slipping = speed > vs;
  const double before = s0 * z.norm();
  if (before > limit) z *= limit / before;
  const double cut = before > limit && h > 0.0 ? (before * before - limit * limit) / (2.0 * s0 * h) : 0.0;
  if (!(g > 0.0)) return {Vec3::Zero(), 0.0, cut};
  z = (g / (g + h * s0 * speed)) * (z + h * v);
  const Vec3 spring = s0 * z, zdot = v - (speed / g) * spring, damper = s1 * zdot;
  const double part = passive_part(spring, damper, v, limit, spring.dot(v - zdot) + viscous * v2);
  const Vec3 f = spring + part * damper + viscous * v;
  return {-f, 0.5 * s0 * z.squaredNorm(), cut + std::max(0.0, f.dot(v) - spring.dot(zdot))};
}

// The friction forces on a grained surface lie in N times an ellipse. It is the projection onto the contact plane of an
// ellipsoid about the grain direction d,  M = mu_across^2 + (mu_along^2 - mu_across^2) d d^T.  A surface normal to its
// grain is isotropic. FrictionInput at v gives  f = -N M v / sqrt(v.Mv),  the force of the ellipse with the largest
// dissipation.
struct Anisotropic {
  enum : int { mu_along, mu_across, stiffness, damping, direction_x, direction_y, direction_z, count };
};
FrictionForce anisotropic(const FrictionInput& sliding, double h, const double* parameters, Bristle& memory) noexcept {
  const double along = parameters[Anisotropic::mu_along], across = parameters[Anisotropic::mu_across];
  const double along2 = along * along, across2 = across * across;
  const double top2 = std::max(along2, across2), N = sliding.normal_force;
  const Vec3 d_W = *sliding.R_WG * (*sliding.R_GS * Vec3(parameters + Anisotropic::direction_x));
  const double length2 = d_W.squaredNorm();
  const Vec3 d_t_W = d_W - d_W.dot(sliding.n_W) * sliding.n_W;
  const double grain = length2 > 0.0 ? (along2 - across2) / length2 : 0.0;
  const auto M = [&](const Vec3& w) -> Vec3 { return across2 * w + grain * d_t_W.dot(w) * d_t_W; };
  const Slider slider{parameters[Anisotropic::stiffness] / top2, parameters[Anisotropic::damping] / top2, N, N};
  return slide<FrictionForce>(slider, sliding.v_t_W, h, M, memory.z_W, memory.slipping);
}

// The laws over a surface.
SurfaceSlider no_slider(double, double, const double*) noexcept { return {}; }

SurfaceSlider coulomb_slider(double speed, double N, const double* parameters) noexcept {
  SurfaceSlider slider;
  slider.slip_velocity = parameters[Coulomb::slip_velocity];
  slider.slip = N * stribeck(speed * speed, parameters[Coulomb::mu_static], parameters[Coulomb::mu_kinetic],
                             slider.slip_velocity);
  return slider;
}

SurfaceSlider bristle_slider(double, double N, const double* parameters) noexcept {
  return {parameters[BristleLaw::stiffness], parameters[BristleLaw::damping], parameters[BristleLaw::mu_static] * N,
          parameters[BristleLaw::mu_kinetic] * N};
}

SurfaceSlider rate_bristle_slider(double speed, double N, const double* parameters) noexcept {
  const double slow = parameters[RateBristle::mu_slow], fast = parameters[RateBristle::mu_fast];
  const double limit = (slow + (fast - slow) * (speed / (speed + parameters[RateBristle::transition_speed]))) * N;
  return {parameters[RateBristle::stiffness], parameters[RateBristle::damping], limit, limit};
}

SurfaceSlider lugre_slider(double speed, double N, const double* parameters) noexcept {
  const double mu_s = parameters[LuGre::mu_static], mu_k = parameters[LuGre::mu_kinetic];
  const double g = stribeck(speed * speed, mu_s, mu_k, parameters[LuGre::stribeck_velocity]) * N;
  return {parameters[LuGre::sigma_0],     parameters[LuGre::sigma_1],          mu_s * N, g, true,
          parameters[LuGre::sigma_2] * N, parameters[LuGre::stribeck_velocity]};
}

Grain anisotropic_grain(const double* parameters) noexcept {
  const double along = parameters[Anisotropic::mu_along], across = parameters[Anisotropic::mu_across];
  return {along * along, across * across, Vec3(parameters + Anisotropic::direction_x).normalized()};
}

// Its coefficients are in the metric (surface_friction.hpp).
SurfaceSlider anisotropic_slider(double, double N, const double* parameters) noexcept {
  const double top = std::max(parameters[Anisotropic::mu_along], parameters[Anisotropic::mu_across]);
  return {parameters[Anisotropic::stiffness] / (top * top), parameters[Anisotropic::damping] / (top * top), N, N};
}

// flatten: inlines the law into the loop, whatever its size.
template <auto law>
[[gnu::flatten]] void friction_from(std::size_t first, const FrictionBlock& block, double h,
                                    const double* parameters) noexcept {
  const Mat3 axes = Mat3::Identity();
  for (std::size_t i = first; i < block.count; ++i) {
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

template <auto law>
void friction_loop(const FrictionBlock& block, double h, const double* parameters) noexcept {
  friction_from<law>(0, block, h, parameters);
}

template <auto law>
[[gnu::flatten]] void friction_in_space_from(std::size_t first, const FrictionColumns& contacts, double h,
                                             const double* parameters) noexcept {
  const VectorColumns &v = contacts.v_t_W, &z = contacts.z_W, &f = contacts.f_t_W;
  for (std::size_t i = first; i < contacts.count; ++i) {
    Bristle bristle{Vec3(z.x[i], z.y[i], z.z[i]), contacts.slipping[i] != 0.0};
    const FrictionInput sliding{Vec3(v.x[i], v.y[i], v.z[i]), Vec3::Zero(), contacts.normal_force[i], nullptr, nullptr};
    const FrictionForce found = law(sliding, h, parameters, bristle);
    z.x[i] = bristle.z_W[0], z.y[i] = bristle.z_W[1], z.z[i] = bristle.z_W[2];
    f.x[i] = found.f_t_W[0], f.y[i] = found.f_t_W[1], f.z[i] = found.f_t_W[2];
    contacts.slipping[i] = bristle.slipping ? 1.0 : 0.0;
    contacts.stored[i] = found.stored;
    contacts.heat[i] = found.heat;
  }
}

// Of a law that uses neither normal nor grain.
template <auto law>
void friction_in_space(const FrictionColumns& contacts, double h, const double* parameters) noexcept {
  friction_in_space_from<law>(0, contacts, h, parameters);
}

BristleParameters bristle_parameters(const double* parameters) noexcept {
  return {parameters[BristleLaw::mu_static], parameters[BristleLaw::mu_kinetic], parameters[BristleLaw::stiffness],
          parameters[BristleLaw::damping]};
}

template <>
void friction_loop<bristle>(const FrictionBlock& block, double h, const double* parameters) noexcept {
  friction_from<bristle>(bristle_loop(block, h, bristle_parameters(parameters)), block, h, parameters);
}

template <>
void friction_in_space<bristle>(const FrictionColumns& contacts, double h, const double* parameters) noexcept {
  const std::size_t done = bristle_loop(contacts, h, bristle_parameters(parameters));
  friction_in_space_from<bristle>(done, contacts, h, parameters);
}

template <auto law, auto slider, bool needs_speed = true>
constexpr FrictionLaw both{law, friction_loop<law>, friction_in_space<law>, slider, needs_speed};
template <auto law, auto slider>
constexpr FrictionLaw with_grain{law, friction_loop<law>, nullptr, slider, false, anisotropic_grain};

}  // namespace

// clang-format off
constexpr FrictionRow friction_laws[] = {
  {"none",        both<none, no_slider, false>,        0, {}},
  {"coulomb",     both<coulomb, coulomb_slider>,     Coulomb::count, {
    {Coulomb::mu_static,       "mu_static",            "1",     0, false, "friction coefficient at rest"},
    {Coulomb::mu_kinetic,      "mu_kinetic",           "1",     0, false, "friction coefficient of sliding, at most mu_static"},
    {Coulomb::slip_velocity,   "slip_velocity",        "m/s",   0, true,  "sliding speed below which the friction force decreases to zero"}}},
  {"bristle",     both<bristle, bristle_slider, false>,     BristleLaw::count, {
    {BristleLaw::mu_static,    "mu_static",            "1",     0, false, "friction coefficient at rest"},
    {BristleLaw::mu_kinetic,   "mu_kinetic",           "1",     0, false, "friction coefficient of sliding, at most mu_static"},
    {BristleLaw::stiffness,    "tangential_stiffness", "N/m",   0, true,  "stiffness of the bristle"},
    {BristleLaw::damping,      "tangential_damping",   "N.s/m", 0, false, "damping of the bristle during stiction"}}},
  {"rate_bristle", both<rate_bristle, rate_bristle_slider>, RateBristle::count, {
    {RateBristle::mu_slow,     "mu_slow",             "1",     0, false, "friction coefficient at rest and of slow sliding"},
    {RateBristle::mu_fast,     "mu_fast",             "1",     0, false, "friction coefficient that fast sliding approaches"},
    {RateBristle::transition_speed, "transition_speed", "m/s", 0, true,  "sliding speed at which the friction coefficient is half-way between the two"},
    {RateBristle::stiffness,   "tangential_stiffness", "N/m",   0, true,  "stiffness of the bristle"},
    {RateBristle::damping,     "tangential_damping",   "N.s/m", 0, false, "damping of the bristle during stiction"}}},
  {"lugre",       both<lugre, lugre_slider>,       LuGre::count, {
    {LuGre::mu_static,         "mu_static",            "1",     0, true,  "friction coefficient at rest"},
    {LuGre::mu_kinetic,        "mu_kinetic",           "1",     0, true,  "friction coefficient of fast sliding, at most mu_static"},
    {LuGre::stribeck_velocity, "stribeck_velocity",    "m/s",   0, true,  "sliding speed of the transition from mu_static to mu_kinetic"},
    {LuGre::sigma_0,           "sigma_0",              "N/m",   0, true,  "stiffness of the bristles"},
    {LuGre::sigma_1,           "sigma_1",              "N.s/m", 0, false, "damping of the bristles"},
    {LuGre::sigma_2,           "sigma_2",              "s/m",   0, false, "viscous friction per normal force"}}},
  {"anisotropic", with_grain<anisotropic, anisotropic_slider>, Anisotropic::count, {
    {Anisotropic::mu_along,    "mu_along",             "1",     0, true,  "friction coefficient along the direction of the grain"},
    {Anisotropic::mu_across,   "mu_across",            "1",     0, true,  "friction coefficient across the direction of the grain"},
    {Anisotropic::stiffness,   "tangential_stiffness", "N/m",   0, true,  "stiffness of the bristle in its stiffer direction"},
    {Anisotropic::damping,     "tangential_damping",   "N.s/m", 0, false, "damping of the bristle in its stiffer direction during stiction"},
    {Anisotropic::direction_x, "direction[1]",         "1", unbounded, false, "direction of the grain in the axes of the shape, component x"},
    {Anisotropic::direction_y, "direction[2]",         "1", unbounded, false, "direction of the grain in the axes of the shape, component y"},
    {Anisotropic::direction_z, "direction[3]",         "1", unbounded, false, "direction of the grain in the axes of the shape, component z"}}},
};
// clang-format on
const int friction_law_count = sizeof friction_laws / sizeof friction_laws[0];
static_assert(matches_enums(friction_laws));

}  // namespace contactlib::law
