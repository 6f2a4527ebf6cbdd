#include "mesh_distance.hpp"

#include "geometry/convex/held_corners.hpp"
#include "geometry/surface/nearest.hpp"

namespace contactlib::geometry {

namespace {

struct Box {
  Vec3 low, high;
};

// Around A, in B's axes.
Box box_around(const Shape& A, const Axes& A_to_B) noexcept {
  const Solid solid({A});
  const double r = swept_radius(A);
  const auto reach = [&](const Vec3& n) noexcept { return n.dot(solid.support(n)) + r; };
  Box out;
  for (int k = 0; k < 3; ++k) {
    const Vec3 n = A_to_B.R.row(k).transpose();
    out.low[k] = A_to_B.p[k] - reach(-n);
    out.high[k] = A_to_B.p[k] + reach(n);
  }
  return out;
}

double gap(const Box& a, const BoxNode& b) noexcept {
  double squared = 0.0;
  for (int k = 0; k < 3; ++k) {
    const double below = b.low[k] - a.high[k], above = a.low[k] - b.high[k];
    const double apart = below > above ? below : above;
    squared += apart > 0.0 ? apart * apart : 0.0;
  }
  return std::sqrt(squared);
}

// A point x of the mesh's axes, with a ball of radius r around it.
Nearness ball_distance(const Surface& surface, const Vec3& x, double r, double longest, NearestPoints& out) noexcept {
  Place place;
  if (!nearest_place(surface, x, r + longest, place)) {
    return surface.closed && is_inside(surface, x) ? Nearness::overlap : Nearness::beyond;
  }
  const double distance = (place.S - x).norm();
  if (!(distance > 0.0) || (surface.closed && place.phi <= 0.0)) return Nearness::overlap;
  out = {distance, (place.S - x) / distance, x, place.S};
  return subtract_radii(r, 0.0, out) ? Nearness::apart : Nearness::overlap;
}

// What is left when no facet meets A: it may still lie inside.
Nearness judge(const Surface& surface, const Vec3& point_of_A, double longest, double best) noexcept {
  if (surface.closed && is_inside(surface, point_of_A)) return Nearness::overlap;
  return best <= longest ? Nearness::apart : Nearness::beyond;
}

}  // namespace

Nearness convex_mesh_distance(const Shape& A, const Shape& B, const Axes& A_to_B, double longest,
                              NearestPoints& out) noexcept {
  const Surface& surface = *B.surface;
  const double r = swept_radius(A);
  if (A.kind <= ShapeKind::sphere) return ball_distance(surface, A_to_B.p, r, longest, out);
  const Box box = box_around(A, A_to_B);
  const Mat3 R_AB = A_to_B.R.transpose();
  double best = just_above(longest);
  bool meets = false;
  // All of A lies behind the plane n.x = level through the nearest point found so far.
  Vec3 n = Vec3::Zero();
  double level = 0.0;
  const auto bound = [&](const BoxNode& node) noexcept {
    double beyond = -level;
    for (int k = 0; k < 3; ++k) beyond += n[k] * (n[k] > 0.0 ? node.low[k] : node.high[k]);
    return std::max(gap(box, node), beyond);
  };
  const auto visit = [&](const Facet& facet) noexcept {
    if (meets || !(std::min({n.dot(facet.corner[0]), n.dot(facet.corner[1]), n.dot(facet.corner[2])}) - level < best))
      return;
    const FacetSolid piece(facet);
    const MinkowskiDifference D({A}, piece.source(), R_AB, R_AB * (piece.middle - A_to_B.p));
    NearestPoints found;
    const Nearness nearness = convex_distance(D, best + r, found);
    if (nearness == Nearness::beyond) return;
    if (nearness == Nearness::overlap || !subtract_radii(r, 0.0, found)) {
      meets = true;
      best = 0.0;
      return;
    }
    if (!(found.distance < best)) return;
    best = found.distance;
    out = transformed(A_to_B, found);
    n = out.n;
    level = n.dot(out.P);
  };
  visit_nearest_first(surface, best, bound, visit);
  if (meets) return Nearness::overlap;
  return judge(surface, A_to_B(Solid({A}).middle()), longest, best);
}

namespace {

// Pairs of nodes of two meshes, both in B's axes.
class MeshPair {
 public:
  MeshPair(const Surface& A, const Surface& B, const Axes& A_to_B, double longest, NearestPoints& out) noexcept
      : A_(A), B_(B), A_to_B_(A_to_B), R_abs_(A_to_B.R.cwiseAbs()), best_(just_above(longest)), out_(out) {}

