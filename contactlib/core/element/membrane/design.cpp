// Checks the design of a membrane once and completes it.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "math/elementary.hpp"
#include "membrane.hpp"

namespace contactlib::element {

using law::complete_curve;

namespace {

constexpr double tiny = 1e-9;         // of the frame's size: what counts as one point, one line, one plane
constexpr double convex_by = 1e-8;    // of the body's size: a corner may lie that far above a neighbouring triangle
constexpr double least_cosine = 1e-9; // of half the angle between two normals, so that a knife's edge stays finite

using Fault = MembraneFault;

MembraneCheck measure_frame(MembraneDesign& design) {
  const auto n = static_cast<std::int32_t>(design.p_CS.size());
  if (n < design.dimension || (design.dimension == 2 && n > 2)) return {Fault::too_few_points, n};
  design.p_CM.setZero();
  for (std::int32_t k = 0; k < n; ++k) {
    if (!design.p_CS[k].allFinite()) return {Fault::not_finite, k};
    design.p_CM += design.p_CS[k] / n;
  }
  design.reach.resize(n);
  design.out_C.resize(n);
  for (std::int32_t k = 0; k < n; ++k) {
    const Vec3 out = design.p_CS[k] - design.p_CM;
    design.reach[k] = out.norm();
    design.out_C[k] = out / std::max(design.reach[k], 1e-300);
    design.size = std::max(design.size, 2.0 * design.reach[k]);
  }
  for (std::int32_t k = 0; k < n; ++k)
    if (!((design.p_CS[(k + 1) % n] - design.p_CS[k]).norm() > tiny * design.size)) return {Fault::coincident, k};
  return {};
}

// Whether the points lie in one plane and go round it once, counter-clockwise as seen from above.
MembraneCheck span_plane(MembraneDesign& design) {
  const auto n = static_cast<std::int32_t>(design.p_CS.size());
  const auto from_middle = [&](std::int32_t k) -> Vec3 { return design.p_CS[k % n] - design.p_CM; };
  Vec3 twice = Vec3::Zero();  // the vector area, doubled
  for (std::int32_t k = 0; k < n; ++k) twice += from_middle(k).cross(from_middle(k + 1));
  design.outline = 0.5 * twice.norm();
  const double capacity = tiny * design.size;
  if (!(design.outline > capacity * design.size)) return {Fault::not_convex, -1};
  design.up_C = twice.normalized();
  double turned = 0.0;
  for (std::int32_t k = 0; k < n; ++k) {
    if (!(std::abs(design.up_C.dot(from_middle(k))) <= capacity)) return {Fault::not_plane, k};
    const Vec3 before = from_middle(k + 1) - from_middle(k), after = from_middle(k + 2) - from_middle(k + 1);
    const double left = design.up_C.dot(before.cross(after));
    if (!(left >= -capacity * before.norm()) || (left <= capacity * before.norm() && before.dot(after) < 0.0))
      return {Fault::not_convex, (k + 1) % n};
    turned += math::atan2(left, before.dot(after));
  }
  if (turned > 7.0) return {Fault::not_convex, -1};  // twice round is 4 pi
  return {};
}

MembraneCheck span_line(MembraneDesign& design) {
  const Vec3 along = (design.p_CS[1] - design.p_CS[0]).normalized();
  design.outline = design.size;
  const Vec3 up = design.up_C - along.dot(design.up_C) * along;
  const double length = up.norm();
  if (!(length > 1e-6 * design.up_C.norm()) || !std::isfinite(length)) return {Fault::up, -1};
  design.up_C = up / length;
  return {};
}

double fold_of(double length, const Vec3& n0, const Vec3& n1) noexcept {
  return 0.5 * length * n0.cross(n1).norm() / std::max(1.0 + n0.dot(n1), least_cosine);
}

// Finds the opposite half-edges. Returns the index of a triangle with an edge that has not two sides, or -1.
std::int32_t pair_edges(MembraneHull& hull) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> of;
  const auto count = static_cast<std::int32_t>(3 * hull.triangles.size());
  const auto corner = [&](std::int32_t h) { return hull.triangles[h / 3][h % 3]; };
  const auto head = [&](std::int32_t h) { return corner(h % 3 == 2 ? h - 2 : h + 1); };
  for (std::int32_t h = 0; h < count; ++h)
    if (corner(h) == head(h) || !of.emplace(std::make_pair(corner(h), head(h)), h).second) return h / 3;
  hull.twin.resize(count);
  for (std::int32_t h = 0; h < count; ++h) {
    const auto back = of.find({head(h), corner(h)});
    if (back == of.end()) return h / 3;
    hull.twin[h] = back->second;
  }
  return -1;
}

// Computes normals, areas and folds. Returns the index of a triangle without area or with a corner above it, or -1.
std::int32_t measure_triangles(MembraneHull& hull, double size) {
  const auto count = static_cast<std::int32_t>(hull.triangles.size());
  hull.n.resize(count);
  hull.area.resize(count);
  hull.fold.resize(3 * static_cast<std::size_t>(count));
  for (std::int32_t t = 0; t < count; ++t) {
    const auto& corner = hull.triangles[t];
    const Vec3 &p0 = hull.p_BV[corner[0]], &p1 = hull.p_BV[corner[1]], &p2 = hull.p_BV[corner[2]];
    const Vec3 twice = (p1 - p0).cross(p2 - p0);
    hull.area[t] = 0.5 * twice.norm();
    if (!(hull.area[t] > 0.0)) return t;
    hull.n[t] = twice / (2.0 * hull.area[t]);
  }
  for (std::int32_t h = 0; h < 3 * count; ++h) {
    const std::int32_t t = h / 3, other = hull.twin[h];
    const Vec3 &p0 = hull.p_BV[hull.triangles[t][h % 3]], &p1 = hull.p_BV[hull.triangles[t][(h + 1) % 3]];
    const Vec3& across = hull.p_BV[hull.triangles[other / 3][(other + 2) % 3]];
    if (!(hull.n[t].dot(across - p0) <= convex_by * size)) return t;
    hull.fold[h] = fold_of((p1 - p0).norm(), hull.n[t], hull.n[other / 3]);
  }
  return -1;
}

// Finds the half-edges of each corner and checks V - E + F = 2. Returns a corner without any, or -1; -2: not one solid.
std::int32_t collect_incident_edges(MembraneHull& hull) {
  const auto corners = hull.p_BV.size();
  hull.first_out.assign(corners + 1, 0);
  for (const auto& triangle : hull.triangles)
    for (const std::int32_t v : triangle) ++hull.first_out[v + 1];
  for (std::size_t v = 0; v < corners; ++v) {
    if (hull.first_out[v + 1] == 0) return static_cast<std::int32_t>(v);
    hull.first_out[v + 1] += hull.first_out[v];
  }
  hull.out.resize(hull.twin.size());
  std::vector<std::int32_t> filled(hull.first_out.begin(), hull.first_out.end() - 1);
  for (std::size_t h = 0; h < hull.twin.size(); ++h)
    hull.out[filled[hull.triangles[h / 3][h % 3]]++] = static_cast<std::int32_t>(h);
  return 2 * corners == hull.triangles.size() + 4 ? -1 : -2;
}

MembraneCheck complete_hull(MembraneHull& hull, bool solid) {
  Vec3 low = Vec3::Constant(HUGE_VAL), high = -low;
  hull.middle.setZero();
  std::fill_n(hull.extreme, 6, 0);
  for (std::size_t v = 0; v < hull.p_BV.size(); ++v) {
    const Vec3& p = hull.p_BV[v];
    if (!p.allFinite()) return {Fault::not_finite, static_cast<std::int32_t>(v)};
    low = low.cwiseMin(p), high = high.cwiseMax(p);
    hull.middle += p / static_cast<double>(hull.p_BV.size());
    for (int i = 0; i < 3; ++i) {
      if (p[i] > hull.p_BV[hull.extreme[i]][i]) hull.extreme[i] = static_cast<std::int32_t>(v);
      if (p[i] < hull.p_BV[hull.extreme[3 + i]][i]) hull.extreme[3 + i] = static_cast<std::int32_t>(v);
    }
  }
  if (hull.p_BV.empty()) return {Fault::hull, -1};
  if (!solid) return {};
  const auto corners = static_cast<std::int32_t>(hull.p_BV.size());
  for (std::size_t t = 0; t < hull.triangles.size(); ++t)
    for (const std::int32_t v : hull.triangles[t])
      if (v < 0 || v >= corners) return {Fault::hull, static_cast<std::int32_t>(t)};
  if (const std::int32_t t = pair_edges(hull); t >= 0 || hull.triangles.empty()) return {Fault::hull, t};
  if (const std::int32_t t = measure_triangles(hull, (high - low).norm()); t >= 0) return {Fault::hull, t};
  if (const std::int32_t v = collect_incident_edges(hull); v != -1) return {Fault::hull, v};
  return {};
}

}  // namespace

