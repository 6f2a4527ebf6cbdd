#include "curved_region.hpp"

#include <limits>

#include "directions.hpp"
#include "math/elementary.hpp"

namespace contactlib::geometry {

namespace {

constexpr double pi = 3.14159265358979323846, endless = std::numeric_limits<double>::infinity();

// The rule of Gauss and Legendre, by Newton's method on P_n.
ChordRule gauss(int n) noexcept {
  ChordRule rule{n, {}, {}};
  for (int i = 0; i < n; ++i) {
    double x = math::cos(pi * (i + 0.75) / (n + 0.5)), slope = 1.0;
    for (int round = 0; round < 50; ++round) {
      double p = 1.0, before = 0.0;
      for (int k = 1; k <= n; ++k) {
        const double next = ((2.0 * k - 1.0) * x * p - (k - 1.0) * before) / k;
        before = p, p = next;
      }
      slope = n * (x * p - before) / (x * x - 1.0);
      const double step = p / slope;
      x -= step;
      if (std::abs(step) < 1e-15) break;
    }
    rule.at[i] = x, rule.weight[i] = 2.0 / ((1.0 - x * x) * slope * slope);
  }
  return rule;
}

// t = (3 x - x^3)/2,  dt = 3/2 (1 - x^2) dx
ChordRule with_roots(int n) noexcept {
  ChordRule rule = gauss(n);
  for (int i = 0; i < n; ++i) {
    const double x = rule.at[i];
    rule.at[i] = 0.5 * x * (3.0 - x * x), rule.weight[i] *= 1.5 * (1.0 - x * x);
  }
  return rule;
}

// Up to a sharpness of 4, and above. Relative errors with 12 lines: of sqrt(1 - t^2) 4e-15, of (1 - t^2)^4.5 3e-7; of the
// latter with eight lines by Gauss 1e-6.
const ChordRule rules[] = {with_roots(12), with_roots(24)}, vanishing[] = {gauss(8), gauss(16)},
                whole[] = {gauss(4), gauss(8)}, cut[] = {gauss(6), gauss(16)};

struct Breaks {
  double* at;
  int count;
  double low, high;

