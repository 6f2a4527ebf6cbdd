// downhill to a local minimum of overlap(n), the support function of the difference D = A - B, over unit vectors n.
#pragma once

#include "support.hpp"

namespace contactlib {

// a corner of the difference's polytope: corner a of A minus corner b of B.
struct Tie {
  Vec3 w;
  int a, b;
};

// corners that are equally far along n, and a point between them.
struct Ties {
  int count = 0;
  Tie tie[3];
  double weight[3] = {0.0, 0.0, 0.0};
};

struct Minimum {
  Vec3 n;          // unit, A's axes
  double overlap;  // > 0
  Ties ties;       // whose weighted mean plus the round part is overlap n
  Vec3 round_A, round_B;  // points of the round parts, each in its own axes
};

// from n on. false if some direction on the way parts the two.
bool descend(const Difference& D, const Vec3& n, Minimum& out) noexcept;

bool descend_rounded(const Difference& D, const Vec3& n, Minimum& out) noexcept;

// the normal of three ties near n, from the faces and edges they belong to.
Vec3 sharpened(const Difference& D, const Ties& ties, const Vec3& n) noexcept;

// the point between the ties nearest to `foot`, in the plane across n, less the foot. ties that it does not need go,
// unless it is the foot, to `fine`.
Vec3 nearest(Ties& ties, const Vec3& n, const Vec3& foot, double fine) noexcept;

// n turned towards tau until another corner ties with this one.
struct Step {
  double tan;
  bool blocked;  // false: none does before tan = `most`
  Tie next;
};
Step turn(const Difference& D, const Tie& tie, const Vec3& n, const Vec3& tau, double most) noexcept;

}  // namespace contactlib
