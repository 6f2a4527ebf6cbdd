// The contacts of a patch: one to four springs whose resultant and stiffness are those of the patch.
#pragma once

#include <algorithm>

#include "geometry/overlap/patch/moments.hpp"

namespace contactlib::geometry {

// A smooth depth Phi and its decrease as A moves: by force.v + couple.w, about the origin of the moments.
struct SmoothDepth {
  double depth;  // m
  Vec3 force, couple;
};

// Returns false if the patch has no depth along u.
bool find_smooth_depth(const HighMoments& moments, const Vec3& u, SmoothDepth& out) noexcept;

// The one contact of a patch.
struct SingleContact {
  double depth;  // m
  Vec3 n;        // unit, out of B
  double load_share;
  Vec3 place;    // m, from the spread's origin: on the line along which it acts
};

// A patch as seen along its normal.
struct PatchContact {
  Vec3 n;          // unit, out of B: what the moments belong to
  double taper;    // g: 1 for face on face, 1/2 for a corner
  double blend;    // l: 1 for a patch of one peak
  Moments moments;
  double over_B = 0.0;  // m: greatest thickness over the pieces of B; a tip of A beside them may be deeper
  Spread spread;
  HighMoments high;
  SingleContact single;
  Decrease turning;  // of Phi, as n turns with the pose; about the spread's origin
  Decrease weight_decrease;  // of the weight of Phi, phi_weight.hpp; about the spread's origin
  // How far the patch faces n, see Moments. Where that is little, the middle of the patch and its size tell where the
  // contact is: m, from the spread's origin; else they are not known.
  double facing = 1.0, reach = 0.0;
  Vec3 middle = Vec3::Zero();
  bool is_line = false;  // of the border of a sheet: the width is that of its plate
  // of a branch of the merge tree: moments and spread are those of the thickness above a level, at a saddle
  bool is_branch = false;
  double level = 0.0;  // m
  Decrease level_decrease;  // about the spread's origin
  // of a branch: its greatest thickness along the common direction; of a patch of one peak: along n; else 0
  double top = 0.0;  // m
  Decrease top_decrease;  // about the spread's origin
};

// Up to four points.
struct Springs {
  int count;
  double load_share;
  double multiplicity;  // 1 to 4: sum of the load shares, relative to that of one contact
  Vec3 n;  // unit, out of B
  double x[4][2];  // m, across the normal, in the axes of the spread, from its origin
  double middle[2];  // m, from where they are spread
  double depth[4];  // m
  double height[4];  // m, along the normal, half-way between the surfaces
  double part[4] = {1.0, 1.0, 1.0, 1.0};  // by which the load share of each is multiplied

  double share(int i) const noexcept { return load_share * part[i]; }
};

// Of PatchContact::facing: up to the first the place is the middle of the patch, from the second on that of its moments;
// below the third it stays within the patch.
inline constexpr double hardly_faces[2] = {0.01, 0.05}, faces = 0.5;

// 0 up to x = 0, 1 from x = 1 on
inline double smoothstep(double x) noexcept {
  x = std::clamp(x, 0.0, 1.0);
  return x * x * (3.0 - 2.0 * x);
}

// l, from g
inline double blend_of(double g) noexcept { return std::clamp(4.0 * g - 1.0, 0.0, 1.0); }

// Whether Phi alone counts, of a patch that is no branch: then `top` has no influence.
bool is_smooth(const PatchContact& patch) noexcept;

// From the potential k Phi^2/2, by the weight of Phi: f = k Phi grad Phi, with its couple
SingleContact smooth_contact(const PatchContact& patch) noexcept;
// With the force of the turning normal, too: no deeper than without
SingleContact turning_contact(const PatchContact& patch) noexcept;
// With normal and depth as they are given
SingleContact thickest_contact(const PatchContact& patch) noexcept;

// 1 for the ratio k = 1 of a flat patch, 0 from a little above `least` on, that of one which tapers; `all` is flat
// enough to be wholly so, from 0 for `least` to 1
double flatness(double k, double least, double all) noexcept;
// Of the strongest taper of one peak, from g
double taper_of(double g) noexcept;

// Two springs where the side of a capsule has contact along a line; on entry `springs` is the one spring of the patch.
void lay_along(const PatchContact& patch, Springs& springs) noexcept;

// axes: of the solid A, as columns, in B's axes: they orient the four springs of a round patch.
Springs springs_of(const PatchContact& patch, const Mat3& axes) noexcept;

// m, B's axes, half-way between the surfaces
Vec3 place_of(const PatchContact& patch, const Springs& springs, int i) noexcept;

}  // namespace contactlib::geometry
