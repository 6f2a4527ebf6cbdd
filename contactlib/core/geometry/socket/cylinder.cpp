// A cylinder A against the socket B: points of its end circles in B, corners of B in A, and its circles and side lines
// as edges. See docs/manifolds.md, "Socket against solids".
#include <algorithm>
#include <cmath>

#include "geometry/sweep/cylinder.hpp"
#include "geometry/sweep/through.hpp"
#include "last_way.hpp"
#include "solids.hpp"

namespace contactlib::geometry {

namespace {

// Numbers of the features: a point of a circle, a circle or the side as an edge, a corner of B, the whole.
enum : std::int64_t { circle_points = 4 * 7 * 2, circle_edges = 3 * crossings_per_edge, corners = 8 };

class CylinderInSocket {
 public:
  CylinderInSocket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept
      : A_(A),
        R_(A.size[0]),
        half_(0.5 * A.size[1]),
        pair_(A, 2.0 * Vec3(R_, R_, half_).norm(), B, X, out),
        B_to_A_(pair_.A_to_B.inverse()),
        w_(pair_.A_to_B.R.col(2)) {}

  void build_contacts() noexcept {
    const Vec3 reach = half_ * w_.cwiseAbs() + R_ * (Vec3::Ones() - w_.cwiseProduct(w_)).cwiseMax(0.0).cwiseSqrt();
    const Vec3 low = pair_.A_to_B.p - reach, high = pair_.A_to_B.p + reach;
    if (pair_.misses(low, high)) return;
    outside_ = !pair_.B.clear_of_box(low, high);
    const auto above_A = [this](const Vec3& x) noexcept { return above(x); };
    for (const int end : {0, 1}) {
      const CircleEdge circle{pair_.A_to_B.p + up(end) * half_ * w_, up(end) * w_, R_, 1.0};
      evaluate_circle(circle, end);
      pair_.cross(circle, above_A, outside_, circle_points + end * crossings_per_edge);
    }
    evaluate_side();
    if (outside_)
      for (int k = 0; k < 8; ++k) evaluate_corner(k);
    if (!pair_.found()) evaluate_through();
    if (!pair_.found() && leaves_hole()) add_way_off_box(A_, pair_, circle_points + circle_edges + corners + 1);
  }

 private:
  static double up(int end) noexcept { return end == 0 ? -1.0 : 1.0; }

  double above(const Vec3& x_B) const noexcept {
    const Vec3 x = B_to_A_(x_B);
    return std::max(std::sqrt(x[0] * x[0] + x[1] * x[1]) - R_, std::abs(x[2]) - half_);
  }

  // Four points of the circle, starting with the deepest below each face.
  void evaluate_circle(const CircleEdge& circle, int end) noexcept {
    Vec3 points[4];
    for (int k = 0; k < 6; ++k) {
      const Vec3 n_A = (k % 2 ? 1.0 : -1.0) * B_to_A_.R.col(k / 2);
      if (pair_.B.height(k, circle.c) >= R_ * n_A.head<2>().norm()) continue;  // even the deepest is above it
      turn(circle, -n_A, 1e-9, points);
      evaluate_points(circle, points, k, end, false);
    }
    const Vec3 from_P0(circle.c[0], circle.c[1], circle.c[2] + pair_.B.solid.h);
    if (from_P0.norm() + R_ > pair_.B.solid.R) {
      turn(circle, B_to_A_.R * from_P0, 1e-9 * R_, points);
      note(points[0]);
      evaluate_points(circle, points, 6, end, true);
    }
    if (circle.c.head<2>().norm() + R_ > pair_.B.solid.R) {
      turn_to_wall(circle, points);
      evaluate_points(circle, points, 6, end, false);
    }
  }

