#include "band.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace contactlib::element {

namespace {

constexpr double rounding = 1e-14;     // of the frame's size squared: areas below it are none
constexpr double least_cosine = 1e-9;  // as in design.cpp

// The plane of the band in the carrier's axes: `along` from the first point to the second, and `up`.
struct Section {
  const MembraneDesign& design;
  MembraneScratch& scratch;
  const Vec3 along, up;
  double low, high;  // m, of the two points from the middle of the frame

  Section(const MembraneDesign& d, const MembraneMotion& X, MembraneScratch& c) noexcept
      : design(d), scratch(c), along(d.out_C[1]), up(d.up_C), low(-d.reach[0]), high(d.reach[1]) {
    if (X.reel != nullptr) low += X.reel[0], high -= X.reel[1];
  }

  // A corner relative to the middle of the frame in (along, up); the third number is not used.
  Vec3 seen(const MembraneMotion& X, const Vec3& p_BV) const noexcept {
    const Vec3 p = X.R_WC.transpose() * (X.p_CB_W + X.R_WB * p_BV) - design.p_CM;
    return {along.dot(p), up.dot(p), 0.0};
  }

  const Vec3& point(std::int32_t i) const noexcept { return scratch.seen_points[i]; }
  Vec3 to_C(const Vec3& flat) const noexcept { return flat[0] * along + flat[1] * up; }
};

double turn(const Vec3& a, const Vec3& b) noexcept { return a[0] * b[1] - a[1] * b[0]; }

// The lower hull from point 0 to point 1 of the frame, in scratch.inside: all other points lie left of the next one.
void wrap(Section& section, std::size_t below) noexcept {
  MembraneScratch& scratch = section.scratch;
  const double capacity = rounding * section.design.size * section.design.size;
  std::int32_t here = 0;
  scratch.triangles = 0;
  scratch.inside[scratch.triangles++] = here;
  for (std::size_t step = 0; step < below && here != 1; ++step) {
    std::int32_t best = 1;
    for (std::size_t i = 0; i < below; ++i) {
      const std::int32_t u = scratch.below[i] + 2;
      if (turn(section.point(best) - section.point(here), section.point(u) - section.point(here)) < -capacity) best = u;
    }
    scratch.inside[scratch.triangles++] = here = best;
  }
  if (here != 1) scratch.inside[scratch.triangles++] = 1;
}

// No corner of the body, above or below the line, lies beyond the first or the last segment: the body came through the
// opening.
bool is_through(const Section& section) noexcept {
  const MembraneScratch& scratch = section.scratch;
  const double capacity = rounding * section.design.size * section.design.size;
  const Vec3 &s0 = section.point(0), &s1 = section.point(1);
  const Vec3 first = section.point(scratch.inside[1]) - s0,
             last = s1 - section.point(scratch.inside[scratch.triangles - 2]);
  for (std::size_t i = 2; i < scratch.seen_points.size(); ++i)
    if (turn(first, section.point(static_cast<std::int32_t>(i)) - s0) < -capacity ||
        turn(last, section.point(static_cast<std::int32_t>(i)) - s1) < -capacity)
      return false;
  return true;
}

bool is_within(const Section& section, double x) noexcept { return section.low <= x && x <= section.high; }

// The corners below the line that touch the fabric, and their hull.
void shape(Section& section, const MembraneMotion& X, MembraneResult& out) noexcept {
  MembraneScratch& scratch = section.scratch;
  const auto corners = static_cast<std::int32_t>(section.design.hull.p_BV.size());
  scratch.seen_points[0] = {section.low, 0.0, 0.0};
  scratch.seen_points[1] = {section.high, 0.0, 0.0};
  std::size_t below = 0;
  double middle = 0.0;
  for (std::int32_t i = 0; i < corners; ++i) {
    const Vec3 p = scratch.seen_points[i + 2] = section.seen(X, section.design.hull.p_BV[i]);
    out.depth = std::max(out.depth, -p[1]);
    middle += p[0] / corners;
    if (p[1] < 0.0) scratch.below[below++] = i;
  }
  if (below == static_cast<std::size_t>(corners) && !is_within(section, middle)) {
    out.outside = corners;
    below = 0;
  }
  wrap(section, below);
  if (below == 0 || is_through(section)) return;
  const auto beyond = [&](std::int32_t i) noexcept { return !is_within(section, section.point(i + 2)[0]); };
  const auto end = std::remove_if(scratch.below.begin(), scratch.below.begin() + below, beyond);
  const auto kept = static_cast<std::size_t>(end - scratch.below.begin());
  out.outside = static_cast<std::int32_t>(below - kept);
  wrap(section, kept);
}

// Unit vector from point i of the hull to the next.
Vec3 segment(const Section& section, std::size_t i) noexcept {
  const Vec3 along = section.point(section.scratch.inside[i + 1]) - section.point(section.scratch.inside[i]);
  return along / std::max(along.norm(), std::numeric_limits<double>::min());
}

}  // namespace

UnitPull measure_band(const MembraneDesign& design, const MembraneMotion& X, MembraneScratch& scratch,
                      MembraneResult& out) noexcept {
  Section section(design, X, scratch);
  shape(section, X, out);
  const std::size_t last = scratch.triangles - 1;
  for (std::size_t i = 0; i < last; ++i)
    out.area += (section.point(scratch.inside[i + 1]) - section.point(scratch.inside[i])).norm();
  UnitPull unit;
  if (X.reel_rate != nullptr)  // dl/ds_0 = -e_0, dl/ds_1 = e_last
    unit.reeling = -segment(section, 0)[0] * X.reel_rate[0] - segment(section, last - 1)[0] * X.reel_rate[1];
  out.area_rate = unit.reeling;
  // dl/dx_i = e_before - e_after
  const Mat3 R_BC = X.R_WB.transpose() * X.R_WC;
  for (std::size_t i = 1; i < last; ++i) {
    const Vec3& x_B = design.hull.p_BV[scratch.inside[i] - 2];
    const Vec3 x_W = X.R_WB * x_B;
    const Vec3 v_W = X.v_CB_W + X.w_WB.cross(x_W) - X.w_WC.cross(X.p_CB_W + x_W);
    const Vec3 gradient_C = section.to_C(segment(section, i - 1) - segment(section, i)), gradient_B = R_BC * gradient_C;
    out.area_rate += gradient_C.dot(X.R_WC.transpose() * v_W);
    unit.pull.force -= gradient_B;
    unit.pull.torque -= x_B.cross(gradient_B);
  }
  out.touching = static_cast<std::int32_t>(last) - 1;
  unit.edge = last > 1 ? 1.0 : 0.0;
  return unit;
}

void collect_band(const MembraneDesign& design, const MembraneMotion& X, double a, MembraneScratch& scratch) noexcept {
  const Section section(design, X, scratch);
  const Mat3 R_BC = X.R_WB.transpose() * X.R_WC;
  scratch.corner_force_count = 0;
  for (std::size_t i = 1; i + 1 < scratch.triangles; ++i) {
    const Vec3 before = segment(section, i - 1), after = segment(section, i);
    const double force = a * std::abs(turn(before, after)) / std::max(1.0 + before.dot(after), least_cosine);
    for (const Vec3& e : {before, after})
      scratch.corner_forces[scratch.corner_force_count++] = {scratch.inside[i] - 2,
                                                             R_BC * section.to_C({e[1], -e[0], 0.0}), force};
  }
}

}  // namespace contactlib::element
