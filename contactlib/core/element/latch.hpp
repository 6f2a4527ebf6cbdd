// The element `latch`: a four-bar linkage on a base with a motor at its crank.
//   crank a from O2 to B at angle t2, coupler b from B to C at t3, rocker c from O4 to C at t4, O4 - O2 = g along x:
//   B = a (cos t2, sin t2),  D = |O4 - B|,  t3 = arg(O4 - B) + s acos((b^2 + D^2 - c^2)/(2 b D)),  s = +1 or -1
//   w3/w2 = a sin(t4 - t2)/(b sin(t3 - t4)),   w4/w2 = a sin(t2 - t3)/(c sin(t4 - t3))
// The links have no mass. Contact wrenches on them turn the crank by their virtual work and pass unchanged to the base.
// The load L on the crank over a step is that of its middle, L + (h/2) dL/dt: second order in the step.
#pragma once

#include "elements.hpp"

namespace contactlib::element {

struct FourBar {
  double ground, crank, coupler, rocker;  // m: g, a, b, c
  double branch;  // s
};
// Angles of coupler and rocker (rad), with their first and second derivatives by the crank's angle. Returns false if
// the linkage cannot close or is straight.
struct FourBarPose {
  double coupler, rocker, coupler_rate, rocker_rate, coupler_bend, rocker_bend;
};
bool solve_four_bar(const FourBar& bars, double angle, FourBarPose& out) noexcept;

// What a berthing control reads from a latch or a latch drive.
struct LatchReading {
  double angle, rate, current;  // rad, rad/s, A
};
bool is_latch(const Element& element) noexcept;
LatchReading read_latch(const ElementNow& latch) noexcept;

}  // namespace contactlib::element
