// What the patches of a convex solid on a mesh add: the springs of their contacts.
#pragma once

#include <algorithm>
#include <limits>

#include "geometry/overlap/springs/balance.hpp"
#include "geometry/overlap/springs/least_way.hpp"
#include "geometry/overlap/springs/lowest_saddle.hpp"
#include "geometry/overlap/springs/placed.hpp"
#include "geometry/overlap/springs/split.hpp"
#include "on_mesh.hpp"

namespace contactlib::geometry {

class PatchSprings : protected OnMesh {
 protected:
  using OnMesh::OnMesh;

  void add(const PatchPart& part, PatchContact contact) noexcept {
    contact.single = turning_contact(contact);
    Springs springs = springs_of(contact, A_to_B_.R);
    solver_.limit(part, contact, springs);
    place(contact, springs, scratch_.springs);
  }

  // A patch with one peak, whatever other patches there are.
  void add_one_peak(const PatchPart& part, const PatchContact& whole) noexcept {
    if (scratch_.walls.empty()) return add(part, whole);
    add_least(part, whole, 1.0, std::numeric_limits<double>::infinity());
  }

  // The contact of a patch, which passes into that of a much shorter way over a sharp edge.
  void add_least(const PatchPart& part, const PatchContact& whole, double weight, double most) noexcept {
    Way way;
    PatchContact least;
    const double depth = whole.moments.depth;
    double rest = 1.0;
    const Vec3 low = whole.moments.deepest - depth * whole.n;
    const Corners corners{scratch_.corners.data(), scratch_.corners.size()};
    if (LeastWay(B_, corners, scratch_, solver_).find(part, depth / longer[0], low, false, way)) {
      rest = 1.0 - smoothstep((depth / way.depth - longer[0]) / (longer[1] - longer[0]));
      most = std::min(most, rest * depth + (1.0 - rest) * way.depth);
      if (rest < 1.0) solver_.solve_way(part, way.n, way.depth, least);
    }
    add_weighted(part, whole, weight * rest, most);
    add_weighted(part, least, weight * (1.0 - rest), most);
  }

  // Visits the branches of a patch. Returns false if one has no contact.
  template <class Visit>
  bool visit_branches(const Visit& visit) noexcept {
    for (int b = 0; b < static_cast<int>(scratch_.branches.size()); ++b) {
      const BranchPieces alone(scratch_.branches[b], scratch_);
      Patch patch{scratch_.branches[b].first, 0.0, Vec3::Zero(), b};
      const PatchPart part{&patch, Vec3::Zero()};
      PatchContact contact;
      if (!solver_.solve_branch(part, contact)) return false;
      visit(b, part, contact);
    }
    return true;
  }

  template <class Deeper>
  void add_peaks(const PatchPart& part, const Deeper& deeper) noexcept {
    add_peaks(part, deeper, 0.0, 0);
  }

 private:
  // as_one: of a patch with the full load shares. by_weight: of the springs that were added.
  struct PeakEnergy {
    double as_one = 0.0;  // m2
    Stored by_weight;
  };

  // A patch with several peaks counts as one patch, and as the two parts that its lowest saddle connects. F is the weight
  // of that saddle. F' (`from`) is the weight of the saddle at which this patch was itself cut off, or 0:
  //   E(F') = (F - F') E_as_one + E_1(F) + E_2(F);   E(F') = (1 - F') E_as_one with one peak, or with high saddles only
  // F changes with the pose. The force of this contains the energies of the patch and of its parts, each as one patch:
  //   f(F') = (F - F') f_as_one + f_1(F) + f_2(F) + (E_as_one - E_1_as_one - E_2_as_one) grad F
  template <class Deeper>
  PeakEnergy add_peaks(const PatchPart& part, const Deeper& deeper, double from, int cuts) noexcept {
    auto& springs = scratch_.springs;
    const std::size_t first = springs.size();
    const LowestSaddle saddle(solver_, scratch_);
    const double weight = may_cut(cuts) ? saddle.weight : 1.0, own = weight - from;
    const bool counts = own > least_weight || weight == 1.0;
    Stored one;
    if (counts) one = add_as_one(part, deeper);
    scale_load_share(springs, first, own);
    if (weight == 1.0) return {one.energy, {own * one.energy, one.depth}};
    Patch parts[2];
    cut(B_, *part.patch, saddle.branch, scratch_, parts);
    PeakEnergy two;
    for (Patch& each : parts) {
      const PeakEnergy more = add_part(each, deeper, std::max(from, weight), cuts + 1);
      two.as_one += more.as_one, two.by_weight.energy += more.by_weight.energy;
      two.by_weight.depth = std::max(two.by_weight.depth, more.by_weight.depth);
    }
    if (!counts) return two;
    add_force(springs, first, (one.energy - two.as_one) * saddle.of_weight);
    const double rest = 1.0 - weight;
    const Stored all{own * one.energy + two.by_weight.energy,
                     (own * one.depth + rest * two.by_weight.depth) / (own + rest)};
    if (cuts == 0) set_energy(springs, first, all);
    return {one.energy, all};
  }

