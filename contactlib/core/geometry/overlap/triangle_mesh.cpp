// A triangle, a sheet without thickness, against a mesh. Where the two cross there are four ways to separate them, of
// which the shortest counts: move the sheet above the part of B over it, below the part of B under it, sideways over
// the sheet's border, as a plate of vanishing thickness, or over a sharp edge of B there, along one of its normals.
// Where a much shorter way of another place clears a place too, it has no contact of its own.
#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/overlap/section/walls.hpp"
#include "geometry/overlap/springs/least_way.hpp"
#include "geometry/surface/nearest.hpp"
#include "mesh_solid.hpp"
#include "on_mesh.hpp"

namespace contactlib::geometry {

namespace {

constexpr double thin = 1e-8;  // of the size: the plate's thickness
constexpr double endless = std::numeric_limits<double>::infinity();
constexpr double across = 1e-9;  // a way that leaves the sheet's plane at right angles
constexpr double aside = 0.2;  // of the area: a shorter sum of normals in the sheet's plane leads over no border
constexpr double longer = 1.5;  // times the way over an edge, or of another place: another way counts no more
constexpr double equal = 1e-9;  // relative: the same length but for rounding
constexpr double enough = 1.05;  // times the way of another place
constexpr int max_places = 32;

enum SheetExit { above, below, sideways, over_edge, exit_count };

class SheetOnMesh : OnMesh {
 public:
  SheetOnMesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept : OnMesh(A, B, X, out, true) {
    for (int i = 0; i < 3; ++i) v_[i] = Vec3(A.size + 3 * i), v_B_[i] = A_to_B_(v_[i]);
    n_B_ = A_to_B_.R * (v_[1] - v_[0]).cross(v_[2] - v_[0]).normalized();
  }

  void build_contacts() noexcept {
    if (B_.nodes.empty()) return;
    start(sideways);
    each(sideways, [this](const PatchPart& part, const PatchContact* contact) noexcept { meet(part, contact); });
    compare_places();
    if (places_ == 0 && is_within()) places_ = 1, within_ = true;
    if (places_ == 0) return forget();
    for (const SheetExit exit : {above, below}) {
      start(exit);
      each(exit, [&](const PatchPart& part, const PatchContact* contact) noexcept { compare(exit, part, contact); });
    }
    if (places_ == 1 && !within_) reach_corner();
    for (const SheetExit exit : {above, below, sideways, over_edge}) {
      bool any = false;
      for (int k = 0; k < places_; ++k) any = any || counts(k, exit);
      if (!any) continue;
      start(exit);
      each(exit, [&](const PatchPart& part, const PatchContact* contact) noexcept {
        if (contact && is_best(exit, part)) emitter_.add(solver_, part, *contact, A_to_B_.R);
        if (!contact && exit == over_edge && is_best(exit, part)) add_over_edge(part);
      });
    }
    forget();
  }

 private:
  // Sideways: where B meets the sheet, in walls that stand on its border.
  void start(SheetExit exit) noexcept {
    OnMesh::forget();
    const bool in_sheet = exit == sideways || exit == over_edge;
    const double far = 2.0 * (B_.size + A_.bound), low = exit == above ? 0.0 : -far, high = exit == below ? 0.0 : far;
    prism_walls(v_, low, high, A_to_B_, scratch_);
    if (in_sheet) scratch_.sheet = {true, n_B_, n_B_.dot(v_B_[0]), thin * size_};
    const double margin = thin * size_;
    BoxNode box{};
    const Vec3 n = (v_[1] - v_[0]).cross(v_[2] - v_[0]).normalized();
    const double under = in_sheet ? -margin : low, over = in_sheet ? margin : high;
    for (int k = 0; k < 3; ++k) {
      box.low[k] = std::min({v_[0][k], v_[1][k], v_[2][k]}) + std::min(under * n[k], over * n[k]);
      box.high[k] = std::max({v_[0][k], v_[1][k], v_[2][k]}) + std::max(under * n[k], over * n[k]);
    }
    find(box);
  }

  LeastWay ways() const noexcept { return LeastWay(B_, {v_B_, 3}, scratch_, solver_); }

