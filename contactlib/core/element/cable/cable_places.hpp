// places of one capsule of a cable, before it is known which of them a neighbour finds too.
#pragma once

#include "cable_curve.hpp"

namespace contactlib {

// `late`: an end of a capsule that lies along something: it counts where no other place is within a radius.
struct SkinPlace {
  double xi, eta;  // on the part, and on that of the other cable
  Vec3 p_OC;       // m
  Vec3 n_W;
  double gap;      // m
  bool late;
};

inline constexpr int most_starts = 32;            // places of one capsule on one obstacle, for a start
inline constexpr int most_places = 2 * most_starts + 2;
inline constexpr double level = 1e-9;             // a slope of the gap that is none

// a part of a cable with its skin. at an end that is shared the cable goes on.
struct SkinPart : CablePart {
  double radius;  // m
  bool shared[2];

  // along it the gap changes by less than a hundredth of the radius.
  double flat() const noexcept { return 0.01 * radius / length; }

  // of a place with the slope (of the gap by length) there: the neighbour comes nearer, if by little it is `late`.
  enum class Kind { counts, late, dropped };
  Kind kind(double xi, double slope) const noexcept {
    const bool backward = xi <= from && shared[0] && slope > level, forward = xi >= to && shared[1] && slope < -level;
    if (!backward && !forward) return Kind::counts;
    return Kind::late;
  }
  bool at_end(double xi) const noexcept { return xi <= from || xi >= to; }
  bool flat_end(double xi, double) const noexcept { return at_end(xi); }
};

// rotation whose z axis is along the part's chord.
Mat3 axes_along(const Vec3& half) noexcept;

// all places of a part with gap < reach, in no order and some of them more than once; how many. points: room for
// 2 most_starts, out: for most_places.
int places_on_shape(const SkinPart& part, const CableSkinScratch::Obstacle& obstacle, double reach,
                    ManifoldPoint* points, SkinPlace* out) noexcept;
int places_on_cable(const SkinPart& a, const SkinPart& b, double reach, SkinPlace* out) noexcept;

}  // namespace contactlib
