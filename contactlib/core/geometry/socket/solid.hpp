// The solid of a socket: its hole, its box, and the signed distance of a point.
#pragma once

#include <algorithm>

#include "geometry/sweep/box.hpp"
#include "geometry/sweep/rim.hpp"

namespace contactlib::geometry {

struct SocketSolid {
  const Shape& shape;
  double R, h;  // m, radius and length of the hole's cylinder

  explicit SocketSolid(const Shape& B) noexcept : shape(B), R(B.size[3]), h(B.size[4]) {}
  double half(int i) const noexcept { return 0.5 * shape.size[i]; }
  BoxSolid box() const noexcept { return {Vec3(0, 0, -half(2)), Vec3(half(0), half(1), half(2))}; }
  bool exact_rim() const noexcept { return shape.rim == RimMethod::exact; }
  Vec3 search_rim(const Vec3& Q, const Vec3& d) const noexcept {
    return rim_subdivision(R, Q, d, static_cast<int>(shape.size[5]), shape.rim == RimMethod::subdivision);
  }
};

// Vector from a point below the mouth's plane to the hole's axis or the cap's centre.
inline Vec3 from_core(const SocketSolid& socket, const Vec3& P) noexcept {
  return Vec3(P[0], P[1], P[2] < -socket.h ? P[2] + socket.h : 0.0);
}

// phi = R - |c|, seen from the hole: the nearest wall or cap point is in the direction of c (corrected (16)-(17)).
inline Nearest nearest_in_hole(const SocketSolid& socket, const Vec3& c) noexcept {
  const double distance = std::sqrt(c.squaredNorm());
  const Vec3 g = distance > 0.0 ? Vec3(c * (-1.0 / distance)) : Vec3(-Vec3::UnitX());
  return {socket.R - distance, g, true};
}

// The nearest point of the surface, inside and outside.
Nearest nearest_on_socket(const SocketSolid& socket, const Vec3& P) noexcept;

// The deepest point of the axis within the box, with phi < 0. Returns false if the axis is never in the material.
bool deepest_in_socket(const Sweep& sweep, const SocketSolid& socket, double& s, Nearest& nearest) noexcept;

}  // namespace contactlib::geometry
