#include "membrane.hpp"

#include <algorithm>
#include <cmath>

#include "band.hpp"
#include "fabric.hpp"
#include "spread.hpp"

namespace contactlib::element {

using law::curve_at;

namespace {

constexpr double tiny = 1e-9;  // as in design.cpp

// Tension over x >= 0 and its integral; `slope` if there is no table.
CurvePoint along(const std::vector<CurvePoint>& table, double slope, double x) noexcept {
  if (table.empty()) return {x, slope * x, slope, 0.5 * slope * x * x};
  return curve_at({table.data(), table.size()}, x);
}

bool is_finite(const MembraneMotion& X, std::size_t n) noexcept {
  bool good = X.R_WC.allFinite() && X.R_WB.allFinite() && X.p_CB_W.allFinite() && X.v_CB_W.allFinite() &&
              X.w_WC.allFinite() && X.w_WB.allFinite();
  for (std::size_t k = 0; k < n; ++k)
    good = good && (X.reel == nullptr || std::isfinite(X.reel[k])) &&
           (X.reel_rate == nullptr || std::isfinite(X.reel_rate[k]));
  return good;
}

bool is_allowed(const MembraneParameters& p) noexcept {
  const double sum = p.stiffness + p.damping + p.rest_area + p.friction + p.slip_speed;
  return std::isfinite(sum) && p.stiffness >= 0.0 && p.damping >= 0.0 && p.rest_area >= 0.0 && p.friction >= 0.0 &&
         p.slip_speed > 0.0;
}

// Position of a suspension point after reeling.
Vec3 reeled(const MembraneDesign& design, const MembraneMotion& X, std::size_t k) noexcept {
  return X.reel == nullptr ? design.p_CS[k] : Vec3(design.p_CS[k] - X.reel[k] * design.out_C[k]);
}

// The first suspension point that is reeled to the middle or inside the line of its neighbours; -1: none.
std::int32_t slack_point(const MembraneDesign& design, const MembraneMotion& X) noexcept {
  if (X.reel == nullptr) return -1;
  const std::size_t n = design.p_CS.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (!(X.reel[k] < design.reach[k] - tiny * design.size)) return static_cast<std::int32_t>(k);
    if (design.dimension == 2) continue;
    const Vec3 here = reeled(design, X, k);
    const Vec3 before = here - reeled(design, X, (k + n - 1) % n), after = reeled(design, X, (k + 1) % n) - here;
    if (!(design.up_C.dot(before.cross(after)) >= -tiny * design.size * before.norm()))
      return static_cast<std::int32_t>(k);
  }
  return -1;
}

// Suspension points and their velocities in the body's axes.
void place(const MembraneDesign& design, const MembraneMotion& X, MembraneScratch& scratch) noexcept {
  const Mat3 R_BW = X.R_WB.transpose();
  scratch.up_B = R_BW * (X.R_WC * design.up_C);
  scratch.level = scratch.up_B.dot(R_BW * (X.R_WC * design.p_CM - X.p_CB_W));
  for (std::size_t k = 0; k < design.p_CS.size(); ++k) {
    const Vec3 p_CS_W = X.R_WC * reeled(design, X, k), p_BS_W = p_CS_W - X.p_CB_W;
    const double rate = X.reel_rate == nullptr ? 0.0 : -X.reel_rate[k];
    const Vec3 reel_v_W = rate * (X.R_WC * design.out_C[k]);
    scratch.p_B[k] = R_BW * p_BS_W;
    scratch.reel_v_B[k] = R_BW * reel_v_W;
    scratch.v_BS_B[k] = R_BW * (X.w_WC.cross(p_CS_W) - X.w_WB.cross(p_BS_W) - X.v_CB_W + reel_v_W);
  }
}

// The body's highest or lowest corner over the frame's plane, by hill climbing from the best of six corners.
std::int32_t furthest(const MembraneDesign& design, const Vec3& along_B) noexcept {
  const MembraneHull& hull = design.hull;
  std::int32_t best = hull.extreme[0];
  double most = along_B.dot(hull.p_BV[best]);
  const auto consider = [&](std::int32_t v) noexcept {
    const double far = along_B.dot(hull.p_BV[v]);
    if (far > most) most = far, best = v;
  };
  for (const std::int32_t v : hull.extreme) consider(v);
  for (std::int32_t from = -1; from != best;) {
    from = best;
    for (std::int32_t i = hull.first_out[from]; i < hull.first_out[from + 1]; ++i) consider(head(hull, hull.out[i]));
  }
  return best;
}

// Whether x lies above or below the opening, not beyond one of its sides.
bool is_within(const MembraneDesign& design, const MembraneScratch& scratch, const Vec3& x) noexcept {
  const std::size_t n = design.p_CS.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3& s = scratch.p_B[k];
    if (!(scratch.up_B.cross(scratch.p_B[k + 1 == n ? 0 : k + 1] - s).dot(x - s) >= 0.0)) return false;
  }
  return true;
}

