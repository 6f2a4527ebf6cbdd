// The element `slider`: an arm that slides along an axis of its base and does not turn.
#include "joint.hpp"

namespace contactlib::element {

namespace {

bool read(ElementRecord& record, const Model& model, Element& out) {
  return read_joint(record, model, out, JointKind::slider);
}

// clang-format off
constexpr ElementVariable parameters[] = {
  {Moving::stiffness,       {"stiffness",       "N/m",   0, false, "stiffness of the spring along the axis"}},
  {Moving::damping,         {"damping",         "N.s/m", 0, false, "damping along the axis"}},
  {Moving::rest,            {"rest",            "m",     unbounded, false, "position at which the spring has no force"}},
  {Moving::friction,        {"friction",        "N",     0, false, "force of dry friction along the axis"}},
  {Moving::drive_stiffness, {"drive_stiffness", "N/m",   0, false, "force of the drive by the distance from its target position"}},
  {Moving::drive_damping,   {"drive_damping",   "N.s/m", 0, false, "force of the drive by the speed relative to its target rate"}},
  {Moving::drive_limit,     {"drive_limit",     "N",     0, false, "largest force of the drive; 0: there is no drive"}},
};
constexpr ElementVariable commands[] = {
  {Moving::target,      {"target",      "m",   unbounded, false, "position at which the drive aims"}},
  {Moving::target_rate,   {"target_rate", "m/s", unbounded, false, "rate at which the drive aims"}},
  {Moving::feedforward, {"feedforward", "N",   unbounded, false, "force of the drive besides that from its targets, on the arm along the axis"}},
};
constexpr ElementVariable outputs[] = {
  {Moving::free,     {"position",     "m",   0, false, "position of the arm at the end of the step"}},
  {Moving::rate,     {"rate",         "m/s", 0, false, "rate of change of the position at the end of the step"}},
  {Moving::effort,   {"force",        "N",   0, false, "force on the arm along the axis in the last step: spring, damping, friction, drive and stops"}},
  {Moving::drive,    {"drive_force",  "N",   0, false, "force of the drive on the arm in the last step"}},
  {Moving::force,    {"load",         "N",   0, false, "magnitude of the joint force across the axis in the last step"}},
  {Moving::bending,  {"bending",      "N.m", 0, false, "magnitude of the joint torque in the last step"}},
  {Moving::gap,      {"gap",          "m",   0, false, "distance of the joint's point in the arm from the axis at the end of the step"}},
};
// clang-format on

constexpr ElementRow row = [] {
  ElementRow row = joint_row("slider", read, step_moving);
  row.parameters = list(parameters, Moving::parameter_count);
  row.commands = list(commands, Moving::command_count);
  row.outputs = list(outputs, Moving::output_count);
  return row;
}();
const RegisteredElement registered(row);

}  // namespace

}  // namespace contactlib::element