  // Four points, starting in the direction of d (A's axes) across the axis; from A's x axis if this component is not
  // longer than `least`.
  void turn(const CircleEdge& circle, const Vec3& d, double least, Vec3* points) const noexcept {
    const double across = d.head<2>().norm();
    const double x = across < least ? 1.0 : d[0] / across, y = across < least ? 0.0 : d[1] / across;
    const Vec3 first = pair_.A_to_B.R * Vec3(R_ * x, R_ * y, 0.0), second = pair_.A_to_B.R * Vec3(-R_ * y, R_ * x, 0.0);
    for (int k = 0; k < 4; ++k) points[k] = circle.c + (k < 2 ? 1.0 : -1.0) * (k % 2 ? second : first);
  }

  // Starts with the point furthest from the hole's axis. A second maximum replaces the nearest of the other three
  // points.
  void turn_to_wall(const CircleEdge& circle, Vec3* points) noexcept {
    const Vec3 Q = B_to_A_.R * -circle.c, d = B_to_A_.R.col(2), near = Q - Q.dot(d) * d;
    const double varies = near.head<2>().norm() + R_ * (d[0] * d[0] + d[1] * d[1]);
    const RimMinima far = rim_line_farthest(R_, Q, d);
    for (int i = 0; i < far.count; ++i) note(circle.c + pair_.A_to_B.R * far.E[i]);
    turn(circle, varies < 1e-9 * R_ ? Vec3(Vec3::Zero()) : far.E[0], 1e-9 * R_, points);
    if (far.count < 2 || varies < 1e-9 * R_) return;
    const Vec3 other = circle.c + pair_.A_to_B.R * far.E[1];
    int nearest = 1;
    for (const int k : {2, 3})
      if ((points[k] - other).squaredNorm() < (points[nearest] - other).squaredNorm()) nearest = k;
    points[nearest] = other;
  }

  // A point of A furthest from the middle of the hole.
  void note(const Vec3& x) noexcept {
    const double beyond = pair_.B.solid.R + pair_.B.tol;
    leaves_hole_ = leaves_hole_ || (x[2] <= 0.0 && from_core(pair_.B.solid, x).squaredNorm() > beyond * beyond);
  }

  // The points that leave B through face k. Those of the wall are above the cap, those of the cap below the wall.
  void evaluate_points(const CircleEdge& circle, const Vec3* points, int k, int end, bool cap) noexcept {
    for (int i = 0; i < 4; ++i) {
      const Vec3& x = points[i];
      if (k == 6 && cap != (x[2] < -pair_.B.solid.h)) continue;
      const Vec3 inward = (circle.c - x) / R_;
      const auto faces = [&](const Vec3& n) noexcept {
        return n.dot(inward) >= least_slope && -n.dot(circle.axis) >= least_slope;
      };
      Exit exit;
      int which = 0;
      if (pair_.B.find_exit(x, faces, exit, which) && which == k)
        pair_.add(x + 0.5 * exit.depth * exit.g, -exit.g, exit.depth, 4 * (7 * end + k) + i);
    }
  }

  // The side line that is opposite to an edge at E with tangent t; n leads into B there.
  void evaluate_side() noexcept {
    const Line axis{pair_.A_to_B.p - half_ * w_, w_, 2.0 * half_};
    const CircleEdge rim = pair_.B.rim();
    const std::int64_t number = circle_points + 2 * crossings_per_edge;
    const CircleEdgeMinima minima = nearest_on_circle_edge(rim, axis);
    for (int i = 0; i < minima.count; ++i) meet_side(axis, rim, spot_on(rim, minima.E[i]), 0.0, number + i);
    for (int e = 0; outside_ && e < 12; ++e) {
      const Ridge b = pair_.B.edge(e);
      double s_a = 0.0, s_b = 0.0;
      if (feet(axis, b.line, pair_.B.tol, s_a, s_b))
        meet_side(axis, b.line, spot_on(b, s_b), s_b, number + CircleEdgeMinima::most + e);
    }
  }

