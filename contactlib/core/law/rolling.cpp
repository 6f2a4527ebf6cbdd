#include "rolling.hpp"

#include "slider.hpp"

namespace contactlib::law {

RollingTorque no_rolling(const Turning&, double, const double*, Vec3&) noexcept { return {Vec3::Zero(), 0.0, 0.0}; }

// a torsion spring with damper and slider against rolling, |t| <= mu_r N, and one against spinning, |t| <= mu_s N: both
// hold still without creep. the two parts of the deflection are orthogonal, so one vector remembers both.
RollingTorque rolling(const Turning& turning, double h, const double* parameters, Vec3& s_W) noexcept {
  const double roll = parameters[0] * turning.normal_force, spin = parameters[1] * turning.normal_force;
  const double k = parameters[2], c = parameters[3];
  const Vec3& n = turning.n_W;
  bool slips = false, spins = false;
  Vec3 s_n = s_W.dot(n) * n, s_t = s_W - s_n;
  const Vec3 w_n = turning.w_AB_W.dot(n) * n, w_t = turning.w_AB_W - w_n;
  const RollingTorque t = slide<RollingTorque>({k, c, roll, roll}, w_t, h, isotropic, s_t, slips);
  const RollingTorque m = slide<RollingTorque>({k, c, spin, spin}, w_n, h, isotropic, s_n, spins);
  s_W = s_t + s_n;
  return {t.t_W + m.t_W, t.stored + m.stored, t.heat + m.heat};
}

}  // namespace contactlib::law
