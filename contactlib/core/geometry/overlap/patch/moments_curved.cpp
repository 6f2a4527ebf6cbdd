// The moments of a piece inside a curved solid, by Gauss's rule over its section: tau is smooth there.
#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/overlap/gauss.hpp"
#include "moments.hpp"

namespace contactlib::geometry {

namespace {

// Whether a point of a triangle's plane lies in the triangle.
bool is_over(const Vec3* corner, const Vec3& n, const Vec3& x) noexcept {
  for (int i = 0; i < 3; ++i)
    if ((corner[i == 2 ? 0 : i + 1] - corner[i]).cross(x - corner[i]).dot(n) < 0.0) return false;
  return true;
}

// The thickness over the points of a piece along u.
class Thickness {
 public:
  Thickness(const CurvedSolid& A, const Vec3& u) noexcept : A_(A), down_(-A.to_unit(u)) {}

  double operator()(const Vec3& y) const noexcept { return A_.exit(y, down_); }

  // The slope of tau along d: with N normal to the solid where the line leaves it, N.(d + tau' down) = 0. It is infinite
  // where the line is a tangent.
  double slope(const Vec3& y, double tau, const Vec3& d) const noexcept {
    constexpr double most = 1e30;
    const Vec3 N = A_.outward(y + tau * down_);
    return std::clamp(-N.dot(d) / N.dot(down_), -most, most);
  }

  const Vec3& down() const noexcept { return down_; }

 private:
  const CurvedSolid& A_;
  const Vec3 down_;
};

// The greatest thickness over a piece, if it exceeds the value known so far.
class Deepest {
 public:
  Deepest(const CurvedSolid& A, const Thickness& thickness, Moments& out) noexcept
      : A_(A), thickness_(thickness), out_(out) {}

  void evaluate(const Section::Point& p, double tau) noexcept {
    if (tau > out_.depth) out_.depth = tau, out_.deepest = p.x;
  }

  // Above the point of the solid at which its surface is parallel to the triangle.
  void evaluate_inside(const Section& part, const Vec3* corner) noexcept {
    const Vec3 pole = A_.furthest(-part.n_y);
    const double tau = part.n_y.dot(pole - part.v[0].y) / part.n_y.dot(thickness_.down());
    if (!(tau > out_.depth)) return;
    const Vec3 y = pole - tau * thickness_.down();
    const Section::Point p{part.v[0].x + A_.from_unit(y - part.v[0].y), y};
    const Vec3 n = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
    if (is_over(corner, n, p.x) && A_.contains(y)) evaluate(p, tau);
  }

  // The thickness along a side is concave; its maximum is where its slope changes its sign: by false position, where
  // the slope at an end that stays counts half.
  void evaluate_along(const Section::Point& p, double tau_p, const Section::Point& q, double tau_q) noexcept {
    const Vec3 d = q.y - p.y;
    double low = 0.0, high = 1.0, rise = thickness_.slope(p.y, tau_p, d), fall = thickness_.slope(q.y, tau_q, d);
    if (!(rise > 0.0 && fall < 0.0)) return;
    // the tangents at both ends intersect above the maximum
    const double meet = std::clamp((tau_q - tau_p - fall) / (rise - fall), 0.0, 1.0);
    if (!(tau_p + rise * meet > out_.depth)) return;
    double at_low = rise, at_high = fall;
    int side = 0;  // of the last cut: 1 before the maximum
    for (int turn = 0; turn < peak_turns && high - low > peak_width; ++turn) {
      const double cut = low + (high - low) * std::clamp(at_low / (at_low - at_high), 0.05, 0.95);
      const Vec3 y = p.y + cut * d;
      const double slope = thickness_.slope(y, thickness_(y), d);
      if (slope >= 0.0) {
        if (side > 0) at_high *= 0.5;
        low = cut, rise = at_low = slope, side = 1;
      }
      if (slope <= 0.0) {
        if (side < 0) at_low *= 0.5;
        high = cut, fall = at_high = slope, side = -1;
      }
    }
    const double part = high > low ? low + (high - low) * rise / (rise - fall) : low;
    const Section::Point at{p.x + part * (q.x - p.x), p.y + part * d};
    evaluate(at, thickness_(at.y));
  }

 private:
  static constexpr int peak_turns = 40;
  static constexpr double peak_width = 1e-7;  // here the slope is linear: a last step finds the maximum to rounding