  template <class Edge>
  void meet_side(const Line& axis, const Edge& edge, const Spot& spot, double s_b, std::int64_t number) noexcept {
    const Vec3 across = axis.t.cross(spot.t);
    const double length = across.norm();
    if (!(length > 1e-9)) return;
    const Vec3 n = across * ((across.dot(spot.n0 + spot.n1) > 0.0 ? -1.0 : 1.0) / length);
    const Line side{axis.p + R_ * n, axis.t, axis.length};
    const double s = (spot.E - axis.p).dot(axis.t);
    if (!goes_on(side, s, pair_.B.tol)) return;
    pair_.meet(
        side, Spot{side.at(s), side.t, n, n}, s, edge, spot, s_b, [this](const Vec3& x) noexcept { return above(x); },
        number);
  }

  // The corner leaves through the nearest of the ends and the side that it faces.
  void evaluate_corner(int k) noexcept {
    const Vec3 x_B = pair_.B.corner(k), x = B_to_A_(x_B);
    if (!(above(x_B) <= pair_.B.tol)) return;
    const double rho = std::sqrt(x[0] * x[0] + x[1] * x[1]);
    const Vec3 out = rho > 0.0 ? Vec3(x[0] / rho, x[1] / rho, 0.0) : Vec3(Vec3::UnitX());
    const Exit ways[3] = {{out, R_ - rho}, {-Vec3::UnitZ(), half_ + x[2]}, {Vec3::UnitZ(), half_ - x[2]}};
    const Exit* least = nullptr;
    for (const Exit& way : ways)
      if ((!least || way.depth < least->depth) && SocketTarget::corner_faces(k, pair_.A_to_B.R * way.g)) least = &way;
    if (!least || !(least->depth > pair_.B.noise)) return;
    const Vec3 n = pair_.A_to_B.R * least->g;
    pair_.add(x_B + 0.5 * least->depth * n, n, least->depth, circle_points + circle_edges + k);
  }

  // No other contact: the disc about the deepest point of the axis, or the deepest point of an edge of B.
  void evaluate_through() noexcept {
    const Vec3 Q0 = pair_.A_to_B.p - half_ * w_, Q1 = pair_.A_to_B.p + half_ * w_;
    const Sweep axis{Q0, Q1, w_, 2.0 * half_, 0.0, w_, pair_.X.R_WB};
    Exit best{Vec3::Zero(), pair_.B.noise};
    Vec3 C = Vec3::Zero();
    double s = 0.0;
    Nearest nearest{};
    if (!(pair_.B.is_in_hole(Q0) && pair_.B.is_in_hole(Q1)) && deepest_in_socket(axis, pair_.B.solid, s, nearest)) {
      const Vec3 down = nearest.g_B.dot(w_) * w_ - nearest.g_B;
      const double across = down.norm();
      best = {-nearest.g_B, R_ * across - nearest.phi};
      C = axis.at(s) + (across > 0.0 ? R_ / across : 0.0) * down + 0.5 * best.depth * nearest.g_B;
    }
    for (int e = 0; outside_ && e < 12; ++e) {
      const Line line = pair_.B.edge(e).line, seen = seen_from(B_to_A_, line);
      const double at = deepest_on(seen);
      const Nearest exit = nearest_exit([&](double s) noexcept { return seen.at(s); }, seen.length,
                                        [&](const Vec3& x) noexcept { return nearest_on_cylinder(R_, half_, x); }, at);
      if (!(-exit.phi > best.depth + 100.0 * pair_.B.noise)) continue;
      best = {pair_.A_to_B.R * exit.g_B, -exit.phi};
      C = line.at(at) + 0.5 * best.depth * best.g;
    }
    if (best.depth > pair_.B.noise) pair_.add(C, best.g, best.depth, circle_points + circle_edges + corners);
  }

