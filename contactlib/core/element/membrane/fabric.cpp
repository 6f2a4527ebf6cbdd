#include "fabric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace contactlib::element {

namespace {

constexpr double rounding = 1e-14;     // of the frame's size cubed: volumes below it are none
constexpr double least_cosine = 1e-9;  // as in design.cpp
constexpr int laps = 4;                // until ties between corners are decided
constexpr std::int32_t none = -1;

bool is_below(const MembraneScratch& scratch, const Vec3& p_B) noexcept { return height(scratch, p_B) < 0.0; }

// The corner at which a plane through the last and the first suspension point touches the body from below: hill
// climbing in the angle to the frame's plane, height over distance from the line.
std::int32_t touched_from_rim(const MembraneDesign& design, std::int32_t v, const MembraneScratch& scratch) noexcept {
  const MembraneHull& hull = design.hull;
  const Vec3 &s0 = scratch.p_B[design.p_CS.size() - 1], along = scratch.p_B[0] - s0;
  const Vec3* const p = scratch.p_B.data() + design.p_CS.size();
  for (std::size_t step = 0; step < hull.p_BV.size(); ++step) {
    const std::int32_t from = v;
    Vec3 n = (p[v] - s0).cross(along);
    for (std::int32_t i = hull.first_out[from]; i < hull.first_out[from + 1]; ++i) {
      const std::int32_t u = head(hull, hull.out[i]);
      if (!(n.dot(p[u] - s0) > 0.0) || !is_below(scratch, p[u])) continue;
      v = u;
      n = (p[v] - s0).cross(along);
    }
    if (v == from) break;
  }
  return v;
}

// One walk along the border, with a current edge of the fabric from suspension point k to corner v. The third point of
// the next triangle is the lowest one of the next suspension point and the neighbours of v:
//   n = (v - s_k) x (w - s_k),  w is the one with  n.(u - s_k) <= 0 for all others u
// If the next suspension point is the lowest one once on each side of the frame, no corner of the body, above or below
// the plane, lies beyond any side: the body came through the opening, and all inner edges of the fabric are edges of
// the body.
struct Walk {
  const MembraneDesign& design;
  MembraneScratch& scratch;
  const std::int32_t n;
  const Vec3* const s;
  const Vec3* const p;
  const double capacity;
  std::int32_t k = 0, v;

  Walk(const MembraneDesign& d, MembraneScratch& c, std::int32_t start) noexcept
      : design(d),
        scratch(c),
        n(static_cast<std::int32_t>(d.p_CS.size())),
        s(c.p_B.data()),
        p(s + n),
        capacity(rounding * d.size * d.size * d.size),
        v(start) {}

  void emit(std::int32_t k_next, std::int32_t w, std::int32_t half_edge) noexcept {
    const auto t = static_cast<std::int32_t>(scratch.bordering++);
    scratch.border[t] = half_edge;
    FabricTriangle& triangle = scratch.fabric[t];
    if (half_edge == none) {  // s_k+1, s_k, v
      triangle = {{k_next, k, n + v}, {none, t - 1, t + 1}, Vec3::Zero(), {}, {}};
    } else {  // s_k, v, w
      triangle = {{k, n + v, n + w}, {t - 1, none, t + 1}, Vec3::Zero(), {}, {}};
    }
  }

  // Returns false if a corner that is not below the plane comes first.
  bool step() noexcept {
    const MembraneHull& hull = design.hull;
    const std::int32_t k_next = k + 1 == n ? 0 : k + 1;
    const Vec3 a = p[v] - s[k];
    Vec3 normal = a.cross(s[k_next] - s[k]);
    std::int32_t best = none;
    for (std::int32_t i = hull.first_out[v]; i < hull.first_out[v + 1]; ++i) {
      const Vec3 b = p[head(hull, hull.out[i])] - s[k];
      if (!(normal.dot(b) > capacity)) continue;
      best = hull.out[i];
      normal = a.cross(b);
    }
    const std::int32_t w = best == none ? none : head(hull, best);
    if (w != none && !is_below(scratch, p[w])) return false;
    emit(k_next, w, best);
    if (w == none)
      ++k;
    else
      v = w;
    return true;
  }

