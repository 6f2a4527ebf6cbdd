// The element `gauge`: measures the contact force on some shapes of a body. It adds no wrench.
#include <algorithm>
#include <cmath>

#include "elements.hpp"

namespace contactlib::element {

using model::ElementDesign, model::the_world;
using state::Contact;

namespace {

struct Design : ElementDesign {
  Vec3 axis_B;                          // unit, out of the shapes
  std::vector<unsigned char> measured;  // per shape of the model: 1 if the gauge measures it
};

enum Output : int { load, force, depth, touching, output_count };

bool read(ElementRecord& record, const Model& model, Element& out) {
  auto design = std::make_unique<Design>();
  if (out.ports != 0 || out.bodies.size() != 1 || out.bodies[0] == the_world) return false;
  if (!record.numbers(design->axis_B.data(), 3) || !(std::abs(design->axis_B.squaredNorm() - 1.0) < 1e-12))
    return false;
  const auto shapes = static_cast<std::int32_t>(model.shapes.size());
  std::int32_t count;
  if (!record.integer(1, shapes, count)) return false;
  design->measured.assign(model.shapes.size(), 0);
  for (; count > 0; --count) {
    std::int32_t i;
    if (!record.integer(0, shapes - 1, i) || model.shapes[i].body != out.bodies[0]) return false;
    design->measured[i] = 1;
  }
  out.design = std::move(design);
  return true;
}

// load = -axis . (sum of the forces on the shapes), positive where other shapes press on them
Status step(const ElementNow& now) noexcept {
  const Design& design = static_cast<const Design&>(*now.element.design);
  Vec3 sum = Vec3::Zero();
  double count = 0.0, deepest = 0.0;
  for (std::size_t i = 0; i < now.data.count; ++i) {
    const Contact& contact = now.data.contacts[i];
    const bool a = design.measured[contact.shape_a], b = design.measured[contact.shape_b];
    if (!a && !b) continue;
    if (b) sum += contact.f_B_W;
    if (a) sum -= contact.f_B_W;
    count += 1.0;
    deepest = std::max(deepest, contact.depth);
  }
  now.energy.stored = now.energy.heat = now.energy.supply = 0.0;
  now.outputs[load] = -sum.dot(now.rotation(0) * design.axis_B);
  now.outputs[force] = sum.norm();
  now.outputs[depth] = deepest;
  now.outputs[touching] = count;
  return {std::isfinite(now.outputs[force]) ? Code::ok : Code::not_finite};
}

// clang-format off
constexpr ElementVariable outputs[] = {
  {load,     {"load",     "N", 0, false, "contact force on the gauge's shapes against its axis, at the end of the step"}},
  {force,    {"force",    "N", 0, false, "magnitude of the contact force on the gauge's shapes at the end of the step"}},
  {depth,    {"depth",    "m", 0, false, "largest penetration depth of the gauge's shapes at the end of the step"}},
  {touching, {"touching", "1", 0, false, "number of contacts of the gauge's shapes at the end of the step"}, !per_port, integer},
};
// clang-format on

constexpr ElementRow row = [] {
  ElementRow row;
  row.name = "gauge";
  row.failure = "its motion, a parameter or a force is not finite";
  row.outputs = list(outputs, output_count);
  row.read = read;
  row.step = step;
  return row;
}();
const RegisteredElement registered(row);

}  // namespace

}  // namespace contactlib::element
