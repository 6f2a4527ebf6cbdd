// Reading a joint, and the end of its step.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "joint.hpp"
#include "math/rotation.hpp"

namespace contactlib::element {

using model::Motion, model::the_world;

namespace {

constexpr int most_rows = 11;  // of one joint: six locked ones, and five along the free coordinate
constexpr int most_limited = 4;  // of these: drive, friction, two stops

bool can_move(const Model& model, std::int32_t body) noexcept {
  return body != the_world && model.bodies[body].motion != Motion::fixed;
}

bool read_frame(ElementRecord& record, JointFrame& out) noexcept {
  Quat q;
  if (!record.numbers(out.p.data(), 3) || !record.numbers(q.data(), 4)) return false;
  if (!(std::abs(q.norm() - 1.0) < 1e-9)) return false;
  out.R = math::matrix(q.normalized());
  return true;
}

bool shares(const JointDesign& a, const JointDesign& b) noexcept {
  return std::any_of(a.bodies.begin(), a.bodies.end(), [&](std::int32_t body) {
    return std::find(b.bodies.begin(), b.bodies.end(), body) != b.bodies.end();
  });
}

// The joint leads all earlier leaders of joints that share its bodies.
bool lead(const Model& model, JointDesign& design, Element& out) {
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const Element& other = model.elements[i];
    if (other.row->solve != solve_joints || other.led || !shares(design, design_of(other))) continue;
    out.leads.push_back(static_cast<std::int32_t>(i));
  }
  for (const std::int32_t i : out.leads) {
    const JointDesign& other = design_of(model.elements[i]);
    design.joints += other.joints;
    design.rows += other.rows;
    for (const std::int32_t body : other.bodies)
      if (std::find(design.bodies.begin(), design.bodies.end(), body) == design.bodies.end())
        design.bodies.push_back(body);
  }
  return design.joints <= max_joints;
}

}  // namespace

bool read_joint(ElementRecord& record, const Model& model, Element& out, JointKind kind) {
  auto design = std::make_unique<JointDesign>();
  design->kind = kind;
  if (out.ports != 0 || out.bodies.size() != 2 || out.bodies[0] == out.bodies[1]) return false;
  if (!read_frame(record, design->in_base) || !read_frame(record, design->in_arm)) return false;
  std::int32_t lower, upper;
  if (!record.numbers(&design->start, 1) || !record.numbers(&design->lower, 1) || !record.numbers(&design->upper, 1) ||
      !record.integer(0, 1, lower) || !record.integer(0, 1, upper))
    return false;
  design->has_lower = lower != 0, design->has_upper = upper != 0;
  if (lower != 0 && upper != 0 && !(design->lower < design->upper)) return false;
  design->rows = most_rows;
  for (const std::int32_t body : out.bodies)
    if (can_move(model, body)) design->bodies.push_back(body);
  if (design->bodies.empty() || !lead(model, *design, out)) return false;
  out.state.assign(joint_state_width, 0.0);
  for (const std::size_t at : {offsetof(JointState, free), offsetof(JointState, stick)})
    out.state[at / sizeof(double)] = design->start;
  out.design = std::move(design);
  return true;
}

JointScratch::JointScratch(const JointDesign& design)
    : on_base{Vec3::Zero(), Vec3::Zero()},
      on_arm{Vec3::Zero(), Vec3::Zero()},
      force_W(Vec3::Zero()),
      torque_W(Vec3::Zero()) {
  const auto n = static_cast<std::size_t>(design.rows);
  members.reserve(design.joints);
  bodies.reserve(2 * static_cast<std::size_t>(design.joints));
  rows.reserve(n);
  for (auto* column : {&z, &z_best, &value}) column->resize(n);
  system.make(design.rows, most_limited * design.joints);
}

std::unique_ptr<ElementScratch> joint_scratch(const Element& element) {
  JointDesign design = design_of(element);
  if (element.led) design.joints = design.rows = 0;  // its leader has the memory
  return std::make_unique<JointScratch>(design);
}

bool admits_joint(const Element&, const double*) noexcept { return true; }  // every finite number

double rate_at(const ElementNow& now, const JointRows& rows) noexcept {
  const BodyState base = now.body(0), arm = now.body(1);
  const Vec3 p_AK_W = now.rotation(1) * design_of(now.element).in_arm.p, p_BK_W = (arm.r_WB - base.r_WB) + p_AK_W;
  const Vec3 v_W = (arm.v_WB - base.v_WB) + (arm.w_WB.cross(p_AK_W) - base.w_WB.cross(p_BK_W));
  return rows.free_force_W.dot(v_W) + rows.free_torque_W.dot(arm.w_WB - base.w_WB);
}

