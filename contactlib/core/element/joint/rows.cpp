// The coordinates of a joint at given poses.
#include <cmath>

#include "joint.hpp"
#include "math/elementary.hpp"

namespace contactlib::element {

namespace {

constexpr double turn = 6.283185307179586;

// The rotation vector of a small rotation: 2 sin(angle/2) along the axis.
Vec3 small_turn(const Mat3& R) noexcept {
  const Eigen::Quaterniond q(R);
  return (q.w() < 0.0 ? -2.0 : 2.0) * q.vec();
}

void lock(JointRows& rows, double value, const Vec3& force_W, const Vec3& torque_W) noexcept {
  rows.value[rows.count] = value;
  rows.force_W[rows.count] = force_W;
  rows.torque_W[rows.count] = torque_W;
  ++rows.count;
}

void lock_turns(JointRows& rows, const Mat3& R_WJ, const Mat3& R_WK) noexcept {
  const Vec3 turns_J = small_turn(R_WJ.transpose() * R_WK);
  for (int i = 0; i < 3; ++i) lock(rows, turns_J[i], Vec3::Zero(), R_WJ.col(i));
}

}  // namespace

// The tilt of a hinge is its sine up to 90 degrees and 2 - sine beyond, so that an axis upside down is no solution.
JointRows rows_of(const JointDesign& design, const JointPose& base, const JointPose& arm, double near,
                  const Vec3& along_W) noexcept {
  const Mat3 R_WJ = base.R_WB * design.in_base.R, R_WK = arm.R_WB * design.in_arm.R;
  const Vec3 p_BJ_W = base.R_WB * design.in_base.p, p_BK_W = arm.R_WB * design.in_arm.p;
  const Vec3 d_W = (arm.p_OB_W - base.p_OB_W) + (p_BK_W - p_BJ_W), d_J = R_WJ.transpose() * d_W;
  const Vec3 x = R_WJ.col(0), y = R_WJ.col(1), axis = R_WJ.col(2);
  JointRows rows;
  rows.p_OK_W = arm.p_OB_W + p_BK_W;
  switch (design.kind) {
    case JointKind::hinge: {
      for (int i = 0; i < 3; ++i) lock(rows, d_J[i], R_WJ.col(i), Vec3::Zero());
      const Vec3 z = R_WK.col(2);  // tilts towards x and y where it leaves the axis
      const double sine = std::sqrt(z.dot(x) * z.dot(x) + z.dot(y) * z.dot(y));
      const bool reversed = z.dot(axis) < 0.0;
      const double stretch = reversed && sine > 1e-10 ? (2.0 - sine) / sine : 1.0;
      lock(rows, reversed && !(sine > 1e-10) ? 2.0 : stretch * z.dot(x), Vec3::Zero(), z.cross(x));
      lock(rows, stretch * z.dot(y), Vec3::Zero(), z.cross(y));
      const Mat3 R_JK = R_WJ.transpose() * R_WK;
      const double angle = design.start + math::atan2(R_JK(1, 0) - R_JK(0, 1), R_JK(0, 0) + R_JK(1, 1)) - near;
      rows.free = near + (angle - turn * math::floor(angle / turn + 0.5));
      rows.free_torque_W = axis;
      rows.gap = d_J.norm();
      break;
    }
    case JointKind::slider:
      for (int i = 0; i < 2; ++i) lock(rows, d_J[i], R_WJ.col(i), Vec3::Zero());
      lock_turns(rows, R_WJ, R_WK);
      rows.free = design.start + d_J[2];
      rows.free_force_W = axis;
      rows.gap = d_J.head<2>().norm();
      break;
    case JointKind::fixed:
      for (int i = 0; i < 3; ++i) lock(rows, d_J[i], R_WJ.col(i), Vec3::Zero());
      lock_turns(rows, R_WJ, R_WK);
      rows.gap = d_J.norm();
      break;
    case JointKind::line:
      rows.free = d_W.norm();
      if (rows.free > 0.0) rows.free_force_W = d_W / rows.free;
      // more than 60 degrees off: the points pass each other
      if (const double along = along_W.dot(d_W); !along_W.isZero() && along < 0.5 * rows.free) rows.free = along;
      break;
  }
  return rows;
}

// Parameters and commands of hinges and sliders are in the same order; a spring-damper has three parameters.
JointLaw law_of(const ElementNow& now) noexcept {
  const double *const p = now.parameters, *const c = now.commands;
  switch (design_of(now.element).kind) {
    case JointKind::fixed: return {};
    case JointKind::line: return {p[0], p[1], p[2]};
    case JointKind::hinge:
    case JointKind::slider: break;
  }
  return {p[Moving::stiffness],
          p[Moving::damping],
          p[Moving::rest],
          p[Moving::friction],
          p[Moving::drive_stiffness],
          p[Moving::drive_damping],
          p[Moving::drive_limit],
          c[Moving::target] + now.h * now.command_rates[Moving::target],
          c[Moving::target_rate],
          c[Moving::feedforward]};
}

}  // namespace contactlib::element
