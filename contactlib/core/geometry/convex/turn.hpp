// n turned towards a tangent until another corner becomes active.
#pragma once

#include "descent.hpp"
#include "wheel.hpp"

namespace contactlib::geometry {

// The neighbour of corner v that becomes active first when n turns towards tau: the one with the greatest rise / gap.
// It must exceed `best`, otherwise the result is -1. Of corners at the same angle, the steepest one is taken.
inline int first_to_tie_of_many(const Corners& corners, int v, const Vec3& n, const Vec3& tau, double fine,
                                double& best) noexcept {
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

// rise / gap of all neighbours of a corner with a wheel.
template <class Lanes>
inline void tie_rates(const Wheel& wheel, const Vec3& n, const Vec3& tau, double fine, Lanes* rate) noexcept {
  const Lanes n0 = n[0] - Lanes{}, n1 = n[1] - Lanes{}, n2 = n[2] - Lanes{}, least = fine - Lanes{};
  const Lanes t0 = tau[0] - Lanes{}, t1 = tau[1] - Lanes{}, t2 = tau[2] - Lanes{};
  for (int i = 0; i < parts<Lanes>; ++i) {
    const Lanes x = part<Lanes>(wheel.x, i), y = part<Lanes>(wheel.y, i), z = part<Lanes>(wheel.z, i),
                length = part<Lanes>(wheel.length, i);
    const Lanes rise = length * (x * t0 + y * t1 + z * t2) - least, gap = least - length * (x * n0 + y * n1 + z * n2);
    rate[i] = rise / greater(least, gap);
  }
}

// The corner of A or of B that becomes active first. The other one, or both if none does before tan = `most`, is -1.
struct Tie {
  int a, b;
};

template <class Lanes>
inline Tie first_to_tie(const MinkowskiDifference& D, const ActiveVertex& at, const Vec3& n, const Vec3& tau,
                        double most) noexcept {
  const Corners &A = D.A.corners, &B = D.B.corners;
  const Vec3 n_B = D.against_B(n), tau_B = D.against_B(tau);
  const double fine = 0.1 * D.fine();
  double best = 1.0 / most;
  if (!has_wheel(A, at.a) || !has_wheel(B, at.b)) {
    const int a = first_to_tie_of_many(A, at.a, n, tau, fine, best),
              b = first_to_tie_of_many(B, at.b, n_B, tau_B, fine, best);
    return b >= 0 ? Tie{-1, b} : Tie{a, -1};
  }
  Lanes rate[2 * parts<Lanes>];
  tie_rates(A.wheels[at.a], n, tau, fine, rate);
  tie_rates(B.wheels[at.b], n_B, tau_B, fine, rate + parts<Lanes>);
  const int k = first_greatest(rate, best);
  if (k < 0) return {-1, -1};
  if (k < Wheel::most) return {A.incident_edges[A.first[at.a] + k].to, -1};
  return {-1, B.incident_edges[B.first[at.b] + k - Wheel::most].to};
}

// The turn until then.
inline Step turn_until(const Tie& tie, const MinkowskiDifference& D, const ActiveVertex& active_vertex, const Vec3& n,
                       const Vec3& tau, double most) noexcept {
  Step step{most, tie.a >= 0 || tie.b >= 0, active_vertex};
  if (!step.blocked) return step;
  if (tie.b >= 0)
    step.next = {D.corner(active_vertex.a, tie.b), active_vertex.a, tie.b};
  else
    step.next = {active_vertex.w + (D.A.corners.x[tie.a] - D.A.corners.x[active_vertex.a]), tie.a, active_vertex.b};
  const Vec3 along = step.next.w - active_vertex.w;
  step.tan = std::max(0.0, -along.dot(n) / along.dot(tau));
  return step;
}

}  // namespace contactlib::geometry
