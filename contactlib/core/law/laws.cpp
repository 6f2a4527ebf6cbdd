#include "laws.hpp"

#include "friction.hpp"
#include "normal.hpp"

namespace contactlib {

// clang-format off
const NormalRow normal_laws[] = {
  {"kelvin_voigt",  kelvin_voigt,  2, {{"stiffness", "N/m",   0, true,  "k"},
                                       {"damping",   "N.s/m", 0, false, "c"}}},
  {"hunt_crossley", hunt_crossley, 3, {{"stiffness", "N/m^n", 0, true,  "k"},
                                       {"exponent",  "1",     1, false, "n"},
                                       {"damping",   "s/m",   0, false, "lambda"}}},
};
const int normal_law_count = sizeof normal_laws / sizeof normal_laws[0];

const FrictionRow friction_laws[] = {
  {"none",    no_friction, 0, {}},
  {"coulomb", coulomb,     3, {{"mu_static",   "1",     0, false, "coefficient at rest"},
                               {"mu_kinetic",  "1",     0, false, "coefficient when sliding, at most mu_static"},
                               {"slip_velocity", "m/s", 0, true,  "speed below which friction fades"}}},
  {"bristle", bristle,     4, {{"mu_static",   "1",     0, false, "coefficient at rest"},
                               {"mu_kinetic",  "1",     0, false, "coefficient when sliding, at most mu_static"},
                               {"tangential_stiffness", "N/m",   0, true,  "of the bristle"},
                               {"tangential_damping",   "N.s/m", 0, false, "of the bristle while it sticks"}}},
};
const int friction_law_count = sizeof friction_laws / sizeof friction_laws[0];
// clang-format on

}  // namespace contactlib
