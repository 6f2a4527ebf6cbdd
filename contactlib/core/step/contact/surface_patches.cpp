#include "surface_patches.hpp"

#include <algorithm>
#include <cmath>

namespace contactlib::step {

using geometry::Outline, geometry::OutlinedPoint, geometry::Outlines, geometry::SurfacePoints, geometry::no_resultant;
using state::ContactPatch, state::PatchOutline, state::PatchPoint, state::PatchQuery;

namespace {

// Sums over the points of a patch, about the origin of the points' axes.
struct PatchSums {
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero(), pull = Vec3::Zero();
  Vec3 weighted = Vec3::Zero(), loaded = Vec3::Zero(), heaviest = Vec3::UnitZ();
  double weight = 0.0, load = 0.0, square = 0.0, area = 0.0, deepest = 0.0, most = 0.0;

  void add(const Vec3& x, const Vec3& n, const Vec3& f, double w, double pressed, const OutlinedPoint& point) noexcept {
    force += f, moment += x.cross(f), pull += w * n, weighted += w * x, weight += w;
    load += pressed, loaded += pressed * x, square += pressed * point.spread;
    area += point.area, deepest = std::max(deepest, point.extent);
    if (w > most) most = w, heaviest = n;
  }
  // Of pressure, as of the whole contact; without pressure that of the surface.
  Vec3 centre() const noexcept { return load > 0.0 ? Vec3(loaded / load) : Vec3(weighted / weight); }
  Vec3 normal() const noexcept {
    const double size = force.norm();
    if (size > no_resultant * load && size > 0.0) return (force.dot(pull) < 0.0 ? -1.0 : 1.0) / size * force;
    return pull.norm() > no_resultant * weight ? Vec3(pull.normalized()) : heaviest;
  }
};

struct Query {
  const SurfaceScratch& scratch;
  const std::vector<std::uint32_t> patch_of_part;
  const Mat3& R_WF;
  const Vec3& p_AF_W;
  PatchQuery& out;
  const std::int32_t contact = static_cast<std::int32_t>(out.counts.size());
  std::vector<PatchSums> sums{};
  std::vector<std::int32_t> number{};  // of each patch, among those with points

  Vec3 in_world(const Vec3& x) const noexcept { return p_AF_W + R_WF * x; }

  void add_points() {
    const SurfacePoints& p = scratch.points;
    std::vector<PatchOutline>& outlines = out.outlines;
    const std::size_t first = outlines.size() - out.found.parts.size();
    for (std::size_t i = 0; i < out.found.points.size(); ++i) {
      const OutlinedPoint& point = out.found.points[i];
      if (point.part == Outlines::none) continue;
      const std::uint32_t patch = patch_of_part[point.part];
      const Vec3 x = p.place(i), n = p.normal(i), f = out.forces.place(i);
      sums[patch].add(x, n, f, p.weight[i], p.load[i], point);
      outlines[first + point.part].normal_force += p.load[i], outlines[first + point.part].area += point.area;
      out.points.push_back({contact, static_cast<std::int32_t>(patch), in_world(x), R_WF * n, R_WF * f, p.load[i],
                            point.extent, point.area});
    }
  }

  void add_outlines() {
    for (std::uint32_t part = 0; part < out.found.parts.size(); ++part) {
      const Outline& outline = out.found.parts[part];
      out.outlines.push_back({contact, static_cast<std::int32_t>(patch_of_part[part]),
                              static_cast<std::int32_t>(out.corners.size()), static_cast<std::int32_t>(outline.count),
                              static_cast<std::int32_t>(outline.columns), scratch.sharpness, 0.0, 0.0});
      PatchSums& patch = sums[patch_of_part[part]];
      for (std::uint32_t i = outline.first; i < outline.first + outline.count; ++i) {
        const geometry::OutlineCorner& corner = out.found.corners[i];
        out.corners.push_back({in_world(corner.x), corner.e});
        patch.deepest = std::max(patch.deepest, corner.e);
      }
    }
  }

