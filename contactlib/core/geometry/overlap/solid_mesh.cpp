// Convex solids A against a mesh B. docs/manifolds.md, "Overlap patches", defines the contacts.
#include <algorithm>
#include <cmath>

#include "capsule_flat.hpp"
#include "geometry/mesh/mesh.hpp"
#include "geometry/overlap/section/walls.hpp"
#include "geometry/surface/nearest.hpp"
#include "geometry/sweep/through.hpp"
#include "math/elementary.hpp"
#include "mesh_solid.hpp"
#include "patch_springs.hpp"
#include "ways_out.hpp"

namespace contactlib::geometry {

namespace {

// Levels of refinement of a cylinder's walls: the position of a contact within a zone is known only as finely as the
// walls of the level before.
constexpr int levels = 3;
constexpr double first_zone = 0.5;  // rad: what the coarsest walls leave open
constexpr double narrowing = 0.08;  // of a zone, at most
constexpr double settled = 0.7;     // a zone that narrows by less stays as it is
constexpr double margin = 1.2;      // of a zone around its patch
constexpr double pi = 3.14159265358979323846;
constexpr double side_touches = 0.5;  // sine of the angle between normal and axis: from here on the side touches

// Relative to a capsule's radius: where all patches are thinner, the axis is outside B.
constexpr double crossed = 0.5;   // where all patches are thinner its axis is outside B
constexpr double passage = 0.1;   // how deep its axis is where the nearest places are all that counts
constexpr int max_patches = 32;  // contacts; of more, those that were found first are kept

// Half sizes of the box around A in its axes.
Vec3 half_of(const Shape& A) noexcept {
  if (A.kind == ShapeKind::ellipsoid) return Vec3(A.size[0], A.size[1], A.size[2]);
  const double R = A.size[0];
  if (A.kind == ShapeKind::sphere) return Vec3(R, R, R);
  return Vec3(R, R, 0.5 * A.size[1] + (A.kind == ShapeKind::capsule ? R : 0.0));
}

BoxNode box_of(const Vec3& half) noexcept {
  BoxNode box{};
  for (int k = 0; k < 3; ++k) box.low[k] = -half[k], box.high[k] = half[k];
  return box;
}

// One pair of shapes.
class SolidOnMesh : PatchSprings {
 public:
  SolidOnMesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept
      : PatchSprings(A, B, X, out, A.surface != nullptr) {}

  void touch_polytope() noexcept {
    const Surface& a = *A_.surface;
    if (!clear_of(a.nodes[0])) return contain();
    polytope_walls(a, A_to_B_, scratch_);
    find(a.nodes[0]);
    add_all([](const Vec3&) noexcept { return 0.0; });
    finish();
  }

  // Returns the greatest thickness of a patch.
  double build_contacts_curved() noexcept {
    double most = 0.0;
    const BoxNode box = box_of(half_of(A_));
    if (A_.kind == ShapeKind::capsule && capsule_on_flat(A_, B_, A_to_B_, box, rounded_depth * size_, emitter_))
      return most;
    if (clear_of(box)) find(box);
    if (A_.kind == ShapeKind::capsule)
      each_peak([&](const PatchPart& part, const PatchContact& contact) noexcept {
        add(part, contact);
        most = std::max(most, contact.moments.depth);
      });
    else
      add_all([](const Vec3&) noexcept { return 0.0; });
    const bool none = scratch_.pieces.empty();
    finish();
    return none ? std::numeric_limits<double>::infinity() : most;
  }

  void touch_cylinder() noexcept {
    const Vec3 half = half_of(A_);
    const BoxNode box = box_of(half);
    if (!clear_of(box)) return contain();
    CylinderWalls walls;
    walls.add({0.0, CylinderWalls::all_around});
    for (int level = 0; level < levels; ++level) {
      start(box, walls);
      CylinderWalls finer;
      bool narrows = level == 0;
      each_peak([&](const PatchPart& part, const PatchContact& contact) noexcept {
        const Zone zone = zone_of(part, contact, half);
        const double before = width_around(walls, zone.middle);
        narrows = narrows || zone.width < settled * before;
        finer.add({zone.middle, std::max(zone.width, std::min(first_zone, narrowing * before))});
      });
      walls = finer;
      if (walls.count == 0) return finish();  // only triangles around the solid can be in contact
      if (!narrows) break;
    }
    walls.holds = false;
    start(box, walls);
    add_all([&](const Vec3& n) noexcept { return walls.deeper(A_, A_to_B_, n); });
    finish();
  }

