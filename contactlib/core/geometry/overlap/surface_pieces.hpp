// Pieces of a surface contact: the parts of the surface of one solid that are inside the other one, with the integrals
// of powers of the extent e, the distance to the surface of the other solid.
#pragma once

#include <array>
#include <vector>

#include "geometry/manifold/manifold.hpp"
#include "geometry/outline/outlines.hpp"
#include "mesh_scratch.hpp"
#include "piece_moments.hpp"
#include "side_face.hpp"

namespace contactlib::geometry {

inline constexpr int least_sharpness = 2, usual_sharpness = 4, most_sharpness = 16;

// Extents are counted in this length, so that no power of theirs is too large or too small for a double.
inline constexpr double extent_unit = 1e-4;  // m

// A plane part of the surface over which the direction of the pressure is constant. p is the sharpness, e in extent
// units. In the axes of the solid that has the extent field.
struct SurfacePiece {
  Vec3 n;          // unit, out of the solid that has the field
  double facing;   // 0 to 1: minus the product of the normals of the two surfaces
  double area;     // m2
  double deepest;  // the greatest e
  double power;    // m2, int e^p dA
  double weight;   // m2, int e^(p-1) dA
  Vec3 centre;     // m, int e^(p-1) x dA/weight
  // The covariance of x with this weight, as uu t_u t_u^T + uv (t_u t_v^T + t_v t_u^T) + vv t_v t_v^T.
  Vec3 t_u, t_v;  // m
  double uu, uv, vv;
};

// Where the pieces are: the axes F of the solid that has the extent field, in those of shape A.
struct FieldFrame {
  Mat3 R_AF;
  Vec3 p_AF_A;  // m
  bool is_of_a;  // the field is that of A
  bool sheet;  // the surface has two sides
  bool convex;  // both solids are, so that a plane divides them where they touch

  double sign() const noexcept { return is_of_a ? 1.0 : -1.0; }  // of n as a normal from A to B
};

// What the depth of a pair refers to: pieces on which the p-norm of e is, at the depth d,
//   area d^p + line d^(p+1/2) + ball d^(p+1)
// of a face, of a round solid that lies along a line on a face, and of one that stands on a point of it.
struct Reference {
  double area = 0.0;  // m2
  double line = 0.0;  // m^(3/2)
  double ball = 0.0;  // m
};

// Points that stand for parts of the surface, in columns, for loops in lanes: as many as a multiple of eight, those behind
// the last one of no weight.
struct SurfacePoints {
  std::vector<double> x, y, z;  // m
  std::vector<double> nx, ny, nz;  // unit, from A to B
  std::vector<double> facing;
  // If they do not slide across their normals with all of their load: see flatten() of depth.hpp
  bool own_planes = false;
  std::vector<double> sx, sy, sz;  // unit, the normals of the planes in which they slide
  std::vector<double> borne;  // the part of the load that counts for friction
  std::vector<double> weight;  // m2, int e^(p-1) s dA, s the slope of e; as expand() leaves it, dPhi/de: depth.hpp
  std::vector<double> load;  // N
  std::vector<double> share;  // of what rubs: all add up to 1
  std::size_t count = 0;

  void set(std::size_t i, const Vec3& at, const Vec3& n_AB, double faces, double weighs) noexcept {
    x[i] = at[0], y[i] = at[1], z[i] = at[2], nx[i] = n_AB[0], ny[i] = n_AB[1], nz[i] = n_AB[2];
    facing[i] = faces, weight[i] = weighs;
  }
  void slide_across(std::size_t i, const Vec3& n, double part) noexcept {
    sx[i] = n[0], sy[i] = n[1], sz[i] = n[2], borne[i] = part;
  }
  void resize(std::size_t wanted);
  Vec3 place(std::size_t i) const noexcept { return {x[i], y[i], z[i]}; }
  Vec3 normal(std::size_t i) const noexcept { return {nx[i], ny[i], nz[i]}; }
  Vec3 slides_across(std::size_t i) const noexcept { return own_planes ? Vec3(sx[i], sy[i], sz[i]) : normal(i); }
  double rubs(std::size_t i) const noexcept { return own_planes ? borne[i] : 1.0; }
};

inline constexpr std::size_t points_of_a_piece = 8;  // at most

// Integrals over a part of the surface, as of a SurfacePiece.
struct PartIntegrals {
  double area, deepest, power;
  double weight;  // m2, int e^(p-1) s dA, s the slope of e
};

// A plane of the surface, with coordinates:  x = o + u t_u + v t_v
struct PolygonPlane {
  Vec3 o, t_u, t_v;  // m; any two directions
  Vec3 n;  // unit, out of the surface
  double unit_area;  // |t_u x t_v|
};

// The triangles of one piece that are not integrated yet.
struct Fan {
  Vec3 x, t_u, t_v;  // its first corner
  double unit_area;
  std::uint32_t piece, first, count;
};

// The pieces and points of a pair of shapes, and working memory. Allocated with Data, reused from pair to pair, never
// saved.
struct SurfaceScratch {
  std::vector<SurfacePiece> pieces;
  std::size_t count = 0;  // of pieces
  SurfacePoints points;  // curved parts; after expand(), also those that stand for the pieces
  PartIntegrals sums;  // of the curved parts
  SurfacePoints sliding;  // the points that rub
  SurfacePoints joined;  // of several pairs of shapes that are one contact: depth.hpp
  std::size_t needed = 0;  // points, with those of pieces, including those beyond the capacity
  FieldFrame frame;
  Reference reference;
  int sharpness = usual_sharpness;
  bool from_behind = false;  // a part of the surface is met from its inside, where a solid is deep
  double gap = 0.0;  // m, without a piece: a lower bound of the distance; 0: unknown
  Outlines* outlines = nullptr;  // of a query: not in a step

