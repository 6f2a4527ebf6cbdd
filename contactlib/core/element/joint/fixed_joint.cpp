// The element `fixed_joint`: two bodies that do not move relative to each other.
#include "joint.hpp"

namespace contactlib::element {

namespace {

enum Output : int { force, torque, gap, output_count };

bool read(ElementRecord& record, const Model& model, Element& out) {
  return read_joint(record, model, out, JointKind::fixed);
}

Status step(const ElementNow& now) noexcept {
  const JointReading at = step_joint(now);
  now.outputs[force] = state_after(now).force;
  now.outputs[torque] = state_after(now).moment;
  now.outputs[gap] = at.gap;
  return {at.finite ? Code::ok : Code::not_finite};
}

// clang-format off
constexpr ElementVariable outputs[] = {
  {force,  {"force",  "N",   0, false, "magnitude of the joint force in the last step"}},
  {torque, {"torque", "N.m", 0, false, "magnitude of the joint torque about the joint's point in the last step"}},
  {gap,    {"gap",    "m",   0, false, "distance between the joint's point in the base and its point in the arm at the end of the step"}},
};
// clang-format on

constexpr ElementRow row = [] {
  ElementRow row = joint_row("fixed_joint", read, step);
  row.outputs = list(outputs, output_count);
  return row;
}();
const RegisteredElement registered(row);

}  // namespace

}  // namespace contactlib::element
