// corners of the difference that are equally far along a direction.
#pragma once

#include "support.hpp"

namespace contactlib {

// a corner of the difference's polytope: corner a of A minus corner b of B.
struct Tie {
  Vec3 w;
  int a, b;
};

// and a point between them.
struct Ties {
  int count = 0;
  Tie tie[3];
  double weight[3] = {0.0, 0.0, 0.0};
};

// moves the point between the ties to the one nearest to `foot`, in the plane across n; how far from the foot it is.
// ties that it does not need go, unless it is the foot, to `fine`.
Vec3 nearest(Ties& ties, const Vec3& n, const Vec3& foot, double fine) noexcept;

// point n.x = n.w of the ties' plane lies between the three.
bool covers(const Ties& ties, const Vec3& n, const Vec3& point) noexcept;

// moves it to the foot, which may lie beyond them. false if the three are on a line.
bool reach(Ties& ties, const Vec3& n, const Vec3& foot) noexcept;

// what a direction is the normal of.
struct Sharp {
  enum Of { unknown, face_A, face_B, edges };  // edges: and of no face

  Of of = unknown;
  int face = -1;
};

// makes n, near the normal of three ties, that of the faces or edges they belong to.
Sharp sharpen(const Difference& D, const Ties& ties, Vec3& n) noexcept;

}  // namespace contactlib
