#include "translation.hpp"

#include "expanding_polytope.hpp"

namespace contactlib::geometry {

namespace {

// Proof of an overlap: the line from a point of D through the origin leaves D between the active vertices. It passes
// all three sides of their triangle on the same side:
//   x.(w_i x w_j) > 0 for all, or < 0 for all
bool is_held(const MinkowskiDifference& D, const Minimum& minimum) noexcept {
  if (minimum.active_vertices.count != 3) return false;
  const Vec3 x = middle(D), &p = minimum.active_vertices.active_vertex[0].w,
             &q = minimum.active_vertices.active_vertex[1].w, &r = minimum.active_vertices.active_vertex[2].w;
  const Vec3 across_p = x.cross(p);
  const double a = across_p.dot(q), b = x.cross(q).dot(r), c = -across_p.dot(r);
  return minimum.n.dot(x) < 0.0 && std::min({a, b, c}) * std::max({a, b, c}) > 0.0;
}

}  // namespace

bool least_overlap(const MinkowskiDifference& D, const Vec3& hint_A, Minimum& out) noexcept {
  const double squared = hint_A.squaredNorm();
  if (squared > 0.0) {
    const Vec3 n =
        std::abs(squared - 1.0) < 1e-14 ? hint_A : Vec3(hint_A / std::sqrt(squared));  // mostly unit, to rounding
    if (D.is_round()) return descend(D, n, out) && expand_polytope(D, 0.0, out);
    return (warm_start(D, n, out) || descend(D, n, out)) && (is_held(D, out) || expand_polytope(D, 0.0, out));
  }
  return descend(D, cold_start(D), out) && expand_polytope(D, out.overlap, out);
}

Translation translation(const MinkowskiDifference& D, const Placement& X, const Minimum& minimum) noexcept {
  Vec3 p = minimum.round_A, q = minimum.round_B;
  for (int i = 0; i < minimum.active_vertices.count; ++i) {
    p += minimum.active_vertices.weight[i] * D.A.corners.x[minimum.active_vertices.active_vertex[i].a];
    q += minimum.active_vertices.weight[i] * D.B.corners.x[minimum.active_vertices.active_vertex[i].b];
  }
  return {minimum.overlap, X.R_WA * minimum.n, X.R_WA * p, X.p_AB_W + X.R_WB * q};
}

}  // namespace contactlib::geometry
