// where n is nearly the normal of a face of D, as that of the last contact is, this face is found from the edges at the
// furthest corners that lie nearly across n, without a descent.
#include "descent.hpp"

namespace contactlib {

namespace {

// the two edges nearest to the plane across n: both of one solid, or one of each; and how far the next one is below it.
struct Pair {
  bool both_of_A, both_of_B;
  double next;
};

Pair pair(const Peak& at_A, const Peak& at_B) noexcept {
  const bool A = at_A.rise[1] >= at_B.rise[0], B = at_B.rise[1] >= at_A.rise[0];
  const double next = A ? std::max(at_A.rise[2], at_B.rise[0])
                        : (B ? std::max(at_A.rise[0], at_B.rise[2]) : std::max(at_A.rise[1], at_B.rise[1]));
  return {A, B && !A, -next};
}

// the face between two edges around a corner; -1 if they are not neighbours.
int face_between(const Corners& corners, const int (&spoke)[2]) noexcept {
  const Edge &e = corners.edges[corners.spokes[spoke[0]].edge], &g = corners.edges[corners.spokes[spoke[1]].edge];
  if (e.f0 == g.f0 || e.f0 == g.f1) return e.f0;
  return e.f1 == g.f0 || e.f1 == g.f1 ? e.f1 : -1;
}

}  // namespace

bool land(const Difference& D, const Vec3& n, Minimum& out) noexcept {
  const Corners &A = D.A.corners, &B = D.B.corners;
  const Peak at_A = peak(A, n), at_B = peak(B, D.against_B(n));
  const int a = at_A.v, b = at_B.v;
  const Pair edges = pair(at_A, at_B);
  int a1 = a, b1 = b, a2 = a, b2 = b;
  Vec3 normal;
  out.sharp = {edges.both_of_A ? Sharp::face_A : (edges.both_of_B ? Sharp::face_B : Sharp::edges), -1};
  if (edges.both_of_A || edges.both_of_B) {
    const Solid& solid = edges.both_of_A ? D.A : D.B;
    const Peak& at = edges.both_of_A ? at_A : at_B;
    const int face = out.sharp.face = face_between(solid.corners, at.spoke);
    if (!solid.shape.surface || face < 0) return false;
    const Vec3& own = solid.shape.surface->faces[face].n;
    normal = edges.both_of_A ? own : Vec3(-(D.R_AB * own));
    (edges.both_of_A ? a1 : b1) = solid.corners.spokes[at.spoke[0]].to;
    (edges.both_of_A ? a2 : b2) = solid.corners.spokes[at.spoke[1]].to;
  } else {
    const Spoke &e = A.spokes[at_A.spoke[0]], &g = B.spokes[at_B.spoke[0]];
    normal = e.t.cross(D.R_AB * g.t);
    normal /= std::copysign(normal.norm(), normal.dot(n));
    a1 = e.to;
    b2 = g.to;
  }
  // no other corner comes to lie further along, or nearly as far
  const double room = edges.next - 1e-8;
  if (!(room > 0.0 && (normal - n).squaredNorm() < room * room)) return false;

  out.n = normal;
  out.ties.count = 3;
  out.ties.tie[0] = {D.corner(a, b), a, b};
  out.ties.tie[1] = {D.corner(a1, b1), a1, b1};
  out.ties.tie[2] = {D.corner(a2, b2), a2, b2};
  out.overlap = normal.dot(out.ties.tie[0].w);
  out.round_A = out.round_B = Vec3::Zero();
  if (!(out.overlap > 0.0)) return false;
  const Vec3 foot = out.overlap * normal;
  if (!reach(out.ties, normal, foot)) return false;
  const double* const weight = out.ties.weight;
  if (weight[0] < 0.0 && !edges.both_of_A && !edges.both_of_B) {  // the other half of two edges' parallelogram
    out.ties.tie[0] = {D.corner(a1, b2), a1, b2};
    reach(out.ties, normal, foot);
  }
  return weight[0] >= 0.0 && weight[1] >= 0.0 && weight[2] >= 0.0;
}

}  // namespace contactlib