  // Once round the frame, back to the first edge.
  bool run() noexcept {
    const std::size_t most = std::min(scratch.fan.size() + n, scratch.fabric.size());
    for (int lap = 0; lap < laps; ++lap) {
      const std::int32_t start = v;
      scratch.bordering = 0;
      for (k = 0; k < n;)
        if (scratch.bordering == most || !step()) return false;
      if (v == start) return true;
    }
    return false;
  }
};

// The triangles of the body's hull within the border. Returns false if one has a corner that is not below the plane.
struct Filling {
  const MembraneDesign& design;
  MembraneScratch& scratch;

  bool add(std::int32_t hull_triangle) noexcept {
    if (scratch.number[hull_triangle] != none) return true;
    const std::size_t t = scratch.triangles;
    if (t == scratch.fabric.size()) return false;
    for (const std::int32_t corner : design.hull.triangles[hull_triangle])
      if (!is_below(scratch, design.hull.p_BV[corner])) return false;
    scratch.inside[t - scratch.bordering] = hull_triangle;
    scratch.number[hull_triangle] = static_cast<std::int32_t>(t);
    ++scratch.triangles;
    return true;
  }

  bool spread() noexcept {
    const MembraneHull& hull = design.hull;
    for (std::size_t t = 0; t < scratch.bordering; ++t) {
      const std::int32_t h = scratch.border[t];
      if (h != none && scratch.fan[hull.twin[h]] == none && !add(hull.twin[h] / 3)) return false;
    }
    for (std::size_t t = scratch.bordering; t < scratch.triangles; ++t) {
      const std::int32_t f = scratch.inside[t - scratch.bordering];
      for (std::int32_t h = 3 * f; h < 3 * f + 3; ++h)
        if (scratch.fan[hull.twin[h]] == none && !add(hull.twin[h] / 3)) return false;
    }
    return scratch.triangles - scratch.bordering < hull.triangles.size();
  }

  // The triangle beyond a half-edge of the hull.
  std::int32_t beyond(std::int32_t h) const noexcept {
    const std::int32_t back = design.hull.twin[h];
    return scratch.fan[back] != none ? scratch.fan[back] : scratch.number[back / 3];
  }

  void connect() noexcept {
    const MembraneHull& hull = design.hull;
    const auto n = static_cast<std::int32_t>(design.p_CS.size());
    for (std::size_t t = 0; t < scratch.bordering; ++t)
      if (scratch.border[t] != none) scratch.fabric[t].next[1] = beyond(scratch.border[t]);
    for (std::size_t t = scratch.bordering; t < scratch.triangles; ++t) {
      const std::int32_t f = scratch.inside[t - scratch.bordering];
      FabricTriangle& triangle = scratch.fabric[t];
      triangle.n_B = hull.n[f];
      for (int i = 0; i < 3; ++i) {
        triangle.point[i] = n + hull.triangles[f][i];
        triangle.next[i] = beyond(3 * f + i);
        triangle.fold[i] = hull.fold[3 * f + i];
      }
    }
  }

  bool run() noexcept {
    scratch.triangles = scratch.bordering;
    for (std::size_t t = 0; t < scratch.bordering; ++t)
      if (scratch.border[t] != none) scratch.fan[scratch.border[t]] = static_cast<std::int32_t>(t);
    const bool whole = spread();
    if (whole) connect();
    for (std::size_t t = 0; t < scratch.bordering; ++t)
      if (scratch.border[t] != none) scratch.fan[scratch.border[t]] = none;
    for (std::size_t t = scratch.bordering; t < scratch.triangles; ++t)
      scratch.number[scratch.inside[t - scratch.bordering]] = none;
    return whole;
  }
};

}  // namespace

bool wrap_fabric(const MembraneDesign& design, std::int32_t lowest, MembraneScratch& scratch) noexcept {
  Walk walk(design, scratch, touched_from_rim(design, lowest, scratch));
  if (walk.run()) {
    const auto last = static_cast<std::int32_t>(scratch.bordering) - 1;
    FabricTriangle &front = scratch.fabric[0], &back = scratch.fabric[last];
    front.next[scratch.border[0] == none ? 1 : 0] = last;
    back.next[2] = 0;
    if (Filling{design, scratch}.run()) return true;
  }
  scratch.triangles = scratch.bordering = 0;
  return false;
}

