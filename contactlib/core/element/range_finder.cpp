// The element `range_finder`: rays from a body, such as those of a laser range finder, and where they hit the shapes of
// all other bodies. It adds no wrench.
#include <cmath>

#include "elements.hpp"
#include "geometry/ray/ray.hpp"

namespace contactlib::element {

using geometry::RayHit, geometry::Shape, geometry::cast_ray;
using model::ElementDesign, model::the_world;

namespace {

constexpr int max_rays = 256;

struct Ray {
  Vec3 p_B, d_B;  // m and unit, in the axes of the body
};

struct Design : ElementDesign {
  std::vector<Ray> rays;
};

enum Parameter : int { range, parameter_count };
enum Output : int { distance, hit, normal_x, normal_y, normal_z, body, output_count };

bool read(ElementRecord& record, const Model&, Element& out) {
  auto design = std::make_unique<Design>();
  if (out.ports < 1 || out.ports > max_rays || out.bodies.size() != 1) return false;
  design->rays.resize(out.ports);
  for (Ray& ray : design->rays) {
    if (!record.numbers(ray.p_B.data(), 3) || !record.numbers(ray.d_B.data(), 3)) return false;
    if (!(std::abs(ray.d_B.squaredNorm() - 1.0) < 1e-12)) return false;
  }
  out.design = std::move(design);
  return true;
}

// Whether the ball that holds a shape, with its middle c from the start of the ray, lies on the first `longest` of it.
bool passes(const Vec3& c, const Vec3& d, double radius, double longest) noexcept {
  const double along = c.dot(d);
  if (along + radius < 0.0 || along - radius > longest) return false;
  return !std::isfinite(radius) || (c - along * d).norm() <= radius + 1e-12 * c.norm();
}

struct Nearest {
  RayHit hit;
  Vec3 n_W = Vec3::Zero();
  std::int32_t body = the_world;
};

// The nearest hit of a ray; p_W from the origin of its body, or of the world.
Nearest cast(const ElementNow& now, const Vec3& r_W, const Vec3& p_W, const Vec3& d_W, double longest) noexcept {
  Nearest found;
  found.hit.distance = longest;
  for (const Shape& shape : now.model.shapes) {
    if (shape.body == now.element.bodies[0]) continue;
    const Mat3& R = now.data.R_WB[shape.body];
    const Vec3 from_W = (now.data.bodies()[shape.body].r_WB - r_W) - p_W;  // near the ray: no digits are lost far away
    if (!passes(from_W + R * shape.p_BC, d_W, shape.bound, found.hit.distance)) continue;
    const Mat3 R_WS = R * shape.R_BS;
    const RayHit at =
        cast_ray(shape, -(R_WS.transpose() * (from_W + R * shape.p_BS)), R_WS.transpose() * d_W, found.hit.distance);
    if (at.hit && !(found.hit.hit && at.distance >= found.hit.distance)) found = {at, R_WS * at.n, shape.body};
  }
  return found;
}

Status step(const ElementNow& now) noexcept {
  const Design& design = static_cast<const Design&>(*now.element.design);
  const Vec3 r_W = now.body(0).r_WB;
  const Mat3 R = now.rotation(0);
  now.energy.stored = now.energy.heat = now.energy.supply = 0.0;
  for (std::int32_t i = 0; i < now.element.ports; ++i) {
    const Ray& ray = design.rays[i];
    const Nearest found = cast(now, r_W, R * ray.p_B, R * ray.d_B, now.parameters[range]);
    now.output(distance)[i] = found.hit.distance;
    now.output(hit)[i] = found.hit.hit ? 1.0 : 0.0;
    now.output(normal_x)[i] = found.n_W[0];
    now.output(normal_y)[i] = found.n_W[1];
    now.output(normal_z)[i] = found.n_W[2];
    now.output(body)[i] = found.body + 1.0;
  }
  return {};
}

// clang-format off
constexpr ElementVariable parameters[] = {
  {range, {"range", "m", 0, true, "length of the rays"}},
};
constexpr ElementVariable outputs[] = {
  {distance, {"distance", "m", 0, false, "distance of the nearest hit along the ray at the end of the step, 0 from inside a solid; the range without a hit"}, per_port},
  {hit,      {"hit",      "1", 0, false, "state of the ray at the end of the step: 1 with a hit on a shape of another body, 0 without"}, per_port, integer},
  {normal_x, {"normal_x", "1", 0, false, "direction of the outward unit normal at the hit, x component in world axes, at the end of the step; 0 without a hit"}, per_port},
  {normal_y, {"normal_y", "1", 0, false, "direction of the outward unit normal at the hit, y component in world axes, at the end of the step; 0 without a hit"}, per_port},
  {normal_z, {"normal_z", "1", 0, false, "direction of the outward unit normal at the hit, z component in world axes, at the end of the step; 0 without a hit"}, per_port},
  {body,     {"body",     "1", 0, false, "number of the body that is hit, in the order of the scene from 1, at the end of the step; 0 without a hit"}, per_port, integer},
};
// clang-format on

constexpr ElementRow row = [] {
  ElementRow row;
  row.name = "range_finder";
  row.failure = "its motion is not finite";
  row.port = "ray";
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