 private:
  // Returns true if no triangle of B comes near.
  bool clear_of(const BoxNode& box) const noexcept { return touches(B_, box, A_to_B_, A_to_B_.R.cwiseAbs(), 0.0); }

  void start(const BoxNode& box, const CylinderWalls& walls) noexcept {
    forget();
    walls.write(A_, A_to_B_, scratch_);
    find(box);
  }

  // Visits the branches of patches that have several, each with its own normal.
  template <class Visit>
  void each_peak(const Visit& visit) noexcept {
    each_part([&](const PatchPart& part, bool splits) noexcept {
      PatchContact whole;
      const auto each = [&](int, const PatchPart& branch, PatchContact& contact) noexcept {
        contact.n = contact.single.n;
        visit(branch, contact);
      };
      if (splits && visit_branches(each)) return;
      if (solver_.solve(part, whole)) visit(part, whole);
    });
  }

  // Visits patches, or their two sides, and says whether they have branches; those of a capsule have none.
  template <class Visit>
  void each_part(const Visit& visit) noexcept {
    for (Patch& patch : scratch_.patches) {
      PatchPart parts[2];
      const int count = solver_.parts_of(patch, parts);
      const bool splits = count == 1 && A_.kind != ShapeKind::capsule && solver_.find_branches(patch);
      for (int i = 0; i < count; ++i) visit(parts[i], splits);
      emit();
    }
  }

  // deeper(n): by how much A extends beyond its walls where it lies on a flat face
  template <class Deeper>
  void add_all(const Deeper& deeper) noexcept {
    WaysOut ways(solver_, scratch_);
    solver_.follow_turns();
    each_part([&](const PatchPart& part, bool splits) noexcept {
      if (splits) return add_peaks(part, deeper);
      PatchContact whole;
      if (!solver_.solve(part, whole)) return;
      whole.moments.depth += deeper(whole.n);
      if (scratch_.walls.empty() || ways.is_full()) return add_one_peak(part, whole);
      ways.add(part, whole);
    });
    for (int i = 0; i < ways.count; ++i) {
      double most;
      const double weight = ways.weight_of(i, most);
      if (weight > 0.0) add_least(ways.part[i], ways.contact[i], weight, most);
      emit();
    }
  }

  // Width of the zone whose middle is nearest to an angle.
  static double width_around(const CylinderWalls& walls, double middle) noexcept {
    const auto nearer = [&](const Zone& one, const Zone& other) noexcept {
      return angle_between(one.middle, middle) < angle_between(other.middle, middle);
    };
    return std::min_element(walls.zones, walls.zones + walls.count, nearer)->width;
  }

  // The zone that holds a patch. The side touches where its normal is -n. An end may touch anywhere around the axis,
  // whatever its normal is: there the place of the contact tells which part of the rim is near.
  Zone zone_of(const PatchPart& part, const PatchContact& contact, const Vec3& half) const noexcept {
    const Vec3 n_A = A_to_B_.R.transpose() * contact.n;
    const Axes B_to_A = A_to_B_.inverse();
    const bool is_end = n_A.head<2>().squaredNorm() < side_touches * side_touches;
    const Vec3 towards = is_end ? B_to_A(contact.spread.origin + contact.single.place) : Vec3(-n_A);
    const double radius = std::max(n_A.cwiseProduct(half).norm(), contact.moments.depth);
    Zone zone{math::atan2(towards[1], towards[0]), std::sqrt(2.0 * contact.moments.depth / radius)};
    solver_.for_each_corner(part, [&](const Vec3& v) noexcept {
      const Vec3 x = B_to_A(v);
      if (near_side(A_, x)) zone.width = std::max(zone.width, angle_between(math::atan2(x[1], x[0]), zone.middle));
    });
    zone.width = std::max(margin * zone.width, 1e-6);
    // all around the axis, rounding would decide where the middle is
    if (is_end && zone.width >= pi) zone.middle = 0.0;
    return zone;
  }

