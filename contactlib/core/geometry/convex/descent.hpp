// Descent to a local minimum of overlap(n), the support function of the Minkowski difference D = A - B, over unit
// vectors n.
#pragma once

#include <cstddef>

#include "active_vertices.hpp"

namespace contactlib::geometry {

struct Minimum {
  Vec3 n = Vec3::Zero();  // unit, A's axes
  double overlap;         // > 0
  ActiveVertices active_vertices;              // whose weighted mean plus the round part is overlap n
  Vec3 round_A, round_B;  // points of the round parts, each in its own axes
  Sharp sharp;            // what n is the normal of
};

// Descends from n. Returns false if a direction on the path separates the two; out.n is then this direction, or near
// it.
bool descend(const MinkowskiDifference& D, const Vec3& n, Minimum& out) noexcept;

// Where a descent starts without a hint: away from a point of D.
inline Vec3 cold_start(const MinkowskiDifference& D) noexcept {
  const Vec3 way = -middle(D);
  const double far = way.norm();
  return far > 0.0 ? Vec3(way / far) : Vec3(Vec3::UnitX());
}

// Many descents side by side, of polytopes: the results of `descend`, whose return value is `overlap`.
struct Descent {
  const MinkowskiDifference* D;
  Vec3 n;
  Minimum* out;
  bool overlap;
};
inline constexpr std::size_t most_descents = 16;
void descend_side_by_side(Descent* descents, std::size_t count) noexcept;

// The minimum at the face of D next to n, if there is one there: found without a descent.
bool warm_start(const MinkowskiDifference& D, const Vec3& n, Minimum& out) noexcept;

// Works for every D. Returns false where the overlap falls to `floor`. With a floor below zero the descent goes on where
// the two are separated: there the overlap is negative and has one minimum, the negative distance.
bool descend_rounded(const MinkowskiDifference& D, const Vec3& n, Minimum& out, double floor = 0.0) noexcept;

// n turned towards tau until another corner becomes active.
struct Step {
  double tan;
  bool blocked;  // false: none does before tan = `most`
  ActiveVertex next;
};
Step turn(const MinkowskiDifference& D, const ActiveVertex& active_vertex, const Vec3& n, const Vec3& tau,
          double most) noexcept;

}  // namespace contactlib::geometry
