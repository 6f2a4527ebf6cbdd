#pragma once

#include "geometry/manifold/manifold.hpp"
#include "geometry/overlap/surface_pieces.hpp"

namespace contactlib::geometry {

// Limited only by the capacity of the pool.
inline constexpr int many = 1 << 20;

// A kernel for many pairs of shapes of its two kinds, each at a placement of its own: the bits of the kernel without a
// hint. Writes the contacts of all pairs one after the other, and in `found` how many each pair has. `points` has a
// capacity of Manifold::max_points for each pair.
using PairLoop = void (*)(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                          ManifoldPoint* points, PairContacts* found) noexcept;

struct PairRow {
  Kernel kernel;     // null: not defined, or only for surfaces
  int max_contacts;  // at most Manifold::max_points, or `many`
  bool warm;         // starts from the normal of the last contact
  KernelLoop loop;   // for many placements; null: they are taken one by one
  PairLoop pairs = nullptr;  // for many pairs of shapes; null: they are taken one by one
  SurfaceKernel surface = nullptr;  // of a surface contact, of rounded solids if there is no kernel for points

  bool is_defined() const noexcept { return kernel != nullptr || surface != nullptr; }
  bool is_surface(bool rounded) const noexcept { return surface != nullptr && !(rounded && kernel != nullptr); }
  bool is_surface(const Shape& A, const Shape& B) const noexcept { return is_surface(is_rounded(A) || is_rounded(B)); }
};

// The row of a pair of kinds, `a` before `b`; rows are numbered a * shape_kinds + b.
const PairRow& pair_row(int row) noexcept;
inline int pair_row_index(ShapeKind a, ShapeKind b) noexcept {
  return static_cast<int>(a) * shape_kinds + static_cast<int>(b);
}

// As `pair_row`, except that a capsule meets faces like a segment, and a ball a mesh like a point, at all nearest points:
// cables need this.
const PairRow& nearest_row(int row) noexcept;

extern const char* const shape_names[];  // [shape_kinds]

}  // namespace contactlib::geometry
