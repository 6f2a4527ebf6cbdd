// The element `hinge`: an arm that turns about an axis of its base.
#include "joint.hpp"

namespace contactlib::element {

namespace {

bool read(ElementRecord& record, const Model& model, Element& out) {
  return read_joint(record, model, out, JointKind::hinge);
}

// clang-format off
constexpr ElementVariable parameters[] = {
  {Moving::stiffness,       {"stiffness",       "N.m/rad",   0, false, "stiffness of the spring about the axis"}},
  {Moving::damping,         {"damping",         "N.m.s/rad", 0, false, "damping about the axis"}},
  {Moving::rest,            {"rest",            "rad",       unbounded, false, "angle at which the spring has no torque"}},
  {Moving::friction,        {"friction",        "N.m",       0, false, "torque of dry friction about the axis"}},
  {Moving::drive_stiffness, {"drive_stiffness", "N.m/rad",   0, false, "torque of the drive by the distance from its target angle"}},
  {Moving::drive_damping,   {"drive_damping",   "N.m.s/rad", 0, false, "torque of the drive by the rate relative to its target rate"}},
  {Moving::drive_limit,     {"drive_limit",     "N.m",       0, false, "largest torque of the drive; 0: there is no drive"}},
};
constexpr ElementVariable commands[] = {
  {Moving::target,      {"target",      "rad",   unbounded, false, "angle at which the drive aims"}},
  {Moving::target_rate, {"target_rate", "rad/s", unbounded, false, "rate at which the drive aims"}},
  {Moving::feedforward, {"feedforward", "N.m",   unbounded, false, "torque of the drive besides that from its targets, on the arm about the axis"}},
};
constexpr ElementVariable outputs[] = {
  {Moving::free,     {"angle",        "rad",   0, false, "angle of the arm at the end of the step, with full turns"}},
  {Moving::rate,     {"rate",         "rad/s", 0, false, "rate of change of the angle at the end of the step"}},
  {Moving::effort,   {"torque",       "N.m",   0, false, "torque on the arm about the axis in the last step: spring, damping, friction, drive and stops"}},
  {Moving::drive,    {"drive_torque", "N.m",   0, false, "torque of the drive on the arm in the last step"}},
  {Moving::force,    {"force",        "N",     0, false, "magnitude of the joint force in the last step"}},
  {Moving::bending,  {"bending",      "N.m",   0, false, "magnitude of the joint torque across the axis in the last step"}},
  {Moving::gap,      {"gap",          "m",     0, false, "distance between the joint's point in the base and its point in the arm at the end of the step"}},
};
// clang-format on

constexpr ElementRow row = [] {
  ElementRow row = joint_row("hinge", read, step_moving);
  row.parameters = list(parameters, Moving::parameter_count);
  row.commands = list(commands, Moving::command_count);
  row.outputs = list(outputs, Moving::output_count);
  return row;
}();
const RegisteredElement registered(row);

}  // namespace

}  // namespace contactlib::element