// Between two steps a joint of free bodies does not move but for rounding. One on an external body does, since its inputs
// are not where they were predicted.
bool is_moved(const ElementNow& now, double free) noexcept {
  const auto predicted = [&](std::int32_t body) {
    return body == the_world || now.model.bodies[body].motion == Motion::free ||
           now.model.bodies[body].motion == Motion::fixed;
  };
  const bool exact = predicted(now.element.bodies[0]) && predicted(now.element.bodies[1]);
  const double before = reinterpret_cast<const JointState*>(now.state)->free;
  return std::abs(free - before) > (exact ? 1e-9 : 1e-3) * (1.0 + std::abs(before));
}

double stick_of(const ElementNow& now, double free) noexcept {
  return is_moved(now, free) ? free : reinterpret_cast<const JointState*>(now.state)->stick;
}

namespace {

JointPose pose_of(const ElementNow& now, int k, const Vec3& r_WO) noexcept {
  return {now.body(k).r_WB - r_WO, now.rotation(k)};
}

double elastic(const JointLaw& law, double q) noexcept { return 0.5 * law.stiffness * (q - law.rest) * (q - law.rest); }

// Energies over a step. Where the ends of a line have passed each other, it points the other way from now on.
// `mean`: the mean rate of the free coordinate, with which impulses do their work.
//   z/h mean = - d(stored)/dt - heat + supply
void settle(const ElementNow& now, const JointLaw& law, const JointScratch& s, JointState& next) noexcept {
  const double step = s.free_end - s.free, mean = 0.5 * (step / now.h + s.rate);
  const auto loss = [&](double impulse) { return std::max(0.0, -impulse / now.h * mean); };
  next.half = s.free_end < 0.0 && design_of(now.element).kind == JointKind::line ? -0.5 * step : 0.5 * step;
  next.stick = s.sticks ? stick_of(now, s.free) : s.free_end;
  now.energy.stored = elastic(law, s.free + next.half);
  now.energy.heat = loss(-law.damping * step) + loss(s.impulses.friction) + loss(s.impulses.stop);
  now.energy.supply = s.impulses.drive / now.h * mean;
}

}  // namespace

JointReading step_joint(const ElementNow& now) noexcept {
  const JointState& before = *reinterpret_cast<const JointState*>(now.state);
  JointState& next = *reinterpret_cast<JointState*>(now.next);
  const auto& s = static_cast<const JointScratch&>(*now.scratch);
  const JointLaw law = law_of(now);
  const Vec3 r_WO = now.body(0).r_WB;
  const double near = now.h > 0.0 ? s.free_end : before.free;
  const JointRows rows =
      rows_of(design_of(now.element), pose_of(now, 0, r_WO), pose_of(now, 1, r_WO), near, Vec3::Zero());
  next.free = rows.free;
  if (now.h > 0.0) {
    next.on_base = s.on_base, next.on_arm = s.on_arm;
    settle(now, law, s, next);
    next.effort = s.impulses.sum() / now.h, next.drive = s.impulses.drive / now.h;
    next.force = s.force_W.norm(), next.moment = s.torque_W.norm();
  } else {
    if (is_moved(now, rows.free)) next.half = 0.0;
    now.energy.stored = elastic(law, rows.free - next.half);
    next.stick = stick_of(now, rows.free);
    now.energy.heat = now.energy.supply = 0.0;
  }
  now.add(0, next.on_base);
  now.add(1, next.on_arm);
  const bool finite = std::isfinite(next.effort) && std::isfinite(next.force) && std::isfinite(next.moment);
  return {rows.free, rate_at(now, rows), rows.gap, finite};
}

Status step_moving(const ElementNow& now) noexcept {
  const JointReading at = step_joint(now);
  const JointState& state = state_after(now);
  now.outputs[Moving::free] = at.free;
  now.outputs[Moving::rate] = at.rate;
  now.outputs[Moving::effort] = state.effort;
  now.outputs[Moving::drive] = state.drive;
  now.outputs[Moving::force] = state.force;
  now.outputs[Moving::bending] = state.moment;
  now.outputs[Moving::gap] = at.gap;
  return {at.finite ? Code::ok : Code::not_finite};
}

}  // namespace contactlib::element
