// the public types of the core. SI units, radians; frames in drake's monogram style:
// p_AC_W is the position from A's origin to C in world axes, R_WB rotates B's axes into world axes.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <utility>

namespace contactlib {

using Vec3 = Eigen::Matrix<double, 3, 1>;
using Mat3 = Eigen::Matrix<double, 3, 3>;
using Quat = Eigen::Matrix<double, 4, 1>;  // w, x, y, z; body to world

enum class Code : std::int32_t {
  ok = 0,
  not_finite,         // an input or a result is nan or infinite
  bad_quaternion,     // |q| is off 1 by more than 1e-3
  bad_magic,          // model file: not a contactlib model
  bad_version,        // model file: written by another version
  bad_checksum,       // model file: damaged
  bad_section,        // model file: truncated or inconsistent
  bad_value,          // model file: a number out of its range
  contact_overflow,   // more contacts than the pool holds; `index` is how many were needed
  bad_state,          // a saved state that cannot be restored; `index` is why, a SavedFault
  bad_argument,       // a value that the variable does not allow
  element_failed,     // an element cannot go on; `index` is which
  no_model,           // a contact model that the caller must bring is not there; `index` is its law
  model_failed,       // one that the caller brought cannot go on; `index` is its law, `port` the contact or -1
  out_of_memory,
  unstable,           // a run that makes energy out of nothing; `index` is a body, `port` a law, `time` when
  bad_step,           // a step that is not positive, not finite, or too long
  bad_parameters,     // parameters that do not go together; `index` is the law, or the element behind the laws,
                      // `port` the parameter
  bad_output,         // an output that is nan or infinite; `index` is the element, -1 the contacts' summary
};

// what went wrong and where: `index` is a body, a pair, an element or a section, as the code says; `port` of an
// element.
struct Status {
  Code code = Code::ok;
  std::int32_t index = -1;
  std::int32_t port = -1;
  double time = 0.0;  // s
  constexpr explicit operator bool() const noexcept { return code == Code::ok; }
};

// in the order of the pair table: the first of a pair never stands after the second.
enum class ShapeKind : std::int32_t {
  point,
  sphere,
  segment,
  capsule,
  triangle,
  ellipsoid,
  box,
  cylinder,
  polyhedron,
  socket,
  mesh,
  plane
};
inline constexpr int shape_kinds = 12;

// how the rim of a socket is searched.
enum class RimMethod : std::int32_t { exact, subdivision, subdivision_open };

struct Surface;

// one shape, fixed to its body. `size`, m; a point is a sphere and a segment a capsule of radius 0:
//   sphere  radius | segment 0, length | capsule radius, length | triangle its three corners | ellipsoid semi-axes
//   box a, b, c | cylinder radius, length | socket a, b, c, radius, length, rim levels
struct Shape {
  ShapeKind kind;
  std::int32_t body;
  std::int32_t material;
  RimMethod rim;
  double size[9];
  const Surface* surface;  // of triangle, box, polyhedron and mesh: corners, faces and edges in the shape's axes
  Vec3 p_BS;               // m, the shape's origin in its body
  Mat3 R_BS;               // shape axes in body axes
  bool turned = true;      // R_BS is not the identity
  Vec3 p_BC;               // m, middle of the ball that holds the shape, in its body
  double bound;            // m, its radius; infinite for a plane
};

// where two shapes are, as a kernel sees it: only the offset enters, so a far-away world costs no digits.
struct Placement {
  Mat3 R_WA;
  Mat3 R_WB;
  Vec3 p_AB_W;  // m, from A's shape origin to B's shape origin
  Vec3 hint_W;  // the normal of this pair's last contact, or zero: where an iteration starts
};

// features below `roaming` are places on a shape. from it on they may swap from step to step (the nearest rim point,
// the next one; the faces of a mesh under a rolling ball): friction memory follows them by where they are.
inline constexpr int roaming = 32;

// one contact as a kernel reports it. points are relative to shape A's origin.
struct ManifoldPoint {
  Vec3 p_AC_W;           // m, half-way between the two surfaces
  Vec3 n_AB_W;           // unit, from A to B
  double depth;          // m, > 0
  std::int32_t feature;  // stays the same while the contact slides
  double load_share = 1.0;    // of the force: places of a mesh that push the same way share it
};

// a direction along which two convex solids were apart when they were last looked at. it only spares work: where it
// still parts them there is no contact, and where not the kernel looks as if it had never been.
struct SeparatingAxis {
  std::int32_t shape_a = -1, shape_b = -1;
  int corner_a = -1, corner_b = -1;  // furthest along it
  Vec3 n_A = Vec3::Zero();           // unit, in the axes of shape A
};

struct OverlapScratch;

// room for the contacts of one pair, owned by the caller.
struct Manifold {
  static constexpr int most = 8;  // of any two shapes neither of which is a mesh

  ManifoldPoint* points;
  int capacity;
  int count = 0;
  int needed = 0;  // with those that found no room
  SeparatingAxis* separating_axis = nullptr;  // of this pair; null: none is remembered
  OverlapScratch* scratch = nullptr;  // of pairs with a mesh; others need none

  // keeps the deepest `capacity` contacts.
  void add(const Vec3& p_AC_W, const Vec3& n_AB_W, double depth, int feature) noexcept;
};

using Kernel = void (*)(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

// numbers in rows, of which the next starts `step` further.
struct Column {
  double* first;
  std::size_t step;

  Column from(std::size_t row) const noexcept { return {first + row * step, step}; }
  double* next() noexcept { return std::exchange(first, first + step); }
};

// the same as ManifoldPoint for one contact of each of many placements; all zero, the share too, where nothing touches.
struct ContactColumns {
  Column p_AC_W, n_AB_W, depth, load_share;

  ContactColumns from(std::size_t row) const noexcept {
    return {p_AC_W.from(row), n_AB_W.from(row), depth.from(row), load_share.from(row)};
  }
};

// a kernel that makes one contact with feature 0 at most, for many placements, which are rotations: what depends on the
// shapes alone is done once.
using KernelLoop = void (*)(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                            const ContactColumns& out) noexcept;

// where a contact is in its life. ended: its model let go, and the shapes have not separated yet.
enum class Phase : std::int32_t { begins, lasts, ends, ended };

// one contact with its force: what a user reads. world axes; `A`, `B` are bodies.
struct Contact {
  std::int32_t pair;      // of bodies
  std::int32_t feature;
  std::int32_t shape_a, shape_b;
  std::int32_t body_a, body_b;
  std::int32_t slipping;  // 0 sticks (or has no memory), 1 slips
  std::int32_t law;
  Phase phase;
  std::int32_t apart;     // 1: the shapes do not touch, a contact model holds on
  Vec3 p_AC_W;            // m, from body A's origin
  Vec3 p_BC_W;            // m, from body B's origin
  Vec3 n_AB_W;            // unit
  double depth;           // m, < 0 where they are apart
  double depth_rate;      // m/s
  Vec3 v_AB_W;            // m/s, velocity of B's point relative to A's point
  Vec3 f_B_W;             // N, force on B; A feels the opposite at the same point
  Vec3 t_B_W;             // N m, couple on B (rolling resistance); A feels the opposite
  double normal_force;    // N, < 0: adhesion
  double load_share;           // of the pair's force at this place
  double stored_energy;   // J, in the normal spring, adhesion, the bristle and the rolling spring
  double heat;             // W, what the contact dissipates now
  Vec3 z_W;               // m, bristle deflection after the step
  Vec3 s_W;               // rad, deflection of the rolling spring after the step
  double age;             // s, since it was established
};

}  // namespace contactlib