  void emit() noexcept {
    for (const PlacedSpring& spring : scratch_.springs)
      emitter_.emit(within(spring.x), spring.n, spring.depth, spring.load_share);
    scratch_.springs.clear();
  }

  // A cylinder's end has a circumscribed polygon as its wall; points beyond the circle are moved onto it.
  Vec3 within(const Vec3& C) const noexcept {
    if (A_.kind != ShapeKind::cylinder) return C;
    Vec3 x = A_to_B_.R.transpose() * (C - A_to_B_.p);
    const double rho = math::hypot(x[0], x[1]);
    if (!(rho > A_.size[0])) return C;
    x.head<2>() *= A_.size[0] / rho;
    return A_to_B_(x);
  }

  void finish() noexcept {
    const bool none = scratch_.pieces.empty();
    forget();
    if (none) contain();
  }

  // No triangle of B has a part inside A: A may be inside B.
  void contain() noexcept {
    Place place;
    // the origin of a polyhedron may be outside it
    const Vec3 inside_A = A_.surface ? A_to_B_(A_.surface->mean) : A_to_B_.p;
    if (B_.nodes.empty() || (B_.closed && squared_distance(B_.nodes[0], inside_A) > 0.0)) return;
    if (!nearest_place(B_, inside_A, std::numeric_limits<double>::infinity(), place) || !(place.phi < 0.0)) return;
    const Vec3 g_A = -(A_to_B_.R.transpose() * place.g);
    emitter_.add_way_out(place, place.g.dot(A_to_B_.p) - reach(g_A));
  }

  // The support function of A along a direction in its axes.
  double reach(const Vec3& g_A) const noexcept {
    if (A_.kind == ShapeKind::cylinder)
      return A_.size[0] * math::hypot(g_A[0], g_A[1]) + 0.5 * A_.size[1] * std::abs(g_A[2]);
    if (A_.kind == ShapeKind::capsule) return A_.size[0] + 0.5 * A_.size[1] * std::abs(g_A[2]);
    if (A_.kind == ShapeKind::sphere) return A_.size[0];
    if (A_.kind == ShapeKind::ellipsoid) return g_A.cwiseProduct(half_of(A_)).norm();
    double most = -std::numeric_limits<double>::infinity();
    for (const Vec3& v : A_.surface->vertices) most = std::max(most, g_A.dot(v));
    return most;
  }
};

}  // namespace

void convex_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  SolidOnMesh(A, B, X, out).touch_polytope();
}

void cylinder_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  SolidOnMesh(A, B, X, out).touch_cylinder();
}

void curved_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  SolidOnMesh(A, B, X, out).build_contacts_curved();
}

// Where B's surface crosses the axis, a patch is at least r thick. As the axis enters B, the nearest points replace the
// patches:
//   load shares of the nearest points times w, of the patches times 1 - w;  w rises from 0, where the deepest is r
//   deep, to 1
void capsule_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const double r = A.size[0], most = SolidOnMesh(A, B, X, out).build_contacts_curved();
  if (out.count == 0 || most < crossed * r) return;
  ManifoldPoint patches[max_patches];
  const int count = std::min(out.count, max_patches);
  std::copy(out.points, out.points + count, patches);
  out.count = out.needed = 0;
  sweep_mesh(A, B, X, out);
  const double w = std::clamp((deepest_of(out) - r) / (passage * r), 0.0, 1.0);
  if (w == 0.0) out.count = out.needed = 0;
  for (int i = 0; i < out.count; ++i) out.points[i].load_share *= w;
  for (int i = 0; i < count && w < 1.0; ++i) {
    patches[i].load_share *= 1.0 - w;
    add(out, patches[i]);
  }
}

}  // namespace contactlib::geometry
