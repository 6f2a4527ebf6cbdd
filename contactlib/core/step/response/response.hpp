// Response estimation: the response of the plant's bodies to wrenches, estimated from the inputs. Their mass, inertia
// and centre of mass may differ from those of the scene.
//
// Over a step of H the master holds a wrench f. A body has the mass m' in the scene and m in the plant, and other loads
// of the plant accelerate it by a. With s = m'/m and F = m' a, the inputs give
//
//   z = m' (v_c - v_c last)/H = s f + F
//
// This is one equation with two unknowns. Contact wrenches change from step to step, loads of the plant mostly do not.
// So differences of two steps determine the response s, and the rest is the load F:
//
//   y = z - z last,   u = f - f last,
//   S_yu = 0.9 S_yu + y.u,   S_uu = 0.9 S_uu + u.u,   s = (S_yu + r)/(S_uu + r)
//
// r keeps s at 1 while contact does not exceed rounding and other changes (the mean square of y - s u). Rotation about
// the centre of mass is analogous, with L = I' w and the scalar product of I'^-1. F follows at once while no wrench
// acts. While a wrench acts, F follows by 0.3 of the difference in each step: an error of s returns in F one step late,
// as a load that amplifies the contact.
//
// With the masses of the plant in the scene, s is 1 to rounding. docs/coupling.md gives the limits of s. What the two
// factors leave unexplained, mobility.hpp adds.
#pragma once

#include "mobility.hpp"

namespace contactlib::step {

using model::Model;
using state::Data;

// The initial value: masses as in the scene, no last step.
void reset_responses(const Model& model, Data& data) noexcept;

// The response of a body to forces and to torques about its centre of mass, over all directions; 1 for bodies that the
// core moves.
struct Factors {
  double force, torque;
};
Factors factors_of(const Model& model, Data& data, std::size_t i) noexcept;

// The rate of momentum that a wrench causes, in the mass of the scene, and the wrench that causes it; world axes, about
// the centre of mass. R_WB: the body's attitude.
Wrench response_to(const Model& model, Data& data, std::size_t i, const Mat3& R_WB, const Wrench& wrench_W) noexcept;
Wrench cause_of(const Model& model, Data& data, std::size_t i, const Mat3& R_WB, const Wrench& rate_W) noexcept;

// Accelerations by a wrench, and the apparent mass: mobility.hpp.
Blocks mobility_of(const Model& model, Data& data, std::size_t i, const Mat3& R_WB) noexcept;
Blocks apparent_mass_of(const Model& model, Data& data, std::size_t i, const Mat3& R_WB) noexcept;

// Estimates response and external load of interface body i from the inputs after a step of H (s).
void estimate_response(const Model& model, Data& data, std::size_t i, double H) noexcept;

// Body i was placed: its response is kept, its last step and its load are unknown.
void forget_step(Data& data, std::size_t i) noexcept;

// Stores the inputs at the start of a step and the wrenches that the master holds over it.
void keep_inputs(const Model& model, Data& data) noexcept;
void keep_held_wrenches(const Model& model, Data& data) noexcept;

// Whether the numbers of a saved state are valid.
bool sound_responses(const Model& model, const Data& data, const double* numbers) noexcept;

}  // namespace contactlib::step
