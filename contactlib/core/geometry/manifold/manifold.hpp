// Shapes, their placements, and the contacts between two of them.
#pragma once

#include <cstdint>
#include <utility>

#include "base/status.hpp"
#include "base/vectors.hpp"

namespace contactlib::geometry {

// In the order of the pair table: the first shape of a pair never stands after the second.
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
static_assert(static_cast<int>(ShapeKind::plane) + 1 == shape_kinds);

// Methods to find the nearest point on the rim of a socket.
enum class RimMethod : std::int32_t { exact, subdivision, subdivision_open };

struct Surface;

// One shape, fixed to its body. `size` in m; a point is a sphere and a segment is a capsule of radius 0:
//   sphere  radius | segment 0, length | capsule radius, length | triangle its three corners | ellipsoid semi-axes
//   box a, b, c, rounding | cylinder radius, length | polyhedron -, -, -, rounding
//   socket a, b, c, radius, length, rim levels
// A rounded box or polyhedron is all points within `rounding` of the box a, b, c or of the hull of its corners.
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
  bool convex = true;
  double thickness = 0.0;  // m; 0: a sheet or a line, infinite for a plane
  double volume = 0.0;     // m3; infinite for a plane
  double reference_area = 0.0;  // m2, of the largest flat face, or that of its compound; infinite for a plane
  double reference_perimeter = 0.0;  // m, around that face, of a box or a polyhedron
  std::int32_t compound = -1;     // the first shape of its compound (geometry/compounds.hpp); -1: it is alone
  std::uint64_t inner_faces = 0;  // bit f: face f is all inside its compound
};

// The radius of the ball that is swept over a shape's core: a sphere's middle, a capsule's axis, a box or a polyhedron;
// else 0, and the core is the whole shape.
inline double swept_radius(const Shape& shape) noexcept {
  if (shape.kind <= ShapeKind::capsule) return shape.size[0];
  return shape.kind == ShapeKind::box || shape.kind == ShapeKind::polyhedron ? shape.size[3] : 0.0;
}

inline bool is_rounded(const Shape& shape) noexcept {
  return shape.kind > ShapeKind::capsule && swept_radius(shape) > 0.0;
}

// The placement of two shapes for a kernel. Only the offset between them enters, so that a distant world origin costs
// no digits.
struct Placement {
  Mat3 R_WA;
  Mat3 R_WB;
  Vec3 p_AB_W;  // m, from A's shape origin to B's shape origin
  Vec3 hint_W;  // the normal of this pair's last contact, or zero: where an iteration starts
};

// Features below `roaming` are fixed places on a shape. Feature ids of this value and above are not stable between
// steps (the nearest rim point and the next one; the faces of a mesh under a rolling ball): friction memory follows
// them by position.
inline constexpr int roaming = 32;

// One contact as a kernel reports it. Points are relative to shape A's origin.
struct ManifoldPoint {
  Vec3 p_AC_W;  // m, half-way between the two surfaces
  Vec3 n_AB_W;           // unit, from A to B
  double depth;          // m, > 0
  std::int32_t feature;  // stays the same while the contact slides
  double load_share = 1.0;  // factor on the force: contacts of a mesh with similar normals share it
};

// Cached separating axis: a direction along which two convex solids were separated at the last evaluation. It only
// saves work: where it still separates them there is no contact; otherwise the kernel evaluates the pair without it.
struct SeparatingAxis {
  std::int32_t shape_a = -1, shape_b = -1;
  int corner_a = -1, corner_b = -1;  // furthest along it
  Vec3 n_A = Vec3::Zero();           // unit, in the axes of shape A
};

struct SurfaceScratch;

// Storage for the contacts of one pair, owned by the caller.
struct Manifold {
  static constexpr int max_points = 8;  // of any two shapes neither of which is a mesh

  ManifoldPoint* points;
  int capacity;
  int count = 0;
  int needed = 0;  // including those beyond the capacity
  SeparatingAxis* separating_axis = nullptr;  // of this pair; null: none is remembered
  SurfaceScratch* scratch = nullptr;  // of a sphere with a mesh; others need none
  double gap = 0.0;  // m, without a contact: a lower bound of the distance, to rounding; 0: unknown

  // Keeps the deepest `capacity` contacts.
  void add(const Vec3& p_AC_W, const Vec3& n_AB_W, double depth, int feature) noexcept;
};

using Kernel = void (*)(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

// What a loop over many pairs tells of one of them.
struct PairContacts {
  std::int32_t count;
  double gap = 0.0;  // m, as of a Manifold
};

// Numbers in rows; the next row starts `step` numbers further.
struct Column {
  double* first;
  std::size_t step;

  Column from(std::size_t row) const noexcept { return {first + row * step, step}; }
  double* next() noexcept { return std::exchange(first, first + step); }
};

// The members of ManifoldPoint as columns, for one contact of each of many placements; all zero, the load share too,
// where there is no contact.
struct ContactColumns {
  Column p_AC_W, n_AB_W, depth, load_share;

  ContactColumns from(std::size_t row) const noexcept {
    return {p_AC_W.from(row), n_AB_W.from(row), depth.from(row), load_share.from(row)};
  }
};

// A kernel that makes at most one contact, with feature 0, for many placements, which are rotations. Work that depends
// on the shapes alone is done once.
using KernelLoop = void (*)(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                            const ContactColumns& out) noexcept;

}  // namespace contactlib::geometry