// For a body that reaches over the rim: the corners below the plane within the opening, the lowest first.
std::size_t collect_below(const MembraneDesign& design, MembraneScratch& scratch, MembraneResult& out) noexcept {
  const auto corners = static_cast<std::int32_t>(design.hull.p_BV.size());
  std::size_t count = 0, lowest = 0;
  for (std::int32_t i = 0; i < corners; ++i) {
    const Vec3& p = design.hull.p_BV[i];
    if (!(height(scratch, p) < 0.0)) continue;
    if (!is_within(design, scratch, p)) {
      ++out.outside;
      continue;
    }
    if (count > 0 && height(scratch, p) < height(scratch, design.hull.p_BV[scratch.below[lowest]])) lowest = count;
    scratch.below[count++] = i;
  }
  if (count > 0) std::swap(scratch.below[0], scratch.below[lowest]);
  return count;
}

// The shape of the fabric; a flat one has no triangles. A body wholly below hangs in the fabric if its middle is under
// the opening; otherwise it is beside the frame.
void shape_fabric(const MembraneDesign& design, MembraneScratch& scratch, MembraneResult& out) noexcept {
  const MembraneHull& hull = design.hull;
  scratch.triangles = scratch.bordering = 0;
  const std::int32_t lowest = furthest(design, -scratch.up_B);
  out.depth = std::max(0.0, -height(scratch, hull.p_BV[lowest]));
  if (out.depth == 0.0) return;
  const bool whole = height(scratch, hull.p_BV[furthest(design, scratch.up_B)]) < 0.0;
  if (whole && !is_within(design, scratch, hull.middle)) {
    out.outside = static_cast<std::int32_t>(hull.p_BV.size());
    return;
  }
  if (wrap_fabric(design, lowest, scratch)) return;
  const std::size_t count = collect_below(design, scratch, out);
  if (count > 0) stretch_fabric(design, scratch.below.data(), count, scratch);
}

// A = up.(sum of s_k x s_k+1) / 2,  dA/ds_k = (s_k+1 - s_k-1) x up / 2
double measure_flat(const MembraneDesign& design, MembraneScratch& scratch) noexcept {
  const std::size_t n = design.p_CS.size();
  const Vec3 &up_B = scratch.up_B, &s0 = scratch.p_B[0];
  double area = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3 &before = scratch.p_B[k == 0 ? n - 1 : k - 1], &after = scratch.p_B[k + 1 == n ? 0 : k + 1];
    area += 0.5 * up_B.dot((scratch.p_B[k] - s0).cross(after - s0));
    scratch.gradient_B[k] = 0.5 * (after - before).cross(up_B);
  }
  return area;
}

std::int32_t count_touching(const MembraneDesign& design, MembraneScratch& scratch) noexcept {
  const auto n = static_cast<std::int32_t>(design.p_CS.size());
  std::int32_t count = 0;
  const auto mark = [&](std::int32_t value) noexcept {
    for (std::size_t t = 0; t < scratch.triangles; ++t)
      for (const std::int32_t point : scratch.fabric[t].point) {
        count += point >= n && scratch.begins[point] != value;
        scratch.begins[point] = value;
      }
  };
  mark(-2);
  const std::int32_t touching = count;
  mark(-1);
  return touching;
}

// Stored energy, tension and heat of damping at a given area and rate.
void tighten(const MembraneDesign& design, const MembraneParameters& parameters, MembraneResult& out) noexcept {
  const double x = out.area - parameters.rest_area, rate = out.area_rate;
  if (x < 0.0 && !design.push) return;  // slack
  const CurvePoint elastic = along(design.profile.elastic, parameters.stiffness, std::abs(x));
  const auto& table = rate < 0.0 ? design.profile.retracting : design.profile.extending;
  const double damping = std::copysign(along(table, parameters.damping, std::abs(rate)).force, rate);
  const double pull = std::copysign(elastic.force, x);
  out.stored = elastic.stored;
  out.tension = design.push ? pull + damping : std::max(0.0, pull + damping);
  out.heat_damping = std::max(0.0, (out.tension - pull) * rate);  // the clamp removes less than all of the damping
}