  // Whether some point at or below the mouth's plane is in no hole, after all other rules. The distance from the middle of
  // the hole is convex, so such a point is on an end's circle, or where the plane cuts A: then A contains a point of the
  // rim, or is beside it.
  bool leaves_hole() const noexcept {
    return leaves_hole_ ||
           (!is_cut_inside() &&
            (holds_rim_point() || is_cut_outside(support(Vec3::UnitZ()), support(-Vec3::UnitZ()), pair_.B.solid.R)));
  }

  // Whether the plane cuts the infinite cylinder within the mouth, or does not cut A.
  bool is_cut_inside() const noexcept {
    const Vec3& p = pair_.A_to_B.p;
    const double up = std::abs(w_[2]);
    if (p[2] + half_ * up + R_ * std::sqrt(std::max(0.0, 1.0 - up * up)) < 0.0) return true;
    const Vec3 cut = p * up - std::copysign(p[2], w_[2] * p[2]) * w_;  // times `up`: where the plane cuts the axis
    return cut.head<2>().norm() + R_ < pair_.B.solid.R * up;
  }

  bool holds_rim_point() const noexcept {
    const CircleEdge rim = pair_.B.rim();
    const auto nearest = [&](const Vec3& E) noexcept { return nearest_on_cylinder(R_, half_, B_to_A_(E)); };
    const CircleEdgeMinima minima = rising_on(
        rim, pair_.A_to_B.p, [&](const Vec3& E) noexcept { return nearest(E).g_B.dot(B_to_A_.R * rim.axis.cross(E)); });
    for (int i = 0; i < minima.count; ++i)
      if (nearest(minima.E[i]).phi < -pair_.B.tol) return true;
    return false;
  }

  // The support point along n, unit.
  Vec3 support(const Vec3& n) const noexcept {
    const Vec3 n_A = B_to_A_.R * n;
    const double across = std::sqrt(n_A[0] * n_A[0] + n_A[1] * n_A[1]), part = across > 0.0 ? R_ / across : 0.0;
    return pair_.A_to_B(Vec3(part * n_A[0], part * n_A[1], std::copysign(half_, n_A[2])));
  }

  // The heights over side and ends are convex along a line: their maximum is least at an end, at a minimum of one of
  // them, or where two are equal:  |Q + s d|^2 = (R - half +- (z + s d_z))^2   across the axis
  double deepest_on(const Line& line) const noexcept {
    double best = 0.0, least = 1e300;
    const auto evaluate = [&](double s) noexcept {
      if (!(s >= 0.0 && s <= line.length)) return;
      const Vec3 x = line.at(s);
      const double height = std::max(std::sqrt(x[0] * x[0] + x[1] * x[1]) - R_, std::abs(x[2]) - half_);
      if (height < least) least = height, best = s;
    };
    const Vec3 &Q = line.p, &d = line.t;
    const double span = d[0] * d[0] + d[1] * d[1], along = Q[0] * d[0] + Q[1] * d[1];
    evaluate(0.0);
    evaluate(line.length);
    evaluate(-along / span);
    evaluate(-Q[2] / d[2]);
    for (const double side : {-1.0, 1.0}) {
      const double r = R_ - half_ + side * Q[2], rate = side * d[2];
      const double a = span - rate * rate, b = along - r * rate, c = Q[0] * Q[0] + Q[1] * Q[1] - r * r;
      const double root = std::sqrt(std::max(0.0, b * b - a * c)), q = -(b + std::copysign(root, b));
      evaluate(q / a);
      evaluate(c / q);
    }
    return best;
  }

  const Shape& A_;
  const double R_, half_;  // m
  SocketPair pair_;
  const Axes B_to_A_;
  const Vec3 w_;  // the axis
  bool outside_ = true, leaves_hole_ = false;  // `leaves_hole_`: a point at or below the mouth's plane is in no hole
};

}  // namespace

void cylinder_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  CylinderInSocket(A, B, X, out).build_contacts();
}

}  // namespace contactlib::geometry
