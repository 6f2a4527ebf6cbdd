#include "row.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "membrane.hpp"

namespace contactlib {

namespace {

// an element's bodies
enum : int { caught, carrier };

// larger tables and hulls than these are no membrane.
constexpr std::int32_t most_points = 1 << 20;

struct Design : ElementDesign {
  MembraneDesign membrane;
};

struct Scratch : ElementScratch {
  MembraneScratch membrane;
};

static_assert(sizeof(MembraneParameters) == 5 * sizeof(double));

bool read_points(ElementRecord& record, std::int32_t count, std::vector<Vec3>& out) {
  std::vector<double> numbers;
  if (!record.numbers(3 * static_cast<std::size_t>(count), numbers)) return false;
  for (std::int32_t i = 0; i < count; ++i) out.emplace_back(numbers.data() + 3 * i);
  return true;
}

bool read_hull(ElementRecord& record, MembraneHull& hull) {
  std::int32_t corners, triangles;
  if (!record.integer(1, most_points, corners) || !record.integer(0, most_points, triangles)) return false;
  if (!read_points(record, corners, hull.p_BV)) return false;
  std::array<std::int32_t, 3> triangle;
  for (std::int32_t i = 0; i < triangles; ++i) {
    for (std::int32_t& corner : triangle)
      if (!record.integer(0, corners - 1, corner)) return false;
    hull.triangles.push_back(triangle);
  }
  return true;
}

bool read_curve(ElementRecord& record, std::vector<CurvePoint>& curve) {
  std::int32_t count;
  std::vector<double> numbers;
  if (!record.integer(0, most_points, count)) return false;
  if (!record.numbers(2 * static_cast<std::size_t>(count), numbers)) return false;
  for (std::int32_t i = 0; i < count; ++i) curve.push_back({numbers[2 * i], numbers[2 * i + 1]});
  return true;
}

bool distinct_bodies(const std::vector<std::int32_t>& bodies) noexcept {
  return bodies.size() == 2 && bodies[caught] != the_world && bodies[caught] != bodies[carrier];
}

// on a suspension point the fabric pulls with a |dA/ds_k|, in a plane with a.
void write_outputs(const MembraneDesign& membrane, const MembraneScratch& scratch, const MembraneResult& result,
                   double* out) noexcept {
  const double values[] = {result.area,
                           result.area_rate,
                           result.tension,
                           result.edge_tension,
                           result.f_normal_W.norm(),
                           result.f_friction_W.norm(),
                           result.depth,
                           static_cast<double>(result.touching),
                           static_cast<double>(result.outside),
                           static_cast<double>(result.illegal)};
  out = std::copy(std::begin(values), std::end(values), out);
  for (const Vec3& gradient : scratch.gradient_B)
    *out++ = std::abs(result.tension) * (membrane.dimension == 2 ? 1.0 : gradient.norm());
}

bool finite(const MembraneResult& result) noexcept {
  const double sums = result.area + result.area_rate + result.tension + result.stored + result.heat_damping +
                      result.heat_friction + result.winch_power + result.edge_tension + result.depth;
  return std::isfinite(sums) && result.f_normal_W.allFinite() && result.f_friction_W.allFinite();
}

}  // namespace

bool read_membrane(ElementRecord& record, const Model&, Element& out) {
  auto design = std::make_unique<Design>();
  MembraneDesign& membrane = design->membrane;
  std::int32_t spread, push;
  if (!distinct_bodies(out.bodies) || !record.integer(2, 3, membrane.dimension)) return false;
  if (!record.integer(0, static_cast<std::int32_t>(Spread::complementarity), spread)) return false;
  if (!record.integer(0, 1, push) || !read_points(record, out.ports, membrane.p_CS)) return false;
  if (!record.numbers(membrane.up_C.data(), 3) || !read_hull(record, membrane.hull)) return false;
  MembraneProfile& profile = membrane.profile;
  for (std::vector<CurvePoint>* curve : {&profile.elastic, &profile.extending, &profile.retracting})
    if (!read_curve(record, *curve)) return false;
  membrane.spread = static_cast<Spread>(spread);
  membrane.push = push != 0;
  if (!complete_membrane(membrane)) return false;
  out.design = std::move(design);
  return true;
}

std::unique_ptr<ElementScratch> membrane_scratch(const Element& element) {
  auto scratch = std::make_unique<Scratch>();
  scratch->membrane.make(static_cast<const Design&>(*element.design).membrane);
  return scratch;
}

Status step_membrane(const ElementNow& now) noexcept {
  const MembraneDesign& membrane = static_cast<const Design&>(*now.element.design).membrane;
  const BodyState B = now.body(caught), C = now.body(carrier);
  const MembraneMotion motion{
      now.rotation(carrier), now.rotation(caught), B.r_WB - C.r_WB, B.v_WB - C.v_WB, C.w_WB, B.w_WB,
      now.commands,          now.command_rates};
  MembraneParameters parameters;
  std::memcpy(&parameters, now.parameters, sizeof parameters);
  MembraneResult result;
  MembraneScratch& scratch = static_cast<Scratch*>(now.scratch)->membrane;
  if (const Status status = membrane_wrench(membrane, parameters, motion, scratch, result); !status)
    return {status.code, -1, status.index};
  if (!finite(result)) return {Code::not_finite};
  now.add(caught, {result.f_B_W, result.t_B_W});
  now.add(carrier, {result.f_C_W, result.t_C_W});
  now.energy.stored = result.stored;
  now.energy.heat = result.heat_damping + result.heat_friction;
  now.energy.supply = result.winch_power;
  write_outputs(membrane, scratch, result, now.outputs);
  return {};
}

}  // namespace contactlib
