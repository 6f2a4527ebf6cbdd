// Mesh A against mesh B: triangles that intersect, and the triangles inside that are connected with them, are measured
// as the patches of convex solids are. See docs/manifolds.md, "Overlap patches".
#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/manifold/load_share.hpp"
#include "geometry/overlap/patch/groups.hpp"
#include "geometry/overlap/section/crossing.hpp"
#include "geometry/overlap/section/walls.hpp"
#include "geometry/overlap/springs/emit.hpp"
#include "geometry/overlap/springs/solve.hpp"
#include "geometry/surface/nearest.hpp"
#include "mesh_solid.hpp"

namespace contactlib::geometry {

namespace {

constexpr double near = 1e-9;  // relative to the size: triangles no further apart count as touching
constexpr double open_end = 1e-6; // of its length: a curve whose ends are further apart is not closed

class MeshOnMesh {
 public:
  MeshOnMesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept
      : a_(*A.surface),
        b_(*B.surface),
        A_to_B_{X.R_WB.transpose() * X.R_WA, -(X.R_WB.transpose() * X.p_AB_W)},
        B_to_A_(A_to_B_.inverse()),
        spread_(A_to_B_.R.cwiseAbs()),
        scratch_(*out.scratch),
        tol_(near * std::min(a_.size, b_.size)),
        emitter_(X, A, A_to_B_, out) {}

  void build_contacts() noexcept {
    if (a_.nodes.empty() || b_.nodes.empty()) return;
    walk(0, 0);
    if (scratch_.members.empty()) return contain();
    flood();
    join();
    for (std::size_t k = 0; k < scratch_.members.size(); ++k)
      if (scratch_.members[k].leader == static_cast<std::int32_t>(k)) group(static_cast<std::int32_t>(k));
    forget();
  }

 private:
  // Pairs of nodes of B and A whose boxes overlap; the larger node is opened first.
  void walk(std::int32_t of_b, std::int32_t of_a) noexcept {
    const BoxNode &b = b_.nodes[of_b], &a = a_.nodes[of_a];
    if (!boxes_near(b, a, A_to_B_, spread_, tol_)) return;
    const bool leaf_b = b.count > 0, leaf_a = a.count > 0;
    if (leaf_a && leaf_b) return compare(b, a);
    if (leaf_a || (!leaf_b && half(b).squaredNorm() >= half(a).squaredNorm()))
      for (int k = 0; k < 2; ++k) walk(b.first + k, of_a);
    else
      for (int k = 0; k < 2; ++k) walk(of_b, a.first + k);
  }

  Triangle triangle(bool of_A, std::int32_t f) const noexcept {
    const Surface& s = of_A ? a_ : b_;
    const Face& face = s.faces[f];
    Triangle t;
    for (int i = 0; i < 3; ++i) t.v[i] = of_A ? A_to_B_(s.corner(face, i)) : s.corner(face, i);
    t.n = of_A ? Vec3(A_to_B_.R * face.n) : face.n;
    return t;
  }

  void compare(const BoxNode& b, const BoxNode& a) noexcept {
    for (std::int32_t i = b.first; i < b.first + b.count; ++i) {
      const std::int32_t face_b = b_.order[i];
      const Triangle T = triangle(false, face_b);
      for (std::int32_t j = a.first; j < a.first + a.count; ++j) {
        const std::int32_t face_a = a_.order[j];
        TriangleCrossing crossing;
        if (!crosses(T, triangle(true, face_a), tol_, crossing)) continue;
        const std::int32_t kb = member(false, face_b, true), ka = member(true, face_a, true);
        if (crossing.proper) {
          scratch_.members[kb].proper = scratch_.members[ka].proper = true;
          trace(scratch_.members[kb], crossing);
        }
        unite(scratch_.members, ka, kb);
      }
    }
  }

