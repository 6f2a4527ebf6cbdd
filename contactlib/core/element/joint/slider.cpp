// The element `slider`: an arm that slides along an axis of its base and does not turn.
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
enum Output : int { position, rate, force, drive_force, load, bending, gap, output_count };

bool read(ElementRecord& record, const Model& model, Element& out) {
  return read_joint(record, model, out, JointKind::slider);
}

Status step(const ElementNow& now) noexcept {
  const JointReading at = step_joint(now);
  const JointState& state = state_after(now);
  now.outputs[position] = at.free;
  now.outputs[rate] = at.rate;
  now.outputs[force] = state.effort;
  now.outputs[drive_force] = state.drive;
  now.outputs[load] = state.force;
  now.outputs[bending] = state.moment;
  now.outputs[gap] = at.gap;
  return {at.finite ? Code::ok : Code::not_finite};
}

// clang-format off
constexpr ElementVariable parameters[] = {
  {stiffness,       {"stiffness",       "N/m",   0, false, "stiffness of the spring along the axis"}},
  {damping,         {"damping",         "N.s/m", 0, false, "damping along the axis"}},
  {rest,            {"rest",            "m",     unbounded, false, "position at which the spring has no force"}},
  {friction,        {"friction",        "N",     0, false, "force of dry friction along the axis"}},
  {drive_stiffness, {"drive_stiffness", "N/m",   0, false, "force of the drive by the distance from its target position"}},
  {drive_damping,   {"drive_damping",   "N.s/m", 0, false, "force of the drive by the speed relative to its target rate"}},
  {drive_limit,     {"drive_limit",     "N",     0, false, "largest force of the drive; 0: there is no drive"}},
};
constexpr ElementVariable commands[] = {
  {target,      {"target",      "m",   unbounded, false, "target position of the drive"}},
  {target_rate,   {"target_rate", "m/s", unbounded, false, "target rate of the drive"}},
  {feedforward, {"feedforward", "N",   unbounded, false, "force of the drive besides that from its targets, on the arm along the axis"}},
};
constexpr ElementVariable outputs[] = {
  {position,    {"position",    "m",   0, false, "position of the arm at the end of the step"}},
  {rate,        {"rate",        "m/s", 0, false, "rate of change of the position at the end of the step"}},
  {force,       {"force",       "N",   0, false, "force on the arm along the axis over the last step: spring, damping, friction, drive and stops"}},
  {drive_force, {"drive_force", "N",   0, false, "force of the drive on the arm over the last step"}},
  {load,        {"load",        "N",   0, false, "magnitude of the joint force across the axis over the last step"}},
  {bending,     {"bending",     "N.m", 0, false, "magnitude of the joint torque over the last step"}},
  {gap,         {"gap",         "m",   0, false, "distance of the joint's point in the arm from the axis at the end of the step"}},
};
// clang-format on

constexpr ElementRow row = [] {
  ElementRow row;
  row.name = "slider";
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
