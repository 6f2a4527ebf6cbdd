// Pieces of a surface contact: the parts of the surface of one solid that are inside the other one, with the integrals
// of powers of the extent e, the distance to the surface of the other solid.
#pragma once

#include <vector>

#include "geometry/manifold/manifold.hpp"

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
  Vec3 spread[2];  // m: the covariance of x with this weight is spread[0] spread[0]^T + spread[1] spread[1]^T; zero of a
                   // piece that does not face the other surface
};

// Where the pieces are: the axes F of the solid that has the extent field, in those of shape A.
struct FieldFrame {
  Mat3 R_AF;
  Vec3 p_AF_A;   // m
  bool is_of_a;  // the field is that of A
  bool sheet;    // the surface has two sides

  double sign() const noexcept { return is_of_a ? 1.0 : -1.0; }  // of n as a normal from A to B
};

// Points that stand for the pieces, in columns, for loops in lanes: as many as a multiple of eight, those behind the last
// one of no weight.
struct SurfacePoints {
  std::vector<double> x, y, z;     // m
  std::vector<double> nx, ny, nz;  // unit, from A to B
  std::vector<double> facing;
  std::vector<double> weight;  // dPhi/de of its part, see depth.hpp
  std::vector<double> load;    // N
  std::vector<double> share;   // of what rubs: all add up to 1
  std::size_t count = 0;       // a multiple of eight
};

inline constexpr std::size_t points_of_a_piece = 8;  // at most

// The pieces of a pair of shapes, and working memory. Allocated with Data, reused from pair to pair, never saved.
struct SurfaceScratch {
  std::vector<SurfacePiece> pieces;  // its size is the capacity
  std::size_t count = 0, needed = 0;  // needed: including those beyond the capacity
  FieldFrame frame;
  int sharpness = usual_sharpness;
  double gap = 0.0;  // m, without a piece: a lower bound of the distance; 0: unknown

  SurfacePoints points, sliding;  // as expand() makes them, and those of them that rub

  std::vector<Vec3> vertices;  // of one surface in the axes of the other
  std::vector<std::uint64_t> beyond;  // per vertex, the faces that it is beyond
  std::vector<Vec3> polygon[3];
  std::vector<double> heights;
  std::vector<std::int32_t> nearest;  // faces that can be the nearest somewhere on a polygon

  // Allocates the working memory for these two shapes. May throw std::bad_alloc.
  void grow_capacity(const Shape& A, const Shape& B);
  // Room for so many pieces. May throw std::bad_alloc.
  void resize(std::size_t wanted);

  void begin(const FieldFrame& of) noexcept { count = needed = 0, gap = 0.0, frame = of; }

  // Room for one more; null beyond the capacity.
  SurfacePiece* add() noexcept {
    ++needed;
    return count < pieces.size() ? &pieces[count++] : nullptr;
  }
};

// Adds all pieces of a surface contact with the given sharpness.
using SurfaceKernel = void (*)(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;

// Adds a convex polygon with the unit normal n_S on which the extents at the corners are linear and decrease along the
// unit vector n, out of the solid. Extents in m, below zero by rounding at most.
void add_piece(const Vec3* x, const double* extents, int count, const Vec3& n_S, const Vec3& n,
               SurfaceScratch& out) noexcept;

// Adds a part of the surface that is so small that it is a point.
void add_point(const Vec3& x, double extent, double area, const Vec3& n_S, const Vec3& n,
               SurfaceScratch& out) noexcept;

inline double power(double x, int n) noexcept {
  double out = n & 1 ? x : 1.0;
  for (double square = x * x; (n >>= 1) != 0; square *= square)
    if (n & 1) out *= square;
  return out;
}

}  // namespace contactlib::geometry