  bool may_cut(int cuts) const noexcept {
    return cuts < max_cuts && scratch_.springs.size() + 3 * max_patch_springs <= max_springs;
  }

  // One of the two parts of a patch that was cut.
  template <class Deeper>
  PeakEnergy add_part(Patch& patch, const Deeper& deeper, double from, int cuts) noexcept {
    const PatchPart part{&patch, Vec3::Zero()};
    if (solver_.find_branches(patch)) return add_peaks(part, deeper, from, cuts);
    const std::size_t first = scratch_.springs.size();
    PatchContact whole;
    if (solver_.solve(part, whole)) {
      whole.moments.depth += deeper(whole.n);
      add_one_peak(part, whole);
    }
    const Stored its = stored(scratch_.springs, first);
    scale_load_share(scratch_.springs, first, 1.0 - from);
    return {its.energy, {(1.0 - from) * its.energy, its.depth}};
  }

  void add_weighted(const PatchPart& part, const PatchContact& contact, double weight, double most) noexcept {
    if (!(weight > 0.0)) return;
    const std::size_t first = scratch_.springs.size();
    add(part, contact);
    limit_depth(scratch_.springs, first, most);
    scale_load_share(scratch_.springs, first, weight);
  }

  // Not inline: its memory is needed once, however often a patch is cut.
  template <class Deeper>
  [[gnu::noinline]] Stored add_as_one(const PatchPart& part, const Deeper& deeper) noexcept {
    auto& springs = scratch_.springs;
    const std::size_t first = springs.size();
    PeakContacts peaks;
    const bool counts = press_as_one(deeper, peaks);
    const Split split(solver_, scratch_, peaks, counts);
    const double weight = split.weight();
    if (weight > 0.0) add_branches(peaks);
    const Stored several = stored(springs, first);
    if (weight == 1.0) return several;
    const std::size_t middle = springs.size();
    PatchContact whole;
    if (solver_.solve(part, whole)) {
      whole.moments.depth += deeper(whole.n);
      add(part, whole);
    }
    const Stored one = stored(springs, middle);
    if (!(weight > 0.0)) return one;
    scale_load_share(springs, first, weight, middle);
    scale_load_share(springs, middle, 1.0 - weight);
    add_force(springs, first, (several.energy - one.energy) * split.decrease());
    const Stored all{weight * several.energy + (1.0 - weight) * one.energy,
                     weight * several.depth + (1.0 - weight) * one.depth};
    limit_depth(springs, first, all.depth);
    return all;
  }

  void add_branches(const PeakContacts& peaks) noexcept {
    for (std::size_t b = 0; b < scratch_.branches.size(); ++b)
      place(peaks.contact[b], peaks.springs[b], scratch_.springs);
  }

  // The contacts of all branches. Returns false if some branch has no contact.
  template <class Deeper>
  bool press_as_one(const Deeper& deeper, PeakContacts& peaks) noexcept {
    const auto keep = [&](int b, const PatchPart& part, PatchContact& contact) noexcept {
      contact.moments.depth += deeper(contact.n);
      contact.single = turning_contact(contact);
      peaks.springs[b] = springs_of(contact, A_to_B_.R);
      solver_.limit(part, contact, peaks.springs[b]);
      peaks.contact[b] = contact;
    };
    return visit_branches(keep) && balance(scratch_, peaks);
  }

  static constexpr double least_weight = 1e-9;  // of a patch as one: less is rounding

  // Ratios of the depth of a patch to that of its least way over a sharp edge: from the second on only that way counts.
  // Of two cubes corner in corner it is at most 3^(1/2), and there three ways may be equal: rounding would choose one.
  static constexpr double longer[2] = {1.75, 1.95};
};

}  // namespace contactlib::geometry
