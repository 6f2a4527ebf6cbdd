// over the directions for which one corner w of D is the furthest, overlap = n.w falls all the way towards the border
// of that region. so the minima are where three corners tie: at the normals of D's faces, and there only if the foot of
// the origin, overlap n, lies in the face. the descent turns n the steepest way, which the ties decide, until the next
// corner ties, and so on. each turn lowers the overlap or, at a tie of more than three, brings the ties nearer to the
// foot.
#include "descent.hpp"

#include "geometry/manifold/ball.hpp"

namespace contactlib {

namespace {

constexpr int most_turns = 1000;
constexpr double further = 1.25;

// tells when three ties come back: where faces are parallel but for rounding, corners that tie with each other to its
// last digit may take turns for ever. compares with the ones at the last power of two (Brent).
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
  for (int i = 0; i < most_turns; ++i) {
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
    Vec3 tau = slope > D.fine() ? Vec3(down / slope) : perpendicular(n);  // from a top any way is down
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

// which neighbour of corner v gets further than v first when n turns towards tau: the one of the greatest rise / gap.
// it beats `best`, or the answer is -1. of corners that tie at the same angle the steepest wins.
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

}  // namespace contactlib