double measure_fabric(const MembraneDesign& design, MembraneScratch& scratch) noexcept {
  const Vec3* const p = scratch.p_B.data();
  const auto n = static_cast<std::int32_t>(design.p_CS.size());
  for (Vec3& g : scratch.gradient_B) g.setZero();
  double area = 0.0;
  for (std::size_t t = 0; t < scratch.bordering; ++t) {
    FabricTriangle& triangle = scratch.fabric[t];
    const Vec3 &p0 = p[triangle.point[0]], &p1 = p[triangle.point[1]], &p2 = p[triangle.point[2]];
    const Vec3 e0 = p1 - p0, e1 = p2 - p1, e2 = p0 - p2, twice = e2.cross(e0);
    const double length = twice.norm(), inverse = 1.0 / std::max(length, std::numeric_limits<double>::min());
    area += 0.5 * length;
    triangle.n_B = inverse * twice;
    triangle.cotangent[0] = -inverse * e1.dot(e2);
    triangle.cotangent[1] = -inverse * e2.dot(e0);
    triangle.cotangent[2] = -inverse * e0.dot(e1);
    // dA/dx_i = n x e / 2, e the edge across from point i
    if (triangle.point[0] < n) scratch.gradient_B[triangle.point[0]] += 0.5 * triangle.n_B.cross(e1);
    if (triangle.point[1] < n) scratch.gradient_B[triangle.point[1]] += 0.5 * triangle.n_B.cross(e2);
    if (triangle.point[2] < n) scratch.gradient_B[triangle.point[2]] += 0.5 * triangle.n_B.cross(e0);
  }
  for (std::size_t t = scratch.bordering; t < scratch.triangles; ++t)
    area += design.hull.area[scratch.inside[t - scratch.bordering]];
  return area;
}

namespace {

// Calls f(triangle, its edge, other, its edge) for the edges of a bordering triangle with a later one or with the body.
template <class Function>
void for_each_edge(MembraneScratch& scratch, Function f) noexcept {
  for (std::size_t t = 0; t < scratch.bordering; ++t) {
    FabricTriangle& triangle = scratch.fabric[t];
    for (int i = 0; i < 3; ++i) {
      if (triangle.next[i] <= static_cast<std::int32_t>(t)) continue;
      FabricTriangle& other = scratch.fabric[triangle.next[i]];
      const std::int32_t end = triangle.point[i == 2 ? 0 : i + 1];  // there the other's edge begins
      f(triangle, i, other, other.point[0] == end ? 0 : other.point[1] == end ? 1 : 2);
    }
  }
}

}  // namespace

void measure_folds(MembraneScratch& scratch) noexcept {
  const Vec3* const p = scratch.p_B.data();
  for_each_edge(scratch, [p](FabricTriangle& t, int i, FabricTriangle& other, int j) noexcept {
    const double squared = (p[t.point[i == 2 ? 0 : i + 1]] - p[t.point[i]]).squaredNorm();
    const double sine = std::sqrt(squared * t.n_B.cross(other.n_B).squaredNorm());
    t.fold[i] = other.fold[j] = 0.5 * sine / std::max(1.0 + t.n_B.dot(other.n_B), least_cosine);
  });
}

// The forces of a triangle under constant tension along its edges are a/2 cot(opposite angle) x length, equal at both
// ends; an edge of the fabric sums those of both its sides.
double largest_edge(const MembraneDesign& design, MembraneScratch& scratch) noexcept {
  const Vec3* const p = scratch.p_B.data();
  const auto n = static_cast<std::int32_t>(design.p_CS.size());
  double most = 0.0;  // squared
  for_each_edge(scratch, [&](FabricTriangle& t, int i, FabricTriangle& other, int j) noexcept {
    const std::int32_t from = t.point[i], to = t.point[i == 2 ? 0 : i + 1];
    if ((from < n) == (to < n)) return;
    const double both = std::max(0.0, t.cotangent[i] + other.cotangent[j]);
    most = std::max(most, both * both * (p[to] - p[from]).squaredNorm());
  });
  return 0.5 * std::sqrt(most);
}

}  // namespace contactlib::element