  void add(double v) noexcept {
    if (v > low && v < high && count < most_breaks - 2) at[count++] = v;
  }
};

bool is_inside(const CurvedRegion& region, const Corner& x) noexcept {
  for (int k = 0; k < region.inside_count; ++k)
    if (!(region.inside[k].at(x.u, x.v) > -region.on_border)) return false;
  return true;
}

// Where q = 0 on the side from P to Q.
void add_on_side(const Quadratic& q, const Corner& P, const Corner& Q, Breaks& breaks) noexcept {
  const double u = Q.u - P.u, v = Q.v - P.v;
  const double b = u * (q.du + 2.0 * q.uu * P.u + q.uv * P.v) + v * (q.dv + 2.0 * q.vv * P.v + q.uv * P.u);
  const Span span = positive_span(q.at(P.u, P.v), b, q.uu * u * u + q.uv * u * v + q.vv * v * v);
  if (span.empty()) return;
  for (const double t : {span.from, span.to})
    if (t > 0.0 && t < 1.0) breaks.add(P.v + t * v);
}

// Where q = 0 is along u: the greatest value along u, which is q - (du + uv v)^2/(4 uu) at u = 0, is zero.
void add_tips(const Quadratic& q, Breaks& breaks) noexcept {
  if (!(q.uu < 0.0)) return;
  const double by = -0.25 / q.uu;
  const Span span = positive_span(q.c + by * q.du * q.du, q.dv + 2.0 * by * q.du * q.uv, q.vv + by * q.uv * q.uv);
  if (!span.empty()) breaks.add(span.from), breaks.add(span.to);
}

// Where q = 0 on the circle c + uu (u^2 + v^2) = 0. There q is a trigonometric polynomial of second order, which has at most
// two maxima and two minima; between two of them it is monotone.
void add_on_circle(const Quadratic& q, const Quadratic& circle, Breaks& breaks) noexcept {
  constexpr int every = 2, halvings = 40;
  const double r = std::sqrt(-circle.c / circle.uu);
  struct Value {
    double v, q, slope;
  };
  const auto at = [&](const Direction& a) {
    const double u = r * a.cos, v = r * a.sin;
    return Value{v, q.at(u, v), -v * (q.du + 2.0 * q.uu * u + q.uv * v) + u * (q.dv + 2.0 * q.vv * v + q.uv * u)};
  };
  // where a sign changes between two directions
  const auto change = [&](Direction low, Direction high, const auto& is_low) {
    for (int i = 0; i < halvings; ++i) {
      const Direction middle = low.towards(high);
      (is_low(at(middle)) ? low : high) = middle;
    }
    return low;
  };
  const auto add_root = [&](const Direction& low, const Direction& high) {
    const bool positive = at(low).q > 0.0;
    if (positive == (at(high).q > 0.0)) return;
    breaks.add(at(change(low, high, [&](const Value& x) { return (x.q > 0.0) == positive; })).v);
  };
  Value before = at(unit_circle()[0]);
  for (int k = 0; k < directions; k += every) {
    const Direction low = unit_circle()[k], high = unit_circle()[(k + every) % directions];
    const Value here = at(high);
    if ((before.slope > 0.0) != (here.slope > 0.0)) {
      const bool rises = before.slope > 0.0;
      const Direction extreme = change(low, high, [&](const Value& x) { return (x.slope > 0.0) == rises; });
      add_root(low, extreme), add_root(extreme, high);
    } else if ((before.q > 0.0) != (here.q > 0.0)) {
      add_root(low, high);
    }
    before = here;
  }
}

struct UnitCircle {
  Direction at[directions];
  UnitCircle() noexcept {
    for (int k = 0; k < directions; ++k) {
      const auto [sine, cosine] = math::sin_cos(2.0 * pi * k / directions);
      at[k] = {cosine, sine};
    }
  }
};
const UnitCircle round;

}  // namespace

const Direction* unit_circle() noexcept { return round.at; }

Span positive_span(double a, double b, double c) noexcept {
  if (!(c < 0.0)) {
    if (b > 0.0) return {-a / b, endless};
    if (b < 0.0) return {-endless, -a / b};
    return a > 0.0 ? Span{-endless, endless} : Span{0.0, 0.0};
  }
  const double squared = b * b - 4.0 * a * c;
  if (!(squared > 0.0)) return {0.0, 0.0};
  const double q = -0.5 * (b + (b < 0.0 ? -std::sqrt(squared) : std::sqrt(squared)));
  const double one = q / c, other = a / q;
  return one < other ? Span{one, other} : Span{other, one};
}

const ChordRule& chord_rule(int sharpness) noexcept { return rules[sharpness > 4]; }

// With this least length, the relative error of either rule is 5e-9.
constexpr double even = 0.95;

ChordRules vanishing_rules(int sharpness) noexcept {
  const bool high = sharpness > 4;
  return {&vanishing[high], &whole[high], &cut[high]};
}

const ChordRule& rule_between(const CurvedRegion& region, const ChordRules& rules, double from, double to) noexcept {
  if (region.inside_count > 1 || region.capped) return *rules.usual;
  const Quadratic& q = region.inside[0];
  const auto length = [&](double v) {
    const Span span = positive_span(q.at(0.0, v), q.du + q.uv * v, q.uu);
    return std::max(0.0, span.to - span.from);
  };
  const double middle = 0.5 * (from + to), a = length(from), b = length(to);
  if (!(std::min(a, b) > even * std::max({a, b, length(middle)}))) return *rules.usual;
  return region_span(region, middle).cut ? *rules.cut : *rules.whole;
}

// On the border of the polygon q is greatest at a corner or between two; inside it where both slopes are zero.
double greatest(const Quadratic& q, const Corner* polygon, int count) noexcept {
  double most = -endless;
  const double det = 4.0 * q.uu * q.vv - q.uv * q.uv;
  const double u = (q.uv * q.dv - 2.0 * q.vv * q.du) / det, v = (q.uv * q.du - 2.0 * q.uu * q.dv) / det;
  bool on_left = det > 0.0, on_right = on_left;
  for (int i = 0, last = count - 1; i < count; last = i++) {
    const Corner &P = polygon[last], &Q = polygon[i];
    const double du = Q.u - P.u, dv = Q.v - P.v;
    const double b = du * (q.du + 2.0 * q.uu * P.u + q.uv * P.v) + dv * (q.dv + 2.0 * q.vv * P.v + q.uv * P.u);
    const double c = q.uu * du * du + q.uv * du * dv + q.vv * dv * dv;
    const double t = c < 0.0 ? std::clamp(-0.5 * b / c, 0.0, 1.0) : 0.0;
    most = std::max(most, q.at(P.u, P.v) + t * (b + c * t));
    const double side = du * (v - P.v) - dv * (u - P.u);
    on_left = on_left && side >= 0.0, on_right = on_right && side <= 0.0;
  }
  return on_left || on_right ? std::max(most, q.at(u, v)) : most;
}

int region_breaks(const CurvedRegion& region, double (&breaks)[most_breaks]) noexcept {
  Breaks found{breaks, 0, endless, -endless};
  for (int i = 0; i < region.count; ++i)
    found.low = std::min(found.low, region.polygon[i].v), found.high = std::max(found.high, region.polygon[i].v);
  for (int i = 0, last = region.count - 1; i < region.count; last = i++) {
    const Corner &P = region.polygon[last], &Q = region.polygon[i];
    if (is_inside(region, Q)) found.add(Q.v);
    for (int k = 0; k < region.inside_count; ++k) add_on_side(region.inside[k], P, Q, found);
    if (region.capped) add_on_side(region.side - region.end, P, Q, found);
  }
  for (int k = 0; k < region.inside_count; ++k) add_tips(region.inside[k], found);
  if (region.capped) add_tips(region.side - region.end, found);
  if (region.inside_count == 2) {
    add_on_circle(region.inside[0], region.inside[1], found);
    if (region.capped) add_on_circle(region.side - region.end, region.inside[1], found);
  }
  breaks[found.count++] = found.low, breaks[found.count++] = found.high;
  std::sort(breaks, breaks + found.count);
  return found.count;
}

Span region_span(const CurvedRegion& region, double v) noexcept {
  Span span{endless, -endless};
  for (int i = 0, last = region.count - 1; i < region.count; last = i++) {
    const Corner &P = region.polygon[last], &Q = region.polygon[i];
    if (P.v == Q.v || (P.v < v) == (Q.v < v)) continue;
    const double u = P.u + (v - P.v) / (Q.v - P.v) * (Q.u - P.u);
    span.from = std::min(span.from, u), span.to = std::max(span.to, u);
  }
  for (int k = 0; k < region.inside_count; ++k) {
    const Quadratic& q = region.inside[k];
    const Span positive = positive_span(q.at(0.0, v), q.du + q.uv * v, q.uu);
    if (positive.empty()) return {0.0, 0.0};
    span.cut = span.cut || positive.from < span.from || positive.to > span.to;
    span.from = std::max(span.from, positive.from), span.to = std::min(span.to, positive.to);
  }
  return span;
}

}  // namespace contactlib::geometry
