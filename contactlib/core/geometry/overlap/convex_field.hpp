// The extent field of a convex solid with plane faces: the distance of an inner point to the nearest of its faces. On a
// polygon inside the solid it is linear on each cell, the part where one face is the nearest.
#pragma once

#include <algorithm>
#include <limits>

#include "geometry/surface/surface.hpp"
#include "polygon_cut.hpp"
#include "surface_pieces.hpp"

namespace contactlib::geometry {

// The faces of a convex solid. `extent` of a face: the distance of x to its plane, > 0 inside.
struct FaceField {
  const Face* faces;
  int count;

  double extent(int f, const Vec3& x) const noexcept { return faces[f].d - faces[f].n.dot(x); }
  Vec3 normal(int f) const noexcept { return faces[f].n; }
};

// Of a box about the origin, with the faces -x, +x, -y, +y, -z, +z.
struct BoxField {
  Vec3 half;
  static constexpr int count = 6;

  double extent(int f, const Vec3& x) const noexcept { return half[f >> 1] + ((f & 1) ? -x[f >> 1] : x[f >> 1]); }
  Vec3 normal(int f) const noexcept { return ((f & 1) ? 1.0 : -1.0) * Vec3::Unit(f >> 1); }
};

// The half space z <= 0.
struct HalfSpaceField {
  static constexpr int count = 1;

  double extent(int, const Vec3& x) const noexcept { return -x[2]; }
  Vec3 normal(int) const noexcept { return Vec3::UnitZ(); }
};

// The faces of a polygon that its corners are beyond: bit f % 64 for face f.
struct Beyond {
  std::uint64_t some = ~std::uint64_t{0}, all = ~std::uint64_t{0};

  bool may_cut(int f) const noexcept { return some >> (f & 63) & 1; }
};

// The part of a polygon that is inside the solid, cell by cell. The polygon with `count` corners and the unit normal n_S
// is in out.polygon[0], in the axes of the solid. It is changed.
template <class Field>
class ConvexCells {
 public:
  ConvexCells(const Field& field, int count, const Vec3& n_S, SurfaceScratch& out) noexcept
      : field_(field), n_S_(n_S), out_(out), count_(count) {}

  void add(const Beyond& beyond = {}) noexcept {
    if (!cut_to_inside(beyond)) return;
    find_nearest();
    if (near_ == 1) return add_cell(out_.nearest[0], out_.polygon[0].data(), count_);
    for (int i = 0; i < near_; ++i) {
      const Vec3* cell;
      const int left = cell_of(i, cell);
      if (left > 2) add_cell(out_.nearest[i], cell, left);
    }
  }

 private:
  bool cut_to_inside(const Beyond& beyond) noexcept {
    double* const heights = out_.heights.data();
    for (int f = 0; f < field_.count; ++f) {
      if (!beyond.may_cut(f)) continue;
      const Vec3* const x = out_.polygon[0].data();
      int outside = 0;
      for (int i = 0; i < count_; ++i) heights[i] = -field_.extent(f, x[i]), outside += heights[i] > 0.0;
      if (outside == count_) return false;
      if (outside == 0) continue;
      count_ = cut(x, heights, count_, out_.polygon[1].data());
      out_.polygon[0].swap(out_.polygon[1]);
      if (count_ < 3) return false;
    }
    return true;
  }

  // The faces that can be the nearest somewhere: those whose least extent at a corner does not exceed the least of the
  // greatest extents of all faces.
  void find_nearest() noexcept {
    double bound = std::numeric_limits<double>::infinity();
    const Vec3* const x = out_.polygon[0].data();
    for (int f = 0; f < field_.count; ++f) {
      double low = field_.extent(f, x[0]), high = low;
      for (int i = 1; i < count_; ++i) {
        const double extent = field_.extent(f, x[i]);
        low = std::min(low, extent), high = std::max(high, extent);
      }
      out_.heights[f] = low, bound = std::min(bound, high);
    }
    near_ = 0;
    for (int f = 0; f < field_.count; ++f)
      if (out_.heights[f] <= bound) out_.nearest[near_++] = f;
  }

  // Cuts to the cell of face nearest[i]; of two faces with the same extent everywhere, the first one has it.
  int cell_of(int i, const Vec3*& cell) noexcept {
    const int f = out_.nearest[i];
    cell = out_.polygon[0].data();
    Vec3 *next = out_.polygon[1].data(), *other = out_.polygon[2].data();
    double* const heights = out_.heights.data();
    int count = count_;
    for (int k = 0; k < near_ && count > 2; ++k) {
      if (k == i) continue;
      const int by = out_.nearest[k];
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (int j = 0; j < count; ++j) {
        heights[j] = field_.extent(f, cell[j]) - field_.extent(by, cell[j]);
        low = std::min(low, heights[j]), high = std::max(high, heights[j]);
      }
      if (low >= 0.0 && (high > 0.0 || k < i)) return 0;
      if (high <= 0.0) continue;
      count = cut(cell, heights, count, next);
      cell = next;
      std::swap(next, other);
    }
    return count;
  }

  void add_cell(int f, const Vec3* cell, int count) noexcept {
    double* const extents = out_.heights.data();
    for (int i = 0; i < count; ++i) extents[i] = field_.extent(f, cell[i]);
    add_piece(cell, extents, count, n_S_, field_.normal(f), out_);
  }

  const Field& field_;
  const Vec3& n_S_;
  SurfaceScratch& out_;
  int count_, near_ = 0;
};

}  // namespace contactlib::geometry
