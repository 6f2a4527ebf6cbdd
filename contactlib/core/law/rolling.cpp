// The laws of rolling resistance. A law is a function, an enum of its parameters, and its row in the table below.
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

}  // namespace

// clang-format off
constexpr RollingRow rolling_laws[] = {
  {"none",    none,    0, {}},
  {"rolling", rolling, Rolling::count, {
    {Rolling::mu_rolling,  "mu_rolling",        "m",         0, false, "resisting torque of rolling per normal force"},
    {Rolling::mu_spinning, "mu_spinning",       "m",         0, false, "resisting torque of spinning per normal force"},
    {Rolling::stiffness,   "rolling_stiffness", "N.m/rad",   0, true,  "stiffness of the torsion spring"},
    {Rolling::damping,     "rolling_damping",   "N.m.s/rad", 0, false, "damping of the torsion spring before slip"}}},
};
// clang-format on
const int rolling_law_count = sizeof rolling_laws / sizeof rolling_laws[0];
static_assert(matches_enums(rolling_laws));

}  // namespace contactlib::law
