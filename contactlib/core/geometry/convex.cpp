#include "convex.hpp"

#include "ball.hpp"
#include "clip.hpp"
#include "translation.hpp"

namespace contactlib {

void convex_convex(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Difference D(A, B, X);
  Minimum minimum;
  if (!least_overlap(D, X.R_WA.transpose() * X.hint_W, minimum)) return;
  const bool has_faces = A.kind != ShapeKind::ellipsoid && B.kind != ShapeKind::ellipsoid;
  if (has_faces && add_face_contacts(D, X, minimum, out)) return;
  const Translation least = translation(D, X, minimum);
  out.add(0.5 * (least.p_AP_W + least.p_AQ_W), least.n_AB_W, least.depth, roaming);
}

}  // namespace contactlib
