// The element `spring_damper`: a spring and a damper along the line between two points. It pulls and pushes.
#include "joint.hpp"

namespace contactlib::element {

namespace {

enum Parameter : int { stiffness, damping, length, parameter_count };
enum Output : int { force, distance, distance_rate, output_count };

bool read(ElementRecord& record, const Model& model, Element& out) {
  return read_joint(record, model, out, JointKind::line);
}

Status step(const ElementNow& now) noexcept {
  const JointReading at = step_joint(now);
  now.outputs[force] = -state_after(now).effort;
  now.outputs[distance] = at.free;
  now.outputs[distance_rate] = at.rate;
  return {at.finite ? Code::ok : Code::not_finite};
}

// clang-format off
constexpr ElementVariable parameters[] = {
  {stiffness, {"stiffness", "N/m",   0, false, "stiffness"}},
  {damping,   {"damping",   "N.s/m", 0, false, "damping"}},
  {length,    {"length",    "m",     0, false, "distance at which the spring has no force"}},
};
constexpr ElementVariable outputs[] = {
  {force,         {"force",         "N",   0, false, "force in the last step, positive for a pull between the points"}},
  {distance,      {"distance",      "m",   0, false, "distance between the attachment points at the end of the step"}},
  {distance_rate, {"distance_rate", "m/s", 0, false, "rate of change of the distance between the attachment points at the end of the step"}},
};
// clang-format on

constexpr ElementRow row = [] {
  ElementRow row = joint_row("spring_damper", read, step);
  row.rigid = false;
  row.parameters = list(parameters, parameter_count);
  row.outputs = list(outputs, output_count);
  return row;
}();
const RegisteredElement registered(row);

}  // namespace

}  // namespace contactlib::element
