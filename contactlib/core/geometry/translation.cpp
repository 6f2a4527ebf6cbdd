#include "translation.hpp"

#include "search.hpp"

namespace contactlib {

namespace {

// the line from a point of D through the origin comes out between the ties: they do overlap.
bool is_held(const Difference& D, const Minimum& minimum) noexcept {
  if (minimum.ties.count != 3) return false;
  const Vec3 inside = middle(D);
  const double below = minimum.n.dot(inside);
  return below < 0.0 && covers(minimum.ties, minimum.n, minimum.overlap / below * inside);
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
