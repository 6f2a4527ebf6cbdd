// Writes the contacts of patches into a manifold.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/manifold/load_share.hpp"
#include "geometry/surface/nearest.hpp"
#include "solve.hpp"

namespace contactlib::geometry {

class Emitter {
 public:
  Emitter(const Placement& X, const Shape& A, const Axes& A_to_B, Manifold& out) noexcept
      : X_(X), middle_(A_to_B(A.R_BS.transpose() * (A.p_BC - A.p_BS))), bound_(A.bound), out_(out) {}

  // axes: of A in B's axes; within(C): the point of A that replaces C
  template <class Within>
  void add(const OverlapSolver& solver, const PatchPart& part, const PatchContact& contact, const Mat3& axes,
           const Within& within) noexcept {
    Springs springs = springs_of(contact, axes);
    solver.limit(part, contact, springs);
    add(contact, springs, within);
  }

  // From here on all load shares are multiplied by `part`, and no depth exceeds `most`, with the same force.
  void weigh(double part, double most) noexcept { part_ = part, most_ = most; }

  template <class Within>
  void add(const PatchContact& contact, const Springs& springs, const Within& within) noexcept {
    for (int i = 0; i < springs.count; ++i)
      if (springs.depth[i] > 0.0 && springs.share(i) > 0.0)
        emit(within(place_of(contact, springs, i)), springs.n, springs.depth[i], springs.share(i));
  }

  void add(const OverlapSolver& solver, const PatchPart& part, const PatchContact& contact, const Mat3& axes) noexcept {
    add(solver, part, contact, axes, [](const Vec3& C) noexcept { return C; });
  }

  // One contact for a solid inside B: out through the point of B's surface that is nearest to some point of the solid;
  // `low` is how far the solid extends against g.
  void add_way_out(const Place& place, double low) noexcept {
    const double depth = place.g.dot(place.S) - low;
    emit(place.S - 0.5 * depth * place.g, place.g, depth, 1.0);
  }

  // C half-way between the surfaces, n out of B, in B's axes.
  void emit(const Vec3& C, const Vec3& n, double depth, double load_share) noexcept {
    geometry::add(out_,
                  {X_.R_WB * near_A(C, n, furthest * bound_ + 0.5 * depth) + X_.p_AB_W, -(X_.R_WB * n),
                   std::min(depth, most_), roaming + number_++, part_ * load_share * std::max(1.0, depth / most_)});
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
  double part_ = 1.0, most_ = std::numeric_limits<double>::infinity();
};

}  // namespace contactlib::geometry
