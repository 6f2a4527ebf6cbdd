#include "latch.hpp"

#include <algorithm>
#include <cmath>

#include "drive.hpp"
#include "math/elementary.hpp"
#include "math/ranges.hpp"
#include "math/rotation.hpp"

namespace contactlib::element {

using math::matrix, math::product;
using model::ElementDesign, model::Motion, model::the_world;

namespace {

// The element's bodies: the base, then the links in this order; a link may be missing.
enum : int { base, crank, coupler, rocker, link_count = 3 };

struct Design : ElementDesign {
  FourBar bars;
  Vec3 p_BO;              // m, O2 in the base
  Quat q_BL;              // axes of the linkage in the base: x from O2 to O4, z along the pivots
  Mat3 R_BL;
  std::int32_t link[4];   // bodies of the element, -1: none
  Drive drive;
};

// The drive's orders come first.
enum State : int {
  at_angle = drive_order_width,
  at_rate,
  at_load,
  at_load_bend,
  at_load_turn,
  at_motor,
  at_held,
  state_count
};
enum Output : int { angle, crank_rate, torque, current, load, force, coupler_angle, rocker_angle, output_count };

// Fixed-point iterations between the load and the crank's rate.
constexpr int load_passes = 3;

// Position and angle of a link over the base in the linkage's axes, with derivatives by the crank's angle.
struct LinkPose {
  Vec3 p, dp, ddp;
  double angle, rate, bend;
};

struct Linkage {
  FourBarPose pose;
  LinkPose links[link_count + 1];

