// JOINTS: hinge, slider, fixed joint and spring-damper between two bodies. All joints that share bodies are solved
// together, after all other loads, by the last of them (its leader).
//
// Semi-implicit Euler moves the bodies by the momentum at the end of a step. The impulses of the joints are chosen so
// that the coordinates which a joint locks are zero *at the end of the step* (SHAKE: Ryckaert, Ciccotti and Berendsen,
// J. Comput. Phys. 23, 1977). Gaps do not grow, and a mechanism without loads keeps its energy over any time. With z the
// impulses, J their directions at the start of the step and x' the positions at its end:
//
//   x' = x + h M^-1 (p + h f + J^T z),   g(x') = 0 for a locked coordinate
//
// The free coordinate q (angle, position, distance) has up to five rows more. With r = q' - q:
//
//   spring, damper  z = -h k (q - d/2 + r/4 - rest) - c r, where d is r/2 of the last step: the mean of the elongations
//                   half a step before and after. It keeps k e^2/2 + T of a linear oscillator for any h.
//   drive           z = h (k_d (target - q') + c_d (target_rate - r/h) + feedforward), |z| <= h limit
//   friction        q' = q_stick where |z| < h friction; elsewhere q_stick follows
//   stop            q' >= lower, z >= 0, and q' = lower or z = 0; the upper stop likewise
//
// This is a mixed complementarity problem (solve/mcp.hpp), solved anew until x' agrees with its linear estimate.
// Rows of closed loops may be redundant; the solver then takes the smallest impulses.
#pragma once

#include <vector>

#include "element/elements.hpp"
#include "system.hpp"

namespace contactlib::element {

using model::ElementDesign;

enum class JointKind { hinge, slider, fixed, line };

inline constexpr int max_joints = 64;  // that are solved together

inline constexpr const char* joint_failure =
    "its motion, a parameter or a force is not finite, or no joint force can bring its bodies together: "
    "others hold them apart, or the step (dt, step_size) is too long for them";

struct JointFrame {
  Vec3 p;  // m, the joint's point in the axes of the body
  Mat3 R;  // the joint's axes in those of the body; the free coordinate is along or about z
};

struct JointDesign : ElementDesign {
  JointKind kind;
  JointFrame in_base, in_arm;
  double start = 0.0;  // the free coordinate where both frames coincide
  bool has_lower = false, has_upper = false;
  double lower = 0.0, upper = 0.0;  // of the free coordinate
  // of this joint and all those that it leads
  int joints = 1, rows = 0;
  std::vector<std::int32_t> bodies;  // those that can move
};

// A body's pose, with its position from a common point O that moves with none of them.
struct JointPose {
  Vec3 p_OB_W;
  Mat3 R_WB;
};

// A joint at given poses: its coordinates, and the wrench of a unit impulse along each. Forces on the arm act at
// p_OK_W, those on the base are opposite at the same point.
struct JointRows {
  int count = 0;  // of locked coordinates
  double value[6] = {};  // m or rad
  Vec3 force_W[6], torque_W[6];
  double free = 0.0;
  Vec3 free_force_W = Vec3::Zero(), free_torque_W = Vec3::Zero();
  Vec3 p_OK_W;
  double gap = 0.0;  // m, between the points of both bodies, across the free coordinate
};

// `near`: an angle is the one next to it, so that turns are counted. `along`: if not zero, the direction of a line at the
// start of the step, along which its length is measured where the points pass each other.
JointRows rows_of(const JointDesign& design, const JointPose& base, const JointPose& arm, double near,
                  const Vec3& along_W) noexcept;

// What acts along the free coordinate.
struct JointLaw {
  double stiffness = 0.0, damping = 0.0, rest = 0.0, friction = 0.0;
  double drive_stiffness = 0.0, drive_damping = 0.0, drive_limit = 0.0;
  double target = 0.0, target_rate = 0.0, feedforward = 0.0;  // at the end of the step

