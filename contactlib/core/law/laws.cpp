#include "laws.hpp"

#include <limits>

#include "adhesion.hpp"
#include "attaching.hpp"
#include "friction.hpp"
#include "normal.hpp"
#include "rolling.hpp"

namespace contactlib {

namespace {

constexpr double any = -std::numeric_limits<double>::infinity();
constexpr double never = 1e30;

}  // namespace

// clang-format off
const NormalRow normal_laws[] = {
  {"none",          normal_law<no_push>,       0, {}},
  {"kelvin_voigt",  normal_law<kelvin_voigt>,  2, {{"stiffness", "N/m",   0, true,  "k"},
                                                   {"damping",   "N.s/m", 0, false, "c"}}},
  {"hunt_crossley", normal_law<hunt_crossley>, 3, {{"stiffness", "N/m^n", 0, true,  "k"},
                                                   {"exponent",  "1",     1, false, "n"},
                                                   {"damping",   "s/m",   0, false, "lambda"}}},
  {"hertz",         normal_law<hertz>,         3, {{"modulus",   "Pa",    0, true,  "E*, 1/E* = (1-nu_A^2)/E_A + (1-nu_B^2)/E_B"},
                                                   {"radius",    "m",     0, true,  "R, 1/R = 1/R_A + 1/R_B"},
                                                   {"damping",   "s/m",   0, false, "lambda"}}},
  {"curve",         normal_law<curve>,         1, {{"damping",   "s/m",   0, false, "lambda"}}},
};
const int normal_law_count = sizeof normal_laws / sizeof normal_laws[0];

const FrictionRow friction_laws[] = {
  {"none",    friction_law<no_friction>, 0, {}},
  {"coulomb", friction_law<coulomb>,     3, {{"mu_static",   "1",     0, false, "coefficient at rest"},
                                             {"mu_kinetic",  "1",     0, false, "coefficient when sliding, at most mu_static"},
                                             {"slip_velocity", "m/s", 0, true,  "speed below which friction fades"}}},
  {"bristle", friction_law<bristle>,     4, {{"mu_static",   "1",     0, false, "coefficient at rest"},
                                             {"mu_kinetic",  "1",     0, false, "coefficient when sliding, at most mu_static"},
                                             {"tangential_stiffness", "N/m",   0, true,  "of the bristle"},
                                             {"tangential_damping",   "N.s/m", 0, false, "of the bristle while it sticks"}}},
  {"lugre",   friction_law<lugre>,       6, {{"mu_static",   "1",     0, true,  "coefficient at rest"},
                                             {"mu_kinetic",  "1",     0, true,  "coefficient when sliding fast, at most mu_static"},
                                             {"stribeck_velocity", "m/s", 0, true, "speed at which one goes over into the other"},
                                             {"sigma_0",     "N/m",   0, true,  "stiffness of the bristles"},
                                             {"sigma_1",     "N.s/m", 0, false, "damping of the bristles"},
                                             {"sigma_2",     "s/m",   0, false, "viscous friction per normal force"}}},
  {"anisotropic", friction_law<anisotropic>, 7, {{"mu_along",  "1",   0, true,  "coefficient along the direction"},
                                                 {"mu_across", "1",   0, true,  "coefficient across it"},
                                                 {"tangential_stiffness", "N/m",   0, true,  "of the bristle where it is stiffer"},
                                                 {"tangential_damping",   "N.s/m", 0, false, "likewise, while it sticks"},
                                                 {"direction[1]", "1", any, false, "of the grain, in the shape's axes: x"},
                                                 {"direction[2]", "1", any, false, "of the grain, y"},
                                                 {"direction[3]", "1", any, false, "of the grain, z"}}},
};
const int friction_law_count = sizeof friction_laws / sizeof friction_laws[0];

const AdhesionRow adhesion_laws[] = {
  {"none",     no_adhesion, 0, {}},
  {"pull_off", pull_off,    2, {{"pull_off",       "N", 0, false, "attraction"},
                                {"adhesion_range", "m", 0, true,  "depth over which it grows to its full size"}}},
};
const int adhesion_law_count = sizeof adhesion_laws / sizeof adhesion_laws[0];

const RollingRow rolling_laws[] = {
  {"none",    no_rolling, 0, {}},
  {"rolling", rolling,    4, {{"mu_rolling",        "m",         0, false, "torque against rolling per normal force"},
                              {"mu_spinning",       "m",         0, false, "torque against spinning per normal force"},
                              {"rolling_stiffness", "N.m/rad",   0, true,  "of the torsion spring"},
                              {"rolling_damping",   "N.m.s/rad", 0, false, "of the spring while it holds"}}},
};
const int rolling_law_count = sizeof rolling_laws / sizeof rolling_laws[0];

const ModelRow contact_models[] = {
  {"none",   {no_grip, false}, 0, {}},
  {"spring", {spring, true},   9, {{"stiffness",    "N/m",   0, true,  "k, of the attachment point, in every direction"},
                                   {"damping",      "N.s/m", 0, false, "c, likewise", 0},
                                   {"x_limit",      "N",     0, false, "force along the direction that breaks the attachment", never},
                                   {"y_limit",      "N",     0, false, "force across it in the contact plane, likewise", never},
                                   {"z_limit",      "N",     0, false, "tension, likewise", never},
                                   {"separation",   "m",     0, true,  "distance of the attachment points that breaks it", never},
                                   {"direction[1]", "1",     any, false, "x, in the axes of the foot's shape: x", 1},
                                   {"direction[2]", "1",     any, false, "x of the contact plane, y", 0},
                                   {"direction[3]", "1",     any, false, "x of the contact plane, z", 0}}},
  {"gecko",  {gecko, false},  10, {{"stiffness",    "N/m",   0, true,  "k, of the pad, in every direction"},
                                   {"damping",      "N.s/m", 0, false, "c, likewise", 0},
                                   {"mu",           "1",     0, false, "coefficient of friction where the pad is pressed", 0},
                                   {"shear_limit",  "N",     0, false, "force along the direction at which the pad slides"},
                                   {"detachment_angle", "rad", 0, false, "pull at more than this angle to the wall detaches"},
                                   {"pull_off",     "N",     0, false, "tension that the pad holds without shear", 0},
                                   {"separation",   "m",     0, true,  "distance of the attachment points that ends the contact", never},
                                   {"direction[1]", "1",     any, false, "in which the pad grips, in the axes of the foot's shape: x", 1},
                                   {"direction[2]", "1",     any, false, "in which the pad grips, y", 0},
                                   {"direction[3]", "1",     any, false, "in which the pad grips, z", 0}}},
  {"claw",   {claw, false},    9, {{"stiffness",    "N/m",   0, true,  "k, of the claw, in every direction"},
                                   {"damping",      "N.s/m", 0, false, "c, likewise", 0},
                                   {"mu",           "1",     0, false, "coefficient of friction where the claw does not hook", 0},
                                   {"load_limit",   "N",     0, false, "load at which claw or asperity yields", never},
                                   {"pull_out_angle", "rad", 0, false, "pull at more than this angle to the wall unhooks"},
                                   {"separation",   "m",     0, true,  "distance of the attachment points that ends the contact", never},
                                   {"direction[1]", "1",     any, false, "in which the claw hooks, in the axes of the foot's shape: x", 1},
                                   {"direction[2]", "1",     any, false, "in which the claw hooks, y", 0},
                                   {"direction[3]", "1",     any, false, "in which the claw hooks, z", 0}}},
};
const int contact_model_count = sizeof contact_models / sizeof contact_models[0];
// clang-format on

bool needs_curve(int row) noexcept { return normal_laws[row].force.one == curve; }

}  // namespace contactlib
