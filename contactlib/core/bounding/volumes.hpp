// THE VOLUME TABLE: the overlap test of two kinds of bounding volume. Kinds may be mixed freely.
#pragma once

#include "geometry/manifold/manifold.hpp"

namespace contactlib::bounding {

// aabb: a box along its body's axes. obb: a box along axes of its own. half_space: of a plane, which fits in no other.
enum class VolumeKind : std::int32_t { sphere, aabb, obb, half_space };
inline constexpr int volume_kinds = 4;
static_assert(static_cast<int>(VolumeKind::half_space) + 1 == volume_kinds);

// A bounding volume in its body's axes.
struct Volume {
  VolumeKind kind;
  Vec3 p_BV;   // m, its middle; a point on the plane of a half space
  Vec3 half;   // m, half the side lengths; sphere: its radius, thrice
  Mat3 R_BV;   // its axes; half space: the third is the outward normal
};

// The placement of body B in body A's axes.
struct Relative {
  Mat3 R_AB;
  Vec3 p_AB_A;  // m
  Mat3 spread;  // |R_AB|, element by element

  Relative(const Mat3& R, const Vec3& p) noexcept : R_AB(R), p_AB_A(p), spread(R.cwiseAbs()) {}
  Relative inverse() const noexcept { return {R_AB.transpose(), -(R_AB.transpose() * p_AB_A)}; }
};

// Returns false if the two do not overlap, true if they may.
using VolumeTester = bool (*)(const Volume& A, const Volume& B, const Relative& X_AB) noexcept;

// The cell of two kinds, `a` not after `b`; null: no test exists.
VolumeTester volume_tester(VolumeKind a, VolumeKind b) noexcept;

// Both orders: X_BA is the inverse of X_AB. A combination without a test returns false (the reader refuses it).
inline bool may_meet(const Volume& A, const Volume& B, const Relative& X_AB, const Relative& X_BA) noexcept {
  if (A.kind > B.kind) return may_meet(B, A, X_BA, X_AB);
  const VolumeTester tester = volume_tester(A.kind, B.kind);
  return tester && tester(A, B, X_AB);
}

// A lower bound of the distance of two volumes, m, to rounding; negative or zero where may_meet() returns true.
double gap_of(const Volume& A, const Volume& B, const Relative& X_AB, const Relative& X_BA) noexcept;

extern const char* const volume_names[volume_kinds];

}  // namespace contactlib::bounding