  const CurvedSolid& A_;
  const Thickness& thickness_;
  Moments& out_;
};

// For the seventh power: the rule depends on the variation of the thickness along a line and on its part of the total.
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

// x: null if positions are not needed
void add_powers(const Vec3* x, double tau, double weight, PowerSums* out) noexcept {
  double power = weight;
  for (int p = 1, j = 0; j < 2; ++p) {
    power *= tau;
    const int k = p - depth_powers[j] + 1;
    if (k < 0) continue;
    out[j].K[k] += power;
    if (x && k < 2) out[j].S[k] += power * *x;
    if (k == 2) ++j;
  }
}

void add_all_powers(const Vec3& x, double tau, double weight, AllSums& out) noexcept {
  double power = weight;
  for (int p = 0; p <= max_power; ++p, power *= tau) {
    out.K[p] += power;
    if (p < max_power) out.S[p] += power * x;
  }
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

// The sums over the section of one triangle.
class CurvedPiece {
 public:
  // thickest: m, of the patch
  CurvedPiece(const CurvedSolid& A, const Section& part, const Face& face, const Vec3& u, double thickest,
              const Wanted& wanted) noexcept
      : A_(A),
        part_(part),
        u_(u),
        n_(face.n),
        rising_(face.n.dot(u)),
        thickest_(thickest),
        thickness_(A, u),
        side_(A, thickness_.down()),
        spread_(wanted.spread),
        all_(wanted.all),
        high_(wanted.high != nullptr) {
    along_ = spread_ && spread_->along.there ? &spread_->along : nullptr;
    radius_ = along_ ? A.from_unit(Vec3::UnitZ()).norm() : 0.0;
  }

  PieceSums sum() noexcept {
    add_polygon();
    for (int i = 0; i < part_.count; ++i)
      if (part_.tag[i] < 0) add_bow(i);
    return sums_;
  }

  void find_deepest(const Vec3* corner, Moments& out) const noexcept {
    Deepest deepest(A_, thickness_, out);
    double tau[Section::max_points];
    for (int i = 0; i < part_.count; ++i) deepest.evaluate(part_.v[i], tau[i] = thickness_(part_.v[i].y));
    deepest.evaluate_inside(part_, corner);
    for (int i = 0; i < part_.count; ++i) {
      const int k = next(i);
      if (part_.tag[i] >= 0) deepest.evaluate_along(part_.v[i], tau[i], part_.v[k], tau[k]);
    }
  }

  // The maxima of the thickness over the piece and along each side of the triangle.
  void find_heights(const Vec3* corner, Heights& out) const noexcept {
    Moments all;
    double tau[Section::max_points];
    for (int i = 0; i < part_.count; ++i) tau[i] = thickness_(part_.v[i].y);
    for (int i = 0; i < part_.count; ++i) {
      const int k = next(i), s = part_.tag[i];
      Moments side;
      Deepest along(A_, thickness_, side);
      along.evaluate(part_.v[i], tau[i]);
      along.evaluate(part_.v[k], tau[k]);
      along.evaluate_along(part_.v[i], tau[i], part_.v[k], tau[k]);
      if (s >= 0 && side.depth > out.side[s]) out.side[s] = side.depth, out.at[s] = side.deepest;
      if (side.depth > all.depth) all.depth = side.depth, all.deepest = side.deepest, out.peak_side = s;
    }
    const double along_sides = all.depth;
    Deepest(A_, thickness_, all).evaluate_inside(part_, corner);
    if (all.depth > along_sides) out.peak_side = -1;
    out.top = all.depth, out.peak = all.deepest;
  }

  // The extent of the section along a capsule: its corners, the extreme points of its bows, the ends of the axis.
  void find_reach(const Vec3* corner) noexcept {
    if (!along_) return;
    const double end = side_.half() * radius_;
    for (int i = 0; i < part_.count; ++i) along_->reach(side_(part_.v[i].y) * radius_, end);
    if (!part_.has_bows()) return;
    const Vec3 at[3] = {A_.unit(corner[0]), A_.unit(corner[1]), A_.unit(corner[2])};
    const double h = part_.n_y.dot(at[0]);
    side_.for_each_tip(part_.n_y, h, [&](const Vec3& y) noexcept {
      if (std::abs(y[2]) < A_.half() && is_over(at, part_.n_y, y)) along_->reach(side_(y) * radius_, end);
    });
    if (along_->low > -end && side_.reaches(A_, part_.n_y, h, at, -1.0)) along_->low = -end;
    if (along_->high < end && side_.reaches(A_, part_.n_y, h, at, 1.0)) along_->high = end;
  }

 private:
  using Point = Section::Point;

  // A convex part of a section.
  struct Ring {
    static constexpr int most = Section::max_points + 8;
    Point v[most];
    double s[most];  // along a capsule
    int count = 0;

    // A line crosses it twice; by rounding more often where it is as thin as that.
    void add(const Point& p, double at) noexcept {
      if (count < most) v[count] = p, s[count++] = at;
    }
  };

  int next(int i) const noexcept { return i + 1 == part_.count ? 0 : i + 1; }

  void add(const Point& p, double weight, bool on_side) noexcept {
    const double tau = thickness_(p.y);
    add_point(tau, weight, sums_);
    if (high_) add_powers(spread_ ? &p.x : nullptr, tau, weight, sums_.high);
    if (all_) add_all_powers(p.x, tau, weight, *all_);
    if (!spread_) return;
    add_place(p.x, u_, tau, weight * rising_, *spread_);
    if (on_side) along_->add(side_(p.y) * radius_, tau, weight * rising_);
  }

  const GaussRule& rule(double low, double top) const noexcept {
    return high_ || all_ ? rule_for(low, top, thickest_) : gauss3;
  }

  void add_triangle(const Point& a, const Point& b, const Point& c, const GaussRule& along, const GaussRule& across,
                    bool on_side) noexcept {
    const Point e{b.x - a.x, b.y - a.y}, f{c.x - b.x, c.y - b.y};
    const double doubled = e.x.cross(f.x).dot(n_);
    for (int i = 0; i < along.count; ++i)
      for (int k = 0; k < across.count; ++k) {
        const double s = along.at[i], t = s * across.at[k];
        add({a.x + s * e.x + t * f.x, a.y + s * e.y + t * f.y}, doubled * s * along.weight[i] * across.weight[k],
            on_side);
      }
  }

  // whole: a triangle of B without a cut
  void add_ring(const Point* v, int count, bool whole, bool on_side) noexcept {
    double tau[Ring::most], half_way[Ring::most];
    Point hub{Vec3::Zero(), Vec3::Zero()};
    double least = std::numeric_limits<double>::infinity(), most = 0.0;
    for (int i = 0; i < count; ++i) {
      const Point &p = v[i], &q = v[i + 1 == count ? 0 : i + 1];
      tau[i] = thickness_(p.y);
      half_way[i] = thickness_(0.5 * (p.y + q.y));
      hub.x += p.x / count, hub.y += p.y / count;
      least = std::min({least, tau[i], half_way[i]}), most = std::max({most, tau[i], half_way[i]});
    }
    const double middle = thickness_(hub.y);
    least = std::min(least, middle), most = std::max(most, middle);
    if (whole) return add_triangle(v[0], v[1], v[2], rule(least, most), rule(least, most), on_side);
    for (int i = 0; i < count; ++i) {
      const int k = i + 1 == count ? 0 : i + 1;
      const double low = std::min({tau[i], tau[k], half_way[i]}), top = std::max({tau[i], tau[k], half_way[i]});
      add_triangle(hub, v[i], v[k], rule(std::min(low, middle), std::max(top, middle)), rule(low, top), on_side);
    }
  }

  // In parts over which tau is smooth: the side of a capsule and its ends are separate.
  void add_polygon() noexcept {
    if (part_.count < 3) return;
    const bool whole = part_.count == 3 && !part_.has_bows();
    if (!side_.there()) return add_ring(part_.v, part_.count, whole, false);
    Ring rest;
    for (int i = 0; i < part_.count; ++i) rest.add(part_.v[i], side_(part_.v[i].y));
    const auto [low, high] = std::minmax_element(rest.s, rest.s + rest.count);
    const double seams[2] = {side_.seam(-1.0), side_.seam(1.0)};
    const bool over_low = *low<seams[0], over_high = *high> seams[1];
    if (*high <= seams[0] || *low >= seams[1]) return add_ring(part_.v, part_.count, whole, false);
    if (over_low) cut_off(rest, -1.0);
    if (over_high) cut_off(rest, 1.0);
    if (rest.count > 2) add_ring(rest.v, rest.count, whole && !over_low && !over_high, along_ != nullptr);
  }

  // Sums the part over the end of this sign, and removes it from the ring.
  void cut_off(Ring& ring, double sign) noexcept {
    Ring rest, end;
    const double seam = side_.seam(sign);
    for (int i = 0; i < ring.count; ++i) {
      const int k = i + 1 == ring.count ? 0 : i + 1;
      const Point &p = ring.v[i], &q = ring.v[k];
      const double from = sign * (ring.s[i] - seam), to = sign * (ring.s[k] - seam);
      (from < 0.0 ? rest : end).add(p, ring.s[i]);
      if ((from < 0.0) == (to < 0.0)) continue;
      const double t = from / (from - to);
      const Point at{p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)};
      rest.add(at, seam);
      end.add(at, seam);
    }
    if (end.count > 2) add_ring(end.v, end.count, false, false);
    ring = rest;
  }

  // In parts, where seams cross its chord.
  void add_bow(int i) noexcept {
    if (!side_.there()) return add_bow_part(i, 0.0, 1.0, false);
    const double from = side_(part_.v[i].y), to = side_(part_.v[next(i)].y);
    const double low = side_.seam(-1.0), high = side_.seam(1.0);
    double cuts[4] = {0.0, 0.0, 1.0, 1.0};
    if (from != to) {
      const double a = std::clamp((low - from) / (to - from), 0.0, 1.0);
      const double b = std::clamp((high - from) / (to - from), 0.0, 1.0);
      cuts[1] = std::min(a, b), cuts[2] = std::max(a, b);
    }
    for (int k = 0; k < 3; ++k) {
      const double middle = from + 0.5 * (cuts[k] + cuts[k + 1]) * (to - from);
      if (cuts[k] < cuts[k + 1]) add_bow_part(i, cuts[k], cuts[k + 1], along_ && low < middle && middle < high);
    }
  }

  void add_bow_part(int i, double from, double to, bool on_side) noexcept {
    const Point &p = part_.v[i], &q = part_.v[next(i)];
    const double length = (to - from) * (q.y - p.y).norm(), half_way = 0.5 * (from + to);
    // the deepest point of a bow that is a separate part lies on the chord
    const GaussRule& rule = high_ || all_ ? rule_for(0.0, thickness_(p.y + half_way * (q.y - p.y)), thickest_) : gauss5;
    for (int k = 0; k < rule.count; ++k) {
      Point chord;
      Vec3 way;
      const double bow = part_.bow(A_, i, from + (to - from) * rule.at[k], chord, way);
      if (!(bow > 0.0)) continue;
      for (int l = 0; l < rule.count; ++l) {
        const Vec3 d = rule.at[l] * bow * way;
        add({chord.x + A_.from_unit(d), chord.y + d}, part_.area_y * length * rule.weight[k] * bow * rule.weight[l],
            on_side);
      }
    }
  }

  const CurvedSolid& A_;
  const Section& part_;
  const Vec3 &u_, &n_;
  const double rising_, thickest_;
  const Thickness thickness_;
  const Side side_;
  Spread* const spread_;
  AllSums* const all_;
  Along* along_;
  const bool high_;
  double radius_;  // m, of a capsule
  PieceSums sums_;
};

}  // namespace

PieceSums PatchMoments::over_curved(const Piece& piece, const Vec3& u, Moments& out,
                                    const Wanted& wanted) const noexcept {
  const CurvedSolid& A = solid();
  Spread* const spread = wanted.spread;
  const Face& face = B_.faces[piece.face];
  const Vec3 corner[3] = {B_.corner(face, 0), B_.corner(face, 1), B_.corner(face, 2)};
  const Section part(A, corner);
  if (part.count < 2) return PieceSums();
  CurvedPiece sums(A, part, face, u, thickest_, wanted);
  const double on_side = spread ? spread->along.K[1] : 0.0, rising = face.n.dot(u);
  const PieceSums found = sums.sum();
  if (rising > 0.0) sums.find_deepest(corner, out);
  if (rising > 0.0 && wanted.heights) sums.find_heights(corner, *wanted.heights);
  if (!spread) return found;
  sums.find_reach(corner);
  const double more = spread->along.K[1] - on_side;
  spread->along.rise -= face.n.dot(A.axis()) * more, spread->along.run += rising * more;
  add_flat(B_.flats[piece.face], rising * found.K[1], *spread, spread->flat_B);
  return found;
}

}  // namespace contactlib::geometry
