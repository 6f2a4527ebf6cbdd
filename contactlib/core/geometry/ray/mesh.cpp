#include "mesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace contactlib::geometry {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Twice the area of the triangle origin, p, q.
template <class Corner>
double area(const Corner& p, const Corner& q) noexcept {
  return p.x * q.y - p.y * q.x;
}

// The sign of the area. For an edge through the origin the origin is moved by an infinitesimal distance along x, and by
// a smaller one along y: (p - o) x (q - o) = p x q - ox (qy - py) + oy (qx - px). Swapping p and q inverts the sign.
template <class Corner>
int turn(double area, const Corner& p, const Corner& q) noexcept {
  if (area != 0.0) return area > 0.0 ? 1 : -1;
  if (p.y != q.y) return p.y > q.y ? 1 : -1;
  return q.x > p.x ? 1 : -1;
}

// The slab test of boxes, which are slightly enlarged because the corners' ray coordinates are rounded.
struct Slabs {
  Vec3 p, d;
  double capacity;

  Slabs(const BoxNode& root, const Vec3& p_, const Vec3& d_) noexcept : p(p_), d(d_) {
    double reach = p.cwiseAbs().maxCoeff();
    for (int k = 0; k < 3; ++k) reach = std::max({reach, std::abs(root.low[k]), std::abs(root.high[k])});
    capacity = 16.0 * std::numeric_limits<double>::epsilon() * reach;
  }

  // The entry of the ray into the box, at 0 or later; infinite if the ray misses it.
  double entry(const BoxNode& node) const noexcept {
    double in = 0.0, out = infinity;
    for (int k = 0; k < 3; ++k) {
      const double low = node.low[k] - capacity - p[k], high = node.high[k] + capacity - p[k];
      if (d[k] == 0.0) {
        if (low > 0.0 || high < 0.0) return infinity;
        continue;
      }
      const double a = low / d[k], b = high / d[k];
      in = std::max(in, std::min(a, b));
      out = std::min(out, std::max(a, b));
    }
    return in <= out ? in : infinity;
  }

  bool start_in(const BoxNode& node) const noexcept {
    for (int k = 0; k < 3; ++k)
      if (p[k] < node.low[k] - capacity || p[k] > node.high[k] + capacity) return false;
    return true;
  }
};

// The crossings so far.
struct Passed {
  const Surface& surface;
  Shear shear;
  double longest;
  int winding = 0;  // crossings from behind minus crossings from the front
  MeshCrossing first;

  void evaluate(const Facet& facet) noexcept {
    const RayCrossing crossing = shear.crossing(facet.corner[0], facet.corner[1], facet.corner[2]);
    if (crossing.turn == 0 || !(crossing.t >= 0.0)) return;
    winding += crossing.turn;
    if (crossing.turn > 0 || crossing.t > longest) return;
    if (first.face >= 0 && crossing.t == first.t && facet.face > first.face) return;
    longest = crossing.t;
    first = {false, crossing.t, facet.face};
  }

  void evaluate(const BoxNode& leaf) noexcept {
    const std::int32_t end = surface.first_facet[leaf.first + leaf.count];
    for (std::int32_t i = surface.first_facet[leaf.first]; i < end; ++i) evaluate(surface.facets[i]);
  }
};

// All boxes along the ray, the nearer child first; with `all` also those beyond the first face.
void walk(Passed& passed, const Slabs& slabs, bool all) noexcept {
  const std::vector<BoxNode>& nodes = passed.surface.nodes;
  struct Open {
    std::int32_t node;
    double entry;
  } stack[deepest_node + 1];
  int open = 0;
  stack[open++] = {0, slabs.entry(nodes[0])};
  while (open > 0) {
    const Open here = stack[--open];
    if (here.entry == infinity || (!all && here.entry > passed.longest)) continue;
    const BoxNode& node = nodes[here.node];
    if (node.count > 0) {
      passed.evaluate(node);
    } else if (open < deepest_node) {
      const Open left{node.first, slabs.entry(nodes[node.first])};
      const Open right{node.first + 1, slabs.entry(nodes[node.first + 1])};
      const bool left_first = left.entry <= right.entry;
      stack[open++] = left_first ? right : left;
      stack[open++] = left_first ? left : right;
    }
  }
}

}  // namespace

Shear::Corner Shear::corner(const Vec3& v) const noexcept {
  const double z = v[z_] - p_[z_];
  return {(v[x_] - p_[x_]) - sx_ * z, (v[y_] - p_[y_]) - sy_ * z, sz_ * z};
}

RayCrossing Shear::crossing(const Vec3& a, const Vec3& b, const Vec3& c) const noexcept {
  const Corner A = corner(a), B = corner(b), C = corner(c);
  const double ab = area(A, B), bc = area(B, C), ca = area(C, A);
  const int way = turn(ab, A, B);
  const double sum = ab + bc + ca;
  if (turn(bc, B, C) != way || turn(ca, C, A) != way || sum == 0.0) return {};
  return {sz_ > 0.0 ? way : -way, (bc * A.t + ca * B.t + ab * C.t) / sum};
}

// A ray that starts inside a closed mesh leaves it once more often than it enters.
MeshCrossing cross_mesh(const Surface& surface, const Vec3& p, const Vec3& d, double longest) noexcept {
  if (surface.nodes.empty()) return {};
  const Slabs slabs(surface.nodes[0], p, d);
  const bool maybe_inside = surface.closed && slabs.start_in(surface.nodes[0]);
  Passed passed{surface, Shear(p, d), longest, 0, {}};
  walk(passed, slabs, maybe_inside);
  passed.first.inside = maybe_inside && passed.winding > 0;
  return passed.first;
}

}  // namespace contactlib::geometry