  bool set(const FourBar& bars, double angle) noexcept {
    if (!solve_four_bar(bars, angle, pose)) return false;
    const math::SinCos t = math::sin_cos(angle);
    const double x = bars.crank * t.cos, y = bars.crank * t.sin;
    const Vec3 zero = Vec3::Zero();
    links[crank] = {zero, zero, zero, angle, 1.0, 0.0};
    links[coupler] = {Vec3(x, y, 0.0), Vec3(-y, x, 0.0),  Vec3(-x, -y, 0.0),
                      pose.coupler,    pose.coupler_rate, pose.coupler_bend};
    links[rocker] = {Vec3(bars.ground, 0.0, 0.0), zero, zero, pose.rocker, pose.rocker_rate, pose.rocker_bend};
    return true;
  }
};

const Design& design_of(const ElementNow& now) noexcept { return static_cast<const Design&>(*now.element.design); }

// The mean load over the step as the crank goes from rate r0 to r1. Its work equals that of the links,
// w0 . (v0 + v1)/2:
//   L (r0 + r1)/2 = L0 r0/2 + (L0 + h r1 dL/dt2 + h dL/dt) r1/2
double mean_load(const ElementNow& now, double rate) noexcept {
  const double before = now.state[at_rate], sum = before + rate;
  const double share = sum != 0.0 ? std::clamp(rate / sum, 0.0, 1.0) : 0.5;
  return now.state[at_load] + share * now.h * (rate * now.state[at_load_bend] + now.state[at_load_turn]);
}

// Moves the crank over the step; with h = 0 the state stays.
void advance(const ElementNow& now, const Design& design) noexcept {
  if (!(now.h > 0.0)) return;
  const double start = now.state[at_angle], rate = now.state[at_rate];
  DriveStep step{rate, 0.0, 0.0};
  for (int pass = 0; pass < load_passes; ++pass)
    step = step_drive(design.drive, drive_input(now), start, rate, mean_load(now, step.rate), now.h);
  now.next[at_angle] = start + now.h * step.rate;
  now.next[at_rate] = step.rate;
  now.next[at_motor] = step.motor;
  now.next[at_held] = step.held;
}

bool read_links(ElementRecord& record, const Model& model, const Element& element, Design& out) {
  out.link[base] = 0;
  for (int k = crank; k <= rocker; ++k) {
    if (!record.integer(-1, static_cast<std::int32_t>(element.bodies.size()) - 1, out.link[k])) return false;
    if (out.link[k] == 0) return false;
    if (out.link[k] < 0) continue;
    const std::int32_t body = element.bodies[out.link[k]];
    if (body == the_world || model.bodies[body].motion != Motion::driven) return false;
  }
  return true;
}

}  // namespace

bool solve_four_bar(const FourBar& bars, double angle, FourBarPose& out) noexcept {
  const double a = bars.crank, b = bars.coupler, c = bars.rocker;
  const math::SinCos t2 = math::sin_cos(angle);
  const double Bx = a * t2.cos, By = a * t2.sin, Dx = bars.ground - Bx, Dy = -By;
  const double D2 = Dx * Dx + Dy * Dy, D = std::sqrt(D2), cosine = (b * b + D2 - c * c) / (2.0 * b * D);
  if (!(std::abs(cosine) < 1.0)) return false;
  out.coupler = math::atan2(Dy, Dx) + bars.branch * math::acos(cosine);
  const math::SinCos t3 = math::sin_cos(out.coupler);
  const double Cx = Bx + b * t3.cos, Cy = By + b * t3.sin;
  out.rocker = math::atan2(Cy, Cx - bars.ground);
  const math::SinCos bend = math::sin_cos(out.coupler - out.rocker);
  const double sine = bend.sin;
  if (!(std::abs(sine) > 1e-9)) return false;
  const math::SinCos to_rocker = math::sin_cos(out.rocker - angle), from_coupler = math::sin_cos(angle - out.coupler);
  out.coupler_rate = a * to_rocker.sin / (b * sine);
  out.rocker_rate = a * from_coupler.sin / (c * -sine);
  const double turn = (out.coupler_rate - out.rocker_rate) * bend.cos / sine;
  out.coupler_bend = a * to_rocker.cos * (out.rocker_rate - 1.0) / (b * sine) - out.coupler_rate * turn;
  out.rocker_bend = a * from_coupler.cos * (1.0 - out.coupler_rate) / (c * -sine) - out.rocker_rate * turn;
  return true;
}

namespace {

bool read(ElementRecord& record, const Model& model, Element& out) {
  auto design = std::make_unique<Design>();
  FourBar& bars = design->bars;
  if (out.ports != 0 || out.bodies.empty() || !read_links(record, model, out, *design)) return false;
  for (double* const number : {&bars.ground, &bars.crank, &bars.coupler, &bars.rocker, &bars.branch})
    if (!record.numbers(number, 1)) return false;
  if (!(bars.ground > 0.0 && bars.crank > 0.0 && bars.coupler > 0.0 && bars.rocker > 0.0)) return false;
  if (!(std::abs(bars.branch) == 1.0)) return false;
  if (!record.numbers(design->p_BO.data(), 3) || !record.numbers(design->q_BL.data(), 4)) return false;
  if (!(std::abs(design->q_BL.squaredNorm() - 1.0) < 1e-12)) return false;
  design->R_BL = matrix(design->q_BL);
  if (!read_drive(record, design->drive) || design->drive.mode != DriveMode::motor) return false;
  FourBarPose pose;
  if (!solve_four_bar(bars, design->drive.low, pose) || !solve_four_bar(bars, design->drive.high, pose)) return false;
  out.state.assign(state_count, 0.0);
  out.state[at_angle] = design->drive.start;
  out.design = std::move(design);
  return true;
}

void place(const ElementNow& now) noexcept {
  const Design& design = design_of(now);
  advance(now, design);
  Linkage linkage;
  if (!linkage.set(design.bars, now.next[at_angle])) return;
  const BodyState B = now.body(base);
  const Mat3 R_WL = matrix(B.q_WB) * design.R_BL;
  const Vec3 p_WO = matrix(B.q_WB) * design.p_BO, z_W = R_WL.col(2);
  const double rate = now.next[at_rate];
  for (int k = crank; k <= rocker; ++k) {
    if (design.link[k] < 0) continue;
    const LinkPose& link = linkage.links[k];
    const Vec3 p_W = p_WO + R_WL * link.p;
    const Vec3 w_W = B.w_WB + link.rate * rate * z_W;
    // rotation of the link's x axis in the linkage's plane
    const math::SinCos half = math::sin_cos(0.5 * link.angle);
    const Quat turn(half.cos, 0.0, 0.0, half.sin);
    const Quat q = product(product(B.q_WB, design.q_BL), turn).normalized();
    now.put(design.link[k], {B.r_WB + p_W, q, B.v_WB + B.w_WB.cross(p_W) + rate * (R_WL * link.dp), w_W});
  }
}

// The load on the crank by virtual work, sum of f . dp/dt2 + t . z dt/dt2, and its rates of change with the crank and
// the base at constant contact wrenches.
Status step(const ElementNow& now) noexcept {
  const Design& design = design_of(now);
  Linkage linkage;
  if (!linkage.set(design.bars, now.next[at_angle])) return {Code::bad_argument};
  const Mat3 R_WL = now.rotation(base) * design.R_BL;
  const Vec3 w_WB = now.body(base).w_WB, z_W = R_WL.col(2);
  double on_crank = 0.0, bend = 0.0, turn = 0.0;
  Vec3 sum = Vec3::Zero();
  for (int k = crank; k <= rocker; ++k) {
    if (design.link[k] < 0) continue;
    const Wrench& contact = now.data.contact_wrenches_W()[now.element.bodies[design.link[k]]];
    const LinkPose& link = linkage.links[k];
    const Vec3 dp_W = R_WL * link.dp;
    on_crank += contact.force.dot(dp_W) + link.rate * contact.torque.dot(z_W);
    bend += contact.force.dot(R_WL * link.ddp) + link.bend * contact.torque.dot(z_W);
    turn += contact.force.dot(w_WB.cross(dp_W)) + link.rate * contact.torque.dot(w_WB.cross(z_W));
    sum += contact.force;
    const Vec3 arm = now.body(design.link[k]).r_WB - now.body(base).r_WB;
    now.add(base, {contact.force, contact.torque + arm.cross(contact.force)});
  }
  now.next[at_load] = on_crank;
  now.next[at_load_bend] = bend;
  now.next[at_load_turn] = turn;
  const double rate = now.next[at_rate], motor = now.next[at_motor];
  now.energy.stored = 0.5 * design.drive.inertia * rate * rate;
  // over the step, forces times the mean rate equal the change of the rotor's energy exactly
  const double mean = 0.5 * (now.state[at_rate] + rate);
  now.energy.heat = -now.next[at_held] * mean;
  now.energy.supply = motor * mean;
  now.outputs[angle] = now.next[at_angle];
  now.outputs[crank_rate] = rate;
  now.outputs[torque] = motor;
  now.outputs[current] = motor / (design.drive.efficiency * design.drive.constant());
  now.outputs[load] = on_crank;
  now.outputs[force] = sum.norm();
  now.outputs[coupler_angle] = linkage.pose.coupler;
  now.outputs[rocker_angle] = linkage.pose.rocker;
  return {std::isfinite(on_crank + rate) ? Code::ok : Code::not_finite};
}

// The crank's angle lies between its stops, apart from rounding.
bool admits(const Element& element, const double* state) noexcept {
  const Drive& drive = static_cast<const Design&>(*element.design).drive;
  const double margin = 1e-6 * (1.0 + drive.high - drive.low);
  return admits_order(state) && state[at_angle] >= drive.low - margin && state[at_angle] <= drive.high + margin;
}

// clang-format off
constexpr ElementVariable commands[] = {CONTACTLIB_DRIVE_COMMANDS};
constexpr ElementVariable outputs[] = {
  {angle,         {"angle",   "rad",   0, false, "angle of the crank at the end of the step"}},
  {crank_rate,    {"rate",    "rad/s", 0, false, "angular rate of the crank at the end of the step"}},
  {torque,        {"torque",  "N.m",   0, false, "torque of the motor on the crank through its gear, mean over the step"}},
  {current,       {"current", "A",     0, false, "current of the motor, mean over the step"}},
  {load,          {"load",    "N.m",   0, false, "torque of the contacts of all links on the crank at the end of the step"}},
  {force,         {"force",   "N",     0, false, "magnitude of the contact force on all links at the end of the step"}},
  {coupler_angle, {"coupler", "rad",   0, false, "angle of the coupler at the end of the step"}},
  {rocker_angle,  {"rocker",  "rad",   0, false, "angle of the rocker at the end of the step"}},
};
// clang-format on

constexpr ElementRow row = [] {
  ElementRow row;
  row.name = "latch";
  row.failure = "a load is not finite, or the linkage cannot close";
  row.commands = list(commands, drive_command_count);
  row.outputs = list(outputs, output_count);
  row.read = read;
  row.place = place;
  row.step = step;
  row.reads_loads = false;
  row.power = ElementPower::mean;
  row.jump = ElementJump::waits;
  row.admits = admits;
  return row;
}();
const RegisteredElement registered(row);

}  // namespace

bool is_latch(const Element& element) noexcept { return element.row == &row; }

LatchReading read_latch(const ElementNow& latch) noexcept {
  return {latch.outputs[angle], latch.outputs[crank_rate], latch.outputs[current]};
}

}  // namespace contactlib::element