  bool passive() const noexcept { return stiffness > 0.0 || damping > 0.0; }
};
JointLaw law_of(const ElementNow& now) noexcept;

// Impulses of a step along the free coordinate.
struct JointImpulses {
  double passive, drive, friction, stop;
  double sum() const noexcept { return passive + drive + friction + stop; }
};

// What persists from step to step.
struct JointState {
  Wrench on_base, on_arm;  // of the last step, about the bodies' origins, world axes
  double free;  // the free coordinate, with full turns
  double half;  // d: its change over the last half step
  double stick;  // where dry friction holds it
  // of the last step: along the free coordinate in all and of the drive alone, and of the locked ones
  double effort, drive, force, moment;  // N or N m; N, N m
};
inline constexpr int joint_state_width = sizeof(JointState) / sizeof(double);

// Results of `solve` for `step`.
struct JointScratch : ElementScratch {
  explicit JointScratch(const JointDesign& design);

  Wrench on_base, on_arm;
  Vec3 force_W, torque_W;  // of the locked coordinates on the arm, at the joint
  double free = 0.0, free_end = 0.0;  // the free coordinate where the step starts and ends
  double rate = 0.0;  // and its rate at the start
  bool sticks = false;
  JointImpulses impulses{};

  // of a leader
  struct Member {
    std::int32_t element;
    std::int32_t base, arm;  // in `bodies`; -1: the world
    JointRows at_start;
    double free;
  };
  struct MovedBody {
    std::int32_t index;
    bool moves;
    JointPose start, end;
    Quat q_WB;
    Vec3 c_W, v_c_W, w_W;  // from origin to centre of mass; without joints
    Blocks inverse;
    Wrench impulse;  // about the centre of mass
    Vec3 w_end_W;
  };
  enum class Role { locked, passive, drive, friction, stop };
  struct Row {
    Role role;
    std::int32_t member;
    int coordinate;  // a locked one; -1: the free one
    Wrench on_base, on_arm;  // of a unit impulse, about the centres of mass
    Wrench base_change, arm_change;  // of velocities by it
    double compliance, constant, lo, hi;
  };
  std::vector<Member> members;
  std::vector<MovedBody> bodies;
  std::vector<Row> rows;
  std::vector<double> z, z_best, value;
  JointSystem system;
};

// The functions of the rows of all kinds.
bool read_joint(ElementRecord& record, const Model& model, Element& out, JointKind kind);
std::unique_ptr<ElementScratch> joint_scratch(const Element& element);
Status solve_joints(const ElementNow& now) noexcept;
bool admits_joint(const Element& element, const double* state) noexcept;

// The end of a step, or an evaluation: adds the wrenches of the step and settles its energies.
struct JointReading {
  double free, rate;  // the free coordinate
  double gap;  // m
  bool finite;
};
JointReading step_joint(const ElementNow& now) noexcept;

// Rate of the free coordinate, where dry friction holds it, and whether the user moved it since the last step.
double rate_at(const ElementNow& now, const JointRows& rows) noexcept;
double stick_of(const ElementNow& now, double free) noexcept;
bool is_moved(const ElementNow& now, double free) noexcept;

// What all kinds have in common.
constexpr ElementRow joint_row(const char* name, bool (*read)(ElementRecord&, const Model&, Element&),
                               Status (*step)(const ElementNow&) noexcept) {
  ElementRow row;
  row.name = name;
  row.failure = joint_failure;
  row.read = read;
  row.scratch = joint_scratch;
  row.step = step;
  row.solve = solve_joints;
  row.rigid = true;
  row.jump = ElementJump::waits;
  row.admits = admits_joint;
  return row;
}

// The tables of hinge and slider have this order, and `law_of` reads it.
struct Moving {
  enum Parameter : int {
    stiffness,
    damping,
    rest,
    friction,
    drive_stiffness,
    drive_damping,
    drive_limit,
    parameter_count
  };
  enum Command : int { target, target_rate, feedforward, command_count };
  enum Output : int { free, rate, effort, drive, force, bending, gap, output_count };
};
Status step_moving(const ElementNow& now) noexcept;

inline const JointState& state_after(const ElementNow& now) noexcept {
  return *reinterpret_cast<const JointState*>(now.next);
}

inline const JointDesign& design_of(const Element& joint) noexcept {
  return static_cast<const JointDesign&>(*joint.design);
}

}  // namespace contactlib::element
