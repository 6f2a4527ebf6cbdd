// Contact points of one capsule of a cable, before duplicates with other capsules are removed.
#pragma once

#include "skin.hpp"

namespace contactlib::element {

struct SkinPlace {
  double xi, eta;  // on the capsule's element, and on that of the other cable
  Vec3 p_OC;       // m
  Vec3 n_W;
  double gap;      // m
};

inline constexpr int max_places = 32;  // of one capsule on one obstacle

// A capsule of a cable's skin.
struct SkinPart {
  const CableCurve& curve;
  const CableSkinScratch::Capsule& chord;
  double radius;  // m
  bool goes_on[2];  // the cable, at the capsule's begin and end

  // Position along the curve of a point on the chord, s from -1 to 1.
  double xi(double s) const noexcept { return chord.from + 0.5 * (1.0 + s) * (chord.to - chord.from); }
};

// In the order of xi; returns their number. points: storage for 2 max_places, out: for max_places.
int places_on_shape(const SkinPart& part, const CableSkinScratch::Obstacle& obstacle, double reach,
                    ManifoldPoint* points, SkinPlace* out) noexcept;
bool place_on_cable(const SkinPart& a, const SkinPart& b, double reach, SkinPlace& out) noexcept;

}  // namespace contactlib::element
