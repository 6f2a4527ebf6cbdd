// The planes behind which all edges of a vertex lie have their normals w in a cone:  t.w <= 0 for all edges t.
#include "corner.hpp"

#include <algorithm>

#include "geometry/manifold/ball.hpp"
#include "surface.hpp"

namespace contactlib::geometry {

namespace {

using Polygon = std::vector<Vec3>;

constexpr double rounding = 1e-9;  // of unit vectors' products: on a plane

// The part of the polygon with t.w <= rounding, which keeps parts as narrow as a point or a line.
Polygon behind(const Polygon& polygon, const Vec3& t) {
  Polygon out;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3 &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const double above_a = t.dot(a) - rounding, above_b = t.dot(b) - rounding;
    if (above_a <= 0.0) out.push_back(a);
    if ((above_a < 0.0 && above_b > 0.0) || (above_a > 0.0 && above_b < 0.0))
      out.push_back(a + (above_a / (above_a - above_b)) * (b - a));
  }
  return out;
}

bool all_below(const std::vector<Vec3>& away, const Vec3& w) noexcept {
  return std::all_of(away.begin(), away.end(), [&](const Vec3& t) noexcept { return t.dot(w) < -sharp; });
}

bool one_below(const std::vector<Vec3>& away, const Vec3& w) noexcept {
  return std::any_of(away.begin(), away.end(), [&](const Vec3& t) noexcept { return t.dot(w) < -sharp; });
}

Vec3 sum_of(const std::vector<Vec3>& vectors) noexcept {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& v : vectors) sum += v;
  return sum;
}

}  // namespace

// The cone on the upper five sides of a cube about g. The sum of its corners is inside it, if it has an inside.
Corner corner_of(const std::vector<Vec3>& away, const Vec3& g) {
  const Vec3 up = g.isZero(0.0) ? Vec3(-sum_of(away).normalized()) : g;
  if (all_below(away, up)) return Corner::tip;
  const Vec3 u = perpendicular(up), v = up.cross(u);
  const Polygon sides[5] = {{up + u + v, up + u - v, up - u - v, up - u + v},
                            {u + v, u - v, u - v + up, u + v + up},
                            {v - u, v + u, v + u + up, v - u + up},
                            {-u + v, -u - v, -u - v + up, -u + v + up},
                            {-v - u, -v + u, -v + u + up, -v - u + up}};
  Vec3 inner = Vec3::Zero();
  bool bent = false;
  for (Polygon left : sides) {
    for (std::size_t i = 0; i < away.size() && !left.empty(); ++i) left = behind(left, away[i]);
    for (const Vec3& w : left) bent = bent || one_below(away, w);
    inner += sum_of(left);
  }
  if (!bent) return Corner::saddle;
  return all_below(away, inner.normalized()) ? Corner::tip : Corner::ridge;
}

}  // namespace contactlib::geometry