MembraneCheck complete_membrane(MembraneDesign& design) {
  if (design.dimension != 2 && design.dimension != 3) return {Fault::dimension, -1};
  design.size = 0.0;
  if (const MembraneCheck found = measure_frame(design); !found) return found;
  const bool solid = design.dimension == 3;
  if (const MembraneCheck found = solid ? span_plane(design) : span_line(design); !found) return found;
  if (const MembraneCheck found = complete_hull(design.hull, solid); !found) return found;
  std::int32_t index = 0;
  for (auto* table : {&design.profile.elastic, &design.profile.extending, &design.profile.retracting}) {
    if (!table->empty() && !complete_curve(table->data(), table->size())) return {Fault::profile, index};
    ++index;
  }
  return {};
}

void MembraneScratch::make(const MembraneDesign& design) {
  const std::size_t n = design.p_CS.size(), corners = design.hull.p_BV.size(), edges = design.hull.twin.size();
  p_B.assign(n, Vec3::Zero());
  p_B.insert(p_B.end(), design.hull.p_BV.begin(), design.hull.p_BV.end());
  for (auto* list : {&v_BS_B, &reel_v_B, &gradient_B}) list->assign(n, Vec3::Zero());
  seen_points.assign(2 + corners, Vec3::Zero());
  // a fabric of n + m points has at most n + 2 m triangles; while a corner is inserted, old and new ones exist
  const std::size_t most = 2 * n + 4 * corners;
  fabric.assign(most, FabricTriangle());
  corner_forces.assign(3 * most, CornerForce());
  border.assign(most, -1);
  fan.assign(edges, -1);
  number.assign(design.hull.triangles.size(), -1);
  for (auto* list : {&inside, &free, &seen, &fresh}) list->assign(most, 0);
  below.assign(corners, 0);
  begins.assign(n + corners, -1);
  triangles = bordering = corner_force_count = 0;
}

}  // namespace contactlib::element
