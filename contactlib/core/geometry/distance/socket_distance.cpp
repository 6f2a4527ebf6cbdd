// A convex solid A and a socket B = box - hole. The hole, continued above its mouth, is convex: a ball swept upwards.
//  - A is nearest to a point of the box that lies outside the mouth: this is the distance.
//  - Else the box's nearest point lies in the mouth, or A reaches into the hole. The distance of A from a point of the
//    box does not fall on the way from there into the material, so the nearest point lies on the border of the hole:
//    on the rim, or on wall and cap. The distance of a point from wall and cap is concave in the hole,
//      d(x) = R - |(x, y)| for z >= -h,   R - |x - c| below, c = (0, 0, -h)
//    so it is least at an extreme point of A below the mouth; where the mouth's plane cuts A, the rim is as near.
// A overlaps the material if it overlaps the box, and a point of it at or below the mouth's plane lies in no hole: on the
// line to a point of A in the hole, A then passes the wall, the cap or the rim. Such a point is found as an extreme point,
// or where the mouth's plane cuts A: as a rim point in A or, where A is only outside the rim, as any point of the cut.
#include "socket_distance.hpp"

#include "geometry/convex/held_corners.hpp"
#include "geometry/socket/solid.hpp"
#include "geometry/surface/nearest.hpp"
#include "hole_points.hpp"
#include "rim_distance.hpp"

namespace contactlib::geometry {

namespace {

// A convex piece in the socket's axes, and the search for the point of the socket nearest to it.
class NearSocket {
 public:
  NearSocket(const SolidSource& piece, const Axes& A_to_B, const SocketSolid& socket) noexcept
      : piece_(piece), A_to_B_(A_to_B), socket_(socket) {}

  Nearness find(double longest, NearestPoints& out) const noexcept {
    const BoxSolid box = socket_.box();
    const BoxAround around(box.half);
    const Mat3 R_AB = A_to_B_.R.transpose();
    const MinkowskiDifference D(piece_, around.source(), R_AB, R_AB * (box.centre_B - A_to_B_.p));
    const Nearness nearness = convex_distance(D, longest, out);
    if (nearness == Nearness::beyond) return nearness;
    if (nearness == Nearness::apart) {
      out = transformed(A_to_B_, out);
      if (!in_mouth(out.Q)) return nearness;
    } else if (is_cut_outside(D.A)) {
      return Nearness::overlap;
    }
    out.distance = just_above(longest);
    bool found = nearness == Nearness::overlap && HolePoints(D.A, A_to_B_, socket_).find(out);
    if (found && !(out.distance > 0.0)) return Nearness::overlap;
    if (RimDistance(piece_, A_to_B_, socket_.R).find(out)) found = true;
    if (!found) return Nearness::beyond;
    return out.distance > 0.0 ? Nearness::apart : Nearness::overlap;
  }

 private:
  bool in_mouth(const Vec3& Q) const noexcept {
    const double fine = 1e-12 * socket_.shape.bound;
    return Q[2] > -fine && Q[0] * Q[0] + Q[1] * Q[1] < socket_.R * socket_.R;
  }

  // Whether the plane of the mouth cuts A at a point that is not in the mouth.
  bool is_cut_outside(const Solid& A) const noexcept {
    const Vec3 up_A = A_to_B_.R.row(2).transpose();
    const Vec3 top = A_to_B_(A.support(up_A)), low = A_to_B_(A.support(-up_A));
    if (!(top[2] > 0.0) || !(low[2] <= 0.0)) return false;
    const Vec3 cut = low + (top - low) * (-low[2] / (top[2] - low[2]));
    return cut[0] * cut[0] + cut[1] * cut[1] >= socket_.R * socket_.R;
  }

  const SolidSource& piece_;
  const Axes& A_to_B_;
  const SocketSolid& socket_;
};

}  // namespace

Nearness convex_socket_distance(const Shape& A, const Shape& B, const Axes& A_to_B, double longest,
                                NearestPoints& out) noexcept {
  const double r = swept_radius(A);
  const SolidSource whole{A};
  const SocketSolid socket(B);
  const Nearness nearness = NearSocket(whole, A_to_B, socket).find(longest + r, out);
  if (nearness != Nearness::apart) return nearness;
  return subtract_radii(r, 0.0, out) ? Nearness::apart : Nearness::overlap;
}

Nearness mesh_socket_distance(const Shape& A, const Shape& B, const Axes& A_to_B, double longest,
                              NearestPoints& out) noexcept {
  const Surface& surface = *A.surface;
  const SocketSolid socket(B);
  double best = just_above(longest);
  bool met = false;
  // The distance of a point of A's axes from the material, less the radius of a ball about it.
  const auto bound = [&](const Vec3& middle, double radius) noexcept {
    return nearest_on_socket(socket, A_to_B(middle)).phi - radius;
  };
  const auto visit = [&](const Facet& facet) noexcept {
    const FacetSolid piece(facet);
    const SolidSource source = piece.source();
    if (met || !(bound(piece.middle, piece.radius) < best)) return;
    const Axes moved{A_to_B.R, A_to_B(piece.middle)};
    NearestPoints found;
    const Nearness nearness = NearSocket(source, moved, socket).find(best, found);
    met = met || nearness == Nearness::overlap;
    if (nearness == Nearness::apart && found.distance < best) best = found.distance, out = found;
  };
  visit_nearest_first(
      surface, best, [&](const BoxNode& node) noexcept { return bound(middle(node), half(node).norm()); }, visit);
  if (met) return Nearness::overlap;
  const Vec3 bottom(0.0, 0.0, -2.0 * socket.half(2));  // a point of the material
  if (surface.closed && is_inside(surface, A_to_B.inverse()(bottom))) return Nearness::overlap;
  return best <= longest ? Nearness::apart : Nearness::beyond;
}

}  // namespace contactlib::geometry
