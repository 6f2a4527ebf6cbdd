// Over the directions for which one corner w of D is the support vertex, overlap = n.w decreases towards the border of
// this region. So minima occur only where three vertices are active: at the normals of D's faces, and there only if the
// foot of the origin, overlap n, lies in the face. The descent turns n along the steepest tangent, which follows from
// the active vertices, until the next vertex becomes active, and so on. Each turn lowers the overlap or, where more
// than three vertices are active, moves the hull of the active vertices towards the foot.
#include "descent.hpp"

#include "geometry/manifold/ball.hpp"

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

bool descend_corners(const MinkowskiDifference& D, const Vec3& start, Minimum& out) noexcept {
  Vec3 n = start;
  ActiveVertices& active_vertices = out.active_vertices;
  int a = -1, b = -1;
  Returns returns;
  out.sharp = {};
  climb(D, n, a, b);
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
      climb(D, n, a, b);
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
    const Step step = turn(D, active_vertices.active_vertex[0], n, tau, slope > 0.0 ? overlap / slope : 1e300);
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

}  // namespace

bool descend(const MinkowskiDifference& D, const Vec3& n, Minimum& out) noexcept {
  return D.is_round() ? descend_rounded(D, n, out) : descend_corners(D, n, out);
}

namespace {

// The neighbour of corner v that becomes active first when n turns towards tau: the one with the greatest rise / gap.
// It must exceed `best`, otherwise the result is -1. Of corners at the same angle, the steepest one is taken.
int first_to_tie(const Corners& corners, int v, const Vec3& n, const Vec3& tau, double fine, double& best) noexcept {
  const double n0 = n[0], n1 = n[1], n2 = n[2], t0 = tau[0], t1 = tau[1], t2 = tau[2];
  double most = best;
  int first = -1;
  for (int k = corners.first[v], end = corners.first[v + 1]; k < end; ++k) {
    const IncidentEdge& incident_edge = corners.incident_edges[k];
    const double x = incident_edge.t[0], y = incident_edge.t[1], z = incident_edge.t[2],
                 length = corners.edges[incident_edge.edge].length;
    const double rise = length * (x * t0 + y * t1 + z * t2) - fine, gap = fine - length * (x * n0 + y * n1 + z * n2);
    const double rate = rise / std::max(gap, fine);
    first = pick(rate > most, incident_edge.to, first);
    most = std::max(most, rate);
  }
  best = most;
  return first;
}

}  // namespace

Step turn(const MinkowskiDifference& D, const ActiveVertex& active_vertex, const Vec3& n, const Vec3& tau,
          double most) noexcept {
  double rate = 1.0 / most;
  const double fine = 0.1 * D.fine();
  const int a = first_to_tie(D.A.corners, active_vertex.a, n, tau, fine, rate);
  const int b = first_to_tie(D.B.corners, active_vertex.b, D.against_B(n), D.against_B(tau), fine, rate);
  Step step{most, a >= 0 || b >= 0, active_vertex};
  if (!step.blocked) return step;
  if (b >= 0)
    step.next = {D.corner(active_vertex.a, b), active_vertex.a, b};
  else
    step.next = {active_vertex.w + (D.A.corners.x[a] - D.A.corners.x[active_vertex.a]), a, active_vertex.b};
  const Vec3 along = step.next.w - active_vertex.w;
  step.tan = std::max(0.0, -along.dot(n) / along.dot(tau));
  return step;
}

}  // namespace contactlib::geometry
