// The impulses of all joints that share bodies: see joint.hpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "joint.hpp"
#include "math/rotation.hpp"
#include "step/motion.hpp"
#include "step/response/response.hpp"

namespace contactlib::element {

using model::the_world;
using step::integrates, step::kick, step::mobility_of, step::known_end;
using Role = JointScratch::Role;
using Row = JointScratch::Row;
using Member = JointScratch::Member;
using MovedBody = JointScratch::MovedBody;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int max_iterations = 12;
constexpr double converged = 1e-12;  // m or rad: the last change of a coordinate; each is at most h w of the one before
constexpr double apart = 1e-3;  // m or rad: a locked coordinate that stays further away cannot be closed

const Wrench zero_wrench{Vec3::Zero(), Vec3::Zero()};

JointScratch& scratch_of(const ElementNow& now) noexcept { return static_cast<JointScratch&>(*now.scratch); }
const JointState& state_of(const ElementNow& now) noexcept { return *reinterpret_cast<const JointState*>(now.state); }

// 1. the members and their bodies

std::int32_t place_body(const ElementNow& now, JointScratch& s, std::int32_t index) noexcept {
  if (index == the_world) return -1;
  for (std::size_t k = 0; k < s.bodies.size(); ++k)
    if (s.bodies[k].index == index) return static_cast<std::int32_t>(k);
  MovedBody& body = s.bodies.emplace_back();
  body.index = index;
  body.moves = integrates(now.model, now.motion, index);
  return static_cast<std::int32_t>(s.bodies.size()) - 1;
}

void gather(const ElementNow& now, std::int32_t element, JointScratch& s) noexcept {
  const Element& joint = now.model.elements[element];
  for (const std::int32_t led : joint.leads) gather(now, led, s);
  Member& member = s.members.emplace_back();
  member.element = element;
  member.base = place_body(now, s, joint.bodies[0]);
  member.arm = place_body(now, s, joint.bodies[1]);
}

// O is where the first body starts: far from the world's origin no digits are lost.
void place_bodies(const ElementNow& now, JointScratch& s, Vec3& r_WO) noexcept {
  r_WO = s.bodies.empty() ? Vec3(Vec3::Zero()) : now.data.bodies()[s.bodies[0].index].r_WB;
  for (MovedBody& body : s.bodies) {
    const BodyState& at = now.data.bodies()[body.index];
    const Mat3& R = now.data.R_WB[body.index];
    body.q_WB = at.q_WB;
    body.start = body.end = {at.r_WB - r_WO, R};
    body.c_W = R * now.data.plant[body.index].p_BBcm;
    body.impulse = zero_wrench;
    if (body.moves) {
      const step::Kick free = kick(now.model, now.data, now.motion, body.index, R, now.h);
      body.v_c_W = free.v_c_W, body.w_W = free.w_W;
      body.inverse = mobility_of(now.model, now.data, body.index, R);
    } else {
      const BodyState end = known_end(now.model, now.data, now.motion, body.index, now.h);
      body.end = {end.r_WB - r_WO, math::matrix(end.q_WB)};
      body.w_end_W = at.w_WB;
    }
  }
}

// 2. the rows

JointPose pose_of(const JointScratch& s, std::int32_t body, const Vec3& r_WO, bool at_end) noexcept {
  if (body < 0) return {-r_WO, Mat3::Identity()};
  return at_end ? s.bodies[body].end : s.bodies[body].start;
}

// The angle at the end is the one next to what the rates at the end make of the angle at the start, however many turns
// that is.
JointRows at_end(const ElementNow& now, const JointScratch& s, const Member& member, const Vec3& r_WO) noexcept {
  const JointDesign& design = design_of(now.model.elements[member.element]);
  const auto w_end = [&](std::int32_t body) { return body < 0 ? Vec3(Vec3::Zero()) : s.bodies[body].w_end_W; };
  const Vec3& axis_W = member.at_start.free_torque_W;
  const double near = member.free + now.h * axis_W.dot(w_end(member.arm) - w_end(member.base));
  return rows_of(design, pose_of(s, member.base, r_WO, true), pose_of(s, member.arm, r_WO, true), near,
                 member.at_start.free_force_W);
}

Wrench about_centre(const JointScratch& s, std::int32_t body, const Vec3& p_OK, const Vec3& f, const Vec3& t) noexcept {
  if (body < 0) return zero_wrench;
  const MovedBody& at = s.bodies[body];
  return {f, (p_OK - (at.start.p_OB_W + at.c_W)).cross(f) + t};
}

// Changes of the velocity of the centre of mass and of the angular velocity.
Wrench change(const JointScratch& s, std::int32_t body, const Wrench& impulse) noexcept {
  if (body < 0 || !s.bodies[body].moves) return zero_wrench;
  const auto& [A, B, C] = s.bodies[body].inverse;
  return {A * impulse.force + B * impulse.torque, B.transpose() * impulse.force + C * impulse.torque};
}

void add_row(JointScratch& s, std::int32_t member, Role role, int coordinate, double compliance, double constant,
             double lo, double hi) noexcept {
  const Member& at = s.members[member];
  const Vec3& f = coordinate < 0 ? at.at_start.free_force_W : at.at_start.force_W[coordinate];
  const Vec3& t = coordinate < 0 ? at.at_start.free_torque_W : at.at_start.torque_W[coordinate];
  Row row{role, member, coordinate, {}, {}, {}, {}, compliance, constant, lo, hi};
  row.on_arm = about_centre(s, at.arm, at.at_start.p_OK_W, f, t);
  row.on_base = about_centre(s, at.base, at.at_start.p_OK_W, -f, -t);
  row.arm_change = change(s, at.arm, row.on_arm);
  row.base_change = change(s, at.base, row.on_base);
  s.rows.push_back(row);
}

// Rows of the free coordinate. With a compliance D and a constant b0 the row is r/h + D z + b0 = 0.
void add_free_rows(const ElementNow& joint, JointScratch& s, std::int32_t member, bool moves) noexcept {
  const JointDesign& design = design_of(joint.element);
  const JointLaw law = law_of(joint);
  const double q = s.members[member].free, h = joint.h;
  if (law.passive()) {
    const double slope = 0.25 * h * law.stiffness + law.damping;
    const double pull = law.stiffness * (q - 0.5 * state_of(joint).half - law.rest);
    add_row(s, member, Role::passive, -1, 1.0 / (h * slope), pull / slope, -infinity, infinity);
  }
  if (law.drive_limit > 0.0) {
    const double slope = h * law.drive_stiffness + law.drive_damping, most = h * law.drive_limit;
    const double push = law.drive_stiffness * (law.target - q) + law.drive_damping * law.target_rate + law.feedforward;
    const double held = std::clamp(h * push, -most, most);
    if (slope > 0.0)
      add_row(s, member, Role::drive, -1, 1.0 / (h * slope), -push / slope, -most, most);
    else
      add_row(s, member, Role::drive, -1, 0.0, 0.0, held, held);
  }
  if (!moves) return;  // nothing rigid between bodies that cannot give way
  if (law.friction > 0.0) {
    const double most = h * law.friction;
    add_row(s, member, Role::friction, -1, 0.0, (q - stick_of(joint, q)) / h, -most, most);
  }
  if (design.has_lower) add_row(s, member, Role::stop, -1, 0.0, (q - design.lower) / h, 0.0, infinity);
  if (design.has_upper) add_row(s, member, Role::stop, -1, 0.0, (q - design.upper) / h, -infinity, 0.0);
}

void add_rows(const ElementNow& now, JointScratch& s, const Vec3& r_WO) noexcept {
  for (std::size_t m = 0; m < s.members.size(); ++m) {
    Member& member = s.members[m];
    const ElementNow joint = now.other(member.element);
    const auto moves = [&](std::int32_t body) { return body >= 0 && s.bodies[body].moves; };
    const bool any = moves(member.base) || moves(member.arm);
    member.at_start = rows_of(design_of(joint.element), pose_of(s, member.base, r_WO, false),
                              pose_of(s, member.arm, r_WO, false), state_of(joint).free, Vec3::Zero());
    member.free = member.at_start.free;
    for (int i = 0; any && i < member.at_start.count; ++i)
      add_row(s, static_cast<std::int32_t>(m), Role::locked, i, 0.0, 0.0, -infinity, infinity);
    add_free_rows(joint, s, static_cast<std::int32_t>(m), any);
  }
}

// 3. K = J M^-1 J^T, over the bodies that two rows share

double power(const Wrench& impulse, const Wrench& velocity) noexcept {
  return impulse.force.dot(velocity.force) + impulse.torque.dot(velocity.torque);
}

double coupling(const JointScratch& s, const Row& i, const Row& j) noexcept {
  const Member &a = s.members[i.member], &b = s.members[j.member];
  double sum = 0.0;
  if (a.base >= 0 && a.base == b.base) sum += power(i.on_base, j.base_change);
  if (a.base >= 0 && a.base == b.arm) sum += power(i.on_base, j.arm_change);
  if (a.arm >= 0 && a.arm == b.base) sum += power(i.on_arm, j.base_change);
  if (a.arm >= 0 && a.arm == b.arm) sum += power(i.on_arm, j.arm_change);
  return sum;
}

void fill_system(JointScratch& s) noexcept {
  const int n = static_cast<int>(s.rows.size());
  s.system.begin(n);
  for (int i = 0; i < n; ++i) {
    s.system.bound(i, s.rows[i].compliance, s.rows[i].lo, s.rows[i].hi);
    for (int j = 0; j <= i; ++j) s.system.set(i, j, coupling(s, s.rows[i], s.rows[j]));
  }
}

// 4. iterations

void sum_impulses(JointScratch& s) noexcept {
  for (MovedBody& body : s.bodies) body.impulse = zero_wrench;
  const auto add = [&](std::int32_t body, const Wrench& unit, double z) {
    if (body < 0) return;
    s.bodies[body].impulse.force += z * unit.force;
    s.bodies[body].impulse.torque += z * unit.torque;
  };
  for (std::size_t i = 0; i < s.rows.size(); ++i) {
    add(s.members[s.rows[i].member].base, s.rows[i].on_base, s.z[i]);
    add(s.members[s.rows[i].member].arm, s.rows[i].on_arm, s.z[i]);
  }
}

// The poses at the end of the step under the impulses z, as semi-implicit Euler computes them.
void place_ends(const ElementNow& now, JointScratch& s) noexcept {
  sum_impulses(s);
  for (std::size_t k = 0; k < s.bodies.size(); ++k) {
    MovedBody& body = s.bodies[k];
    if (!body.moves) continue;
    const Wrench by = change(s, static_cast<std::int32_t>(k), body.impulse);
    body.w_end_W = body.w_W + by.torque;
    const Mat3 R = math::matrix(math::turned(body.q_WB, now.h * body.w_end_W));
    const Vec3 c_W = R * now.data.plant[body.index].p_BBcm;
    body.end = {body.start.p_OB_W + now.h * (body.v_c_W + by.force) + (body.c_W - c_W), R};
  }
}

// The rows' values at the end: a locked coordinate over h, or the change of the free one, and the constant. Returns the largest locked one.
double evaluate_ends(const ElementNow& now, JointScratch& s, const Vec3& r_WO) noexcept {
  double most = 0.0;
  for (std::size_t i = 0; i < s.rows.size();) {
    const Member& member = s.members[s.rows[i].member];
    const JointRows end = at_end(now, s, member, r_WO);
    for (const std::int32_t own = s.rows[i].member; i < s.rows.size() && s.rows[i].member == own; ++i) {
      const int at = s.rows[i].coordinate;
      s.value[i] = s.rows[i].constant + (at < 0 ? end.free - member.free : end.value[at]) / now.h;
      if (at >= 0) most = std::max(most, std::abs(end.value[at]));
    }
  }
  return most;
}

// Fails where gaps stay open, or where a coordinate still changes from one iteration to the next.
// The iteration of least gaps is kept: near a singular position of a closed loop, iterations may diverge.
bool solve_rows(const ElementNow& now, JointScratch& s, const Vec3& r_WO) noexcept {
  const std::size_t n = s.rows.size();
  std::fill_n(s.z.begin(), n, 0.0);
  if (!s.system.factor()) return false;
  place_ends(now, s);
  evaluate_ends(now, s, r_WO);
  double least = infinity, left = infinity;
  for (int k = 0; k < max_iterations && n > 0; ++k) {
    const double changed = now.h * s.system.improve(s.value.data(), s.z.data());
    if (!std::isfinite(changed)) return false;
    place_ends(now, s);
    const double locked = evaluate_ends(now, s, r_WO);
    if (locked > std::max(2.0 * least, converged)) break;
    if (locked <= std::max(least, converged)) {
      least = std::min(least, locked);
      left = changed;
      std::copy_n(s.z.begin(), n, s.z_best.begin());
    }
    if (changed <= converged) break;
  }
  std::copy_n(s.z_best.begin(), n, s.z.begin());
  place_ends(now, s);
  evaluate_ends(now, s, r_WO);
  return n == 0 || (least <= apart && left <= apart);
}

// 5. the results of each joint, for its `step`

void give(const ElementNow& now, const JointScratch& s, const Member& member, const Vec3& r_WO,
          std::size_t& i) noexcept {
  const ElementNow joint = now.other(member.element);
  JointScratch& out = scratch_of(joint);
  const JointRows& at = member.at_start;
  out.force_W = out.torque_W = Vec3::Zero();
  out.impulses = {};
  out.sticks = false;
  out.rate = rate_at(joint, at);
  out.free = member.free;
  out.free_end = at_end(now, s, member, r_WO).free;
  for (; i < s.rows.size() && &s.members[s.rows[i].member] == &member; ++i) {
    const Row& row = s.rows[i];
    const double z = s.z[i];
    switch (row.role) {
      case Role::locked:
        out.force_W += z / now.h * at.force_W[row.coordinate];
        out.torque_W += z / now.h * at.torque_W[row.coordinate];
        break;
      case Role::passive: out.impulses.passive = z; break;
      case Role::drive: out.impulses.drive = z; break;
      case Role::friction:
        out.impulses.friction = z;
        out.sticks = row.lo < z && z < row.hi;
        break;
      case Role::stop: out.impulses.stop += z; break;
    }
  }
  const double along = out.impulses.sum() / now.h;
  const Vec3 f = out.force_W + along * at.free_force_W, t = out.torque_W + along * at.free_torque_W;
  const auto about_origin = [&](std::int32_t body) {
    const Vec3 p = body < 0 ? Vec3(Vec3::Zero()) : Vec3(at.p_OK_W - s.bodies[body].start.p_OB_W);
    return Wrench{f, p.cross(f) + t};
  };
  out.on_arm = about_origin(member.arm);
  const Wrench base = about_origin(member.base);
  out.on_base = {-base.force, -base.torque};
  joint.add(0, out.on_base);
  joint.add(1, out.on_arm);
}

}  // namespace

Status solve_joints(const ElementNow& now) noexcept {
  if (now.element.led) return {};
  JointScratch& s = scratch_of(now);
  s.members.clear();
  s.bodies.clear();
  s.rows.clear();
  gather(now, static_cast<std::int32_t>(&now.element - now.model.elements.data()), s);
  Vec3 r_WO;
  place_bodies(now, s, r_WO);
  add_rows(now, s, r_WO);
  fill_system(s);
  if (!solve_rows(now, s, r_WO)) return {Code::not_finite};
  std::size_t row = 0;
  for (const Member& member : s.members) give(now, s, member, r_WO, row);
  return {};
}

}  // namespace contactlib::element
