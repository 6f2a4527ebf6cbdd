// Capsules against sockets in lanes. A capsule far inside of the socket's outer edges meets the hole with its ends and
// the rim with its body: this is computed for all pairs without branches, with the operations of `capsule_socket` in
// their order. All other pairs are passed to that kernel.
#include <algorithm>
#include <cstddef>

#include "geometry/sweep/lanes.hpp"
#include "math/lanes.hpp"
#include "socket.hpp"
#include "solid.hpp"

namespace contactlib::geometry {

using math::Lanes3, math::any, math::eigen_dot, math::greater, math::at_most, math::is_not, math::lanes, math::less,
    math::lesser, math::magnitude, math::negative, math::root, math::store;

namespace {

constexpr std::size_t block = 32;

// Columns of the pairs: radius and depth of the hole, half the block across it, the block's height, 1 if the nearest rim
// point is exact.
constexpr int R_at = 2, h_at = 3, half_at = 4, c_at = 6, exact_at = 7;
using Pairs = SweepPairs<8, block>;

void numbers_of(const Shape& B, Column to) noexcept {
  *to.next() = B.size[3], *to.next() = B.size[4];
  *to.next() = 0.5 * B.size[0], *to.next() = 0.5 * B.size[1], *to.next() = B.size[2];
  *to.next() = B.rim == RimMethod::exact ? 1.0 : 0.0;
}

// One contact of each pair, if `has` is set.
struct Found {
  double p_AC_W[3][block], n_AB_W[3][block], depth[block];
  double has[block];

  void give(std::size_t k, int feature, ManifoldPoint& out) const noexcept {
    out = {Vec3(p_AC_W[0][k], p_AC_W[1][k], p_AC_W[2][k]), Vec3(n_AB_W[0][k], n_AB_W[1][k], n_AB_W[2][k]), depth[k],
           feature};
  }
};

template <class Lanes>
void store3(double (*columns)[block], std::size_t k, const Lanes3<Lanes>& a) noexcept {
  store(columns[0] + k, a.x), store(columns[1] + k, a.y), store(columns[2] + k, a.z);
}

// The lanes of pairs k, k + 1, ..
template <class Lanes>
struct Pegs : SweepInLanes<Lanes> {
  using Sweep = SweepInLanes<Lanes>;
  using Sweep::d, Sweep::d_W, Sweep::length, Sweep::Q0, Sweep::Q1, Sweep::r, Sweep::R_WB;
  using typename Sweep::Three;

  const std::size_t k;
  const Lanes R, h, half_0, half_1, c;
  const Lanes none = {}, one = none + 1.0;
  Lanes usual;  // 1: the pair has no contacts but those that are computed here

  Pegs(const Pairs& pairs, std::size_t k) noexcept
      : Sweep(pairs.sweep<Lanes>(k)),
        k(k),
        R(pairs.at<Lanes>(R_at, k)),
        h(pairs.at<Lanes>(h_at, k)),
        half_0(pairs.at<Lanes>(half_at, k)),
        half_1(pairs.at<Lanes>(half_at + 1, k)),
        c(pairs.at<Lanes>(c_at, k)),
        usual(pairs.at<Lanes>(exact_at, k) * less(none, length) * clear_of_edges()) {
    require(crosses_mouth(), passes_mouth());
  }

  // Where the axis stays r inside the box's footprint and above its bottom.
  Lanes clear_of_edges() const noexcept {
    const Lanes a = half_0 - r, b = half_1 - r;
    return less(magnitude(Q0.x), a) * less(magnitude(Q1.x), a) * less(magnitude(Q0.y), b) * less(magnitude(Q1.y), b) *
           less(-c, Q0.z) * less(-c, Q1.z);
  }

  Lanes crosses_mouth() const noexcept { return magnitude(less(Q0.z, none) - less(Q1.z, none)); }

  // Where the axis, or its line, crosses the plane of the mouth in the hole.
  Lanes passes_mouth() const noexcept {
    const Lanes s = length * (Q0.z / (Q0.z - Q1.z)), x = Q0.x + s * d.x, y = Q0.y + s * d.y;
    return at_most(x * x + y * y, R * R);
  }

  Lanes is_above() const noexcept { return at_most(r, Q0.z) * at_most(r, Q1.z); }

  // Of a capsule above the mouth, m.
  Lanes gap() const noexcept { return greater(lesser(Q1.z, Q0.z) - r, none); }

  // Clears `usual` where `condition` holds and `allowed` does not.
  void require(const Lanes& condition, const Lanes& allowed) noexcept { usual *= greater(is_not(condition), allowed); }

  // The contact of the ball at s with a surface at signed distance phi, outward normal g, as `add_ball`.
  void add(Found& out, const Lanes& condition, const Lanes& s, const Three& g, const Lanes& phi) noexcept {
    const Three g_W = R_WB * g;
    const Lanes depth = r - phi, has = condition * less(none, depth);
    require(has, less(magnitude(eigen_dot(g_W, g_W) - 1.0), 0.5 * one));  // as `is_unit`
    store3(out.p_AC_W, k, (s - 0.5 * length) * d_W - (r - 0.5 * depth) * g_W);
    store3(out.n_AB_W, k, negative(g_W));
    store(out.depth + k, depth);
    store(out.has + k, has);
  }