// Both wrenches from the fabric's forces on the body in B's axes.
void resolve(const MembraneMotion& X, const MembranePull& pull, const MembranePull& friction,
             MembraneResult& out) noexcept {
  out.f_normal_W = X.R_WB * pull.force;
  out.f_friction_W = X.R_WB * friction.force;
  out.f_B_W = out.f_normal_W + out.f_friction_W;
  out.t_B_W = X.R_WB * (pull.torque + friction.torque);
  out.f_C_W = -out.f_B_W;
  out.t_C_W = -(out.t_B_W + X.p_CB_W.cross(out.f_B_W));
}

// The force on the body follows from the suspension points:  f = a sum dA/ds_k,  t = a sum s_k x dA/ds_k
UnitPull measure_area(const MembraneDesign& design, const MembraneMotion& X, MembraneScratch& scratch,
                      MembraneResult& out) noexcept {
  place(design, X, scratch);
  shape_fabric(design, scratch, out);
  const bool flat = scratch.triangles == 0;
  out.area = flat ? measure_flat(design, scratch) : measure_fabric(design, scratch);
  UnitPull unit;
  for (std::size_t k = 0; k < design.p_CS.size(); ++k) {
    const Vec3& gradient = scratch.gradient_B[k];
    unit.reeling += gradient.dot(scratch.reel_v_B[k]);
    if (flat) continue;
    out.area_rate += gradient.dot(scratch.v_BS_B[k]);
    unit.pull.force += gradient;
    unit.pull.torque += scratch.p_B[k].cross(gradient);
  }
  if (flat) {
    out.area_rate = unit.reeling;
    return unit;
  }
  out.touching = count_touching(design, scratch);
  unit.edge = largest_edge(design, scratch);
  return unit;
}

MembranePull friction(const MembraneDesign& design, const MembraneParameters& parameters, const MembraneMotion& X,
                      const MembranePull& pull, MembraneScratch& scratch, MembraneResult& out) noexcept {
  if (design.dimension == 2) {
    collect_band(design, X, out.tension, scratch);
  } else {
    measure_folds(scratch);
    collect_corner_forces(design, out.tension, scratch);
  }
  out.illegal = spread_corner_forces(design, out.tension, pull, scratch);
  const Vec3 v_W = X.v_CB_W - X.w_WC.cross(X.p_CB_W);
  const MembraneSlip slip{X.R_WB.transpose() * v_W, X.R_WB.transpose() * (X.w_WB - X.w_WC)};
  return rub(parameters, slip, design, scratch, out.heat_friction);
}

MembraneResult nothing() noexcept {
  const Vec3 zero = Vec3::Zero();
  return {zero, zero, zero, zero, zero, zero, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
}

bool is_finite(const MembraneResult& out) noexcept {
  bool good = true;
  for (const Vec3* v : {&out.f_B_W, &out.t_B_W, &out.t_C_W, &out.f_normal_W, &out.f_friction_W})
    good = good && v->allFinite();
  for (const double x : {out.area, out.area_rate, out.tension, out.stored, out.heat_damping, out.heat_friction,
                         out.winch_power, out.edge_tension, out.depth})
    good = good && std::isfinite(x);
  return good;
}

}  // namespace

Status membrane_wrench(const MembraneDesign& design, const MembraneParameters& parameters, const MembraneMotion& motion,
                       MembraneScratch& scratch, MembraneResult& out) noexcept {
  out = nothing();
  scratch.corner_force_count = 0;
  if (!is_finite(motion, design.p_CS.size())) return {Code::not_finite, -1};
  if (!is_allowed(parameters)) return {Code::bad_argument, -1};
  if (const std::int32_t k = slack_point(design, motion); k >= 0) return {Code::bad_argument, k};
  const UnitPull unit = (design.dimension == 2 ? measure_band : measure_area)(design, motion, scratch, out);
  tighten(design, parameters, out);
  const double a = out.tension;
  out.winch_power = a * unit.reeling;
  out.edge_tension = std::max(0.0, a * unit.edge);
  if (out.touching > 0) {
    const MembranePull pull{a * unit.pull.force, a * unit.pull.torque};
    MembranePull rubbing{Vec3::Zero(), Vec3::Zero()};
    if (parameters.friction > 0.0) rubbing = friction(design, parameters, motion, pull, scratch, out);
    resolve(motion, pull, rubbing, out);
  }
  if (is_finite(out)) return {};
  out = nothing();
  return {Code::not_finite, -1};
}

}  // namespace contactlib::element
