// The element `tether`: a massless line with a spring and a damper between two points. A tether only pulls.
//   s = |p_B - p_A| - L,   T = max(0, k s + c s') where s > 0, else 0
#include <algorithm>
#include <cmath>

#include "elements.hpp"

namespace contactlib::element {

using model::ElementDesign;

namespace {

// The element's bodies, one of which may be the world.
enum : int { body_a, body_b };

struct Design : ElementDesign {
  Vec3 p_AP, p_BQ;  // m, the attachment points in the axes of their bodies
};

enum Parameter : int { stiffness, damping, length, parameter_count };
enum Output : int { tension, distance, distance_rate, output_count };

bool read(ElementRecord& record, const Model&, Element& out) {
  auto design = std::make_unique<Design>();
  if (out.ports != 0 || out.bodies.size() != 2 || out.bodies[body_a] == out.bodies[body_b]) return false;
  if (!record.numbers(design->p_AP.data(), 3) || !record.numbers(design->p_BQ.data(), 3)) return false;
  out.design = std::move(design);
  return true;
}

// Where the damper would push (T < 0), the tension is 0 and the heat is the power that the spring loses: -k s s'.
Status step(const ElementNow& now) noexcept {
  const Design& design = static_cast<const Design&>(*now.element.design);
  const BodyState A = now.body(body_a), B = now.body(body_b);
  const Vec3 p_A_W = now.rotation(body_a) * design.p_AP, p_B_W = now.rotation(body_b) * design.p_BQ;
  const Vec3 d_W = B.r_WB + p_B_W - A.r_WB - p_A_W;
  const Vec3 v_W = B.v_WB + B.w_WB.cross(p_B_W) - A.v_WB - A.w_WB.cross(p_A_W);
  const double d = d_W.norm(), k = now.parameters[stiffness], c = now.parameters[damping];
  const Vec3 u_W = d > 0.0 ? Vec3(d_W / d) : Vec3::Zero();
  const double rate = u_W.dot(v_W), s = std::max(0.0, d - now.parameters[length]);
  const double T = s > 0.0 ? std::max(0.0, k * s + c * rate) : 0.0;
  const Vec3 f_B_W = -T * u_W;
  now.add(body_a, {-f_B_W, -p_A_W.cross(f_B_W)});
  now.add(body_b, {f_B_W, p_B_W.cross(f_B_W)});
  now.energy.stored = 0.5 * k * s * s;
  now.energy.heat = s > 0.0 ? (T - k * s) * rate : 0.0;
  now.energy.supply = 0.0;
  now.outputs[tension] = T;
  now.outputs[distance] = d;
  now.outputs[distance_rate] = rate;
  return {std::isfinite(T) ? Code::ok : Code::not_finite};
}

// clang-format off
constexpr ElementVariable parameters[] = {
  {stiffness, {"stiffness", "N/m",   0, false, "stiffness of the taut tether"}},
  {damping,   {"damping",   "N.s/m", 0, false, "damping of the taut tether"}},
  {length,    {"length",    "m",     0, false, "length of the unloaded tether"}},
};
constexpr ElementVariable outputs[] = {
  {tension,       {"tension",       "N",   0, false, "tension of the tether at the end of the step"}},
  {distance,      {"distance",      "m",   0, false, "distance between the attachment points at the end of the step"}},
  {distance_rate, {"distance_rate", "m/s", 0, false, "rate of change of the distance between the attachment points at the end of the step"}},
};
// clang-format on

constexpr ElementRow row = [] {
  ElementRow row;
  row.name = "tether";
  row.failure = "its motion, a parameter or a force is not finite";
  row.parameters = list(parameters, parameter_count);
  row.outputs = list(outputs, output_count);
  row.read = read;
  row.step = step;
  row.reads_loads = false;
  return row;
}();
const RegisteredElement registered(row);

}  // namespace

}  // namespace contactlib::element
