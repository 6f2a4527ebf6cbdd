// Impulses of the wrenches on bodies over a run of sub-steps, and the motion of interface bodies under them.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Body, model::BodyState, model::Model;
using state::CouplingScratch, state::Data, state::InterfaceMotion, state::Wrench;

// Sums of a run of sub-steps for the coupling.
struct ImpulseSums {
  Wrench* impulses = nullptr;  // per body, N s, N m s; about the centre of mass for interface bodies; or null
  Wrench* moments = nullptr;  // per body: impulses times the part of the run that follows them; or null
  double* work = nullptr;  // per body, J, of contacts and elements along the path
  double* free_work = nullptr;  // per body, J, of wrenches on bodies that the core moves
  state::Islands* islands = nullptr;  // contacts join their bodies in it
  double fall = 0.0;  // number of intervals over which the weight decreases to zero, see coupling.hpp; 0: constant
  double weight = 1.0;  // weight of an impulse at the present sub-step
  double left = 1.0;  // the part of the run that follows it

  // `part`: position in the run, from 0 to 1.
  void weigh_at(double part) noexcept {
    left = 1.0 - part;
    weight = fall > 0.0 ? 2.0 / fall * left : 1.0;
  }
};

// Adds the present wrenches and their power on free bodies, times a duration (s). `sums` may be null.
void add_impulses(const Model& model, Data& data, double duration, ImpulseSums* sums) noexcept;
void add_free_work(const Model& model, Data& data, double duration, ImpulseSums* sums) noexcept;

// Adds the present power on each body, times a duration (s).
void add_path_work(const Model& model, Data& data, double duration, ImpulseSums* sums) noexcept;

// The ends of a run have half weight: a correction of semi-implicit Euler by `duration` (s). Its velocities belong to
// half a step earlier; they are also corrected and then of second order. Not for implicit elements.
void correct_end(const Model& model, Data& data, InterfaceMotion motion, double duration, ImpulseSums& sums) noexcept;

// Writes to scratch.mean the wrench that, held over H and moving with the body, has the impulses of `scratch`; angular
// impulses are about the centre of mass.
void find_mean(const Model& model, const Data& data, CouplingScratch& scratch, double H) noexcept;

// Adds an impulse, angular about the centre of mass, to a body with its mass in `plant`.
void change_momentum(const Body& body, const Vec3& dP_W, const Vec3& dL_W, BodyState& s) noexcept;

// The impulse that moves an interface body from one state to another within one second, about its centre of mass.
Wrench impulse_of_displacement(const Model& model, Data& data, std::size_t i, const BodyState& from,
                               const BodyState& to) noexcept;

// J, energy of an interface body at rest at the attitude R after an impulse, angular about its centre of mass.
double energy_of_impulse(const Model& model, Data& data, std::size_t i, const Mat3& R,
                         const Wrench& impulse_W) noexcept;

// The same of a wrench of the core (world axes, about the origin of the body) over H.
double energy_of_wrench(const Model& model, Data& data, std::size_t i, const Wrench& wrench_W, double H) noexcept;

// J, energy of interface bodies at rest after the impulses of `scratch`.
double energy_of_impulses(const Model& model, Data& data, const CouplingScratch& scratch) noexcept;

}  // namespace contactlib::step
