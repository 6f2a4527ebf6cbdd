#include "polygon_box.hpp"

#include <algorithm>

#include "geometry/surface/nearest.hpp"
#include "polygon_cut.hpp"

namespace contactlib::geometry {

namespace {

constexpr double rounding = 1e-12;  // of the mesh's size: two borders are one
constexpr double endless = std::numeric_limits<double>::infinity();

// A triangle in the axes of the box, as far as it is above the polygon: u and v along it, e the height.
class Above {
 public:
  Above(const PolygonBox& box, const Facet& facet) noexcept {
    for (const Vec3& corner : facet.corner)
      x_[count_++] = {box.axis[0].dot(corner), box.axis[1].dot(corner), box.range[2].high - box.axis[2].dot(corner)};
  }

  bool is_below() const noexcept { return x_[0].e <= 0.0 && x_[1].e <= 0.0 && x_[2].e <= 0.0; }
  bool is_in(const Range& u, const Range& v, const Range& e) const noexcept {
    bool all = true;
    for (const Corner& x : *this) all = all && u.has({x.u, x.u}) && v.has({x.v, x.v}) && x.e <= e.high;
    return all;
  }

  // Keeps what is within the range of a coordinate.
  void keep(double Corner::* coordinate, const Range& range) noexcept {
    keep_from(coordinate, range.low, 1.0), keep_from(coordinate, range.high, -1.0);
  }
  void keep_from(double Corner::* coordinate, double limit, double sign) noexcept {
    double heights[most];
    bool all = true;
    for (int i = 0; i < count_; ++i) heights[i] = sign * (x_[i].*coordinate - limit), all = all && heights[i] >= 0.0;
    if (all) return;
    Corner kept[most];
    count_ = cut(x_, heights, count_, kept);
    std::copy_n(kept, count_, x_);
  }

  const Corner* begin() const noexcept { return x_; }
  const Corner* end() const noexcept { return x_ + count_; }

 private:
  static constexpr int most = 3 + 5;  // a cut adds one corner at most
  Corner x_[most];
  int count_ = 0;
};

}  // namespace

InnerBounds inner_bounds(const Surface& mesh, const PolygonBox& polygon) noexcept {
  Range along[2], height{0.0, 0.0};
  const double tiny = rounding * mesh.size;
  const double top = std::min(polygon.range[2].low, polygon.of(mesh.nodes[0], 2).low) - tiny;
  const PolygonBox column(polygon.axis, {polygon.range[0], polygon.range[1], {top, polygon.range[2].high}});
  const auto meets = [&](const BoxNode& node) noexcept {
    if (!column.meets(node)) return false;
    const double above = polygon.range[2].low - column.of(node, 2).low;
    return !(above <= height.high && along[0].has(column.of(node, 0)) && along[1].has(column.of(node, 1)));
  };
  for_each_facet(mesh, meets, [&](const Facet& facet) noexcept {
    Above part(column, facet);
    if (part.is_below() || part.is_in(along[0], along[1], height)) return;
    part.keep_from(&Corner::e, 0.0, 1.0);
    part.keep(&Corner::u, column.range[0]), part.keep(&Corner::v, column.range[1]);
    for (const Corner& x : part) along[0].add(x.u), along[1].add(x.v), height.add(x.e);
  });
  double deepest = height.high;
  for (int k = 0; k < 2; ++k) {
    const double width = along[k].high - along[k].low;
    const bool low = along[k].low > polygon.range[k].low + tiny, high = along[k].high < polygon.range[k].high - tiny;
    if (low || high) deepest = std::min(deepest, width / (low + high));
    if (!low) along[k].low = -endless;
    if (!high) along[k].high = endless;
  }
  return {{along[0], along[1]}, deepest + tiny};  // a facet of a parallel face is as deep as this
}

}  // namespace contactlib::geometry
