// The elements `membrane` and `membrane_2d`. In a plane the area is a length.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "drawing.hpp"
#include "element/elements.hpp"
#include "math/rotation.hpp"
#include "membrane.hpp"

namespace contactlib::element {

using math::matrix;
using model::ElementDesign, model::the_world;

namespace {

// The element's bodies.
enum : int { caught, carrier };

// Parameters are read as a struct.
constexpr int place(std::size_t offset) { return static_cast<int>(offset / sizeof(double)); }
enum Parameter : int {
  stiffness = place(offsetof(MembraneParameters, stiffness)),
  damping = place(offsetof(MembraneParameters, damping)),
  rest_area = place(offsetof(MembraneParameters, rest_area)),
  friction = place(offsetof(MembraneParameters, friction)),
  slip_speed = place(offsetof(MembraneParameters, slip_speed)),
  parameter_count = place(sizeof(MembraneParameters))
};
enum Command : int { reel, command_count };
enum Output : int {
  area,
  area_rate,
  tension,
  max_edge_tension,
  normal_force,
  friction_force,
  depth,
  touching,
  outside,
  illegal,
  pull,
  output_count
};

// Larger tables and hulls are refused.
constexpr std::int32_t max_points = 1 << 20;

struct Design : ElementDesign {
  MembraneDesign membrane;
};

struct Scratch : ElementScratch {
  MembraneScratch membrane;
};

bool read_points(ElementRecord& record, std::int32_t count, std::vector<Vec3>& out) {
  std::vector<double> numbers;
  if (!record.numbers(3 * static_cast<std::size_t>(count), numbers)) return false;
  for (std::int32_t i = 0; i < count; ++i) out.emplace_back(numbers.data() + 3 * i);
  return true;
}

bool read_hull(ElementRecord& record, MembraneHull& hull) {
  std::int32_t corners, triangles;
  if (!record.integer(1, max_points, corners) || !record.integer(0, max_points, triangles)) return false;
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
  if (!record.integer(0, max_points, count)) return false;
  if (!record.numbers(2 * static_cast<std::size_t>(count), numbers)) return false;
  for (std::int32_t i = 0; i < count; ++i) curve.push_back({numbers[2 * i], numbers[2 * i + 1]});
  return true;
}

bool distinct_bodies(const std::vector<std::int32_t>& bodies) noexcept {
  return bodies.size() == 2 && bodies[caught] != the_world && bodies[caught] != bodies[carrier];
}

// The fabric pulls on suspension point k with a |dA/ds_k|, in a plane with a.
void write_outputs(const ElementNow& now, const MembraneDesign& membrane, const MembraneScratch& scratch,
                   const MembraneResult& result) noexcept {
  double* const out = now.outputs;
  out[area] = result.area;
  out[area_rate] = result.area_rate;
  out[tension] = result.tension;
  out[max_edge_tension] = result.edge_tension;
  out[normal_force] = result.f_normal_W.norm();
  out[friction_force] = result.f_friction_W.norm();
  out[depth] = result.depth;
  out[touching] = static_cast<double>(result.touching);
  out[outside] = static_cast<double>(result.outside);
  out[illegal] = static_cast<double>(result.illegal);
  double* point = now.output(pull);
  for (const Vec3& gradient : scratch.gradient_B)
    *point++ = std::abs(result.tension) * (membrane.dimension == 2 ? 1.0 : gradient.norm());
}

bool finite(const MembraneResult& result) noexcept {
  const double sums = result.area + result.area_rate + result.tension + result.stored + result.heat_damping +
                      result.heat_friction + result.winch_power + result.edge_tension + result.depth;
  return std::isfinite(sums) && result.f_normal_W.allFinite() && result.f_friction_W.allFinite();
}

bool read(ElementRecord& record, const Model&, Element& out) {
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

std::unique_ptr<ElementScratch> make_scratch(const Element& element) {
  auto scratch = std::make_unique<Scratch>();
  scratch->membrane.make(static_cast<const Design&>(*element.design).membrane);
  return scratch;
}

Status step(const ElementNow& now) noexcept {
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
  write_outputs(now, membrane, scratch, result);
  return {};
}

// clang-format off
constexpr ElementVariable parameters[] = {
  {stiffness,  {"stiffness",  "N/m^3",   0, false, "stiffness k of the membrane in its tension k (A - A0)"}},
  {damping,    {"damping",    "N.s/m^3", 0, false, "damping c of the membrane in its tension c dA/dt"}},
  {rest_area,  {"rest_area",  "m^2",     0, false, "rest area A0 of the unloaded membrane"}},
  {friction,   {"friction",   "1",       0, false, "friction coefficient of the caught body on the membrane"}},
  {slip_speed, {"slip_speed", "m/s",     0, true,  "sliding speed below which friction on the membrane decreases to zero"}},
};
constexpr ElementVariable parameters_2d[] = {
  {stiffness,  {"stiffness",  "N/m",     0, false, "stiffness k of the membrane in its tension k (l - l0)"}},
  {damping,    {"damping",    "N.s/m",   0, false, "damping c of the membrane in its tension c dl/dt"}},
  {rest_area,  {"rest_area",  "m",       0, false, "rest length l0 of the unloaded membrane"}},
  {friction,   {"friction",   "1",       0, false, "friction coefficient of the caught body on the membrane"}},
  {slip_speed, {"slip_speed", "m/s",     0, true,  "sliding speed below which friction on the membrane decreases to zero"}},
};
constexpr ElementVariable commands[] = {
  {reel, {"reel", "m", 0, false, "distance by which the winch has drawn a suspension point towards the frame's middle"}, per_port},
};
constexpr ElementVariable outputs[] = {
  {area,             {"area",             "m^2",   0, false, "area of the membrane at the end of the step"}},
  {area_rate,        {"area_rate",        "m^2/s", 0, false, "rate of change of the membrane's area at the end of the step"}},
  {tension,          {"tension",          "N/m",   0, false, "tension of the membrane per length at the end of the step"}},
  {max_edge_tension, {"max_edge_tension", "N",     0, false, "largest tension along a line from a suspension point to a corner at the end of the step; large where triangles are thin"}},
  {normal_force,     {"normal_force",     "N",     0, false, "magnitude of the membrane's normal force on the caught body at the end of the step"}},
  {friction_force,   {"friction_force",   "N",     0, false, "magnitude of the membrane's friction force on the caught body at the end of the step"}},
  {depth,            {"depth",            "m",     0, false, "depth of the caught body's lowest corner below the frame's plane at the end of the step"}},
  {touching,         {"touching",         "1",     0, false, "number of corners of the caught body on the membrane at the end of the step"}, !per_port, integer},
  {outside,          {"outside",          "1",     0, false, "number of corners below the frame's plane that lie outside the membrane at the end of the step"}, !per_port, integer},
  {illegal,          {"illegal",          "1",     0, false, "number of negative normal forces in the pseudo-inverse solution at the end of the step"}, !per_port, integer},
  {pull,             {"pull",             "N",     0, false, "force of the membrane on a suspension point at the end of the step"}, per_port},
};
constexpr ElementVariable outputs_2d[] = {
  {area,             {"area",             "m",     0, false, "length of the membrane at the end of the step"}},
  {area_rate,        {"area_rate",        "m/s",   0, false, "rate of change of the membrane's length at the end of the step"}},
  {tension,          {"tension",          "N",     0, false, "tension of the membrane at the end of the step"}},
  {max_edge_tension, {"max_edge_tension", "N",     0, false, "largest tension along a line from a suspension point to a corner at the end of the step; large where triangles are thin"}},
  {normal_force,     {"normal_force",     "N",     0, false, "magnitude of the membrane's normal force on the caught body at the end of the step"}},
  {friction_force,   {"friction_force",   "N",     0, false, "magnitude of the membrane's friction force on the caught body at the end of the step"}},
  {depth,            {"depth",            "m",     0, false, "depth of the caught body's lowest corner below the frame's line at the end of the step"}},
  {touching,         {"touching",         "1",     0, false, "number of corners of the caught body on the membrane at the end of the step"}, !per_port, integer},
  {outside,          {"outside",          "1",     0, false, "number of corners below the frame's line that lie outside the membrane at the end of the step"}, !per_port, integer},
  {illegal,          {"illegal",          "1",     0, false, "number of negative normal forces in the pseudo-inverse solution at the end of the step"}, !per_port, integer},
  {pull,             {"pull",             "N",     0, false, "force of the membrane on a suspension point at the end of the step"}, per_port},
};
// clang-format on

constexpr ElementRow make_row(const char* name, ElementVariables parameters, ElementVariables outputs) {
  ElementRow row;
  row.name = name;
  row.failure = "its motion, a parameter or a force is not finite";
  row.port = "suspension point";
  row.port_failure = " is reeled in to the frame's middle or behind its neighbours' line";
  row.parameters = parameters;
  row.commands = list(commands, command_count);
  row.outputs = outputs;
  row.read = read;
  row.scratch = make_scratch;
  row.step = step;
  row.reads_loads = false;
  return row;
}
constexpr ElementRow membrane_3d = make_row("membrane", list(parameters, parameter_count), list(outputs, output_count));
constexpr ElementRow membrane_2d =
    make_row("membrane_2d", list(parameters_2d, parameter_count), list(outputs_2d, output_count));
const RegisteredElement registered_3d(membrane_3d), registered_2d(membrane_2d);

BodyState pose_of(const Data& data, std::int32_t body) noexcept {
  if (body != the_world) return data.bodies()[body];
  return {Vec3::Zero(), Quat(1, 0, 0, 0), Vec3::Zero(), Vec3::Zero()};
}

// The fabric where it is pressed now; the scratch of the steps is left as it is.
void draw_triangles(const MembraneDesign& membrane, const MembraneParameters& parameters, const MembraneMotion& motion,
                    std::vector<std::int32_t>& out) {
  MembraneScratch scratch;
  scratch.make(membrane);
  MembraneResult result;
  if (membrane_wrench(membrane, parameters, motion, scratch, result))
    for (std::size_t i = 0; i < scratch.triangles; ++i)
      out.insert(out.end(), std::begin(scratch.fabric[i].point), std::end(scratch.fabric[i].point));
  if (!out.empty()) return;
  for (std::int32_t i = 1; i + 1 < static_cast<std::int32_t>(membrane.p_CS.size()); ++i)
    for (const std::int32_t point : {0, i, i + 1}) out.push_back(point);
}

}  // namespace

// p = r_C + R_C (p_CS - reel out),  p = r_B + R_B p_BV
bool draw_membrane(const Model& model, const Data& data, std::size_t element, MembraneDrawing& out) {
  if (element >= model.elements.size()) return false;
  const Element& of = model.elements[element];
  if (of.row != &membrane_3d && of.row != &membrane_2d) return false;
  const MembraneDesign& membrane = static_cast<const Design&>(*of.design).membrane;
  const BodyState B = pose_of(data, of.bodies[caught]), C = pose_of(data, of.bodies[carrier]);
  const Mat3 R_WC = matrix(C.q_WB), R_WB = matrix(B.q_WB);
  const double* const drawn = data.state.data() + data.elements[element].commands;
  out.vertices.clear(), out.triangles.clear();
  for (std::size_t k = 0; k < membrane.p_CS.size(); ++k)
    out.vertices.push_back(C.r_WB + R_WC * (membrane.p_CS[k] - drawn[k] * membrane.out_C[k]));
  for (const Vec3& p_BV : membrane.hull.p_BV) out.vertices.push_back(B.r_WB + R_WB * p_BV);
  if (membrane.dimension == 2) return true;
  MembraneParameters parameters;
  std::memcpy(&parameters, data.state.data() + data.elements[element].parameters, sizeof parameters);
  draw_triangles(membrane, parameters, {R_WC, R_WB, B.r_WB - C.r_WB, B.v_WB - C.v_WB, C.w_WB, B.w_WB, drawn, nullptr},
                 out.triangles);
  return true;
}

}  // namespace contactlib::element