  // Visits each patch, with its contact if it has one.
  template <class Visit>
  void each(SheetExit exit, const Visit& visit) noexcept {
    for (std::size_t k = 0; k < scratch_.patches.size(); ++k) {
      const Patch& patch = scratch_.patches[k];
      PatchContact contact;
      bool solved;
      if (exit == sideways)
        solved = solve_sideways(patch, contact);
      else if (exit == over_edge)
        solved = k < max_places && solve_over_edge(patch, way_[k], contact);
      else
        solved = solver_.solve_along({&patch, Vec3::Zero()}, exit == above ? n_B_ : Vec3(-n_B_), contact),
        contact.single = thickest_contact(contact);
      visit({&patch, Vec3::Zero()}, solved ? &contact : nullptr);
    }
  }

  // First in the plane of the sheet; B's normal there may lean out of it:  depth = depth in the plane (n.u)
  bool solve_sideways(const Patch& patch, PatchContact& contact) noexcept {
    const Vec3 u = patch.area_vector - n_B_.dot(patch.area_vector) * n_B_;
    if (!(u.norm() > aside * patch.area) || !solver_.solve_from({&patch, Vec3::Zero()}, u, n_B_, contact)) return false;
    contact.is_line = true;
    const Vec3 n = contact.moments.U[1].normalized();
    contact.moments.depth *= n.dot(contact.n);
    contact.n = n;
    contact.single = thickest_contact(contact);
    return contact.moments.depth > 0.0;
  }

  // Along a way out of this place, whose point of contact is found in the plane of the sheet.
  bool solve_over_edge(const Patch& patch, const Way& way, PatchContact& contact) noexcept {
    const Vec3 u = way.n - n_B_.dot(way.n) * n_B_;
    if (!(u.norm() > across)) return false;
    solver_.solve_way({&patch, Vec3::Zero()}, u.normalized(), way.depth, contact);
    contact.is_line = true;
    contact.n = way.n;
    contact.single = thickest_contact(contact);
    return true;
  }

  // Where the sheet's plane is across the way, or the way out of its border there leads into B.
  void add_over_edge(const PatchPart& part) noexcept {
    const Way& way = way_[scratch_.member_b[scratch_.pieces[part.patch->first].face]];
    emitter_.emit(ways().place_of(part, way), way.n, way.depth, 1.0);
  }

  template <class Visit>
  void each_piece(const PatchPart& part, const Visit& visit) const noexcept {
    for (std::int32_t k = part.patch->first; k >= 0; k = scratch_.pieces[k].next) visit(scratch_.pieces[k].face);
  }

  // The sheet's lowest corner.
  Vec3 low_along(const Vec3& n) const noexcept {
    return *std::min_element(v_B_, v_B_ + 3,
                             [&](const Vec3& a, const Vec3& b) noexcept { return n.dot(a) < n.dot(b); });
  }

  // A point where B's surface passes through the sheet.
  void meet(const PatchPart& part, const PatchContact* contact) noexcept {
    if (places_ == max_places) return;
    const int k = places_++;
    if (k == 0) first_face_ = scratch_.pieces[part.patch->first].face;
    depth_[k][above] = depth_[k][below] = endless;
    depth_[k][sideways] = contact ? contact->moments.depth : endless;
    depth_[k][over_edge] = endless;
    way_[k] = {contact ? contact->n : Vec3(Vec3::Zero()), depth_[k][sideways]};
    Way least;
    if (ways().find(part, depth_[k][sideways] / longer, low_along(way_[k].n), true, least))
      way_[k] = least, depth_[k][over_edge] = longer * least.depth;
    each_piece(part, [&](std::int32_t face) noexcept {
      scratch_.member_b[face] = k;
      scratch_.members.push_back({face, k, -1, false, true, false, Vec3::Zero(), Vec3::Zero(), 0.0});
    });
  }

  // Which ways of other places lead the whole of a place out of the sheet.
  void compare_places() noexcept {
    const LeastWay least_way = ways();
    for (int i = 0; i < places_; ++i)
      for (int j = 0; j < places_; ++j)
        clears_[i][j] = i != j && way_[j].depth < endless &&
                        least_way.along({&scratch_.patches[i], Vec3::Zero()}, way_[j].n) < enough * way_[j].depth;
  }

  // A place whose own way is much longer than that of another place, which clears it.
  bool is_replaced(int i) const noexcept {
    bool replaced = false;
    for (int j = 0; j < places_ && !within_; ++j)
      replaced = replaced || (clears_[i][j] && best(j) >= sideways && is_longer(i, j));
    return replaced;
  }

