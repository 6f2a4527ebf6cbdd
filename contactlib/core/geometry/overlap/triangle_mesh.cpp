// A triangle, a sheet without thickness, against a mesh. Where the two cross there are three ways to separate them, of
// which the shortest counts: move the sheet above the part of B over it, below the part of B under it, or sideways over
// the sheet's border, as a plate of vanishing thickness.
#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/overlap/section/walls.hpp"
#include "geometry/surface/nearest.hpp"
#include "mesh_solid.hpp"
#include "on_mesh.hpp"

namespace contactlib::geometry {

namespace {

constexpr double thin = 1e-8;  // of the size: the plate's thickness
constexpr double endless = std::numeric_limits<double>::infinity();
constexpr double aside = 0.2;  // of the area: a shorter sum of normals in the sheet's plane leads over no border
constexpr int max_places = 32;

enum SheetExit { above, below, sideways, exit_count };

class SheetOnMesh : OnMesh {
 public:
  SheetOnMesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept : OnMesh(A, B, X, out, true) {
    for (int i = 0; i < 3; ++i) v_[i] = Vec3(A.size + 3 * i);
    n_B_ = A_to_B_.R * (v_[1] - v_[0]).cross(v_[2] - v_[0]).normalized();
  }

  void build_contacts() noexcept {
    if (B_.nodes.empty()) return;
    start(sideways);
    each(sideways, [this](const PatchPart& part, const PatchContact* contact) noexcept { meet(part, contact); });
    if (places_ == 0 && is_within()) places_ = 1, within_ = true;
    if (places_ == 0) return forget();
    for (const SheetExit exit : {above, below}) {
      start(exit);
      each(exit, [&](const PatchPart& part, const PatchContact* contact) noexcept { compare(exit, part, contact); });
    }
    for (const SheetExit exit : {above, below, sideways}) {
      bool any = false;
      for (int k = 0; k < places_; ++k) any = any || best(k) == exit;
      if (!any) continue;
      start(exit);
      each(exit, [&](const PatchPart& part, const PatchContact* contact) noexcept {
        if (contact && is_best(exit, part)) emitter_.add(solver_, part, *contact, A_to_B_.R);
      });
    }
    forget();
  }

 private:
  void start(SheetExit exit) noexcept {
    OnMesh::forget();
    const double far = 2.0 * (B_.size + A_.bound), low = exit == below ? -far : exit == above ? 0.0 : -thin * size_;
    const double high = exit == above ? far : exit == below ? 0.0 : thin * size_;
    prism_walls(v_, low, high, A_to_B_, scratch_);
    BoxNode box{};
    const Vec3 n = (v_[1] - v_[0]).cross(v_[2] - v_[0]).normalized();
    for (int k = 0; k < 3; ++k) {
      box.low[k] = std::min({v_[0][k], v_[1][k], v_[2][k]}) + std::min(low * n[k], high * n[k]);
      box.high[k] = std::max({v_[0][k], v_[1][k], v_[2][k]}) + std::max(low * n[k], high * n[k]);
    }
    find(box);
  }

  // Visits each patch, with its contact if it has one.
  template <class Visit>
  void each(SheetExit exit, const Visit& visit) noexcept {
    for (const Patch& patch : scratch_.patches) {
      PatchContact contact;
      bool solved;
      if (exit == sideways)
        solved = solve_sideways(patch, contact);
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
    const Vec3 n = contact.moments.U[1].normalized();
    contact.moments.depth *= n.dot(contact.n);
    contact.n = n;
    contact.single = thickest_contact(contact);
    return contact.moments.depth > 0.0;
  }

  template <class Visit>
  void each_piece(const PatchPart& part, const Visit& visit) const noexcept {
    for (std::int32_t k = part.patch->first; k >= 0; k = scratch_.pieces[k].next) visit(scratch_.pieces[k].face);
  }

  // A point where B's surface passes through the sheet.
  void meet(const PatchPart& part, const PatchContact* contact) noexcept {
    if (places_ == max_places) return;
    const int k = places_++;
    depth_[k][above] = depth_[k][below] = endless;
    depth_[k][sideways] = contact ? contact->moments.depth : endless;
    each_piece(part, [&](std::int32_t face) noexcept {
      scratch_.member_b[face] = k;
      scratch_.members.push_back({face, k, -1, false, true, false, Vec3::Zero(), Vec3::Zero(), 0.0});
    });
  }

  void compare(SheetExit exit, const PatchPart& part, const PatchContact* contact) noexcept {
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

  int best(int k) const noexcept {
    return static_cast<int>(std::min_element(depth_[k], depth_[k] + exit_count) - depth_[k]);
  }

  bool is_best(SheetExit exit, const PatchPart& part) const noexcept {
    if (within_) return true;
    bool found = false;
    each_piece(part, [&](std::int32_t face) noexcept {
      const std::int32_t k = scratch_.member_b[face];
      found = found || (k >= 0 && best(k) == exit);
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

  Vec3 v_[3], n_B_;
  int places_ = 0;
  bool within_ = false;
  double depth_[max_places][exit_count];
};

}  // namespace

void triangle_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  SheetOnMesh(A, B, X, out).build_contacts();
}

}  // namespace contactlib::geometry
