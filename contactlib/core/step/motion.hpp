// how bodies move within a step: external ones along their twist, free ones under load.
#pragma once

#include "state/data.hpp"

namespace contactlib {

// external bodies and commands at time `tau` after the inputs were taken: r + v tau + a tau^2/2, q turned by w tau +
// wdot tau^2/2.
void extrapolate(const Model& model, Data& data, double tau) noexcept;

// whether the integrator moves a body: a free one, or an interface body that is not at its twist now.
bool under_load(const Model& model, const Data& data, std::size_t i) noexcept;

// whether it also answers to the wrenches of this very step, as implicit elements need to know.
bool integrates(const Model& model, const Data& data, std::size_t i) noexcept;
bool any_integrates(const Model& model, const Data& data) noexcept;

// d/dt of such a body's state (origin), given what acts on it in `data` now.
BodyState rate_of(const Model& model, Data& data, std::size_t i) noexcept;

// how such a body moves from t to t + h under what acts on it in `data` now: velocity of its centre of mass, and what
// it turns with. linear in the load.
struct Kick {
  Vec3 v_c_W;  // m/s
  Vec3 L_W;    // N m s, about the centre of mass
  Vec3 w_W;    // rad/s
};
Kick kick(const Model& model, Data& data, std::size_t i, const Mat3& R_WB, double h) noexcept;

// bodies under load from t to t + h. `tau` is t since the inputs; wrenches at t are in `data`. the last evaluation is
// left to the caller. semi-implicit euler keeps linear and angular momentum to rounding, rk4 is of order four.
using Evaluate = Status (*)(const Model& model, Data& data, double h) noexcept;
Status move_bodies(const Model& model, Data& data, double tau, double h, Evaluate evaluate_at) noexcept;

}  // namespace contactlib
