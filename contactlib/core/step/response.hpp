// how the bodies of the plant respond to wrenches, learnt from the inputs: their mass, inertia and centre of mass need
// not be those of the scene.
//
// over a step of H the master held a wrench f, and a body of the mass m' in the scene and m in the plant had the
// outside acceleration a. the inputs tell, with s = m'/m and F = m' a,
//
//   z = m' (v_c - v_c last)/H = s f + F
//
// two unknowns. contact changes from step to step, outside loads mostly do not, so that differences tell the response
// s, and what is left is the load:
//
//   y = z - z last,   u = f - f last,
//   S_yu = 0.9 S_yu + y.u,   S_uu = 0.9 S_uu + u.u,   s = (S_yu + r)/(S_uu + r)
//
// r keeps s at 1 where contact does not stand out of rounding and of what changes by itself (the mean square of
// y - s u). rotation is the same about the centre of mass, with L = I' w and the scalar product of I'^-1. F follows at
// once while no wrench acts; while one does by 0.3 of the way in each step, for an error of s returns in it, one step
// late, as a load that feeds the contact.
//
// with the scene's masses right s is 1 to rounding. docs/coupling.md says what s cannot tell.
#pragma once

#include "state/data.hpp"

namespace contactlib {

// every body as heavy as the scene says, and no step known.
void reset_responses(const Model& model, Data& data) noexcept;

// of a body to forces, and to torques about its centre of mass; 1 for bodies that the core moves.
struct Factors {
  double force, torque;
};
Factors factors_of(const Model& model, Data& data, std::size_t i) noexcept;

// what the inputs tell of the step of H (s) that is over: response and load from outside of interface body i.
void learn(const Model& model, Data& data, std::size_t i, double H) noexcept;

// body i was put where it is: nothing of the step before holds, but for its mass.
void forget_step(Data& data, std::size_t i) noexcept;

// keeps what the master holds over a step: the inputs at its start, and the wrench.
void keep_inputs(const Model& model, Data& data) noexcept;
void keep_held_wrenches(const Model& model, Data& data) noexcept;

// whether the numbers of a saved state make sense here.
bool sound_responses(const Model& model, const Data& data, const double* numbers) noexcept;

}  // namespace contactlib
