// the moments of a piece inside a curved solid, by Gauss's rule over its section: tau is smooth there.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gauss.hpp"
#include "moments.hpp"

namespace contactlib {

namespace {

// the thickness over the points of a piece along u
class Thickness {
 public:
  Thickness(const CurvedSolid& A, const Vec3& u) noexcept : A_(A), down_(-A.to_unit(u)) {}

  double operator()(const Vec3& y) const noexcept {
    double low, high;
    return A_.interval(y, down_, low, high) ? std::max(0.0, high) : 0.0;
  }

  // its slope along d: with N normal to the solid where the way out ends, N.(d + tau' down) = 0
  double slope(const Vec3& y, double tau, const Vec3& d) const noexcept {
    const Vec3 N = A_.outward(y + tau * down_);
    return -N.dot(d) / N.dot(down_);
  }

  // the way out ends on the side of a capsule
  bool leaves_by_side(const Vec3& y, double tau) const noexcept { return std::abs(y[2] + tau * down_[2]) < A_.half(); }

  const Vec3& down() const noexcept { return down_; }

 private:
  const CurvedSolid& A_;
  const Vec3 down_;
};

// the greatest thickness over a piece, if it is more than what is known already
class Deepest {
 public:
  Deepest(const CurvedSolid& A, const Thickness& thickness, Moments& out) noexcept
      : A_(A), thickness_(thickness), out_(out) {}

  void look(const Section::Point& p, double tau) noexcept {
    if (tau > out_.depth) out_.depth = tau, out_.deepest = p.x;
  }

  // above the point of the solid at which its surface is parallel to the triangle
  void look_inside(const Section& part, const Vec3* corner) noexcept {
    const Vec3 pole = A_.furthest(-part.n_y);
    const double tau = part.n_y.dot(pole - part.v[0].y) / part.n_y.dot(thickness_.down());
    if (!(tau > out_.depth)) return;
    const Vec3 y = pole - tau * thickness_.down();
    const Section::Point p{part.v[0].x + A_.from_unit(y - part.v[0].y), y};
    const Vec3 n = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
    for (int i = 0; i < 3; ++i)
      if ((corner[i == 2 ? 0 : i + 1] - corner[i]).cross(p.x - corner[i]).dot(n) < 0.0) return;
    if (A_.holds(y)) look(p, tau);
  }

  // the thickness along a side has no hollow: its peak, where its slope changes its sign
  void look_along(const Section::Point& p, double tau_p, const Section::Point& q, double tau_q) noexcept {
    const Vec3 d = q.y - p.y;
    double low = 0.0, high = 1.0, rise = thickness_.slope(p.y, tau_p, d), fall = thickness_.slope(q.y, tau_q, d);
    if (!(rise > 0.0 && fall < 0.0)) return;
    // the tangents at both ends meet above the peak
    const double meet = std::clamp((tau_q - tau_p - fall) / (rise - fall), 0.0, 1.0);
    if (!(tau_p + rise * meet > out_.depth)) return;
    for (int turn = 0; turn < peak_turns && high - low > peak_width; ++turn) {
      const double cut = low + (high - low) * std::clamp(rise / (rise - fall), 0.05, 0.95);
      const Section::Point at{p.x + cut * (q.x - p.x), p.y + cut * d};
      const double tau = thickness_(at.y), slope = thickness_.slope(at.y, tau, d);
      look(at, tau);
      if (slope > 0.0)
        low = cut, rise = slope;
      else if (slope < 0.0)
        high = cut, fall = slope;
      else
        return;
    }
  }

 private:
  static constexpr int peak_turns = 20;
  static constexpr double peak_width = 1e-7;  // its square is what the peak is short of, relative

