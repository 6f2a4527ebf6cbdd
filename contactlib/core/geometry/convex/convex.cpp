#include "convex.hpp"

#include <limits>

#include "base/storage.hpp"
#include "clip.hpp"
#include "convex_distance.hpp"
#include "expanding_polytope.hpp"
#include "geometry/manifold/ball.hpp"
#include "translation.hpp"

namespace contactlib::geometry {

namespace {

// Relative difference that exceeds rounding.
constexpr double clearly = 1e-9;

bool still_apart(const MinkowskiDifference& D, SeparatingAxis* separating_axis, double& gap) noexcept {
  if (!separating_axis || separating_axis->n_A.isZero(0.0)) return false;
  const Vec3& n = separating_axis->n_A;
  climb(D, n, separating_axis->corner_a, separating_axis->corner_b);
  Vec3 furthest = D.corner(separating_axis->corner_a, separating_axis->corner_b);
  if (D.is_round()) furthest += D.furthest(n);
  gap = -n.dot(furthest) - D.swept - clearly * D.size;
  return gap > 0.0;
}

// The minimum of the overlap of cores that are apart by less than `swept`: there it is negative, and minus their
// distance. Returns false if they are further apart.
bool nearest_minimum(const MinkowskiDifference& D, Minimum& minimum) noexcept {
  NearestPoints nearest;
  const Nearness found = convex_distance(D, D.swept, nearest);
  if (found == Nearness::beyond) return false;
  descend_rounded(D, found == Nearness::apart ? nearest.n : Vec3(minimum.n), minimum,
                  -std::numeric_limits<double>::infinity());
  return minimum.overlap > -D.swept;
}

// From the cores to the shapes: each surface is its swept radius further out.
void sweep(const Shape& A, const Shape& B, Manifold& out) noexcept {
  const double r_A = swept_radius(A), r_B = swept_radius(B);
  for (ManifoldPoint* point = out.points; point < out.points + out.count; ++point) {
    point->depth += r_A + r_B;
    point->p_AC_W += 0.5 * (r_A - r_B) * point->n_AB_W;
  }
}

void core_contacts(const MinkowskiDifference& D, const Placement& X, const Minimum& minimum, Manifold& out) noexcept {
  const bool has_faces = D.A.shape.kind != ShapeKind::ellipsoid && D.B.shape.kind != ShapeKind::ellipsoid;
  if (has_faces && add_face_contacts(D, X, minimum, out)) return;
  const Translation least = translation(D, X, minimum);
  out.add(0.5 * (least.p_AP_W + least.p_AQ_W), least.n_AB_W, least.depth, roaming);
}

// The contacts at the minimum of the overlap, if there is an overlap.
void contacts(const MinkowskiDifference& D, bool overlap, const Placement& X, Minimum& minimum,
              Manifold& out) noexcept {
  if (!overlap && !(D.swept > 0.0 && nearest_minimum(D, minimum))) {
    if (out.separating_axis) out.separating_axis->n_A = minimum.n;
    return;
  }
  core_contacts(D, X, minimum, out);
  if (D.swept > 0.0) sweep(D.A.shape, D.B.shape, out);
}

}  // namespace

void convex_convex(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const MinkowskiDifference D(A, B, X);
  if (double gap = 0.0; still_apart(D, out.separating_axis, gap)) {
    out.gap = gap;
    return;
  }
  Minimum minimum;
  const bool overlap = least_overlap(D, X.R_WA.transpose() * X.hint_W, minimum);
  contacts(D, overlap, X, minimum, out);
}

void convex_convex_loop(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                        ManifoldPoint* points, PairContacts* found) noexcept {
  for (std::size_t first = 0; first < count; first += most_descents) {
    const std::size_t end = std::min(count, first + most_descents);
    Storage<MinkowskiDifference, most_descents> differences;
    Storage<Minimum, most_descents> minima;
    Descent descents[most_descents], *next = descents;
    bool is_beside[most_descents];
    for (std::size_t i = first; i < end; ++i) {
      const MinkowskiDifference* const D = differences.make(i - first, *A[i], *B[i], X[i]);
      is_beside[i - first] = !D->is_round();
      if (is_beside[i - first]) *next++ = {D, cold_start(*D), minima.make(i - first), false};
    }
    descend_side_by_side(descents, static_cast<std::size_t>(next - descents));
    next = descents;
    for (std::size_t i = first; i < end; points += found[i++].count) {
      Manifold out{points, Manifold::max_points};
      if (is_beside[i - first]) {
        const Descent& descent = *next++;
        const bool overlap = descent.overlap && expand_polytope(*descent.D, descent.out->overlap, *descent.out);
        contacts(*descent.D, overlap, X[i], *descent.out, out);
      } else {
        convex_convex(*A[i], *B[i], X[i], out);
      }
      found[i] = {out.count, out.gap};
    }
  }
}

}  // namespace contactlib::geometry