  // Relative to a point near the curves, so that the products keep their digits.
  void trace(Member& m, const TriangleCrossing& crossing) noexcept {
    if (!traced_) traced_ = true, origin_ = crossing.p;
    const Vec3 p = crossing.p - origin_, q = crossing.q - origin_;
    m.area += 0.5 * p.cross(q);
    m.gap += q - p;
    m.length += (q - p).norm();
  }

  std::int32_t member(bool of_A, std::int32_t face, bool crosses) noexcept {
    std::int32_t& k = (of_A ? scratch_.member_a : scratch_.member_b)[face];
    if (k < 0) {
      k = static_cast<std::int32_t>(scratch_.members.size());
      scratch_.members.push_back({face, k, -1, of_A, crosses, false, Vec3::Zero(), Vec3::Zero(), 0.0});
    }
    return k;
  }

  // A triangle without intersections is inside if an edge is inside that it shares with an intersecting triangle.
  void flood() noexcept {
    for (std::size_t k = 0; k < scratch_.members.size(); ++k) {
      const Member m = scratch_.members[k];
      const Surface& s = m.of_A ? a_ : b_;
      const auto& member_of = m.of_A ? scratch_.member_a : scratch_.member_b;
      const std::int32_t first = s.faces[m.face].first;
      for (int i = 0; i < 3; ++i) {
        const Edge& edge = s.edges[s.loop_edges[first + i]];
        const std::int32_t other = edge.f0 == m.face ? edge.f1 : edge.f0;
        if (other < 0 || member_of[other] >= 0) continue;
        if (m.crosses && !inside_other(m.of_A, 0.5 * (s.vertices[edge.v0] + s.vertices[edge.v1]))) continue;
        member(m.of_A, other, false);
      }
    }
  }

  bool inside_other(bool of_A, const Vec3& x) const noexcept {
    Place place;
    const Surface& other = of_A ? b_ : a_;
    const Vec3 y = of_A ? A_to_B_(x) : B_to_A_(x);
    return nearest_place(other, y, std::numeric_limits<double>::infinity(), place) && place.phi <= 0.0;
  }

  // Joins neighbours over an edge that is no valley, if both have a part inside.
  void join() noexcept {
    for (std::size_t k = 0; k < scratch_.members.size(); ++k) {
      const Member& m = scratch_.members[k];
      const Surface& s = m.of_A ? a_ : b_;
      const auto& member_of = m.of_A ? scratch_.member_a : scratch_.member_b;
      for (int i = 0; i < 3; ++i) {
        const Edge& edge = s.edges[s.loop_edges[s.faces[m.face].first + i]];
        const std::int32_t other = edge.f0 == m.face ? edge.f1 : edge.f0;
        if (other < 0 || member_of[other] < 0 || is_valley(s, edge)) continue;
        unite(scratch_.members, static_cast<std::int32_t>(k), member_of[other]);
      }
    }
    link_groups(scratch_.members);
  }

  // Measures a group: its triangles of A are the walls, those of B the pieces.
  void group(std::int32_t leader) noexcept {
    Patch patch{-1, 0.0, Vec3::Zero()};
    Vec3 curve = Vec3::Zero(), gap = Vec3::Zero(), sum = Vec3::Zero();
    double length = 0.0;
    for (std::int32_t k = leader; k >= 0; k = scratch_.members[k].next) {
      const Member& m = scratch_.members[k];
      curve += m.area, gap += m.gap, length += m.length;
      const Triangle t = triangle(m.of_A, m.face);
      const double part = m.crosses ? 0.5 : 1.0;
      const Vec3 area = 0.5 * part * (t.v[1] - t.v[0]).cross(t.v[2] - t.v[0]);
      sum += m.of_A ? Vec3(-area) : area;
      if (m.of_A) {
        add_wall(t, a_.flats[m.face]);
        continue;
      }
      patch.area += area.norm();
      scratch_.pieces.push_back({m.face, 0, patch.first, 0, false, area});
      patch.first = static_cast<std::int32_t>(scratch_.pieces.size()) - 1;
    }
    if (patch.first >= 0 && !scratch_.walls.empty()) {
      const bool closed = length > 0.0 && gap.norm() <= open_end * length && curve.norm() > 1e-4 * length * length;
      patch.area_vector = closed ? curve : sum;
      solve(patch);
    }
    scratch_.pieces.clear();
    forget_walls(scratch_);
  }

