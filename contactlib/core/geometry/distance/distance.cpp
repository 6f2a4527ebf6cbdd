#include "distance.hpp"

#include <limits>

#include "socket_distance.hpp"

namespace contactlib::geometry {

namespace {

constexpr bool is_convex(ShapeKind kind) noexcept { return kind < ShapeKind::socket; }

// The lowest point of A along B's z, in B's axes.
Vec3 lowest(const Shape& A, const Axes& A_to_B) noexcept {
  const Vec3 up_A = A_to_B.R.row(2).transpose();
  Vec3 low = Vec3::Zero();
  if (A.kind == ShapeKind::socket) {
    for (int k = 0; k < 2; ++k) low[k] = std::copysign(0.5 * A.size[k], -up_A[k]);
    low[2] = up_A[2] > 0.0 ? -A.size[2] : 0.0;
  } else if (A.kind == ShapeKind::mesh) {
    double best = std::numeric_limits<double>::infinity();
    const auto bound = [&](const BoxNode& node) noexcept {
      double sum = 0.0;
      for (int k = 0; k < 3; ++k) sum += up_A[k] * (up_A[k] > 0.0 ? node.low[k] : node.high[k]);
      return sum;
    };
    visit_nearest_first(*A.surface, best, bound, [&](const Facet& facet) noexcept {
      for (const Vec3& corner : facet.corner)
        if (up_A.dot(corner) < best) best = up_A.dot(corner), low = corner;
    });
  } else {
    low = Solid({A}).support(-up_A);
  }
  return A_to_B(low);
}

Nearness plane_distance(const Shape& A, const Axes& A_to_B, double longest, NearestPoints& out) noexcept {
  const Vec3 low = lowest(A, A_to_B);
  out = {low[2], -Vec3::UnitZ(), low, Vec3(low[0], low[1], 0.0)};
  if (!subtract_radii(swept_radius(A), 0.0, out)) return Nearness::overlap;
  return out.distance > longest ? Nearness::beyond : Nearness::apart;
}

Nearness convex_pair_distance(const Shape& A, const Shape& B, const Placement& X, const Axes& A_to_B, double longest,
                              NearestPoints& out) noexcept {
  const double r_A = swept_radius(A), r_B = swept_radius(B);
  const Nearness nearness = convex_distance(MinkowskiDifference(A, B, X), longest + r_A + r_B, out);
  if (nearness != Nearness::apart) return nearness;
  out = transformed(A_to_B, out);
  return subtract_radii(r_A, r_B, out) ? nearness : Nearness::overlap;
}

// Of shapes in the order of their kinds, in B's axes.
Nearness ordered_distance(const Shape& A, const Shape& B, const Placement& X, double longest,
                          NearestPoints& out) noexcept {
  const Axes A_to_B{X.R_WB.transpose() * X.R_WA, -(X.R_WB.transpose() * X.p_AB_W)};
  if (B.kind == ShapeKind::plane) return plane_distance(A, A_to_B, longest, out);
  if (is_convex(B.kind)) return convex_pair_distance(A, B, X, A_to_B, longest, out);
  if (B.kind == ShapeKind::socket) return convex_socket_distance(A, B, A_to_B, longest, out);
  if (A.kind == ShapeKind::mesh) return mesh_mesh_distance(A, B, A_to_B, longest, out);
  if (is_convex(A.kind)) return convex_mesh_distance(A, B, A_to_B, longest, out);
  const Nearness nearness = mesh_socket_distance(B, A, A_to_B.inverse(), longest, out);
  if (nearness == Nearness::apart) out = exchanged(transformed(A_to_B, out));
  return nearness;
}

}  // namespace

bool has_distance(ShapeKind a, ShapeKind b) noexcept {
  return a != b || (a != ShapeKind::socket && a != ShapeKind::plane);
}

Nearness shape_distance(const Shape& A, const Shape& B, const Placement& X, double longest,
                        NearestPoints& out) noexcept {
  const bool swap = B.kind < A.kind;
  const Placement swapped{X.R_WB, X.R_WA, -X.p_AB_W, Vec3::Zero()};
  const Nearness nearness =
      swap ? ordered_distance(B, A, swapped, longest, out) : ordered_distance(A, B, X, longest, out);
  if (nearness != Nearness::apart) return nearness;
  // from the axes and the origin of the second shape in the order of kinds
  out = swap ? exchanged(transformed({X.R_WA, Vec3::Zero()}, out)) : transformed({X.R_WB, X.p_AB_W}, out);
  return nearness;
}

}  // namespace contactlib::geometry
