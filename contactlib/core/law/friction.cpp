#include "friction.hpp"

#include <algorithm>
#include <cmath>

namespace contactlib {

FrictionForce no_friction(const Sliding&, const double*, Bristle&) noexcept { return {Vec3::Zero(), 0.0}; }

// f = -mu(v) N v / sqrt(v^2 + vs^2),  mu(v) = mu_k + (mu_s - mu_k) exp(-(v/vs)^2):
// smooth through zero, so it creeps; use the bristle where things must stand still.
FrictionForce coulomb(const Sliding& sliding, const double* parameters, Bristle&) noexcept {
  const double mu_s = parameters[0], mu_k = parameters[1], vs = parameters[2];
  const double v2 = sliding.v_t_W.squaredNorm(), vs2 = vs * vs;
  const double mu = mu_s == mu_k ? mu_k : mu_k + (mu_s - mu_k) * std::exp(-v2 / vs2);
  return {sliding.v_t_W * (-mu * sliding.normal_force / std::sqrt(v2 + vs2)), 0.0};
}

// the reset integrator of Haessig & Friedland (1991) in the contact plane, with an implicit trial step:
//   z' = z + h v,   limit = mu N / k,   mu = mu_k while slipping, else mu_s
//   |z'| <= limit:  sticks,  f = -(k z' + c v),  |f| <= mu_s N
//   else:           slips,   z' <- z' (mu_k N / k) / |z'|,  f = -k z'    (radial return)
// at rest nothing moves: z is a true spring, so there is no creep.
FrictionForce bristle(const Sliding& sliding, const double* parameters, Bristle& memory) noexcept {
  const double mu_s = parameters[0], mu_k = parameters[1], k = parameters[2], c = parameters[3];
  const double N = sliding.normal_force;
  Vec3& z = memory.z_W;
  z += sliding.h * sliding.v_t_W;
  const double length = z.norm();
  const double limit = (memory.slipping ? mu_k : mu_s) * N / k;
  const bool still_slips = sliding.h == 0.0 && memory.slipping && length > 0.0;  // no time passes: no transition
  if (length <= limit && !still_slips) {
    memory.slipping = false;
    Vec3 f = -(k * z + c * sliding.v_t_W);
    const double size = f.norm(), most = mu_s * N;
    if (size > most) f *= most / size;
    return {f, 0.5 * k * z.squaredNorm()};
  }
  memory.slipping = true;
  z *= mu_k * N / k / length;
  return {-k * z, 0.5 * k * z.squaredNorm()};
}

}  // namespace contactlib
