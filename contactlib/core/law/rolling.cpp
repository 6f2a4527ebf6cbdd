// The laws of rolling resistance. A law is a function, an enum of its parameters, and its row in the table below.
#include <algorithm>
#include <cmath>

#include "laws.hpp"
#include "slider.hpp"

namespace contactlib::law {

namespace {

RollingTorque none(const RollingInput&, double, const double*, Vec3&) noexcept { return {Vec3::Zero(), 0.0, 0.0}; }

// A torsion spring with damper and slider against rolling, |t| <= mu_r N, and another against spinning, |t| <= mu_s N.
// Both hold without creep. The two deflections are orthogonal, so one vector stores both.
struct Rolling {
  enum : int { mu_rolling, mu_spinning, stiffness, damping, count };
};
RollingTorque rolling(const RollingInput& in, double h, const double* parameters, Vec3& s_W) noexcept {
  const double roll = parameters[Rolling::mu_rolling] * in.normal_force;
  const double spin = parameters[Rolling::mu_spinning] * in.normal_force;
  const double k = parameters[Rolling::stiffness], c = parameters[Rolling::damping];
  const Vec3& n = in.n_W;
  bool slips = false, spins = false;
  Vec3 s_n = s_W.dot(n) * n, s_t = s_W - s_n;
  const Vec3 w_n = in.w_AB_W.dot(n) * n, w_t = in.w_AB_W - w_n;
  const RollingTorque t = slide<RollingTorque>({k, c, roll, roll}, w_t, h, isotropic, s_t, slips);
  const RollingTorque m = slide<RollingTorque>({k, c, spin, spin}, w_n, h, isotropic, s_n, spins);
  s_W = s_t + s_n;
  return {t.t_W + m.t_W, t.stored + m.stored, t.heat + m.heat};
}

// Torsional friction of the contact patch of two curved surfaces, with Hertz's pressure p(r) on the radius a:
//   a = sqrt(R x),   |t| <= int mu p(r) r dA = 3 pi/16 mu N a
// K. L. Johnson, Contact Mechanics, Cambridge 1985, section 7.4 (sliding everywhere).
struct HertzPatch {
  enum : int { mu, radius, stiffness, damping, count };
};
RollingTorque hertz_patch(const RollingInput& in, double h, const double* parameters, Vec3& s_W) noexcept {
  constexpr double whole = 3.0 * 3.14159265358979323846 / 16.0;
  const double a = std::sqrt(parameters[HertzPatch::radius] * std::max(0.0, in.depth));
  const double most = whole * parameters[HertzPatch::mu] * in.normal_force * a;
  bool slips = false;
  s_W = s_W.dot(in.n_W) * in.n_W;
  return slide<RollingTorque>({parameters[HertzPatch::stiffness], parameters[HertzPatch::damping], most, most},
                              in.w_AB_W.dot(in.n_W) * in.n_W, h, isotropic, s_W, slips);
}

}  // namespace

// clang-format off
constexpr RollingRow rolling_laws[] = {
  {"none",    none,    0, {}},
  {"rolling", rolling, Rolling::count, {
    {Rolling::mu_rolling,  "mu_rolling",        "m",         0, false, "resisting torque of rolling per normal force"},
    {Rolling::mu_spinning, "mu_spinning",       "m",         0, false, "resisting torque of spinning per normal force"},
    {Rolling::stiffness,   "rolling_stiffness", "N.m/rad",   0, true,  "stiffness of the torsion spring"},
    {Rolling::damping,     "rolling_damping",   "N.m.s/rad", 0, false, "damping of the torsion spring before slip"}}},
  {"hertz_patch", hertz_patch, HertzPatch::count, {
    {HertzPatch::mu,        "mu_patch",          "1",         0, false, "friction coefficient of the contact patch"},
    {HertzPatch::radius,    "patch_radius",      "m",         0, true,  "effective radius R of the surfaces, 1/R = 1/R_A + 1/R_B"},
    {HertzPatch::stiffness, "rolling_stiffness", "N.m/rad",   0, true,  "stiffness of the torsion spring"},
    {HertzPatch::damping,   "rolling_damping",   "N.m.s/rad", 0, false, "damping of the torsion spring before slip"}}},
};
// clang-format on
const int rolling_law_count = sizeof rolling_laws / sizeof rolling_laws[0];
static_assert(matches_enums(rolling_laws));

}  // namespace contactlib::law
