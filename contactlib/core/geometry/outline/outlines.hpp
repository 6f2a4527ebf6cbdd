// Outlines of the parts of a surface contact, for reports. A step has none: where a query has put them into the scratch of
// a kernel, the kernel adds the outline of each part before its points and pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/vectors.hpp"

namespace contactlib::geometry {

struct OutlineCorner {
  Vec3 x;  // m
  double e;  // m, the extent there
};

// A convex and plane part of the surface that is inside the other solid: polygons as they are, curved borders and curved
// surfaces as polygons whose corners lie on them.
struct Outline {
  std::uint32_t first, count;  // corners
  std::uint32_t columns;  // 0: the corners of a polygon; else rows of so many places, from one side of it to the other
};

struct OutlinedPoint {
  std::uint32_t part;  // none: a point of no weight
  double spread;  // m2, the mean squared distance from the point of the load that it stands for
  double area;  // m2
  double extent;  // m
};

// Memory grows as needed; without memory all is dropped, and `failed` is set.
struct Outlines {
  static constexpr std::uint32_t none = 0xffffffffu;

  std::vector<OutlineCorner> corners;
  std::vector<Outline> parts;
  std::vector<OutlinedPoint> points;  // in the order of the points of the scratch
  std::vector<std::uint32_t> of_piece;  // the part of each piece
  bool failed = false;

  // Before a kernel.
  void begin() noexcept;
  // The next corners, points and pieces are those of a new part. Points without an outline are one part.
  void add_part(std::uint32_t columns = 0) noexcept;
  void add_corner(const Vec3& x, double e) noexcept;
  void add_point(const OutlinedPoint& point) noexcept;
  void add_point(double area, double extent) noexcept;
  void set_piece(std::size_t piece) noexcept;
  void move_piece(std::size_t from, std::size_t to) noexcept;

  // Of several kernels whose points are one contact: keeps what there is when the next kernel begins, as x = R x + p, and
  // fills up with points of no weight to `count` of this kernel. forget() ends this.
  void keep(const Mat3& R, const Vec3& p, std::size_t count) noexcept;
  void forget() noexcept { kept_corners_ = kept_parts_ = kept_points_ = 0; }

  // m, at a place of a polygon on which extents are linear
  double extent_at(const Outline& part, const Vec3& x) const noexcept;

 private:
  std::size_t kept_corners_ = 0, kept_parts_ = 0, kept_points_ = 0;
};

// The number of the patch of each part, from 0 in the order of their first parts. Parts are of one patch if they touch, or
// others between them do: if their distance is `tolerance` or less. May throw std::bad_alloc.
std::vector<std::uint32_t> find_patches(const Outlines& outlines, double tolerance);

// m: the borders of parts are found so far.
double border_tolerance(const Outlines& outlines, double depth) noexcept;

}  // namespace contactlib::geometry
