// a latch: a four-bar linkage on a base, turned at its crank by a motor, as the element table names it.
//   crank a from O2 to B at angle t2, coupler b from B to C at t3, rocker c from O4 to C at t4, O4 - O2 = g along x:
//   B = a (cos t2, sin t2),  D = |O4 - B|,  t3 = arg(O4 - B) + s acos((b^2 + D^2 - c^2)/(2 b D)),  s = +1 or -1
//   w3/w2 = a sin(t4 - t2)/(b sin(t3 - t4)),   w4/w2 = a sin(t2 - t3)/(c sin(t4 - t3))
// the links have no mass: what touches them turns the crank by its virtual work, and goes on to the base as it is.
// over a step the virtual work is that of its middle, L + (h/2) dL/dt, so that it is the work that the links do to the
// second order of the step.
#pragma once

#include "elements.hpp"

namespace contactlib {

struct FourBar {
  double ground, crank, coupler, rocker;  // m: g, a, b, c
  double branch;                          // s
};
// angles of coupler and rocker, rad, their first and their second derivatives by the crank's angle. false where the
// linkage does not reach, or is stretched out straight.
struct FourBarPose {
  double coupler, rocker, coupler_rate, rocker_rate, coupler_bend, rocker_bend;
};
bool solve_four_bar(const FourBar& bars, double angle, FourBarPose& out) noexcept;

// what a latch or a latch's drive shows to those that watch it.
struct LatchReading {
  double angle, rate, current;  // rad, rad/s, A
};
LatchReading read_latch_outputs(const ElementNow& latch) noexcept;

bool read_latch(ElementRecord& record, const Model& model, Element& out);
void place_latch(const ElementNow& now) noexcept;
Status step_latch(const ElementNow& now) noexcept;
bool admits_latch(const Element& element, const double* state) noexcept;

}  // namespace contactlib
