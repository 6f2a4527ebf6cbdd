// impulses of the wrenches on bodies over a run of sub-steps, and what interface bodies do under them.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Body, model::BodyState, model::Model;
using state::CouplingScratch, state::Data, state::InterfaceMotion, state::Wrench;

// what a run of sub-steps adds up for the coupling.
struct ImpulseSums {
  Wrench* impulses = nullptr;  // per body, N s, N m s; of interface bodies about the centre of mass. null: not wanted
  double fall = 0.0;  // over how many intervals their weight falls to zero, see coupling.hpp; 0: it is 1
  double weight = 1.0;  // of an impulse at the present sub-step
  double free_work = 0.0;  // J, work of wrenches on bodies that the core moves

  // `part`: of the run, from 0 to 1.
  void weigh_at(double part) noexcept { weight = fall > 0.0 ? 2.0 / fall * (1.0 - part) : 1.0; }
};

// adds present wrenches times a duration (s), and their power on free bodies times it. null: nothing.
void add_impulses(const Model& model, Data& data, double duration, ImpulseSums* sums) noexcept;
void add_free_work(const Model& model, Data& data, double duration, ImpulseSums* sums) noexcept;

// the ends of a run weigh half: a correction of semi-implicit euler by `duration` (s). its velocities are half a step
// off under the present wrenches; they are corrected too, and are then of order two. without implicit elements.
void correct_end(const Model& model, Data& data, InterfaceMotion motion, double duration, ImpulseSums& sums) noexcept;

// into scratch.mean: the wrench that, held over H and carried along with the body, has the impulses of `scratch`, the
// angular ones about the centre of mass.
void find_mean(const Model& model, CouplingScratch& scratch, double H) noexcept;

// changes the momentum, the angular one about the centre of mass, of a body with the mass in the scene.
void change_momentum(const Body& body, const Vec3& dP_W, const Vec3& dL_W, BodyState& s) noexcept;

// the impulse that displaces an interface body from one state to another within one second, about its centre of mass.
Wrench impulse_of_displacement(const Model& model, Data& data, std::size_t i, const BodyState& from,
                               const BodyState& to) noexcept;

// J, that an impulse gives to an interface body at rest at the attitude R, the angular one about its centre of mass.
double energy_of_impulse(const Model& model, Data& data, std::size_t i, const Mat3& R,
                         const Wrench& impulse_W) noexcept;

// J, that impulses give to interface bodies at rest: those of `scratch`, and those of the present wrenches over H.
double energy_of_impulses(const Model& model, Data& data, const CouplingScratch& scratch) noexcept;
double energy_of_wrenches(const Model& model, Data& data, double H) noexcept;

}  // namespace contactlib::step
