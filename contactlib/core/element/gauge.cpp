#include "gauge.hpp"

#include <algorithm>
#include <cmath>

namespace contactlib::element {

using model::ElementDesign, model::the_world;
using state::Contact;

namespace {

struct Design : ElementDesign {
  Vec3 axis_B;  // unit, out of the shapes
  std::vector<unsigned char> looks_at;  // per shape of the model
};

}  // namespace

bool read_gauge(ElementRecord& record, const Model& model, Element& out) {
  auto design = std::make_unique<Design>();
  if (out.ports != 0 || out.bodies.size() != 1 || out.bodies[0] == the_world) return false;
  if (!record.numbers(design->axis_B.data(), 3) || !(std::abs(design->axis_B.squaredNorm() - 1.0) < 1e-12))
    return false;
  const auto shapes = static_cast<std::int32_t>(model.shapes.size());
  std::int32_t count;
  if (!record.integer(1, shapes, count)) return false;
  design->looks_at.assign(model.shapes.size(), 0);
  for (; count > 0; --count) {
    std::int32_t i;
    if (!record.integer(0, shapes - 1, i) || model.shapes[i].body != out.bodies[0]) return false;
    design->looks_at[i] = 1;
  }
  out.design = std::move(design);
  return true;
}

// load = - axis . sum of forces on the shapes: positive where they are pressed.
Status step_gauge(const ElementNow& now) noexcept {
  const Design& design = static_cast<const Design&>(*now.element.design);
  Vec3 force = Vec3::Zero();
  double touching = 0.0, depth = 0.0;
  for (std::size_t i = 0; i < now.data.count; ++i) {
    const Contact& contact = now.data.contacts[i];
    const bool a = design.looks_at[contact.shape_a], b = design.looks_at[contact.shape_b];
    if (!a && !b) continue;
    if (b) force += contact.f_B_W;
    if (a) force -= contact.f_B_W;
    touching += 1.0;
    depth = std::max(depth, contact.depth);
  }
  now.energy.stored = now.energy.heat = now.energy.supply = 0.0;
  const double outputs[] = {-force.dot(now.rotation(0) * design.axis_B), force.norm(), depth, touching};
  std::copy(std::begin(outputs), std::end(outputs), now.outputs);
  return {std::isfinite(outputs[1]) ? Code::ok : Code::not_finite};
}

}  // namespace contactlib::element
