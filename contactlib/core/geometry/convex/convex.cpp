#include "convex.hpp"

#include "clip.hpp"
#include "geometry/manifold/ball.hpp"
#include "translation.hpp"

namespace contactlib::geometry {

namespace {

// Relative difference that exceeds rounding.
constexpr double clearly = 1e-9;

bool still_apart(const MinkowskiDifference& D, SeparatingAxis* separating_axis) noexcept {
  if (!separating_axis || separating_axis->n_A.isZero(0.0)) return false;
  const Vec3& n = separating_axis->n_A;
  climb(D, n, separating_axis->corner_a, separating_axis->corner_b);
  Vec3 furthest = D.corner(separating_axis->corner_a, separating_axis->corner_b);
  if (D.is_round()) furthest += D.furthest(n);
  return n.dot(furthest) < -clearly * D.size;
}

}  // namespace

void convex_convex(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const MinkowskiDifference D(A, B, X);
  if (still_apart(D, out.separating_axis)) return;
  Minimum minimum;
  if (!least_overlap(D, X.R_WA.transpose() * X.hint_W, minimum)) {
    if (out.separating_axis) out.separating_axis->n_A = minimum.n;
    return;
  }
  const bool has_faces = A.kind != ShapeKind::ellipsoid && B.kind != ShapeKind::ellipsoid;
  if (has_faces && add_face_contacts(D, X, minimum, out)) return;
  const Translation least = translation(D, X, minimum);
  out.add(0.5 * (least.p_AP_W + least.p_AQ_W), least.n_AB_W, least.depth, roaming);
}

}  // namespace contactlib::geometry
