// Sphere and capsule against a box: signed distance at the ends, common perpendiculars with the edges.
#include "box.hpp"

#include <algorithm>
#include <cmath>

#include "through.hpp"

namespace contactlib::geometry {

namespace {

// The two other axes of an edge along axis k.
constexpr int first_across[3] = {1, 0, 0}, second_across[3] = {2, 2, 1};

inline double least(double a, double b) noexcept { return a < b ? a : b; }

// The sweep relative to the box's middle.
struct View {
  const Sweep& sweep;
  Vec3 Q, half;   // m, the axis' first end; half the box
  Vec3 side;      // m, across each axis: the side nearer to the sweep
  int far;        // bit i: across axis i the ball also meets the plane of the other side
  bool past;      // the axis gets past two sides
};

inline View view(const Sweep& sweep, const BoxSolid& box) noexcept {
  View view{sweep, sweep.Q0_B - box.centre_B, box.half, {}, 0, false};
  const Vec3 middle = view.Q + 0.5 * sweep.length * sweep.d_B, reach = 0.5 * sweep.length * sweep.d_B.cwiseAbs();
  const Vec3 past = middle.cwiseAbs() + reach - box.half, spare = middle.cwiseAbs() - reach + box.half;
  for (int i = 0; i < 3; ++i) {
    view.side[i] = std::copysign(box.half[i], middle[i]);
    view.far |= (spare[i] < sweep.r) << i;
  }
  view.past = (past[0] >= 0.0) + (past[1] >= 0.0) + (past[2] >= 0.0) >= 2;
  return view;
}

// The axis against one edge along axis k, at the corner (e1, e2) of the plane (i1, i2). In this plane the axis is a
// line and the edge a point at a from its beginning:
//   s = a.d / |d|^2,   F - E = (-d2, d1) (a x d) / |d|^2
// There is no division and no root before the edge counts: near, on_axis, on_edge, u and v are multiplied by |d|^2.
template <int k>
inline void add_edge(Manifold& out, const View& view, double e1, double e2) noexcept {
  constexpr int i1 = first_across[k], i2 = second_across[k];
  const Sweep& sweep = view.sweep;
  const double d1 = sweep.d_B[i1], d2 = sweep.d_B[i2], dk = sweep.d_B[k], span2 = d1 * d1 + d2 * d2;
  const double a1 = e1 - view.Q[i1], a2 = e2 - view.Q[i2];
  const double along = a1 * d1 + a2 * d2, apart = a1 * d2 - a2 * d1;
  const double near = sweep.r * sweep.r * span2 - apart * apart;
  const double on_axis = least(along, sweep.length * span2 - along);
  const double on_edge = view.half[k] * span2 - std::abs(view.Q[k] * span2 + along * dk);
  if (!(least(near, least(on_axis, on_edge)) > 0.0) || 1.0 - dk * dk < 1e-24) return;  // along the edge: ends carry it

  const double side1 = std::copysign(1.0, e1), side2 = std::copysign(1.0, e2);
  const double u = -side1 * d2 * apart, v = side2 * d1 * apart;  // outward components of F - E
  const bool outside = u + v > 0.0;
  const bool inside = (u <= 0.0) & (v <= 0.0) & (u > -view.half[i1] * span2) & (v > -view.half[i2] * span2);
  if (!(outside | inside)) return;

  // The normal is across the edge and the axis; computed from their directions it is accurate even where F - E
  // vanishes.
  const double span = std::copysign(std::sqrt(span2), side2 * d1 - side1 * d2);
  Vec3 g = Vec3::Zero();
  g[i1] = -d2 / span;
  g[i2] = d1 / span;
  sweep.add(out, along / span2, g, apart / span, edge_feature + 4 * k + (e1 > 0.0) + 2 * (e2 > 0.0));
}

template <int k>
inline void add_edges(Manifold& out, const View& view, unsigned parts) noexcept {
  const double e1 = view.side[first_across[k]], e2 = view.side[second_across[k]];
  const bool far1 = view.far >> first_across[k] & 1, far2 = view.far >> second_across[k] & 1;
  const unsigned edges = parts >> (box_edge + 4 * k);
  if (edges & 1u) add_edge<k>(out, view, e1, e2);
  if (far1 && (edges & 2u)) add_edge<k>(out, view, -e1, e2);
  if (far2 && (edges & 4u)) add_edge<k>(out, view, e1, -e2);
  if (far1 && far2 && (edges & 8u)) add_edge<k>(out, view, -e1, -e2);
}

// Beyond two faces only, the corner is the end of an edge along the axis.
void add_corner(Manifold& out, const View& view, const Vec3& E, DeferredContacts& deferred) noexcept {
  const Sweep& sweep = view.sweep;
  const double s = (E - view.Q).dot(sweep.d_B);
  if (!((s > 0.0) & (s < sweep.length))) return;
  const Vec3 EF = view.Q + s * sweep.d_B - E;
  const double squared = EF.squaredNorm();
  if (!(squared < sweep.r * sweep.r)) return;
  const double distance = std::sqrt(squared);
  int beyond = 0;
  for (int i = 0; i < 3; ++i) beyond += EF[i] * std::copysign(1.0, E[i]) >= -parallel * distance;
  if (beyond < 2) return;
  const int feature = corner_feature + (E[0] > 0.0) + 2 * (E[1] > 0.0) + 4 * (E[2] > 0.0);
  const Vec3 g = distance > 0.0 ? Vec3(EF / distance) : across_axis(sweep, E);
  if (beyond == 3)
    sweep.add(out, s, g, distance, feature);
  else
    deferred.add(s, g, distance, feature);
}

// Inlined: where all parts are wanted nothing is left of `parts`.
[[gnu::always_inline]] inline void add_edge_parts(Manifold& out, const Sweep& sweep, const BoxSolid& box,
                                                  DeferredContacts& deferred, unsigned parts) noexcept {
  if (sweep.length == 0.0) return;
  const View seen = view(sweep, box);
  add_edges<0>(out, seen, parts);
  add_edges<1>(out, seen, parts);
  add_edges<2>(out, seen, parts);
  const unsigned corners = parts >> box_corner & 255u;
  if (!seen.past || corners == 0) return;
  const Vec3 E = seen.side;
  if (corners & 1u) add_corner(out, seen, E, deferred);
  for (int j = 1; j < 8 && seen.far != 0; ++j)
    if ((j & ~seen.far) == 0 && (corners >> j & 1u))
      add_corner(out, seen, Vec3((j & 1) ? -E[0] : E[0], (j & 2) ? -E[1] : E[1], (j & 4) ? -E[2] : E[2]), deferred);
}

// The vector from the box `+- half` to a point.
struct Apart {
  Vec3 gap;  // m, > 0: outside that face
  Vec3 w;  // m, from the nearest point of the box; zero inside
  double squared;  // m2, |w|^2
  bool on_face;

