// downhill to a local minimum of overlap(n), the support function of the difference D = A - B, over unit vectors n.
#pragma once

#include "ties.hpp"

namespace contactlib {

struct Minimum {
  Vec3 n = Vec3::Zero();  // unit, A's axes
  double overlap;         // > 0
  Ties ties;              // whose weighted mean plus the round part is overlap n
  Vec3 round_A, round_B;  // points of the round parts, each in its own axes
  Sharp sharp;            // what n is the normal of
};

// from n on. false if some direction on the way parts the two; it is then out.n, or near it.
bool descend(const Difference& D, const Vec3& n, Minimum& out) noexcept;

// a minimum at the face of D next to n, if it is there: quick, and without a descent.
bool land(const Difference& D, const Vec3& n, Minimum& out) noexcept;

bool descend_rounded(const Difference& D, const Vec3& n, Minimum& out) noexcept;

// n turned towards tau until another corner ties with this one.
struct Step {
  double tan;
  bool blocked;  // false: none does before tan = `most`
  Tie next;
};
Step turn(const Difference& D, const Tie& tie, const Vec3& n, const Vec3& tau, double most) noexcept;

}  // namespace contactlib
