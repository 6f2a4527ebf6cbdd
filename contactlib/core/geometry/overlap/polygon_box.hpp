// A box around a polygon, and what of the polygon can be inside a mesh.
#pragma once

#include <algorithm>
#include <limits>

#include "geometry/surface/surface.hpp"
#include "mesh_scratch.hpp"

namespace contactlib::geometry {

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void add(double value) noexcept { low = std::min(low, value), high = std::max(high, value); }
  bool has(const Range& other) const noexcept { return low <= other.low && other.high <= high; }
  bool meets(const Range& other) const noexcept { return low <= other.high && other.low <= high; }
  Range wider(double by) const noexcept { return {low - by, high + by}; }
};

// Along two unit vectors in the plane of the polygon, and along its normal, out of the surface.
class PolygonBox {
 public:
  PolygonBox(const Vec3 (&axes)[3], const Range (&ranges)[3]) noexcept : axis{axes[0], axes[1], axes[2]} {
    for (int k = 0; k < 3; ++k) range[k] = ranges[k];
    Vec3 middle = Vec3::Zero(), half = Vec3::Zero();
    for (int k = 0; k < 3; ++k) {
      middle += 0.5 * (range[k].low + range[k].high) * axis[k];
      half += 0.5 * (range[k].high - range[k].low) * axis[k].cwiseAbs();
    }
    low_ = middle - half, high_ = middle + half;
  }
  PolygonBox wider(double by) const noexcept {
    return {axis, {range[0].wider(by), range[1].wider(by), range[2].wider(by)}};
  }

  bool meets(const BoxNode& node) const noexcept {
    const Vec3 low(node.low), high(node.high);
    if ((low.array() > high_.array()).any() || (high.array() < low_.array()).any()) return false;
    const Vec3 middle = 0.5 * (low + high), half = 0.5 * (high - low);
    return range[2].meets(of(middle, half, 2)) && range[0].meets(of(middle, half, 0)) &&
           range[1].meets(of(middle, half, 1));
  }
  bool meets(const Facet& facet) const noexcept {
    return range[2].meets(of(facet, 2)) && range[0].meets(of(facet, 0)) && range[1].meets(of(facet, 1));
  }
  // What a box with its middle and half of its size has along axis k.
  Range of(const Vec3& middle, const Vec3& half, int k) const noexcept {
    const double at = axis[k].dot(middle), reach = axis[k].cwiseAbs().dot(half);
    return {at - reach, at + reach};
  }
  Range of(const BoxNode& node, int k) const noexcept {
    const Vec3 low(node.low), high(node.high);
    return of(Vec3(0.5 * (low + high)), Vec3(0.5 * (high - low)), k);
  }

  Vec3 axis[3];
  Range range[3];  // m

 private:
  Range of(const Facet& facet, int k) const noexcept {
    Range out;
    for (const Vec3& corner : facet.corner) out.add(axis[k].dot(corner));
    return out;
  }

  Vec3 low_, high_;  // m, along the mesh's axes
};

// The part of a polygon that can be inside a closed mesh.
struct InnerBounds {
  // m, along the axes of its box: endless where the border is that of the polygon; empty if no part of it is inside
  Range along[2];
  double deepest;  // m: no point of it is deeper
};

// An inner point has a part of the mesh's surface straight above it, against the normal of the polygon. All of these parts
// bound the polygon to a rectangle. The inner point is no deeper than they are high, and no deeper than the rectangle is
// wide where a border of it runs through the polygon: what is beyond is outside.
InnerBounds inner_bounds(const Surface& mesh, const PolygonBox& polygon) noexcept;

}  // namespace contactlib::geometry