  // Returns false if two facets meet.
  bool search() noexcept {
    Open stack[2 * deepest_node + 4];
    int open = 0;
    if (!A_.nodes.empty() && !B_.nodes.empty()) stack[open++] = at(0, 0);
    while (open > 0 && !meets_) {
      const Open top = stack[--open];
      if (!(top.bound < best_)) continue;
      const BoxNode &a = A_.nodes[top.a], &b = B_.nodes[top.b];
      if (a.count != 0 && b.count != 0) {
        evaluate(a, b);
        continue;
      }
      const bool divide_a = b.count != 0 || (a.count == 0 && size_of(a) > size_of(b));
      Open near = divide_a ? at(a.first, top.b) : at(top.a, b.first),
           far = divide_a ? at(a.first + 1, top.b) : at(top.a, b.first + 1);
      if (far.bound < near.bound) std::swap(near, far);
      stack[open++] = far;
      stack[open++] = near;
    }
    return !meets_;
  }

  double best() const noexcept { return best_; }

 private:
  struct Open {
    double bound;
    std::int32_t a, b;
  };

  static double size_of(const BoxNode& node) noexcept {
    double size = 0.0;
    for (int k = 0; k < 3; ++k) size += node.high[k] - node.low[k];
    return size;
  }

  Open at(std::int32_t a, std::int32_t b) const noexcept {
    const BoxNode& node = A_.nodes[a];
    const Vec3 at = A_to_B_(middle(node)), reach = R_abs_ * half(node);
    return {gap({at - reach, at + reach}, B_.nodes[b]), a, b};
  }

  void evaluate(const BoxNode& a, const BoxNode& b) noexcept {
    const std::int32_t end_a = A_.first_facet[a.first + a.count], end_b = B_.first_facet[b.first + b.count];
    for (std::int32_t i = A_.first_facet[a.first]; i < end_a; ++i) {
      const FacetSolid piece(A_.facets[i]);
      for (std::int32_t j = B_.first_facet[b.first]; j < end_b && !meets_; ++j)
        evaluate(piece, FacetSolid(B_.facets[j]));
    }
  }

  void evaluate(const FacetSolid& a, const FacetSolid& b) noexcept {
    const Mat3 R_AB = A_to_B_.R.transpose();
    const Vec3 p_AB = R_AB * (b.middle - A_to_B_.p) - a.middle;
    if (p_AB.norm() - a.radius - b.radius > best_) return;
    NearestPoints found;
    const Nearness nearness = convex_distance(MinkowskiDifference(a.source(), b.source(), R_AB, p_AB), best_, found);
    meets_ = nearness == Nearness::overlap;
    if (nearness != Nearness::apart || !(found.distance < best_)) return;
    best_ = found.distance;
    out_ = transformed({A_to_B_.R, A_to_B_(a.middle)}, found);
  }

  const Surface &A_, &B_;
  const Axes& A_to_B_;
  const Mat3 R_abs_;
  double best_;
  NearestPoints& out_;
  bool meets_ = false;
};

}  // namespace

Nearness mesh_mesh_distance(const Shape& A, const Shape& B, const Axes& A_to_B, double longest,
                            NearestPoints& out) noexcept {
  MeshPair pair(*A.surface, *B.surface, A_to_B, longest, out);
  if (!pair.search()) return Nearness::overlap;
  if (A.surface->closed && is_inside(*A.surface, A_to_B.inverse()(B.surface->vertices[0]))) return Nearness::overlap;
  return judge(*B.surface, A_to_B(A.surface->vertices[0]), longest, pair.best());
}

}  // namespace contactlib::geometry
