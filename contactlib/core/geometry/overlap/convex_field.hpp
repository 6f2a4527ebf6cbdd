// The extent field of a convex solid with plane faces: the distance of an inner point to the nearest of its faces. On a
// polygon inside the solid it is linear on each cell, the part where one face is the nearest.
#pragma once

#include <algorithm>
#include <limits>

#include "geometry/surface/surface.hpp"
#include "polygon_cut.hpp"
#include "surface_pieces.hpp"

namespace contactlib::geometry {

// The faces of a convex solid. `slope` of a face: the distance to its plane, > 0 inside.
struct FaceField {
  static constexpr bool many = true;  // faces: it pays to choose those that are near
  const Face* faces;
  int count;
  std::uint64_t inner = 0;  // Shape::inner_faces
  double inward = 0.0;  // m: all faces lie so much further inside

  Slope slope(int f, const PolygonPlane& on) const noexcept {
    const Vec3& n = faces[f].n;
    return {offset(f) - n.dot(on.o), -n.dot(on.t_u), -n.dot(on.t_v)};
  }
  Vec3 normal(int f) const noexcept { return faces[f].n; }
  double offset(int f) const noexcept { return faces[f].d - inward; }  // of its plane: n.x = offset
};

// Of a box about the origin, with the faces -x, +x, -y, +y, -z, +z.
struct BoxField {
  Vec3 half;
  std::uint64_t inner = 0;
  static constexpr bool many = false;
  static constexpr int count = 6;

  Slope slope(int f, const PolygonPlane& on) const noexcept {
    const int i = f >> 1;
    const double sign = f & 1 ? -1.0 : 1.0;
    return {half[i] + sign * on.o[i], sign * on.t_u[i], sign * on.t_v[i]};
  }
  Vec3 normal(int f) const noexcept { return ((f & 1) ? 1.0 : -1.0) * Vec3::Unit(f >> 1); }
  double offset(int f) const noexcept { return half[f >> 1]; }
};

// The half space z <= 0.
struct HalfSpaceField {
  static constexpr bool many = false;
  static constexpr int count = 1;
  static constexpr std::uint64_t inner = 0;

  Slope slope(int, const PolygonPlane& on) const noexcept { return {-on.o[2], -on.t_u[2], -on.t_v[2]}; }
  Vec3 normal(int) const noexcept { return Vec3::UnitZ(); }
  double offset(int) const noexcept { return 0.0; }
};

// Adds a cell as a piece.
struct AddPiece {
  void operator()(const PolygonPlane& plane, Corner* cell, int count, const Slope& extent, const Vec3& n,
                  SurfaceScratch& out) const noexcept {
    for (Corner* x = cell; x < cell + count; ++x) x->e = extent.at(*x);
    add_piece(plane, cell, count, n, out);
  }
};

// The part of a polygon that is inside the solid, cell by cell. The polygon, without extents, is in out.polygon[0]. It is
// changed.
template <class Field, class Add = AddPiece>
class ConvexCells {
 public:
  ConvexCells(const Field& field, const PolygonPlane& plane, int count, SurfaceScratch& out, Add add = {}) noexcept
      : field_(field),
        plane_(plane),
        add_(add),
        out_(out),
        slopes_(out.slopes.data()),
        least_(out.least.data()),
        heights_(out.heights.data()),
        nearest_(out.nearest.data()),
        chosen_faces_(out.chosen.data()),
        count_(count) {}

  void add() noexcept {
    set_bounds();
    if (cut_to_inside()) add_cells();
  }
  // First cut by this face, which is beyond most of the polygon.
  void add(int first) noexcept {
    if (cut_by(field_.slope(first, plane_))) add();
  }

 private:
  void add_cells() noexcept {
    find_nearest();
    for (int i = 0; i < near_; ++i) add_cell(i);
  }

  // The rectangle around the polygon.
  void set_bounds() noexcept {
    const Corner* const x = out_.polygon[0].data();
    double low_u = x[0].u, high_u = low_u, low_v = x[0].v, high_v = low_v;
    for (int i = 1; i < count_; ++i) {
      low_u = std::min(low_u, x[i].u), high_u = std::max(high_u, x[i].u);
      low_v = std::min(low_v, x[i].v), high_v = std::max(high_v, x[i].v);
    }
    middle_ = {0.5 * (low_u + high_u), 0.5 * (low_v + high_v), 0.0};
    half_u_ = 0.5 * (high_u - low_u), half_v_ = 0.5 * (high_v - low_v);
  }

