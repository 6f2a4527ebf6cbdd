// The adhesion laws. A law is a function, an enum of its parameters, and its row in the table below.
#include <algorithm>

#include "laws.hpp"

namespace contactlib::law {

namespace {

AdhesionForce none(const NormalInput&, const double*) noexcept { return {0.0, 0.0}; }

// A constant attraction P beside the normal law, as in the DMT model. It grows over a small depth, so that the force
// has no jump at first contact:
//   f = P min(1, x/range),   stored = -(area under f)
// No contact spans a gap: adhering bodies rest at a depth, and separate where the normal force falls below P.
struct PullOff {
  enum : int { force, range, count };
};
AdhesionForce pull_off(const NormalInput& in, const double* parameters) noexcept {
  const double P = parameters[PullOff::force], range = parameters[PullOff::range];
  const double x = std::min(in.depth, range), beyond = in.depth - x;
  const double force = P * (x / range);
  return {force, -force * (0.5 * x + beyond)};
}

}  // namespace

// clang-format off
constexpr AdhesionRow adhesion_laws[] = {
  {"none",     none,     0, {}},
  {"pull_off", pull_off, PullOff::count, {
    {PullOff::force, "pull_off",       "N", 0, false, "largest attraction of the contact"},
    {PullOff::range, "adhesion_range", "m", 0, true,  "depth over which the attraction grows to its full size"}}},
};
// clang-format on
const int adhesion_law_count = sizeof adhesion_laws / sizeof adhesion_laws[0];
static_assert(matches_enums(adhesion_laws));

}  // namespace contactlib::law
