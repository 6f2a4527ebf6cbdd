// The element `hinge`: an arm that turns about an axis of its base.
#include "joint.hpp"

namespace contactlib::element {

namespace {

enum Parameter : int {
  stiffness,
  damping,
  rest,
  friction,
  drive_stiffness,
  drive_damping,
  drive_limit,
  parameter_count
};
enum Command : int { target, target_rate, feedforward, command_count };
enum Output : int { angle, rate, torque, drive_torque, force, bending, gap, output_count };

bool read(ElementRecord& record, const Model& model, Element& out) {
  return read_joint(record, model, out, JointKind::hinge);
}

Status step(const ElementNow& now) noexcept {
  const JointReading at = step_joint(now);
  const JointState& state = state_after(now);
  now.outputs[angle] = at.free;
  now.outputs[rate] = at.rate;
  now.outputs[torque] = state.effort;
  now.outputs[drive_torque] = state.drive;
  now.outputs[force] = state.force;
  now.outputs[bending] = state.moment;
  now.outputs[gap] = at.gap;
  return {at.finite ? Code::ok : Code::not_finite};
}

// clang-format off
constexpr ElementVariable parameters[] = {
  {stiffness,       {"stiffness",       "N.m/rad",   0, false, "stiffness of the spring about the axis"}},
  {damping,         {"damping",         "N.m.s/rad", 0, false, "damping about the axis"}},
  {rest,            {"rest",            "rad",       unbounded, false, "angle at which the spring has no torque"}},
  {friction,        {"friction",        "N.m",       0, false, "torque of dry friction about the axis"}},
  {drive_stiffness, {"drive_stiffness", "N.m/rad",   0, false, "torque of the drive by the distance from its target angle"}},
  {drive_damping,   {"drive_damping",   "N.m.s/rad", 0, false, "torque of the drive by the rate relative to its target rate"}},
  {drive_limit,     {"drive_limit",     "N.m",       0, false, "largest torque of the drive; 0: there is no drive"}},
};
constexpr ElementVariable commands[] = {
  {target,      {"target",      "rad",   unbounded, false, "target angle of the drive"}},
  {target_rate, {"target_rate", "rad/s", unbounded, false, "target rate of the drive"}},
  {feedforward, {"feedforward", "N.m",   unbounded, false, "torque of the drive besides that from its targets, on the arm about the axis"}},
};
constexpr ElementVariable outputs[] = {
  {angle,        {"angle",        "rad",   0, false, "angle of the arm at the end of the step, with full turns"}},
  {rate,         {"rate",         "rad/s", 0, false, "rate of change of the angle at the end of the step"}},
  {torque,       {"torque",       "N.m",   0, false, "torque on the arm about the axis over the last step: spring, damping, friction, drive and stops"}},
  {drive_torque, {"drive_torque", "N.m",   0, false, "torque of the drive on the arm over the last step"}},
  {force,        {"force",        "N",     0, false, "magnitude of the joint force over the last step"}},
  {bending,      {"bending",      "N.m",   0, false, "magnitude of the joint torque across the axis over the last step"}},
  {gap,          {"gap",          "m",     0, false, "distance between the joint's point in the base and its point in the arm at the end of the step"}},
};
// clang-format on

constexpr ElementRow row = [] {
  ElementRow row;
  row.name = "hinge";
  row.failure = joint_failure;
  row.parameters = list(parameters, parameter_count);
  row.commands = list(commands, command_count);
  row.outputs = list(outputs, output_count);
  row.read = read;
  row.scratch = joint_scratch;
  row.step = step;
  row.solve = solve_joints;
  row.rigid = true;
  row.jump = ElementJump::waits;
  row.admits = admits_joint;
  return row;
}();
const RegisteredElement registered(row);

}  // namespace

}  // namespace contactlib::element
