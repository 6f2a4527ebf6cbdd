// Motion of bodies within a step: external ones along their twist, free ones under load.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::BodyState, model::Model;
using state::Data, state::InterfaceMotion;

struct ImpulseSums;

// One sub-step of h, from `tau` after the inputs on.
struct Substep {
  InterfaceMotion motion;
  double tau, h;      // s
  ImpulseSums* sums;  // impulses.hpp; or null
};

// External bodies that move along their twist, and commands, at time `tau` after the inputs: r + v tau + a tau^2/2, q
// rotated by w tau + wdot tau^2/2.
void extrapolate(const Model& model, Data& data, InterfaceMotion motion, double tau) noexcept;

// Whether the integrator moves a body: a free one, or an interface body that does not move along its twist.
bool under_load(const Model& model, InterfaceMotion motion, std::size_t i) noexcept;

// Whether the body also responds to the wrenches of the present sub-step, which implicit elements need to know.
bool integrates(const Model& model, InterfaceMotion motion, std::size_t i) noexcept;
bool any_integrates(const Model& model, InterfaceMotion motion) noexcept;

// The state after h of a body that does not respond to the wrenches of this sub-step. A driven body is assumed to keep its
// twist.
BodyState known_end(const Model& model, Data& data, InterfaceMotion motion, std::size_t i, double h) noexcept;

// d/dt of such a body's state (origin) under the present loads in `data`.
BodyState rate_of(const Model& model, Data& data, InterfaceMotion motion, std::size_t i) noexcept;

// The load on a free body: contacts, gravity and applied loads. On an interface body: the wrench that moves it and the
// load of the plant. World axes, torques about the centre of mass.
struct Load {
  Vec3 force, torque;  // N, N m
};
Load load_on(const Model& model, Data& data, InterfaceMotion motion, std::size_t i, const Mat3& R_WB,
             const Vec3& p_BBcm_W) noexcept;

// Moves such a body under a load that does not change.
void under_held_wrench(const Model& model, Data& data, InterfaceMotion motion, std::size_t i, double h) noexcept;

// The change of such a body's motion from t to t + h under the present loads in `data`: velocity of its centre of mass,
// and angular velocity. Linear in the load.
struct Kick {
  Vec3 v_c_W;  // m/s
  Vec3 L_W;    // N m s, about the centre of mass
  Vec3 w_W;    // rad/s
};
Kick kick(const Model& model, Data& data, InterfaceMotion motion, std::size_t i, const Mat3& R_WB, double h) noexcept;

// Moves the bodies by a sub-step; the wrenches at its start are in `data`. The caller evaluates its end. Semi-implicit
// Euler keeps linear and angular momentum to rounding; rk4 has order four.
using Evaluate = Status (*)(const Model& model, Data& data, InterfaceMotion motion, double h) noexcept;
Status move_bodies(const Model& model, Data& data, const Substep& now, Evaluate evaluate_at) noexcept;

}  // namespace contactlib::step