  const CurvedSolid& A_;
  const Thickness& thickness_;
  Moments& out_;
};

// for the seventh power: by how much the thickness varies along a line, and how much its part counts
const GaussRule& rule_for(double least, double most, double thickest) noexcept {
  if (most < 0.3 * thickest) return gauss5;
  if (least > 0.4 * most) return least > 0.8 * most ? gauss4 : gauss6;
  return most < 0.7 * thickest ? gauss8 : gauss10;
}

void add_point(double tau, double weight, PieceSums& out) noexcept {
  out.K[0] += weight;
  out.K[1] += weight * tau;
  out.K[2] += weight * tau * tau;
}

void add_powers(const Vec3& x, double tau, double weight, PowerSums* out) noexcept {
  double power = weight;
  for (int p = 1, j = 0; j < 2; ++p) {
    power *= tau;
    const int k = p - depth_powers[j] + 1;
    if (k < 0) continue;
    out[j].K[k] += power;
    if (k < 2) out[j].S[k] += power * x;
    if (k == 2) ++j;
  }
}

void add_all_powers(const Vec3& x, double tau, double weight, AllSums& out) noexcept {
  double power = weight;
  for (int p = 0; p <= most_power; ++p, power *= tau) {
    out.K[p] += power;
    if (p < most_power) out.S[p] += power * x;
  }
}

// the peaks of the thickness over the piece, and along each side of the triangle
void add_heights(const CurvedSolid& A, const Thickness& thickness, const Section& part, const double* tau,
                 const Vec3* corner, Heights& out) noexcept {
  Moments all;
  Deepest top(A, thickness, all);
  for (int i = 0; i < part.count; ++i) {
    const int k = i + 1 == part.count ? 0 : i + 1;
    Moments side;
    Deepest along(A, thickness, side);
    along.look(part.v[i], tau[i]);
    along.look(part.v[k], tau[k]);
    along.look_along(part.v[i], tau[i], part.v[k], tau[k]);
    const int s = part.tag[i];
    if (s >= 0 && side.depth > out.side[s]) out.side[s] = side.depth, out.at[s] = side.deepest;
    all.depth = std::max(all.depth, side.depth);
  }
  top.look_inside(part, corner);
  out.top = all.depth;
}

void add_place(const Vec3& x, const Vec3& u, double tau, double weight, Spread& out) noexcept {
  const Vec3 from = x - out.origin;
  const double at[3] = {out.e1.dot(from), out.e2.dot(from), u.dot(from) - 0.5 * tau};
  const double by[2] = {weight, weight * tau};
  for (int p = 0; p < 2; ++p) {
    for (int k = 0; k < 3; ++k) {
      out.X[p][k] += by[p] * at[k];
      out.C[p][k] += by[p] * at[k / 2] * at[(k + 1) / 2];
    }
  }
}

}  // namespace

PieceSums PatchMoments::over_curved(const Piece& piece, const Vec3& u, Moments& out,
                                    const Wanted& wanted) const noexcept {
  PieceSums sums;
  const CurvedSolid& A = solid();
  Spread* const spread = wanted.spread;
  const bool high = wanted.high || wanted.all;
  const Face& face = B_.faces[piece.face];
  const Vec3 corner[3] = {B_.corner(face, 0), B_.corner(face, 1), B_.corner(face, 2)};
  const Section part(A, corner);
  if (part.count < 2) return sums;
  const double rising = face.n.dot(u);
  const Thickness thickness(A, u);
  double over_side = 0.0;
  const auto add = [&](const Section::Point& p, double weight) noexcept {
    const double tau = thickness(p.y);
    add_point(tau, weight, sums);
    if (wanted.high) add_powers(p.x, tau, weight, sums.high);
    if (wanted.all) add_all_powers(p.x, tau, weight, *wanted.all);
    if (!spread) return;
    add_place(p.x, u, tau, weight * rising, *spread);
    if (A.half() > 0.0 && thickness.leaves_by_side(p.y, tau)) over_side += weight * tau;
  };

  double tau[Section::most], half_way[Section::most];
  Section::Point hub{Vec3::Zero(), Vec3::Zero()};
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (int i = 0; i < part.count; ++i) {
    const int k = i + 1 == part.count ? 0 : i + 1;
    tau[i] = thickness(part.v[i].y);
    half_way[i] = thickness(0.5 * (part.v[i].y + part.v[k].y));
    hub.x += part.v[i].x / part.count, hub.y += part.v[i].y / part.count;
    least = std::min({least, tau[i], half_way[i]}), most = std::max({most, tau[i], half_way[i]});
  }
  const double middle = thickness(hub.y);
  least = std::min(least, middle), most = std::max(most, middle);
  const auto rule = [&](double low, double top) noexcept -> const GaussRule& {
    return high ? rule_for(low, top, thickest_) : gauss3;
  };
  const auto add_triangle = [&](const Section::Point& a, const Section::Point& b, const Section::Point& c,
                                const GaussRule& along, const GaussRule& across) noexcept {
    const Section::Point e{b.x - a.x, b.y - a.y}, f{c.x - b.x, c.y - b.y};
    const double doubled = e.x.cross(f.x).dot(face.n);
    for (int i = 0; i < along.count; ++i)
      for (int k = 0; k < across.count; ++k) {
        const double s = along.at[i], t = s * across.at[k];
        add({a.x + s * e.x + t * f.x, a.y + s * e.y + t * f.y}, doubled * s * along.weight[i] * across.weight[k]);
      }
  };
  if (part.count == 3 && !part.has_bows()) {
    add_triangle(part.v[0], part.v[1], part.v[2], rule(least, most), rule(least, most));
  } else if (part.count > 2) {
    for (int i = 0; i < part.count; ++i) {
      const int k = i + 1 == part.count ? 0 : i + 1;
      const double low = std::min({tau[i], tau[k], half_way[i]}), top = std::max({tau[i], tau[k], half_way[i]});
      add_triangle(hub, part.v[i], part.v[k], rule(std::min(low, middle), std::max(top, middle)), rule(low, top));
    }
  }
  for (int i = 0; i < part.count; ++i) {
    if (part.tag[i] >= 0) continue;
    const double length = (part.v[i + 1 == part.count ? 0 : i + 1].y - part.v[i].y).norm();
    // of a bow that is a part of its own the deepest place lies on the chord
    const GaussRule& bow_rule = high ? rule_for(0.0, half_way[i], thickest_) : gauss5;
    for (int k = 0; k < bow_rule.count; ++k) {
      Section::Point chord;
      Vec3 way;
      const double bow = part.bow(A, i, bow_rule.at[k], chord, way);
      if (!(bow > 0.0)) continue;
      for (int l = 0; l < bow_rule.count; ++l) {
        const Vec3 d = bow_rule.at[l] * bow * way;
        add({chord.x + A.from_unit(d), chord.y + d},
            part.area_y * length * bow_rule.weight[k] * bow * bow_rule.weight[l]);
      }
    }
  }

  if (rising > 0.0) {
    if (wanted.heights) add_heights(A, thickness, part, tau, corner, *wanted.heights);
    Deepest deepest(A, thickness, out);
    for (int i = 0; i < part.count; ++i) deepest.look(part.v[i], tau[i]);
    deepest.look_inside(part, corner);
    for (int i = 0; i < part.count; ++i) {
      const int k = i + 1 == part.count ? 0 : i + 1;
      if (part.tag[i] >= 0) deepest.look_along(part.v[i], tau[i], part.v[k], tau[k]);
    }
  }
  if (spread) {
    add_flat({1, A.axis()}, rising * over_side, *spread, spread->flat_A);
    add_flat(B_.flats[piece.face], rising * sums.K[1], *spread, spread->flat_B);
  }
  return sums;
}

}  // namespace contactlib
