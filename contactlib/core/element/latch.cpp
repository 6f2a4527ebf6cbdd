#include "latch.hpp"

#include <cmath>

#include "../rotation.hpp"
#include "drive.hpp"

namespace contactlib {

namespace {

// an element's bodies: the base, then links in this order, of which some may be left out.
enum : int { base, crank, coupler, rocker, link_count = 3 };

struct Design : ElementDesign {
  FourBar bars;
  Vec3 p_BO;              // m, O2 in the base
  Quat q_BL;              // the linkage's axes in the base: x from O2 to O4, z along the pivots
  Mat3 R_BL;
  std::int32_t link[4];   // bodies of the element, -1: none
  Drive drive;
};

// state
enum : int { at_angle, at_rate, at_load, at_motor, at_held, state_count };
// commands
enum : int { command_voltage, command_power, command_brake };

// where a link is over the base, and how it moves for each rad of the crank, in the linkage's axes.
struct LinkPose {
  Vec3 p, dp;
  double angle, rate;
};

struct Linkage {
  FourBarPose pose;
  LinkPose links[link_count + 1];

  bool set(const FourBar& bars, double angle) noexcept {
    if (!solve_four_bar(bars, angle, pose)) return false;
    const double x = bars.crank * std::cos(angle), y = bars.crank * std::sin(angle);
    links[crank] = {Vec3::Zero(), Vec3::Zero(), angle, 1.0};
    links[coupler] = {Vec3(x, y, 0.0), Vec3(-y, x, 0.0), pose.coupler, pose.coupler_rate};
    links[rocker] = {Vec3(bars.ground, 0.0, 0.0), Vec3::Zero(), pose.rocker, pose.rocker_rate};
    return true;
  }
};

const Design& design_of(const ElementNow& now) noexcept { return static_cast<const Design&>(*now.element.design); }

DriveInput input_of(const ElementNow& now) noexcept {
  return {now.commands[command_voltage], now.commands[command_power] != 0.0, now.commands[command_brake] != 0.0};
}

// of the step that ends now; without one, as the state has it.
void advance(const ElementNow& now, const Design& design) noexcept {
  if (!(now.h > 0.0)) return;
  const double angle = now.state[at_angle];
  const DriveStep step = step_drive(design.drive, input_of(now), angle, now.state[at_rate], now.state[at_load], now.h);
  now.next[at_angle] = angle + now.h * step.rate;
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
  const double Bx = a * std::cos(angle), By = a * std::sin(angle), Dx = bars.ground - Bx, Dy = -By;
  const double D2 = Dx * Dx + Dy * Dy, D = std::sqrt(D2), cosine = (b * b + D2 - c * c) / (2.0 * b * D);
  if (!(std::abs(cosine) < 1.0)) return false;
  out.coupler = std::atan2(Dy, Dx) + bars.branch * std::acos(cosine);
  const double Cx = Bx + b * std::cos(out.coupler), Cy = By + b * std::sin(out.coupler);
  out.rocker = std::atan2(Cy, Cx - bars.ground);
  const double sine = std::sin(out.coupler - out.rocker);
  if (!(std::abs(sine) > 1e-9)) return false;
  out.coupler_rate = a * std::sin(out.rocker - angle) / (b * sine);
  out.rocker_rate = a * std::sin(angle - out.coupler) / (c * -sine);
  return true;
}

bool read_latch(ElementRecord& record, const Model& model, Element& out) {
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

void place_latch(const ElementNow& now) noexcept {
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
    // the link's x axis at its angle in the linkage's plane
    const Quat turn(std::cos(0.5 * link.angle), 0.0, 0.0, std::sin(0.5 * link.angle));
    const Quat q = product(product(B.q_WB, design.q_BL), turn).normalized();
    now.put(design.link[k], {B.r_WB + p_W, q, B.v_WB + B.w_WB.cross(p_W) + rate * (R_WL * link.dp), w_W});
  }
}

// the load on the crank, by virtual work: sum of f . dp/dt2 + t . z dt/dt2.
Status step_latch(const ElementNow& now) noexcept {
  const Design& design = design_of(now);
  Linkage linkage;
  if (!linkage.set(design.bars, now.next[at_angle])) return {Code::bad_argument};
  const Mat3 R_WL = now.rotation(base) * design.R_BL;
  double load = 0.0;
  for (int k = crank; k <= rocker; ++k) {
    if (design.link[k] < 0) continue;
    const Wrench& push = now.data.contact_wrenches_W()[now.element.bodies[design.link[k]]];
    const LinkPose& link = linkage.links[k];
    load += push.force.dot(R_WL * link.dp) + link.rate * push.torque.dot(R_WL.col(2));
    const Vec3 arm = now.body(design.link[k]).r_WB - now.body(base).r_WB;
    now.add(base, {push.force, push.torque + arm.cross(push.force)});
  }
  now.next[at_load] = load;
  const double rate = now.next[at_rate], motor = now.next[at_motor];
  now.energy.stored = 0.5 * design.drive.inertia * rate * rate;
  // over the step: forces times the mean rate are what the rotor takes, exactly
  const double mean = 0.5 * (now.state[at_rate] + rate);
  now.energy.heat = -now.next[at_held] * mean;
  now.energy.supply = motor * mean;
  const double current = motor / (design.drive.efficiency * design.drive.constant());
  const double outputs[] = {now.next[at_angle], rate, motor, current, load, linkage.pose.coupler, linkage.pose.rocker};
  std::copy(std::begin(outputs), std::end(outputs), now.outputs);
  return {std::isfinite(load + rate) ? Code::ok : Code::not_finite};
}

}  // namespace contactlib
