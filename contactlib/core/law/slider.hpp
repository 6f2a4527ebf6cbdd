// Spring and damper in series with a slider: common part of bristles and rolling resistance.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/vectors.hpp"

namespace contactlib::law {

struct Slider {
  double stiffness, damping;
  double hold, slip;  // largest generalised force while it holds, and while it slips
};

// One implicit step of the reset integrator (Haessig & Friedland 1991) with the rate v over h. Magnitudes use a
// symmetric, positive semi-definite metric M, |w| = sqrt(w.Mw); M = 1 in all isotropic cases:
//   z' = z + h v,   f = -M (k z' + c v)
//   k |z'| <= hold (slip, while it slips):  it sticks,  |f| <= hold
//   else:                                   it slips,  z' <- z' slip / (k |z'|),  f = -M k z'    (radial return)
// With this M in spring, damper and limit, the return is the nearest point in energy: largest dissipation. At rest z is
// constant, a true spring, so there is no creep. heat is the dissipated power of damper and slider. The function is
// always inlined: passing its numbers through memory would take as long as the computation.
template <class Force, class Metric>
[[gnu::always_inline]] inline Force slide(const Slider& s, const Vec3& v, double h, const Metric& M, Vec3& z,
                                          bool& slipping) noexcept {
  const double k = s.stiffness, c = s.damping, limit = slipping ? s.slip : s.hold;
  const Vec3 trial = z + h * v;
  const Vec3 &Mz = M(trial), &Mv = M(v);
  const double kz2 = k * trial.dot(Mz);
  if (k * kz2 <= limit * limit && !(h == 0.0 && slipping)) {  // while no time passes there is no transition
    slipping = false;
    z = trial;
    // |k z' + c v|^2 = k (k z'^2) + c (2 k z'.Mv + c v.Mv)
    const double zv = k * trial.dot(Mv), lost = c * v.dot(Mv), w2 = k * kz2 + c * (2.0 * zv + lost);
    const Vec3 w = k * Mz + c * Mv;
    if (w2 <= s.hold * s.hold) return {-w, 0.5 * kz2, lost};
    const double cap = s.hold / w2 * std::sqrt(w2);  // root and quotient side by side
    return {-cap * w, 0.5 * kz2, std::max(0.0, cap * (zv + lost) - zv)};
  }
  slipping = true;
  const double squared = k * kz2, keep = squared > 1e-200 ? s.slip / squared * std::sqrt(squared) : 0.0;
  const double heat = h > 0.0 ? keep * (1.0 - keep) * (kz2 / h) : keep * k * Mz.dot(v);
  z = keep * trial;
  return {-(k * keep) * Mz, 0.5 * keep * keep * kz2, std::max(0.0, heat)};
}

// The metric of isotropic cases.
inline const auto isotropic = [](const Vec3& w) noexcept -> const Vec3& { return w; };

}  // namespace contactlib::law
