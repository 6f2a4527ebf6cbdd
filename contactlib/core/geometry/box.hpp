#pragma once

#include "sweep.hpp"

namespace contactlib {

void sphere_box(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void capsule_box(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

// the part `p +- half` of B's axes.
struct BoxSolid {
  Vec3 centre_B;
  Vec3 half;
};

Nearest nearest_on_box(const BoxSolid& box, const Vec3& p_B) noexcept;
void add_box_edges(Manifold& out, const Sweep& sweep, const BoxSolid& box) noexcept;

// the stretch of the axis inside the box; false if it misses.
bool clip(const Sweep& sweep, const BoxSolid& box, double& s0, double& s1) noexcept;

// how deep the axis runs below a face, as a function of the length along it: a + b s.
struct FaceDepth {
  double a, b;
};

// depth below face k of the box: axis k / 2, its - side for even k, its + side for odd k.
FaceDepth face_depth(const Sweep& sweep, const BoxSolid& box, int k) noexcept;

// keeps the s of the deepest point that it is shown.
template <class NearestOn>
struct Deepest {
  const Sweep& sweep;
  const NearestOn& nearest;
  double s0, s1;
  double best = 0.0, phi = 1e300;

  void look(double s) noexcept {
    if (!(s >= s0 && s <= s1)) return;
    const double here = nearest(sweep.at(s)).phi;
    if (here < phi) phi = here, best = s;
  }

  // the depth below the nearest face is concave along the axis: greatest at an end or where two faces are equally near.
  void look_at_faces(const BoxSolid& box) noexcept {
    look(s0);
    look(s1);
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < k; ++j) {
        const FaceDepth f = face_depth(sweep, box, k), g = face_depth(sweep, box, j);
        look((g.a - f.a) / (f.b - g.b));
      }
  }
};

}  // namespace contactlib
