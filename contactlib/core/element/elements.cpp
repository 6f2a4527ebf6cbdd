#include "elements.hpp"

#include <limits>

#include "ball_joints.hpp"
#include "element/berthing/berthing.hpp"
#include "element/membrane/row.hpp"
#include "element/snare/row.hpp"
#include "gauge.hpp"
#include "indicator.hpp"
#include "latch.hpp"
#include "latch_drive.hpp"
#include "thruster.hpp"

namespace contactlib {

namespace {

template <int size>
constexpr ElementVariables list(const ElementVariable (&rows)[size]) {
  return {rows, size};
}

constexpr double any = -std::numeric_limits<double>::infinity();

std::unique_ptr<ElementScratch> no_scratch(const Element&) { return nullptr; }

constexpr bool each = true, whole = true;

// clang-format off
// the membrane, in space and in a plane, where its area is a length
constexpr ElementVariable membrane_parameters[] = {
  {{"stiffness",  "N/m^3",   0, false, "k of the tension k (A - A0)"}},
  {{"damping",    "N.s/m^3", 0, false, "c of the tension c A'"}},
  {{"rest_area",  "m^2",     0, false, "A0, up to which it is slack"}},
  {{"friction",   "1",       0, false, "mu of the caught body on the fabric"}},
  {{"slip_speed", "m/s",     0, true,  "speed below which friction fades"}},
};
constexpr ElementVariable membrane_2d_parameters[] = {
  {{"stiffness",  "N/m",     0, false, "k of the tension k (l - l0)"}},
  {{"damping",    "N.s/m",   0, false, "c of the tension c l'"}},
  {{"rest_area",  "m",       0, false, "l0, the length up to which it is slack"}},
  {{"friction",   "1",       0, false, "mu of the caught body on the fabric"}},
  {{"slip_speed", "m/s",     0, true,  "speed below which friction fades"}},
};
constexpr ElementVariable membrane_commands[] = {
  {{"reel", "m", 0, false, "how far a suspension point is drawn in towards the frame's middle"}, each},
};
constexpr ElementVariable membrane_outputs[] = {
  {{"area",             "m^2",   0, false, "of the fabric"}},
  {{"area_rate",        "m^2/s", 0, false, "of its growth"}},
  {{"tension",          "N/m",   0, false, "in the fabric, per length"}},
  {{"max_edge_tension", "N",     0, false, "the most along a line from a suspension point to a corner; slivers make it large"}},
  {{"normal_force",     "N",     0, false, "on the caught body, without friction"}},
  {{"friction_force",   "N",     0, false, "on the caught body, of friction alone"}},
  {{"depth",            "m",     0, false, "of the lowest corner below the frame's plane"}},
  {{"touching",         "1",     0, false, "corners on the fabric"}, !each, whole},
  {{"outside",          "1",     0, false, "corners below the plane without fabric under them"}, !each, whole},
  {{"illegal",          "1",     0, false, "negative normal forces that the pseudo-inverse gave"}, !each, whole},
  {{"pull",             "N",     0, false, "of the fabric on a suspension point, what its winch holds"}, each},
};
constexpr ElementVariable membrane_2d_outputs[] = {
  {{"area",             "m",     0, false, "length of the fabric"}},
  {{"area_rate",        "m/s",   0, false, "of its growth"}},
  {{"tension",          "N",     0, false, "in the fabric"}},
  {{"max_edge_tension", "N",     0, false, "the most along a line from a suspension point to a corner; slivers make it large"}},
  {{"normal_force",     "N",     0, false, "on the caught body, without friction"}},
  {{"friction_force",   "N",     0, false, "on the caught body, of friction alone"}},
  {{"depth",            "m",     0, false, "of the lowest corner below the frame's line"}},
  {{"touching",         "1",     0, false, "corners on the fabric"}, !each, whole},
  {{"outside",          "1",     0, false, "corners below the line without fabric under them"}, !each, whole},
  {{"illegal",          "1",     0, false, "negative normal forces that the pseudo-inverse gave"}, !each, whole},
  {{"pull",             "N",     0, false, "of the fabric on a suspension point, what its winch holds"}, each},
};
constexpr char overflow[] = "its motion, a parameter or a force is not finite";
constexpr char point[] = "suspension point", reeled[] = " is reeled in to the frame's middle or behind its neighbours' line";

constexpr ElementVariable thruster_parameters[] = {
  {{"force", "N", any, false, "at full throttle"}},
  {{"start", "s", any, false, "when it begins"}},
};
constexpr ElementVariable thruster_commands[] = {
  {{"throttle", "1", 0, false, "share of the force"}},
};
constexpr ElementVariable thruster_outputs[] = {
  {{"thrust", "N", 0, false, "now"}},
};

constexpr ElementVariable ball_joints_parameters[] = {
  {{"stiffness",     "N.m/rad",   0, false, "against turning out of the rest position"}},
  {{"damping",       "N.m.s/rad", 0, false, "against turning"}},
  {{"stabilisation", "1/s",       0, false, "rate at which gaps that rounding and steps leave are closed"}},
};
constexpr ElementVariable ball_joints_outputs[] = {
  {{"bending", "N.m", 0, false, "moment across the boom, from the joint to the arm's centre of mass"}, each},
  {{"torsion", "N.m", 0, false, "moment along the boom"}, each},
  {{"force",   "N",   0, false, "in the joint"}, each},
  {{"gap",     "m",   0, false, "between the joint in the base and in the arm"}, each},
};

// of a paddle, and of a plunger
constexpr ElementVariable paddle_parameters[] = {
  {{"stiffness",  "N.m/rad",   0, false, "of its spring"}},
  {{"preload",    "N.m",       0, false, "of the spring at rest"}},
  {{"damping",    "N.m.s/rad", 0, false, "against its motion"}},
  {{"inertia",    "kg.m^2",    0, true,  "of the paddle about its pivot"}},
  {{"switch_on",  "rad",       0, false, "travel from which it shows"}},
  {{"switch_off", "rad",     any, false, "travel down to which it goes on showing"}},
};
constexpr ElementVariable plunger_parameters[] = {
  {{"stiffness",  "N/m",   0, false, "of its spring"}},
  {{"preload",    "N",     0, false, "of the spring at rest"}},
  {{"damping",    "N.s/m", 0, false, "against its motion"}},
  {{"inertia",    "kg",    0, true,  "mass of the plunger"}},
  {{"switch_on",  "m",     0, false, "travel from which it shows"}},
  {{"switch_off", "m",   any, false, "travel down to which it goes on showing"}},
};
constexpr ElementVariable paddle_outputs[] = {
  {{"travel",   "rad",   0, false, "from rest"}},
  {{"rate",     "rad/s", 0, false, "of the travel"}},
  {{"load",     "N.m",   0, false, "along the travel, of what touches it"}},
  {{"switched", "1",     0, false, "1: it shows"}, !each, whole},
};
constexpr ElementVariable plunger_outputs[] = {
  {{"travel",   "m",   0, false, "from rest"}},
  {{"rate",     "m/s", 0, false, "of the travel"}},
  {{"load",     "N",   0, false, "along the travel, of what touches it"}},
  {{"switched", "1",   0, false, "1: it shows"}, !each, whole},
};
constexpr char pushed[] = "a load or a parameter is not finite";
constexpr char switches[] = "switch_off must not exceed switch_on, nor that the travel";

// of what a berthing control leads, while it lets go in manual
#define DRIVE_COMMANDS \
  {{"voltage", "V", any, false, "on its motor"}}, \
  {{"power",   "1", 0,   false, "0: the motor is an open circuit"}, !each, whole}, \
  {{"brake",   "1", 0,   false, "0: the brake is off"}, !each, whole},
constexpr ElementVariable latch_commands[] = {DRIVE_COMMANDS};
constexpr ElementVariable latch_drive_commands[] = {
  DRIVE_COMMANDS
  {{"angle", "rad",   any, false, "of the crank"}},
  {{"rate",  "rad/s", any, false, "of the crank"}},
};
#undef DRIVE_COMMANDS
constexpr ElementVariable latch_outputs[] = {
  {{"angle",   "rad",   0, false, "of the crank"}},
  {{"rate",    "rad/s", 0, false, "of the crank"}},
  {{"torque",  "N.m",   0, false, "of the motor on the crank, behind its gear"}},
  {{"current", "A",     0, false, "in the motor"}},
  {{"load",    "N.m",   0, false, "on the crank, of what touches the links"}},
  {{"force",   "N",     0, false, "of what touches the links, all together"}},
  {{"coupler", "rad",   0, false, "angle of the coupler"}},
  {{"rocker",  "rad",   0, false, "angle of the rocker"}},
};
constexpr ElementVariable latch_drive_parameters[] = {
  {{"stiffness", "N.m/rad", 0, true, "of gear and brake while they hold"}},
};
constexpr ElementVariable latch_drive_outputs[] = {
  {{"torque",  "N.m", 0, false, "on the crank, of motor, gear and brake"}},
  {{"current", "A",   0, false, "in the motor"}},
  {{"held",    "N.m", 0, false, "of gear and brake alone"}},
};

constexpr ElementVariable berthing_commands[] = {
  {{"command", "1", 0, false, "0 hold, 1 capture, 2 berth, 3 open, 4 manual, 5 automatic"}, !each, whole},
};
constexpr ElementVariable berthing_outputs[] = {
  {{"phase",       "1", 0, false, "0 idle, 1 waiting, 2 capturing, 3 captured, 4 berthing, 5 berthed, 6 opening, 7 manual, 8 fault"}, !each, whole},
  {{"ready",       "1", 0, false, "indicators that show"}, !each, whole},
  {{"seated",      "1", 0, false, "seats that show"}, !each, whole},
  {{"captured",    "1", 0, false, "latches have closed on the other ring"}, !each, whole},
  {{"berthed",     "1", 0, false, "and have drawn it in"}, !each, whole},
  {{"missed",      "1", 0, false, "latches closed, and too few indicators or seats showed"}, !each, whole},
  {{"stalled",     "1", 0, false, "a latch at its limit did not move"}, !each, whole},
  {{"late",        "1", 0, false, "a motion took too long"}, !each, whole},
  {{"lost",        "1", 0, false, "of what was held too few indicators or seats show"}, !each, whole},
  {{"not_ready",   "1", 0, false, "too few indicators showed for all of the time to wait"}, !each, whole},
  {{"bad_command", "1", 0, false, "a command out of order was left undone"}, !each, whole},
  {{"failed",      "1", 0, false, "a latch that was given up"}, each, whole},
};

constexpr ElementVariable gauge_outputs[] = {
  {{"load",     "N", 0, false, "that presses on the shapes, against the axis"}},
  {{"force",    "N", 0, false, "on the shapes, all together, whatever its direction"}},
  {{"depth",    "m", 0, false, "the deepest"}},
  {{"touching", "1", 0, false, "places that touch"}, !each, whole},
};

constexpr char stretched[] = "a load is not finite, or the linkage does not reach";

// cables that touch; of a snare, with ring and carriage. forces are magnitudes, at the first end and at the last
constexpr ElementVariable cable_parameters[] = {
  {{"friction",       "1", 0, false, "mu of cables on shapes of bodies"}},
  {{"cable_friction", "1", 0, false, "mu of cables on each other"}},
  {{"break_load",     "N", 0, false, "tension at which a cable breaks off its last end; 0: never"}},
};
constexpr ElementVariable snare_commands[] = {
  {{"command",          "1",     0,   false, "0 hold, 1 close, 2 rigidize, 3 open, 4 manual"}, !each, whole},
  {{"ring_voltage",     "V",     any, false, "on the ring's motor, in manual"}},
  {{"carriage_voltage", "V",     any, false, "on the carriage's motor, in manual"}},
  {{"ring_rate",        "rad/s", any, false, "of a ring without a motor"}},
  {{"carriage_rate",    "m/s",   any, false, "of a carriage without a motor"}},
};
#define CABLE_OUTPUTS \
  {{"touching",    "1", 0, false, "places where cables touch"}, !each, whole}, \
  {{"iterations",  "1", 0, false, "of the solver in the last step"}, !each, whole}, \
  {{"iteration_limit_reached",      "1", 0, false, "steps so far whose contacts the solver left unfinished"}, !each, whole}, \
  {{"overlap",     "m", 0, false, "the deepest, of cables in what they touch"}}, \
  {{"tension",     "N", 0, false, "the most along a cable"}, each}, \
  {{"first_force", "N", 0, false, "of a cable on what holds its first end"}, each}, \
  {{"last_force",  "N", 0, false, "of a cable on what holds its last end"}, each}, \
  {{"broken",      "1", 0, false, "1: off its last end"}, each, whole},
constexpr ElementVariable cable_outputs[] = {CABLE_OUTPUTS};
constexpr ElementVariable snare_outputs[] = {
  {{"ring_angle",        "rad",   0, false, "of the ring"}},
  {{"ring_rate_now",     "rad/s", 0, false, "of the ring"}},
  {{"ring_current",      "A",     0, false, "in its motor"}},
  {{"ring_torque",       "N.m",   0, false, "of the cables on the ring, along its angle"}},
  {{"carriage_position", "m",     0, false, "of the carriage"}},
  {{"carriage_rate_now", "m/s",   0, false, "of the carriage"}},
  {{"carriage_current",  "A",     0, false, "in its motor"}},
  {{"load",              "N",     0, false, "of the cables on the carriage, along its way out"}},
  {{"phase",             "1",     0, false, "of the control: 0 idle, 1 closing, 2 captured, 3 retracting, 4 rigidizing, 5 rigidized, 6 extending, 7 opening, 8 manual, 9 fault"}, !each, whole},
  {{"captured",          "1",     0, false, "the cables hold the pin"}, !each, whole},
  {{"rigidized",         "1",     0, false, "the full load is on"}, !each, whole},
  {{"missed",            "1",     0, false, "the ring closed without a pin"}, !each, whole},
  {{"snagged",           "1",     0, false, "tension too early, or in one cable alone"}, !each, whole},
  {{"stalled",           "1",     0, false, "a motor at its limit did not move, or too slowly"}, !each, whole},
  {{"lost",              "1",     0, false, "tension or load went away"}, !each, whole},
  {{"bad_command",       "1",     0, false, "a command out of order was left undone"}, !each, whole},
  CABLE_OUTPUTS
};
#undef CABLE_OUTPUTS
constexpr char torn[] = "a cable, a force or a parameter is not finite, or cables touch at more places than it has capacity for";

constexpr ElementRow table[] = {
  {"membrane", overflow, point, reeled,
   list(membrane_parameters), list(membrane_commands), list(membrane_outputs),
   read_membrane, membrane_scratch, nullptr, step_membrane},
  {"membrane_2d", overflow, point, reeled,
   list(membrane_2d_parameters), list(membrane_commands), list(membrane_2d_outputs),
   read_membrane, membrane_scratch, nullptr, step_membrane},
  {"thruster", overflow, nullptr, nullptr,
   list(thruster_parameters), list(thruster_commands), list(thruster_outputs),
   read_thruster, no_scratch, nullptr, step_thruster, nullptr, ElementPower::instant, ElementJump::moves,
   admits_thruster},
  {"ball_joints", overflow, nullptr, nullptr,
   list(ball_joints_parameters), {}, list(ball_joints_outputs),
   read_ball_joints, no_scratch, nullptr, step_ball_joints},
  {"paddle", pushed, nullptr, nullptr,
   list(paddle_parameters), {}, list(paddle_outputs),
   read_indicator, no_scratch, place_indicator, step_indicator, nullptr, ElementPower::mean, ElementJump::moves,
   admits_indicator, indicator_fault, switches},
  {"plunger", pushed, nullptr, nullptr,
   list(plunger_parameters), {}, list(plunger_outputs),
   read_indicator, no_scratch, place_indicator, step_indicator, nullptr, ElementPower::mean, ElementJump::moves,
   admits_indicator, indicator_fault, switches},
  {"latch", stretched, nullptr, nullptr,
   {}, list(latch_commands), list(latch_outputs),
   read_latch, no_scratch, place_latch, step_latch, nullptr, ElementPower::mean, ElementJump::waits, admits_latch},
  {"latch_drive", overflow, nullptr, nullptr,
   list(latch_drive_parameters), list(latch_drive_commands), list(latch_drive_outputs),
   read_latch_drive, no_scratch, nullptr, step_latch_drive, nullptr, ElementPower::mean, ElementJump::waits, admits_latch_drive},
  {"berthing", overflow, nullptr, nullptr,
   {}, list(berthing_commands), list(berthing_outputs),
   read_berthing, no_scratch, nullptr, step_berthing, nullptr, ElementPower::mean, ElementJump::waits, admits_berthing},
  {"gauge", overflow, nullptr, nullptr,
   {}, {}, list(gauge_outputs),
   read_gauge, no_scratch, nullptr, step_gauge},
  {"cables", torn, nullptr, nullptr,
   list(cable_parameters), {}, list(cable_outputs),
   read_snare, snare_scratch, nullptr, step_snare, solve_snare, ElementPower::instant, ElementJump::moves,
   admits_snare},
  {"snare", torn, nullptr, nullptr,
   list(cable_parameters), list(snare_commands), list(snare_outputs),
   read_snare, snare_scratch, place_snare, step_snare, solve_snare, ElementPower::instant, ElementJump::moves,
   admits_snare},
};
// clang-format on

}  // namespace

const ElementRow* element_rows() noexcept { return table; }
const int element_row_count = sizeof table / sizeof table[0];

}  // namespace contactlib
