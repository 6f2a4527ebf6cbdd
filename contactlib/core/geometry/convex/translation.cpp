#include "translation.hpp"

#include "search.hpp"

namespace contactlib {

namespace {

// the line from a point of D through the origin comes out between the ties: they do overlap. it passes all three sides
// of their triangle on the same hand:
//   x.(w_i x w_j) > 0 for all, or < 0
bool is_held(const Difference& D, const Minimum& minimum) noexcept {
  if (minimum.ties.count != 3) return false;
  const Vec3 x = middle(D), &p = minimum.ties.tie[0].w, &q = minimum.ties.tie[1].w, &r = minimum.ties.tie[2].w;
  const Vec3 across_p = x.cross(p);
  const double a = across_p.dot(q), b = x.cross(q).dot(r), c = -across_p.dot(r);
  return minimum.n.dot(x) < 0.0 && std::min({a, b, c}) * std::max({a, b, c}) > 0.0;
}

}  // namespace

bool least_overlap(const Difference& D, const Vec3& hint_A, Minimum& out) noexcept {
  const double squared = hint_A.squaredNorm();
  if (squared > 0.0) {
    const Vec3 n =
        std::abs(squared - 1.0) < 1e-14 ? hint_A : Vec3(hint_A / std::sqrt(squared));  // mostly unit, to rounding
    if (D.is_round()) return descend(D, n, out) && search(D, 0.0, out);
    return (land(D, n, out) || descend(D, n, out)) && (is_held(D, out) || search(D, 0.0, out));
  }
  const Vec3 way = -middle(D);
  const double far = way.norm();
  return descend(D, far > 0.0 ? Vec3(way / far) : Vec3(Vec3::UnitX()), out) && search(D, out.overlap, out);
}

Translation translation(const Difference& D, const Placement& X, const Minimum& minimum) noexcept {
  Vec3 p = minimum.round_A, q = minimum.round_B;
  for (int i = 0; i < minimum.ties.count; ++i) {
    p += minimum.ties.weight[i] * D.A.corners.x[minimum.ties.tie[i].a];
    q += minimum.ties.weight[i] * D.B.corners.x[minimum.ties.tie[i].b];
  }
  return {minimum.overlap, X.R_WA * minimum.n, X.R_WA * p, X.p_AB_W + X.R_WB * q};
}

}  // namespace contactlib