  // Where its bounds do not tell that a face has all of the polygon on one side, the polygon is cut by it.
  bool cut_to_inside() noexcept {
    bound_ = std::numeric_limits<double>::infinity();
    if (!choose()) return false;
    for (int k = 0; k < chosen_; ++k) {
      const int f = face(k);
      const Slope slope = slopes_[f] = field_.slope(f, plane_);
      const double e = slope.at(middle_), reach = std::abs(slope.du) * half_u_ + std::abs(slope.dv) * half_v_;
      if (e + reach <= 0.0) return false;
      least_[f] = e - reach;
      if (!is_inner(f)) bound_ = std::min(bound_, e + reach);
    }
    for (int k = 0; k < chosen_; ++k)
      if (least_[face(k)] < 0.0 && !cut_by(slopes_[face(k)])) return false;
    return true;
  }

  // Chooses the faces that can be the nearest, or cut, in a ball around the polygon. Returns false if a face has all of the
  // ball beyond it.
  bool choose() noexcept {
    chosen_ = field_.count;
    if constexpr (Field::many) {
      const Vec3 middle = plane_.o + middle_.u * plane_.t_u + middle_.v * plane_.t_v;
      const double radius = half_u_ * plane_.t_u.norm() + half_v_ * plane_.t_v.norm();
      double least = std::numeric_limits<double>::infinity();
      for (int f = 0; f < field_.count; ++f) {
        const double e = least_[f] = field_.offset(f) - field_.normal(f).dot(middle);
        if (e + radius <= 0.0) return false;
        if (!is_inner(f)) least = std::min(least, e);
      }
      const double limit = std::max(0.0, least + radius) + radius;
      chosen_ = 0;
      for (int f = 0; f < field_.count; ++f)
        if (least_[f] <= limit) chosen_faces_[chosen_++] = f;
    }
    return true;
  }

  int face(int k) const noexcept { return Field::many ? chosen_faces_[k] : k; }

  // An inner face ends the solid here, but its compound goes on behind it: it is not the nearest.
  bool is_inner(int f) const noexcept { return field_.inner != 0 && f < 64 && (field_.inner >> f & 1); }

  bool cut_by(const Slope& slope) noexcept {
    const Corner* const x = out_.polygon[0].data();
    bool all = true;
    for (int i = 0; i < count_; ++i) heights_[i] = slope.at(x[i]), all = all && heights_[i] >= 0.0;
    if (all) return true;
    count_ = cut(x, heights_, count_, out_.polygon[1].data());
    out_.polygon[0].swap(out_.polygon[1]);
    return count_ > 2;
  }

  // The faces that can be the nearest somewhere: those whose least extent does not exceed the least of the greatest
  // extents of all faces. The face of that bound comes first: its cell is the largest.
  void find_nearest() noexcept {
    const Corner* const x = out_.polygon[0].data();
    near_ = 0;
    int first = 0;
    double bound = std::numeric_limits<double>::infinity();
    for (int k = 0; k < chosen_; ++k) {
      const int f = face(k);
      if (least_[f] > bound_ || is_inner(f)) continue;
      double low = slopes_[f].at(x[0]), high = low;
      for (int i = 1; i < count_; ++i) {
        const double e = slopes_[f].at(x[i]);
        low = std::min(low, e), high = std::max(high, e);
      }
      if (high < bound) bound = high, first = near_;
      least_[f] = low, nearest_[near_++] = f;
    }
    if (near_ == 0) return;
    std::swap(nearest_[0], nearest_[first]);
    int kept = 0;
    for (int i = 0; i < near_; ++i)
      if (least_[nearest_[i]] <= bound) nearest_[kept++] = nearest_[i];
    near_ = kept;
  }

  // Cuts to the cell of face nearest[i]; of two faces with the same extent everywhere, the first one has it.
  void add_cell(int i) noexcept {
    const Slope slope = slopes_[nearest_[i]];
    Corner* cell = out_.polygon[0].data();
    Corner *next = out_.polygon[1].data(), *other = out_.polygon[2].data();
    int count = count_;
    for (int k = 0; k < near_; ++k) {
      if (k == i) continue;
      const Slope above = slopes_[nearest_[k]] - slope;
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (int j = 0; j < count; ++j) {
        heights_[j] = above.at(cell[j]);
        low = std::min(low, heights_[j]), high = std::max(high, heights_[j]);
      }
      if (high <= 0.0 && (low < 0.0 || k < i)) return;
      if (low >= 0.0) continue;
      count = cut(cell, heights_, count, next);
      if (count < 3) return;
      cell = next;
      std::swap(next, other);
    }
    add_(plane_, cell, count, slope, field_.normal(nearest_[i]), out_);
  }

  const Field& field_;
  const PolygonPlane& plane_;
  const Add add_;
  SurfaceScratch& out_;
  Slope* const slopes_;
  double *const least_, *const heights_;
  std::int32_t *const nearest_, *const chosen_faces_;
  int count_, near_ = 0, chosen_ = 0;
  Corner middle_{};
  double half_u_ = 0.0, half_v_ = 0.0, bound_ = 0.0;
};

}  // namespace contactlib::geometry
