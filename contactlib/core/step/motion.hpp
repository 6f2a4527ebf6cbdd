// how bodies move within a step: external ones along their twist, free ones under load.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::BodyState, model::Model;
using state::Data, state::InterfaceMotion;

struct ImpulseSums;

// one sub-step: from `tau` after the inputs on, for h.
struct Substep {
  InterfaceMotion motion;
  double tau, h;      // s
  ImpulseSums* sums;  // impulses.hpp; or null
};

// external bodies that move along their twist, and commands, at time `tau` after the inputs were taken:
// r + v tau + a tau^2/2, q turned by w tau + wdot tau^2/2.
void extrapolate(const Model& model, Data& data, InterfaceMotion motion, double tau) noexcept;

// whether the integrator moves a body: a free one, or an interface body that does not move along its twist.
bool under_load(const Model& model, InterfaceMotion motion, std::size_t i) noexcept;

// whether the body also responds to the wrenches of the present sub-step, as implicit elements need to know.
bool integrates(const Model& model, InterfaceMotion motion, std::size_t i) noexcept;
bool any_integrates(const Model& model, InterfaceMotion motion) noexcept;

// d/dt of such a body's state (origin) under the present loads in `data`.
BodyState rate_of(const Model& model, Data& data, InterfaceMotion motion, std::size_t i) noexcept;

// how such a body moves from t to t + h under the present loads in `data`: velocity of its centre of mass, and its
// angular velocity. linear in the load.
struct Kick {
  Vec3 v_c_W;  // m/s
  Vec3 L_W;    // N m s, about the centre of mass
  Vec3 w_W;    // rad/s
};
Kick kick(const Model& model, Data& data, InterfaceMotion motion, std::size_t i, const Mat3& R_WB, double h) noexcept;

// moves the bodies by a sub-step; wrenches at its start are in `data`. the caller evaluates its end. semi-implicit
// euler keeps linear and angular momentum to rounding, rk4 is of order four.
using Evaluate = Status (*)(const Model& model, Data& data, InterfaceMotion motion, double h) noexcept;
Status move_bodies(const Model& model, Data& data, const Substep& now, Evaluate evaluate_at) noexcept;

}  // namespace contactlib::step
