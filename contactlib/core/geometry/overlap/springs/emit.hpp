// Writes the contacts of patches into a manifold.
#pragma once

#include <algorithm>
#include <cmath>

#include "geometry/manifold/load_share.hpp"
#include "geometry/surface/nearest.hpp"
#include "solve.hpp"

namespace contactlib::geometry {

class Emitter {
 public:
  Emitter(const Placement& X, const Shape& A, const Axes& A_to_B, Manifold& out) noexcept
      : X_(X), middle_(A_to_B(A.R_BS.transpose() * (A.p_BC - A.p_BS))), bound_(A.bound), out_(out) {}

  // axes: of A in B's axes
  void add(const OverlapSolver& solver, const PatchPart& part, const PatchContact& contact, const Mat3& axes) noexcept {
    Springs springs = springs_of(contact, axes);
    solver.limit(part, contact, springs);
    for (int i = 0; i < springs.count; ++i)
      if (springs.depth[i] > 0.0 && springs.share(i) > 0.0)
        emit(place_of(contact, springs, i), springs.n, springs.depth[i], springs.share(i));
  }

  // One contact for a solid inside B: out through the point of B's surface that is nearest to some point of the solid;
  // `low` is how far the solid extends against g.
  void add_way_out(const Place& place, double low) noexcept {
    const double depth = place.g.dot(place.S) - low;
    emit(place.S - 0.5 * depth * place.g, place.g, depth, 1.0);
  }

  // C half-way between the surfaces, n out of B, in B's axes.
  void emit(const Vec3& C, const Vec3& n, double depth, double load_share) noexcept {
    geometry::add(out_, {X_.R_WB * near_A(C, n, furthest * bound_ + 0.5 * depth) + X_.p_AB_W, -(X_.R_WB * n), depth,
                         roaming + number_++, load_share});
  }

 private:
  // A point half-way between the surfaces is near A, and springs stand no further off than a face is long. Of deep overlaps
  // the resultant of several peaks may be further off: it moves along its line of action, and from there towards A.
  Vec3 near_A(const Vec3& C, const Vec3& n, double radius) const noexcept {
    const Vec3 off = C - middle_;
    if (!(off.squaredNorm() > radius * radius)) return C;
    const double along = n.dot(off);
    Vec3 across = off - along * n;
    const double beside = across.norm();
    if (beside > radius) across *= radius / beside;
    const double room = std::sqrt(std::max(0.0, radius * radius - across.squaredNorm()));
    return middle_ + across + std::clamp(along, -room, room) * n;
  }

  static constexpr double furthest = 2.0;

  const Placement& X_;
  const Vec3 middle_;   // m, of the ball that holds A, in B's axes
  const double bound_;  // m, its radius
  Manifold& out_;
  int number_ = 0;
};

}  // namespace contactlib::geometry