  // The end at P, which is at s: against wall and cap. Beside the hole, and near the rim above it, it is not usual.
  void add_end(Found& out, const Three& P, const Lanes& s) noexcept {
    const Lanes z = P.z < -h ? P.z + h : none, across2 = P.x * P.x + P.y * P.y;
    const Lanes squared = P.x * P.x + (P.y * P.y + z * z), capacity = R - r;
    const Lanes below = less(P.z, none), in_hole = below * at_most(squared, R * R);
    const Lanes clear = less(none, capacity) * at_most(squared, capacity * capacity);
    const Lanes has = in_hole * is_not(clear), over = is_not(below) * less(P.z, r);
    require(below, in_hole);
    if (any(over)) {
      const Lanes from_rim = R - root(across2), reach = r + 1e-12 * (R + r);  // rounding cannot decide
      require(over, at_most(none, from_rim) * less(reach * reach, from_rim * from_rim + P.z * P.z));
    }
    if (!any(has)) return store(out.has + k, none);
    const Lanes distance = root(squared), scale = -1.0 / distance;
    require(has, less(none, distance));
    add(out, has, s, {P.x * scale, P.y * scale, z * scale}, R - distance);
  }

  // Where the axis passes the mouth so near to its middle that no rim point is within r, as `clear_of_rim`.
  Lanes clear_of_rim() const noexcept {
    const Lanes cosine = magnitude(d.z), margin = cosine * (R - r) - r * (1.0 - cosine * cosine);
    const Lanes x = d.z * Q0.x - Q0.z * d.x, y = d.z * Q0.y - Q0.z * d.y;  // the sign does not change their squares
    return less(none, margin) * at_most(x * x + y * y, margin * margin);
  }

  // The rim point nearest to the axis, as `rim_line_upright`. Not usual where the axis leans too much.
  Three rim_point(const Lanes& needed) noexcept {
    const Lanes along = Q0.x * d.x + Q0.y * d.y + Q0.z * d.z, p0 = Q0.x - along * d.x, p1 = Q0.y - along * d.y;
    const Lanes h2 = p0 * p0 + p1 * p1, e = R * (d.x * d.x + d.y * d.y), upright = less(16.0 * e * e, h2);
    require(needed, upright);
    const Lanes lean = R * (d.x * p0 + d.y * p1) / root(h2);
    Lanes x = p0 + lean * d.x, y = p1 + lean * d.y;
    const Lanes scale = 1.0 / root(x * x + y * y);
    x *= scale;
    y *= scale;
    Lanes active = needed * upright;
    for (int i = 0; i < 20 && any(active); ++i) {
      const Lanes dx = d.x * x + d.y * y, dt = d.y * x - d.x * y;
      const Lanes step = (p1 * x - p0 * y + R * dx * dt) / (p0 * x + p1 * y + R * (dx * dx - dt * dt));
      const Lanes shrink = 1.5 - 0.5 * (x * x + y * y) * (1.0 + step * step);
      const Lanes x1 = shrink * (x - step * y), y1 = shrink * (y + step * x);
      x = active > none ? x1 : x;
      y = active > none ? y1 : y;
      active *= is_not(less(magnitude(step), 1e-7 * one));
    }
    return {R * x, R * y, none};
  }

  // The body against the rim, as `add_rim_point`.
  void add_rim(Found& out) noexcept {
    const Lanes needed = usual * is_not(is_above()) * is_not(clear_of_rim());
    if (!any(needed)) return store(out.has + k, none);
    const Three E = rim_point(needed);
    const Lanes s = eigen_dot(E - Q0, d);
    const Three EF = Q0 + s * d - E;
    const Lanes squared = eigen_dot(EF, EF), u = -(EF.x * E.x + EF.y * E.y), v = EF.z * R;
    const Lanes outside = less(none, u + v), counts = greater(outside, at_most(u, none) * at_most(v, none));
    const Lanes has = needed * counts * less(none, s) * less(s, length) * is_not(at_most(r * r, squared));
    require(has, less(1e-4 * r * r, squared));  // else F - E has lost its digits
    const Lanes distance = root(squared), scale = (outside > none ? one : -one) / distance;
    add(out, has, s, scale * EF, outside > none ? distance : -distance);
  }
};

struct Loop {
  Pairs pairs;
  Found ends[2], rim;
  double usual[block], above[block], gap[block];

  void set(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count) noexcept {
    pairs.set(A, B, X, count, numbers_of);
  }

  template <class Lanes>
  void find(std::size_t count) noexcept {
    for (std::size_t k = 0; k < count; k += lanes<Lanes>) {
      Pegs<Lanes> pegs(pairs, k);
      pegs.add_end(ends[0], pegs.Q0, pegs.none);
      pegs.add_end(ends[1], pegs.Q1, pegs.length);
      pegs.add_rim(rim);
      store(usual + k, pegs.usual);
      store(above + k, pegs.is_above());
      store(gap + k, pegs.gap());
    }
  }

  // Writes the contacts of pair k in the order of the kernel.
  PairContacts give(std::size_t k, const Shape& A, const Shape& B, const Placement& X,
                    ManifoldPoint* points) const noexcept {
    if (above[k] > 0.0) return {0, gap[k]};
    if (!(usual[k] > 0.0)) {
      Manifold out{points, Manifold::max_points};
      capsule_socket(A, B, X, out);
      return {out.count, out.gap};
    }
    int at = 0;  // no branches: they could not be predicted
    ends[0].give(k, end_feature, points[at]), at += static_cast<int>(ends[0].has[k]);
    ends[1].give(k, end_feature + 1, points[at]), at += static_cast<int>(ends[1].has[k]);
    rim.give(k, rim_feature, points[at]), at += static_cast<int>(rim.has[k]);
    return {at};
  }
};

}  // namespace

void capsule_socket_loop(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                         ManifoldPoint* points, PairContacts* found) noexcept {
  math::in_lanes<InBlocks<Loop, block>>(count, A, B, X, count, points, found);
}

}  // namespace contactlib::geometry
