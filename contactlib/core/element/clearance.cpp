// The element `clearance`: the distance of a body from another one, or from all others, and the nearest points. It adds
// no wrench.
#include <cmath>

#include "elements.hpp"
#include "geometry/distance/distance.hpp"

namespace contactlib::element {

using geometry::Nearness, geometry::NearestPoints, geometry::Placement, geometry::Shape, geometry::has_distance,
    geometry::shape_distance;
using model::ElementDesign, model::the_world;

namespace {

struct Design : ElementDesign {};

enum Parameter : int { margin, parameter_count };
enum Output : int { distance, body, point_x, point_y, point_z, normal_x, normal_y, normal_z, output_count };

bool read(ElementRecord&, const Model&, Element& out) {
  const std::size_t bodies = out.bodies.size();
  if (out.ports != 0 || bodies < 1 || bodies > 2) return false;
  if (bodies == 2 && out.bodies[0] == out.bodies[1]) return false;
  for (const std::int32_t i : out.bodies)
    if (i == the_world) return false;
  out.design = std::make_unique<Design>();
  return true;
}

struct Found {
  double distance;  // m
  std::int32_t body = the_world;  // that is nearest
  Vec3 p_W = Vec3::Zero(), n_W = Vec3::Zero();  // the nearest point of the first body, and the direction to the other
};

// A shape's origin from the origin of body `base`, in world axes: no digits are lost far from the world's origin.
Vec3 place(const ElementNow& now, const Shape& shape, const Vec3& p_BP, const Vec3& base_W) noexcept {
  return (now.data.bodies()[shape.body].r_WB - base_W) + now.data.R_WB[shape.body] * p_BP;
}

void measure(const ElementNow& now, const Shape& a, const Shape& b, Found& found) noexcept {
  const Vec3 base_W = now.body(0).r_WB;
  const Vec3 between = place(now, b, b.p_BC, base_W) - place(now, a, a.p_BC, base_W);
  if (between.norm() - a.bound - b.bound > found.distance) return;
  const Vec3 p_A_W = place(now, a, a.p_BS, base_W);
  const Placement X{now.data.R_WB[a.body] * a.R_BS, now.data.R_WB[b.body] * b.R_BS,
                    place(now, b, b.p_BS, base_W) - p_A_W, Vec3::Zero()};
  NearestPoints points;
  const Nearness nearness = shape_distance(a, b, X, found.distance, points);
  if (nearness == Nearness::overlap) found = {0.0, b.body};
  if (nearness == Nearness::apart && points.distance < found.distance)
    found = {points.distance, b.body, base_W + p_A_W + points.P, points.n};
}

Status step(const ElementNow& now) noexcept {
  const std::vector<std::int32_t>& bodies = now.element.bodies;
  Found found{now.parameters[margin]};
  for (const Shape& a : now.model.shapes) {
    if (a.body != bodies[0]) continue;
    for (const Shape& b : now.model.shapes) {
      const bool measured = bodies.size() == 2 ? b.body == bodies[1] : b.body != bodies[0];
      if (measured && found.distance > 0.0 && has_distance(a.kind, b.kind)) measure(now, a, b, found);
    }
  }
  now.energy.stored = now.energy.heat = now.energy.supply = 0.0;
  now.outputs[distance] = found.distance;
  now.outputs[body] = found.body + 1.0;
  for (int k = 0; k < 3; ++k) {
    now.outputs[point_x + k] = found.p_W[k];
    now.outputs[normal_x + k] = found.n_W[k];
  }
  return {};
}

// clang-format off
constexpr ElementVariable parameters[] = {
  {margin, {"margin", "m", 0, true, "distance up to which the clearance is measured"}},
};
constexpr ElementVariable outputs[] = {
  {distance, {"distance", "m", 0, false, "distance to the nearest other body at the end of the step, 0 where the bodies touch or overlap; the margin where no body is nearer"}},
  {body,     {"body",     "1", 0, false, "number of the nearest other body, in the order of the scene from 1, at the end of the step; 0 if none is within the margin"}, !per_port, integer},
  {point_x,  {"point_x",  "m", 0, false, "position of the first body's nearest point, x component in world axes, at the end of the step; 0 without a distance"}},
  {point_y,  {"point_y",  "m", 0, false, "position of the first body's nearest point, y component in world axes, at the end of the step; 0 without a distance"}},
  {point_z,  {"point_z",  "m", 0, false, "position of the first body's nearest point, z component in world axes, at the end of the step; 0 without a distance"}},
  {normal_x, {"normal_x", "1", 0, false, "direction to the other body's nearest point, x component of the unit vector in world axes, at the end of the step; 0 without a distance"}},
  {normal_y, {"normal_y", "1", 0, false, "direction to the other body's nearest point, y component of the unit vector in world axes, at the end of the step; 0 without a distance"}},
  {normal_z, {"normal_z", "1", 0, false, "direction to the other body's nearest point, z component of the unit vector in world axes, at the end of the step; 0 without a distance"}},
};
// clang-format on

constexpr ElementRow row = [] {
  ElementRow row;
  row.name = "clearance";
  row.failure = "its motion is not finite";
  row.parameters = list(parameters, parameter_count);
  row.outputs = list(outputs, output_count);
  row.read = read;
  row.step = step;
  row.reads_loads = false;
  row.reads_states = true;
  return row;
}();
const RegisteredElement registered(row);

}  // namespace

}  // namespace contactlib::element
