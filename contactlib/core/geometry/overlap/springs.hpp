// the contacts that stand for a patch: one to four springs that resist as the patch does.
#pragma once

#include "moments.hpp"

namespace contactlib {

// a patch as seen along its normal.
// a depth Phi that is smooth, and how it falls as A moves: by force.v + couple.w, about the origin of the moments.
struct Peak {
  double depth;  // m
  Vec3 force, couple;
};

// false: the patch has no depth along u.
bool find_peak(const PeakMoments& moments, const Vec3& u, Peak& out) noexcept;

// the force of a patch, from the potential k Phi^2/2:  f = k Phi grad Phi, with its couple.
struct Pull {
  double depth;  // m, Phi
  Vec3 n;        // unit, out of B, along the gradient
  double slope;  // its length: 1 where a patch keeps its form
  Vec3 place;    // m, from the spread's origin: the foot of the line along which it acts
};

struct PatchContact {
  Vec3 n;          // unit, out of B: what the moments belong to
  double taper;    // g: 1 for face on face, 1/2 for a corner
  double blend;    // l: 1 for a patch of one peak
  Moments moments;
  Spread spread;
  PeakMoments peak;
  Pull pull;
};

// up to four places with equal shares.
struct Springs {
  int count;
  double share;
  Vec3 n;           // unit, out of B
  double x[4][2];   // m, across the normal, in the axes of the spread, from its origin
  double middle[2]; // m, from where they are spread
  double depth[4];   // m
  double height;     // m, along the normal, half-way between the surfaces
};

// of a patch whose moments are known
Pull pull_of(const PatchContact& patch) noexcept;
// and of one whose normal and depth are given
Pull plain_pull(const PatchContact& patch) noexcept;

// axes: of the solid A, as columns, seen in B: where four springs of a round patch lie.
Springs springs_of(const PatchContact& patch, const Mat3& axes) noexcept;

}  // namespace contactlib