  // The points of curved surfaces are not at the deepest place, whose depth is that of the contact.
  void set_greatest(double depth) noexcept {
    const auto deepest = std::max_element(sums.begin(), sums.end(),
                                          [](const PatchSums& a, const PatchSums& b) { return a.deepest < b.deepest; });
    if (deepest != sums.end()) deepest->deepest = depth;
  }

  void add_patch(const PatchSums& patch) {
    const Vec3 centre = patch.centre(), n = patch.normal();
    out.patches.push_back({contact, 0, in_world(centre), R_WF * n, R_WF * patch.force,
                           R_WF * (patch.moment - centre.cross(patch.force)), n.dot(patch.force), patch.load,
                           patch.area, 0.0, patch.deepest});
  }

  // The mean squared distances, after the centres are known.
  void set_radii(std::size_t first_patch, std::size_t first_point) noexcept {
    std::vector<ContactPatch>& patches = out.patches;
    const auto patch_at = [&](std::int32_t k) -> ContactPatch& { return patches[first_patch + number[k]]; };
    for (std::size_t k = 0; k < sums.size(); ++k)
      if (number[k] >= 0) patch_at(static_cast<std::int32_t>(k)).radius = sums[k].square;
    for (std::size_t i = first_point; i < out.points.size(); ++i) {
      const PatchPoint& point = out.points[i];
      ContactPatch& patch = patch_at(point.patch);
      patch.radius += point.normal_force * (point.p_AC_W - patch.p_AC_W).squaredNorm();
    }
    for (std::size_t j = first_patch; j < patches.size(); ++j)
      patches[j].radius = patches[j].normal_force > 0.0 ? std::sqrt(patches[j].radius / patches[j].normal_force) : 0.0;
  }

  // Patches get their numbers among those of all contacts; outlines without a point have none.
  void renumber(std::size_t first_patch, std::size_t first_point, std::size_t first_outline) {
    const auto numbered = [&](std::int32_t k) {
      return number[k] < 0 ? -1 : number[k] + static_cast<std::int32_t>(first_patch);
    };
    for (std::size_t i = first_point; i < out.points.size(); ++i) out.points[i].patch = numbered(out.points[i].patch);
    std::size_t kept = first_outline;
    for (std::size_t i = first_outline; i < out.outlines.size(); ++i) {
      PatchOutline outline = out.outlines[i];
      outline.patch = numbered(outline.patch);
      if (outline.patch >= 0) out.outlines[kept++] = outline;
    }
    out.outlines.resize(kept);
  }

  void run(double depth) {
    const std::size_t first_patch = out.patches.size(), first_point = out.points.size(),
                      first_outline = out.outlines.size();
    std::size_t patches = 0;
    for (const std::uint32_t patch : patch_of_part) patches = std::max<std::size_t>(patches, patch + 1);
    sums.resize(patches), number.assign(patches, -1);
    add_outlines(), add_points(), set_greatest(depth);
    for (std::size_t k = 0; k < patches; ++k) {
      if (!(sums[k].weight > 0.0)) continue;
      number[k] = static_cast<std::int32_t>(out.patches.size() - first_patch);
      add_patch(sums[k]);
    }
    out.points.erase(std::remove_if(out.points.begin() + static_cast<std::ptrdiff_t>(first_point), out.points.end(),
                                    [&](const PatchPoint& point) { return number[point.patch] < 0; }),
                     out.points.end());
    set_radii(first_patch, first_point), renumber(first_patch, first_point, first_outline);
    out.counts.push_back(static_cast<std::int32_t>(out.patches.size() - first_patch));
  }
};

}  // namespace

void add_patches(const SurfaceScratch& scratch, const Depth& depth, const Mat3& R_WF, const Vec3& p_AF_W,
                 PatchQuery& query) noexcept {
  if (query.found.failed) query.failed = true;
  if (query.failed) return;
  try {
    const double tolerance = geometry::border_tolerance(query.found, depth.deepest);
    Query{scratch, geometry::find_patches(query.found, tolerance), R_WF, p_AF_W, query}.run(depth.deepest);
  } catch (...) {
    query.failed = true;
  }
}

}  // namespace contactlib::step
