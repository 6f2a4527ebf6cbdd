// Mobility: the response of a plant's body to wrenches in all six directions. The tip of an arm has another mass along
// each axis, and a force also turns it.
//
// With the masses of the scene, I' = C C^T (Cholesky) and N = diag(sqrt(m') 1, C), wrenches w about the centre of mass
// and rates of momentum p' are scaled, in body axes:
//
//   u = N^-1 w,   y = N^-1 p',   y = S u
//
// S is 1 for the masses of the scene, and symmetric for every plant, as its mobility is. The factors of response.hpp
// describe all directions together; D describes what they leave unexplained of the changes from step to step:
//
//   S = diag(s_f 1, s_t 1) + D,   e = y - S u,
//   D <- 0.98 D + g ((e u^T + u e^T)/u^2 - (u.e) u u^T/u^4),   g = 1/2
//
// This is the symmetric change of least size that explains the part g of e (M. J. D. Powell, A new algorithm for
// unconstrained optimization, in: Nonlinear Programming, 1970). g is halved until the eigenvalues of S are in 1/5 .. 5.
//
// Loads that change by themselves, such as the contact of another FMU, also leave e. So D acts only where it has
// predicted the last changes at least twice as well (in e^2) as the factors alone did, and where these changes had more
// than one direction: along one, a factor can say all that D can. C is the fading sum of u u^T, and C:C/(tr C)^2 is 1
// for changes along one direction.
#pragma once

#include "momentum.hpp"

namespace contactlib::step {

using state::Response, state::ResponseMatrix;

// Whether all eigenvalues of S are in their range.
bool sound_mobility(const Response& response) noexcept;

// The rate of momentum that a wrench causes, and the wrench that causes it; world axes, about the centre of mass.
Wrench times_mobility(const Body& body, const Response& response, const Mat3& R, const Wrench& wrench_W) noexcept;
Wrench divided_by_mobility(const Body& body, const Response& response, const Mat3& R, const Wrench& rate_W) noexcept;

// 1/kg, 1/(kg m), 1/(kg m2), world axes: accelerations of the centre of mass and angular ones by a wrench about it; and
// the inverse, the apparent mass.
Blocks mobility_of(const Body& body, const Response& response, const Mat3& R) noexcept;
Blocks apparent_mass_of(const Body& body, const Response& response, const Mat3& R) noexcept;

// Estimates D after the factors, from the changes of the rate of momentum and of the held wrench, world axes.
// `floor`: u^2 of rounding; `before`: with the factors before this change.
void update_mobility(const Body& body, const Mat3& R, const Wrench& y_W, const Wrench& u_W, double floor,
                     const Response& before, Response& response) noexcept;

}  // namespace contactlib::step
