// the contacts that stand for a patch: one to four springs that resist as the patch does.
#pragma once

#include "moments.hpp"

namespace contactlib {

// a patch as seen along its normal.
struct PatchContact {
  Vec3 n;          // unit, out of B
  double taper;    // g: 1 for face on face, 1/2 for a corner
  double blend;    // l: 1 for a patch of one peak
  Moments moments;
  Spread spread;
};

// up to four places with equal shares.
struct Springs {
  int count;
  double share;
  double x[4][2];   // m, across the normal, in the axes of the spread, from its origin
  double middle[2]; // m, from where they are spread
  double depth[4];   // m
  double height;     // m, along the normal, half-way between the surfaces
};

// axes: of the solid A, as columns, seen in B: where four springs of a round patch lie.
Springs springs_of(const PatchContact& patch, const Mat3& axes) noexcept;

}  // namespace contactlib