  Apart(const Vec3& half, const Vec3& p) noexcept : gap(p.cwiseAbs() - half), w(0.5 * (gap + gap.cwiseAbs())) {
    squared = w.squaredNorm();
    on_face = (w[0] > 0.0) + (w[1] > 0.0) + (w[2] > 0.0) <= 1;
    for (int i = 0; i < 3; ++i) w[i] = std::copysign(w[i], p[i]);
  }

  // The signed distance of `nearest`, m.
  double height() const noexcept { return squared > 0.0 ? std::sqrt(squared) : gap.maxCoeff(); }

  bool on_edge() const noexcept { return !on_face && (w[0] == 0.0 || w[1] == 0.0 || w[2] == 0.0); }

  Nearest nearest(const Vec3& p) const noexcept {
    if (squared > 0.0) {
      const double phi = std::sqrt(squared);
      return {phi, w / phi, on_face};
    }
    int axis = 0;
    const double most = gap.maxCoeff(&axis);
    Vec3 g = Vec3::Zero();
    g[axis] = std::copysign(1.0, p[axis]);
    return {most, g, true};
  }
};

// As much of a Nearest as the deepest point of the axis needs.
struct Height {
  double phi;  // m
};

// As add_end, without a division for an end that does not count.
inline void add_box_end(Manifold& out, const Sweep& sweep, const Vec3& half, int i, const Vec3& p,
                        DeferredContacts& deferred) noexcept {
  const Apart apart(half, p);
  if (!(apart.squared <= sweep.r * sweep.r)) return;  // a point inside is at 0 from the box
  const Vec3 t = i == 0 ? sweep.d_B : Vec3(-sweep.d_B);
  const bool counts = apart.on_face || sweep.length == 0.0 || recedes(apart.w, t);
  if (!counts && !apart.on_edge()) return;
  const Nearest nearest = apart.nearest(p);
  if (counts)
    sweep.add(out, i == 0 ? 0.0 : sweep.length, nearest.g_B, nearest.phi, end_feature + i);
  else
    deferred.add_end(sweep, i, nearest, end_feature + i);
}

// True only if the axis misses the box: separated along a face normal, or across an edge and the axis.
bool apart(const Sweep& sweep, const BoxSolid& box) noexcept {
  const Vec3 middle = 0.5 * (sweep.Q0_B + sweep.Q1_B) - box.centre_B, &d = sweep.d_B;
  for (int k = 0; k < 3; ++k) {
    const int i1 = first_across[k], i2 = second_across[k];
    if (std::abs(middle[k]) > box.half[k] + 0.5 * sweep.length * std::abs(d[k])) return true;
    const double reach = box.half[i1] * std::abs(d[i2]) + box.half[i2] * std::abs(d[i1]);
    if (std::abs(middle[i1] * d[i2] - middle[i2] * d[i1]) > reach) return true;
  }
  return false;
}

}  // namespace

Nearest nearest_on_box(const BoxSolid& box, const Vec3& p_B) noexcept {
  const Vec3 p = p_B - box.centre_B;
  return Apart(box.half, p).nearest(p);
}

bool is_on_edge(const BoxSolid& box, const Vec3& p_B) noexcept { return Apart(box.half, p_B - box.centre_B).on_edge(); }

void add_box_edges(Manifold& out, const Sweep& sweep, const BoxSolid& box, DeferredContacts& deferred) noexcept {
  add_edge_parts(out, sweep, box, deferred, all_of_box);
}

FaceDepth face_depth(const Sweep& sweep, const BoxSolid& box, int k) noexcept {
  const int i = k / 2;
  const double side = k % 2 ? 1.0 : -1.0;
  return {box.half[i] - side * (sweep.Q0_B[i] - box.centre_B[i]), -side * sweep.d_B[i]};
}

bool clip(const Sweep& sweep, const BoxSolid& box, double& s0, double& s1) noexcept {
  s0 = 0.0;
  s1 = sweep.length;
  if (apart(sweep, box)) return false;
  const Vec3 Q = sweep.Q0_B - box.centre_B;
  for (int i = 0; i < 3; ++i) {
    const double d = sweep.d_B[i];
    if (d == 0.0) {
      if (std::abs(Q[i]) >= box.half[i]) return false;
      continue;
    }
    const double a = (-box.half[i] - Q[i]) / d, b = (box.half[i] - Q[i]) / d;
    s0 = std::max(s0, std::min(a, b));
    s1 = std::min(s1, std::max(a, b));
  }
  return s0 < s1;
}

void sphere_box(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const double r = A.size[0];
  const Vec3 p_B = centre(X);
  const Apart apart(0.5 * Vec3(B.size), p_B);
  if (apart.squared <= r * r)
    add_centre(out, r, X, apart.nearest(p_B));
  else
    out.gap = std::sqrt(apart.squared) - r;
}

namespace {

[[gnu::always_inline]] inline void add_parts(const Shape& A, const Shape& B, const Placement& X, unsigned parts,
                                             Manifold& out) noexcept {
  const Sweep capsule = sweep(A, X);
  const BoxSolid box{Vec3::Zero(), 0.5 * Vec3(B.size)};
  const Vec3 gap =
      (0.5 * (capsule.Q0_B + capsule.Q1_B)).cwiseAbs() - 0.5 * capsule.length * capsule.d_B.cwiseAbs() - box.half;
  const double beyond = least(capsule.r - gap[0], least(capsule.r - gap[1], capsule.r - gap[2]));
  if (!(beyond > 0.0)) {
    out.gap = -beyond;
    return;
  }
  DeferredContacts deferred;
  if (parts & 1u) add_box_end(out, capsule, box.half, 0, capsule.Q0_B, deferred);
  if (parts & 2u) add_box_end(out, capsule, box.half, 1, capsule.Q1_B, deferred);
  if (parts & ~(3u | 1u << box_inside)) add_edge_parts(out, capsule, box, deferred, parts);
  deferred.accept(out, capsule);
  if (!(parts >> box_inside & 1u)) return;
  double s0 = 0, s1 = 0;
  if (!(gap[0] < 0.0 && gap[1] < 0.0 && gap[2] < 0.0) || !clip(capsule, box, s0, s1)) return;
  const auto nearest = [&](const Vec3& p_B) noexcept { return nearest_on_box(box, p_B); };
  const auto height = [&](const Vec3& p_B) noexcept { return Height{Apart(box.half, p_B).height()}; };
  Deepest<decltype(height)> deepest{capsule, height, s0, s1};
  evaluate_faces(deepest, box);
  add_through(out, capsule, deepest.best, nearest_exit(capsule, nearest, deepest.best));
}

}  // namespace

void capsule_box(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  add_parts(A, B, X, all_of_box, out);
}

void capsule_box_parts(const Shape& A, const Shape& B, const Placement& X, unsigned parts, Manifold& out) noexcept {
  add_parts(A, B, X, parts, out);
}

}  // namespace contactlib::geometry
