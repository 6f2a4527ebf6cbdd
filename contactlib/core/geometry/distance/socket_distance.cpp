// A convex solid A and a socket B = box - hole. The hole, continued above its mouth, is convex: a ball swept upwards.
//  - A is nearest to a point of the box that lies outside the mouth: this is the distance.
//  - Else the box's nearest point lies in the mouth, or A reaches into the hole. The distance of A from a point of the
//    box does not fall on the way from there into the material, so the nearest point lies on the border of the hole:
//    on the rim, or on wall and cap. The distance of a point from wall and cap is concave in the hole,
//      d(x) = R - |(x, y)| for z >= -h,   R - |x - c| below, c = (0, 0, -h)
//    so it is least at an extreme point of A below the mouth; where the mouth's plane cuts A, the rim is as near.
// A overlaps the material if the part of A in the box is not in the hole.
#include "socket_distance.hpp"

#include "geometry/pairs.hpp"
#include "geometry/socket/solid.hpp"
#include "geometry/surface/nearest.hpp"
#include "held_corners.hpp"
#include "hole_points.hpp"
#include "rim_distance.hpp"

namespace contactlib::geometry {

namespace {

// A convex piece in the socket's axes, and the search for the point of the socket nearest to it.
class NearSocket {
 public:
  NearSocket(const SolidSource& piece, const Frame& A_to_B, const SocketSolid& socket) noexcept
      : piece_(piece), A_to_B_(A_to_B), socket_(socket) {}

  // overlaps(): whether the piece overlaps the material, if it overlaps the box.
  template <class Overlaps>
  Nearness find(double longest, const Overlaps& overlaps, NearestPoints& out) const noexcept {
    const BoxSolid box = socket_.box();
    const BoxAround around(box.half);
    const Mat3 R_AB = A_to_B_.R.transpose();
    const MinkowskiDifference D(piece_, around.source(), R_AB, R_AB * (box.centre_B - A_to_B_.p));
    const Nearness nearness = convex_distance(D, longest, out);
    if (nearness == Nearness::beyond) return nearness;
    if (nearness == Nearness::apart) {
      out = {out.distance, A_to_B_.R * out.n, A_to_B_.R * out.P + A_to_B_.p, A_to_B_.R * out.Q + A_to_B_.p};
      if (!in_mouth(out.Q)) return nearness;
    } else if (overlaps()) {
      return Nearness::overlap;
    }
    out.distance = longest;
    bool found = nearness == Nearness::overlap && HolePoints(D.A, A_to_B_, socket_).find(out);
    if (RimDistance(piece_, A_to_B_, socket_.R).find(out)) found = true;
    if (!found) return Nearness::beyond;
    return out.distance > 0.0 ? Nearness::apart : Nearness::overlap;
  }

 private:
  bool in_mouth(const Vec3& Q) const noexcept {
    const double fine = 1e-12 * socket_.shape.bound;
    return Q[2] > -fine && Q[0] * Q[0] + Q[1] * Q[1] < socket_.R * socket_.R;
  }

  const SolidSource& piece_;
  const Frame& A_to_B_;
  const SocketSolid& socket_;
};

// By the pair's kernel: it makes a contact if, and only if, the two overlap.
bool meets(const Shape& A, const Shape& B, const Placement& X) noexcept {
  ManifoldPoint points[Manifold::max_points];
  Manifold manifold{points, Manifold::max_points};
  pair_row(pair_row_index(A.kind, B.kind)).kernel(A, B, X, manifold);
  return manifold.count > 0;
}

bool in_hole(const SocketSolid& socket, const Vec3& x) noexcept {
  return nearest_in_hole(socket, from_core(socket, x)).phi > 0.0;
}

// A facet clipped by the six planes of the box: both are convex, so are clipped part and hole.
class ClippedFacet {
 public:
  ClippedFacet(const Facet& facet, const Frame& A_to_B, const BoxSolid& box) noexcept {
    for (const Vec3& corner : facet.corner) x_[count_++] = A_to_B.R * corner + A_to_B.p;
    for (int k = 0; k < 3; ++k)
      for (const double side : {-1.0, 1.0}) clip(k, side, side * box.centre_B[k] + box.half[k]);
  }

  bool overlaps(const SocketSolid& socket) const noexcept {
    for (int i = 0; i < count_; ++i)
      if (!in_hole(socket, x_[i])) return true;
    return false;
  }

 private:
  // Keeps the part with side x_k <= most.
  void clip(int k, double side, double most) noexcept {
    Vec3 kept[most_corners];
    int count = 0;
    for (int i = 0; i < count_; ++i) {
      const Vec3 &p = x_[i], &q = x_[(i + 1) % count_];
      const double a = side * p[k] - most, b = side * q[k] - most;
      if (a <= 0.0) kept[count++] = p;
      if ((a < 0.0 && b > 0.0) || (a > 0.0 && b < 0.0)) kept[count++] = p + (a / (a - b)) * (q - p);
    }
    count_ = count;
    std::copy(kept, kept + count, x_);
  }

  static constexpr int most_corners = 3 + 6;  // each plane adds one
  Vec3 x_[most_corners];
  int count_ = 0;
};

}  // namespace

Nearness convex_socket_distance(const Shape& A, const Shape& B, const Placement& X, const Frame& A_to_B, double longest,
                                NearestPoints& out) noexcept {
  const double r = swept_radius(A);
  const SocketSolid socket(B);
  const SolidSource whole{A};
  const Nearness nearness =
      NearSocket(whole, A_to_B, socket).find(longest + r, [&]() noexcept { return meets(A, B, X); }, out);
  if (nearness != Nearness::apart) return nearness;
  return round_off(r, 0.0, out) ? Nearness::apart : Nearness::overlap;
}

Nearness mesh_socket_distance(const Shape& A, const Shape& B, const Frame& A_to_B, double longest,
                              NearestPoints& out) noexcept {
  const Surface& surface = *A.surface;
  const SocketSolid socket(B);
  double best = longest;
  bool met = false;
  // The distance of a point of A's axes from the material, less the radius of a ball about it.
  const auto bound = [&](const Vec3& middle, double radius) noexcept {
    return nearest_on_socket(socket, A_to_B.R * middle + A_to_B.p).phi - radius;
  };
  const auto visit = [&](const Facet& facet) noexcept {
    const FacetSolid piece(facet);
    if (met || !(bound(piece.middle, piece.radius) < best)) return;
    const Frame moved{A_to_B.R, A_to_B.R * piece.middle + A_to_B.p};
    NearestPoints found;
    const Nearness nearness =
        NearSocket(piece.source(), moved, socket)
            .find(best, [&]() noexcept { return ClippedFacet(facet, A_to_B, socket.box()).overlaps(socket); }, found);
    met = met || nearness == Nearness::overlap;
    if (nearness == Nearness::apart && found.distance < best) best = found.distance, out = found;
  };
  visit_nearest_first(
      surface, best,
      [&](const BoxNode& node) noexcept {
        const Vec3 low(node.low[0], node.low[1], node.low[2]), high(node.high[0], node.high[1], node.high[2]);
        return bound(0.5 * (low + high), 0.5 * (high - low).norm());
      },
      visit);
  if (met) return Nearness::overlap;
  const Vec3 bottom(0.0, 0.0, -2.0 * socket.half(2));  // a point of the material
  if (surface.closed && is_inside(surface, A_to_B.R.transpose() * (bottom - A_to_B.p))) return Nearness::overlap;
  return best < longest ? Nearness::apart : Nearness::beyond;
}

}  // namespace contactlib::geometry
