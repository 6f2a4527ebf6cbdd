// Over the directions for which one corner w of D is the support vertex, overlap = n.w decreases towards the border of
// this region. So minima occur only where three vertices are active: at the normals of D's faces, and there only if the
// foot of the origin, overlap n, lies in the face. The descent turns n along the steepest tangent, which follows from
// the active vertices, until the next vertex becomes active, and so on. Each turn lowers the overlap or, where more
// than three vertices are active, moves the hull of the active vertices towards the foot.
#include "descent.hpp"

#include "geometry/manifold/ball.hpp"
#include "turn.hpp"

namespace contactlib::geometry {

namespace {

constexpr int max_turns = 1000;
constexpr double further = 1.25;

// Detects that three active vertices return. Where faces are parallel to rounding, vertices that are equal to the last
// digit can alternate for ever. Compares with the triple at the last power of two (Brent's cycle detection).
class Returns {
 public:
  bool operator()(const ActiveVertices& active_vertices) noexcept {
    bool same = true;
    for (int i = 0; i < 3; ++i)
      same = same && old_[i].a == active_vertices.active_vertex[i].a && old_[i].b == active_vertices.active_vertex[i].b;
    if (++count_ == next_) {
      next_ *= 2;
      for (int i = 0; i < 3; ++i) old_[i] = {active_vertices.active_vertex[i].a, active_vertices.active_vertex[i].b};
    }
    return same;
  }

 private:
  struct Corners {
    int a = -1, b = -1;
  };
  Corners old_[3];
  int count_ = 0, next_ = 1;
};

template <class Lanes>
bool descend_corners(const MinkowskiDifference& D, const Vec3& start, Minimum& out) noexcept {
  Vec3 n = start;
  ActiveVertices& active_vertices = out.active_vertices;
  int a = -1, b = -1;
  Returns returns;
  out.sharp = {};
  climb_in_lanes<Lanes>(D, n, a, b);
  active_vertices.count = 1;
  active_vertices.active_vertex[0] = {D.corner(a, b), a, b};
  for (int i = 0; i < max_turns; ++i) {
    const double overlap = n.dot(active_vertices.active_vertex[0].w);
    if (!(overlap > 0.0)) {
      out.n = n;
      return false;
    }
    const Vec3 down = -nearest(active_vertices, n, overlap * n, D.fine());
    if (active_vertices.count == 3) {
      const Vec3 before = n;
      out.sharp = sharpen(D, active_vertices, n);
      if ((n - before).squaredNorm() < 4e-30 || returns(active_vertices)) break;
      a = active_vertices.active_vertex[0].a, b = active_vertices.active_vertex[0].b;
      climb_in_lanes<Lanes>(D, n, a, b);
      const Vec3 w = D.corner(a, b);
      if (n.dot(w - active_vertices.active_vertex[0].w) <= 1e-15 * D.size) break;
      out.sharp = {};
      active_vertices.count = 1;
      active_vertices.active_vertex[0] = {w, a, b};
      continue;
    }
    const double slope = down.norm();
    Vec3 tau = slope > D.fine() ? Vec3(down / slope) : perpendicular(n);  // at a maximum every direction descends
    if (active_vertices.count == 2) {  // across the two, sharper than the difference is
      const Vec3 level = n.cross(active_vertices.active_vertex[1].w - active_vertices.active_vertex[0].w);
      tau = level / std::copysign(level.norm(), level.dot(down));
    }
    const double most = slope > 0.0 ? overlap / slope : 1e300;
    const Step step = turn_in_lanes<Lanes>(D, active_vertices.active_vertex[0], n, tau, most);
    if (!step.blocked) {  // there the overlap is zero: a little further they are apart
      out.n = (n + further * step.tan * tau).normalized();
      return false;
    }
    n = (n + step.tan * tau).normalized();
    active_vertices.active_vertex[active_vertices.count++] = step.next;
  }
  out.n = n;
  out.overlap = n.dot(active_vertices.active_vertex[0].w);
  out.round_A = out.round_B = Vec3::Zero();
  return out.overlap > 0.0;
}

struct Descent {
  template <class Lanes>
  static void run(const MinkowskiDifference& D, const Vec3& n, Minimum* const& out, bool* const& overlap) noexcept {
    *overlap = descend_corners<Lanes>(D, n, *out);
  }
};

}  // namespace

bool descend(const MinkowskiDifference& D, const Vec3& n, Minimum& out) noexcept {
  if (D.is_round()) return descend_rounded(D, n, out);
  bool overlap = false;
  math::in_lanes<Descent>(wheel_lanes, D, n, &out, &overlap);
  return overlap;
}

Step turn(const MinkowskiDifference& D, const ActiveVertex& active_vertex, const Vec3& n, const Vec3& tau,
          double most) noexcept {
  return turn_in_lanes<TwoLanes>(D, active_vertex, n, tau, most);
}

}  // namespace contactlib::geometry