  PieceTriangles triangles;
  std::array<Fan, PieceTriangles::most> fans;
  std::size_t fan_count = 0;

  std::vector<Corner> polygon[3];
  std::vector<double> heights;  // of the corners of a polygon
  std::vector<double> vertex_heights;  // of a polytope
  std::vector<Slope> slopes;  // of every face of the field
  std::vector<double> least;  // e on a polygon, for every face
  std::vector<std::int32_t> chosen;  // faces that can be the nearest, or cut, in a ball around a polygon
  std::vector<std::int32_t> nearest;  // faces that can be the nearest somewhere on a polygon
  std::vector<SideFace> side_faces;
  MeshScratch mesh;

  // Allocates the working memory for these two shapes. May throw std::bad_alloc.
  void grow_capacity(const Shape& A, const Shape& B);
  // Room for so many points, with those of pieces. May throw std::bad_alloc.
  void resize(std::size_t wanted);
  std::size_t capacity() const noexcept { return points_of_a_piece * pieces.size(); }

  void begin(const FieldFrame& of, const Reference& to) noexcept {
    count = points.count = needed = fan_count = triangles.count = 0, gap = 0.0, frame = of, reference = to;
    points.own_planes = false;
    sums = {0.0, 0.0, 0.0, 0.0}, from_behind = false;
    if (outlines) outlines->begin();
  }
  bool empty() const noexcept { return count == 0 && points.count == 0; }
  // Must be called after the last piece.
  void integrate() noexcept;

  // Whether there is room for so many points more.
  bool take(std::size_t wanted) noexcept {
    needed += wanted;
    return needed <= capacity();
  }
};

// Adds all pieces of a surface contact with the given sharpness.
using SurfaceKernel = void (*)(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;

// Adds a convex polygon, counter-clockwise as seen from outside, on which the extents are linear and decrease along the
// unit vector n, out of the solid. Extents below zero are rounding.
void add_piece(const PolygonPlane& plane, const Corner* corners, int count, const Vec3& n,
               SurfaceScratch& out) noexcept;

// Tells a query where the following points are: on a convex polygon with the extent e(corner), for which there must be
// outlines, or on a straight line.
template <class Extent>
[[gnu::cold, gnu::noinline]] void outline_polygon(const PolygonPlane& plane, const Corner* corners, int count,
                                                  const Extent& e, SurfaceScratch& out) noexcept {
  out.outlines->add_part();
  for (const Corner* x = corners; x < corners + count; ++x)
    out.outlines->add_corner(plane.o + x->u * plane.t_u + x->v * plane.t_v, e(*x) > 0.0 ? e(*x) : 0.0);
}
void outline_line(const Vec3& x0, const Vec3& x1, SurfaceScratch& out) noexcept;

// Adds a strip of this width from x0 to x1, on which the extents are linear along the strip and decrease along n.
void add_strip(const Vec3& x0, const Vec3& x1, double e0, double e1, double width, const Vec3& n_S, const Vec3& n,
               SurfaceScratch& out) noexcept;

// Adds a point that stands for a part of the surface.
void add_part(const Vec3& x, const PartIntegrals& part, const Vec3& n_S, const Vec3& n, SurfaceScratch& out) noexcept;

// Adds a part of the surface that is so small that it is a point. `slope`: by which the extent decreases along n.
void add_point(const Vec3& x, double extent, double area, const Vec3& n_S, const Vec3& n, double slope,
               SurfaceScratch& out) noexcept;

inline double power(double x, int n) noexcept {
  double out = n & 1 ? x : 1.0;
  for (double square = x * x; (n >>= 1) != 0; square *= square)
    if (n & 1) out *= square;
  return out;
}

}  // namespace contactlib::geometry
