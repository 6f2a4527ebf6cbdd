// response estimation: how the bodies of the plant respond to wrenches, estimated from the inputs. their mass, inertia
// and centre of mass need not be those of the scene.
//
// over a step of H the master holds a wrench f. a body has the mass m' in the scene and m in the plant, and the plant
// accelerates it by a. with s = m'/m and F = m' a, the inputs give
//
//   z = m' (v_c - v_c last)/H = s f + F
//
// which is one equation for two unknowns. contact changes from step to step, loads of the plant mostly do not. so
// differences of two steps give the response s, and the rest is the load F:
//
//   y = z - z last,   u = f - f last,
//   S_yu = 0.9 S_yu + y.u,   S_uu = 0.9 S_uu + u.u,   s = (S_yu + r)/(S_uu + r)
//
// r keeps s at 1 where contact does not exceed rounding and other changes (the mean square of y - s u). rotation is
// alike about the centre of mass, with L = I' w and the scalar product of I'^-1. F follows at once while no wrench
// acts. while a wrench acts, F follows by 0.3 of the difference in each step: an error of s returns in F one step late,
// as a load that feeds the contact.
//
// with the masses of the plant in the scene s is 1 to rounding. docs/coupling.md tells the limits of s.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Model;
using state::Data;

// masses as in the scene, and no step known.
void reset_responses(const Model& model, Data& data) noexcept;

// response of a body to forces, and to torques about its centre of mass; 1 for bodies that the core moves.
struct Factors {
  double force, torque;
};
Factors factors_of(const Model& model, Data& data, std::size_t i) noexcept;

// estimates response and outside load of interface body i from the inputs after a step of H (s).
void estimate_response(const Model& model, Data& data, std::size_t i, double H) noexcept;

// body i was put where it is: its response stays, its last step and load are not known.
void forget_step(Data& data, std::size_t i) noexcept;

// keeps the inputs at the start of a step, and the wrenches that the master holds over it.
void keep_inputs(const Model& model, Data& data) noexcept;
void keep_held_wrenches(const Model& model, Data& data) noexcept;

// whether the numbers of a saved state are valid here.
bool sound_responses(const Model& model, const Data& data, const double* numbers) noexcept;

}  // namespace contactlib::step