  // Whether the way of place i is much longer than that of j. Where both are over an edge they may be the same way: then
  // the first place has it.
  bool is_longer(int i, int j) const noexcept {
    const double here = depth_[i][best(i)], there = longer * way_[j].depth;
    if (std::abs(here - there) <= equal * there) return best(j) != over_edge || j < i;
    return here > there;
  }

  bool counts(int k, SheetExit exit) const noexcept { return best(k) == exit && !is_replaced(k); }

  // No way out is shorter than a corner of the sheet is inside B. A corner beside the part of B over which a place was
  // measured may be deeper than that. It is no deeper than below the face that passes through the sheet.
  void reach_corner() noexcept {
    const Face& face = B_.faces[first_face_];
    double most = longer * depth_[0][best(0)];
    Place deepest, place;
    bool found = false;
    for (const Vec3& x : v_B_) {
      if (face.d - face.n.dot(x) > most && nearest_place(B_, x, endless, place) && -place.phi > most)
        most = -place.phi, deepest = place, found = true;
    }
    if (!found) return;
    start(sideways);
    LeastWay least_way = ways();
    const PatchPart part{&scratch_.patches[0], Vec3::Zero()};
    way_[0] = {deepest.g, deepest.g.dot(deepest.S) - least_way.lowest(deepest.g)};
    if (Way least; least_way.find(part, way_[0].depth, low_along(deepest.g), true, least)) way_[0] = least;
    std::fill_n(depth_[0], static_cast<int>(exit_count), endless);
    depth_[0][over_edge] = way_[0].depth;
  }

  void compare(SheetExit exit, const PatchPart& part, const PatchContact* contact) noexcept {
    if (!within_) rise_over(exit, part);
    if (!contact) return;
    const double depth = contact->moments.depth;
    const auto deepen = [&](int k) noexcept {
      double& d = depth_[k][exit];
      d = d == endless ? depth : std::max(d, depth);
    };
    if (within_) return deepen(0);
    each_piece(part, [&](std::int32_t face) noexcept {
      if (scratch_.member_b[face] >= 0) deepen(scratch_.member_b[face]);
    });
  }

  // A way over an edge that leads to this side of the sheet leads over all of B there.
  void rise_over(SheetExit exit, const PatchPart& part) noexcept {
    const LeastWay least_way = ways();
    std::int32_t last = -1;
    each_piece(part, [&](std::int32_t face) noexcept {
      const std::int32_t k = scratch_.member_b[face];
      if (k < 0 || k == last || depth_[k][over_edge] == endless) return;
      last = k;
      Way& way = way_[k];
      if ((way.n.dot(n_B_) > 0.0) != (exit == above)) return;
      const double depth = least_way.along(part, way.n);
      if (depth > enough * way.depth) way.depth = depth, depth_[k][over_edge] = longer * depth;
    });
  }

  int best(int k) const noexcept {
    return static_cast<int>(std::min_element(depth_[k], depth_[k] + exit_count) - depth_[k]);
  }

  bool is_best(SheetExit exit, const PatchPart& part) const noexcept {
    if (within_) return true;
    bool found = false;
    each_piece(part, [&](std::int32_t face) noexcept {
      const std::int32_t k = scratch_.member_b[face];
      found = found || (k >= 0 && counts(k, exit));
    });
    return found;
  }

  // No part of B's surface passes through the sheet: all of it may be inside B.
  bool is_within() noexcept {
    for (double& d : depth_[0]) d = endless;
    const Vec3 x = A_to_B_((v_[0] + v_[1] + v_[2]) / 3.0);
    if (B_.closed && squared_distance(B_.nodes[0], x) > 0.0) return false;
    Place place;
    return nearest_place(B_, x, endless, place) && place.phi < 0.0;
  }

  void forget() noexcept {
    for (const Member& m : scratch_.members) scratch_.member_b[m.face] = -1;
    scratch_.members.clear();
    OnMesh::forget();
  }

  Vec3 v_[3], v_B_[3], n_B_;  // corners, m, and normal
  int places_ = 0;
  std::int32_t first_face_ = -1;  // of the first place
  bool within_ = false;
  double depth_[max_places][exit_count];
  Way way_[max_places];                  // sideways or over an edge
  bool clears_[max_places][max_places];  // [i][j]: the way of j clears i
};

}  // namespace

void triangle_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  SheetOnMesh(A, B, X, out).build_contacts();
}

}  // namespace contactlib::geometry
