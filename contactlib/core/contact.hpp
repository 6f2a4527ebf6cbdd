// the public types of the core. SI units, radians; frames in drake's monogram style:
// p_AC_W is the position from A's origin to C in world axes, R_WB rotates B's axes into world axes.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>

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
  bad_state,          // a saved state that does not belong to this model
  bad_argument,       // a value that the variable does not allow, or a step that is not positive or too long
  out_of_memory,
};

// what went wrong and where: `index` is a body, a pair or a section, as the code says.
struct Status {
  Code code = Code::ok;
  std::int32_t index = -1;
  constexpr explicit operator bool() const noexcept { return code == Code::ok; }
};

// in the order of the pair table: the first of a pair never stands after the second.
enum class ShapeKind : std::int32_t { point, sphere, capsule, box, socket, plane };
inline constexpr int shape_kinds = 6;

// how the rim of a socket is searched.
enum class RimMethod : std::int32_t { exact, subdivision, subdivision_open };

// one shape, fixed to its body. `size`:
//   sphere  radius | capsule radius, length | box a, b, c | socket a, b, c, radius, length, rim levels
struct Shape {
  ShapeKind kind;
  std::int32_t body;
  std::int32_t material;
  RimMethod rim;
  double size[6];   // m
  Vec3 p_BS;        // m, the shape's origin in its body
  Mat3 R_BS;        // shape axes in body axes
  double bound;     // m, radius of the ball about the origin that holds the shape; infinite for a plane
};

// where two shapes are, as a kernel sees it: only the offset enters, so a far-away world costs no digits.
struct Placement {
  Mat3 R_WA;
  Mat3 R_WB;
  Vec3 p_AB_W;  // m, from A's shape origin to B's shape origin
};

// features below `roaming` are places on a shape. from it on they are ranks (the nearest rim point, the next one),
// which may swap from step to step: friction memory follows them by their normals.
inline constexpr int roaming = 32;

// one contact as a kernel reports it. points are relative to shape A's origin.
struct ManifoldPoint {
  Vec3 p_AC_W;           // m, half-way between the two surfaces
  Vec3 n_AB_W;           // unit, from A to B
  double depth;          // m, > 0
  std::int32_t feature;  // stays the same while the contact slides
};

struct Manifold {
  static constexpr int capacity = 8;
  int count = 0;
  ManifoldPoint points[capacity];

  // keeps the deepest `capacity` contacts.
  void add(const Vec3& p_AC_W, const Vec3& n_AB_W, double depth, int feature) noexcept;
};

using Kernel = void (*)(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

// one contact with its force: what a user reads. world axes; `A`, `B` are bodies.
struct Contact {
  std::int32_t pair;
  std::int32_t feature;
  std::int32_t shape_a, shape_b;
  std::int32_t body_a, body_b;
  std::int32_t slipping;  // 0 sticks (or has no memory), 1 slips
  std::int32_t reserved;
  Vec3 p_AC_W;            // m, from body A's origin
  Vec3 p_BC_W;            // m, from body B's origin
  Vec3 n_AB_W;            // unit
  double depth;           // m
  double depth_rate;      // m/s
  Vec3 v_AB_W;            // m/s, velocity of B's point relative to A's point
  Vec3 f_B_W;             // N, force on B; A feels the opposite at the same point
  double normal_force;    // N
  double stored_energy;   // J, in the normal spring and the bristle
  Vec3 z_W;               // m, bristle deflection after the step
};

}  // namespace contactlib