  void add_wall(const Triangle& t, const FlatWays& flat) noexcept {
    const auto first = static_cast<std::int32_t>(scratch_.corners.size());
    for (const Vec3& v : t.v) scratch_.corners.push_back(v);
    scratch_.walls.push_back({first, 3, t.n, t.n.dot(t.v[0]), {flat.ways, A_to_B_.R * flat.along}});
  }

  void solve(const Patch& patch) noexcept {
    OverlapSolver solver(b_, scratch_, rounded_depth * std::min(a_.size, b_.size), false, true);
    PatchContact contact;
    if (solver.solve_from({&patch, Vec3::Zero()}, patch.area_vector, Vec3::Zero(), contact))
      emitter_.add(solver, {&patch, Vec3::Zero()}, contact, A_to_B_.R);
  }

  // Nothing intersects: one mesh may be inside the other.
  void contain() noexcept {
    Place place;
    const Vec3 in_b = A_to_B_(a_.vertices[0]), in_a = B_to_A_(b_.vertices[0]);
    if (squared_distance(b_.nodes[0], in_b) == 0.0 && nearest_place(b_, in_b, far, place) && place.phi < 0.0)
      emitter_.add_way_out(place, lowest(a_, A_to_B_, place.g));
    else if (squared_distance(a_.nodes[0], in_a) == 0.0 && nearest_place(a_, in_a, far, place) && place.phi < 0.0) {
      const Vec3 S = A_to_B_(place.S), g = A_to_B_.R * place.g;
      const double low = lowest(b_, {Mat3::Identity(), Vec3::Zero()}, g), depth = g.dot(S) - low;
      emitter_.emit(S - 0.5 * depth * g, -g, depth, 1.0);
    }
  }

  static double lowest(const Surface& s, const Axes& X, const Vec3& g) noexcept {
    double least = far;
    for (const Vec3& v : s.vertices) least = std::min(least, g.dot(X(v)));
    return least;
  }

  void forget() noexcept {
    for (const Member& m : scratch_.members) (m.of_A ? scratch_.member_a : scratch_.member_b)[m.face] = -1;
    scratch_.members.clear();
  }

  static constexpr double far = std::numeric_limits<double>::infinity();
  const Surface &a_, &b_;
  const Axes A_to_B_, B_to_A_;
  const Mat3 spread_;
  OverlapScratch& scratch_;
  const double tol_;
  Emitter emitter_;
  Vec3 origin_;
  bool traced_ = false;
};

// A total order of meshes; only copies of one mesh are equal.
bool is_greater(const Surface& a, const Surface& b) noexcept {
  if (a.size != b.size) return a.size > b.size;
  if (a.faces.size() != b.faces.size()) return a.faces.size() > b.faces.size();
  if (a.thickness != b.thickness) return a.thickness > b.thickness;
  return std::lexicographical_compare(b.mean.data(), b.mean.data() + 3, a.mean.data(), a.mean.data() + 3);
}

}  // namespace

// The triangles of the lesser mesh are the walls, whichever shape comes first.
void mesh_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  if (!is_greater(*A.surface, *B.surface)) return MeshOnMesh(A, B, X, out).build_contacts();
  MeshOnMesh(B, A, {X.R_WB, X.R_WA, -X.p_AB_W, -X.hint_W}, out).build_contacts();
  for (int i = 0; i < out.count; ++i) {
    out.points[i].p_AC_W += X.p_AB_W;
    out.points[i].n_AB_W = -out.points[i].n_AB_W;
  }
}

}  // namespace contactlib::geometry
