// Capsules of two cables: the closest points of their chords, then Newton's method towards the closest points of the
// curves,
//   w = r_a(xi) - r_b(eta),   F = w.w/2,   dF = (w.r_a', -w.r_b')
#include <algorithm>
#include <cmath>

#include "geometry/manifold/ball.hpp"
#include "places.hpp"

namespace contactlib::element {

using geometry::perpendicular;

namespace {

constexpr double material_pair = 1e-12;    // m, centre lines nearer than this meet
constexpr double side_by_side = 1e-6;  // sine squared of the angle below which chords run along each other

constexpr double small_gain = 1e-4;    // of the radius

constexpr double leaning = 0.05;        // sine: more than by rounding, and than by steps not taken

// s and t from -1 to 1: the least |w + s a - t b|, w from b's middle to a's. For parallel chords: the middle of the
// part side by side.
void closest(const Vec3& w, const Vec3& a, const Vec3& b, double& s, double& t) noexcept {
  const double aa = a.squaredNorm(), bb = b.squaredNorm(), ab = a.dot(b), wa = w.dot(a), wb = w.dot(b);
  const double det = aa * bb - ab * ab;
  if (det > side_by_side * aa * bb) {
    s = std::clamp((ab * wb - bb * wa) / det, -1.0, 1.0);
  } else {
    const double reach = aa > 0.0 ? std::abs(ab) / aa : 0.0, middle = aa > 0.0 ? -wa / aa : 0.0;
    s = 0.5 * (std::clamp(middle - reach, -1.0, 1.0) + std::clamp(middle + reach, -1.0, 1.0));
  }
  t = bb > 0.0 ? std::clamp((wb + s * ab) / bb, -1.0, 1.0) : 0.0;
  if (std::abs(t) == 1.0) s = aa > 0.0 ? std::clamp((t * ab - wa) / aa, -1.0, 1.0) : 0.0;
}

// Both curves at xi and eta.
struct Two {
  double xi[2];
  Vec3 p_O, w;  // p_O on a
  double F;

  Two(const SkinPart& a, const SkinPart& b, double xi_a, double xi_b) noexcept : xi{xi_a, xi_b} {
    p_O = a.curve.at(xi_a);
    w = p_O - b.curve.at(xi_b);
    F = 0.5 * w.squaredNorm();
  }
};

// The step over xi and eta that stays within both capsules; returns false if its gain is small. It uses the full second
// derivatives where they are positive definite, otherwise those without curvature.
bool newton(const SkinPart& a, const SkinPart& b, const Two& at, double xi[2]) noexcept {
  const Vec3 t = a.curve.slope(at.xi[0]), u = b.curve.slope(at.xi[1]);
  const double tt = t.squaredNorm(), uu = u.squaredNorm(), H01 = -t.dot(u);
  const double g[2] = {at.w.dot(t), -at.w.dot(u)};
  double H00 = tt + at.w.dot(a.curve.bend(at.xi[0])), H11 = uu - at.w.dot(b.curve.bend(at.xi[1]));
  if (!(H00 > 0.1 * tt)) H00 = tt;
  if (!(H11 > 0.1 * uu)) H11 = uu;
  const bool held[2] = {g[0] > 0.0 ? at.xi[0] <= a.chord.from : at.xi[0] >= a.chord.to,
                        g[1] > 0.0 ? at.xi[1] <= b.chord.from : at.xi[1] >= b.chord.to};
  const double det = H00 * H11 - H01 * H01;
  double step[2] = {-g[0] / H00, -g[1] / H11};
  if (held[0] || held[1]) {
    if (held[0]) step[0] = 0.0;
    if (held[1]) step[1] = 0.0;
  } else if (det > side_by_side * tt * uu) {
    step[0] = (H01 * g[1] - H11 * g[0]) / det;
    step[1] = (H01 * g[0] - H00 * g[1]) / det;
  } else {
    step[0] = 0.0;  // curves that run along each other leave nothing to tell where
  }
  // |w| gains dF/|w|
  const double gain = -0.5 * (g[0] * step[0] + g[1] * step[1]), least = small_gain * a.radius;
  if (!(gain * gain > least * least * 2.0 * at.F)) return false;
  xi[0] = std::clamp(at.xi[0] + step[0], a.chord.from, a.chord.to);
  xi[1] = std::clamp(at.xi[1] + step[1], b.chord.from, b.chord.to);
  return true;
}

// From b to a. Where the centre lines intersect: across both tangents; where these are parallel: across one.
Vec3 normal(const SkinPart& a, const SkinPart& b, const Two& at, double apart) noexcept {
  if (apart >= material_pair) return at.w / apart;
  const Vec3 t = a.curve.slope(at.xi[0]), u = b.curve.slope(at.xi[1]), n = t.cross(u);
  const double sine = n.norm(), speed = t.norm();
  if (sine > 1e-9 * speed * u.norm()) return n / sine;
  return speed > 0.0 ? perpendicular(t / speed) : Vec3(Vec3::UnitZ());
}

// Whether n leans along the cable at an end where the cable continues: then the next capsule is nearer, and n is across
// both.
bool leans(const SkinPart& part, double xi, const Vec3& n) noexcept {
  const bool at[2] = {xi <= part.chord.from, xi >= part.chord.to};
  if (!(at[0] && part.goes_on[0]) && !(at[1] && part.goes_on[1])) return false;
  const Vec3 t = part.curve.slope(xi);
  const double along = at[0] ? n.dot(t) : -n.dot(t);
  return along > leaning * t.norm();
}

}  // namespace

bool place_on_cable(const SkinPart& a, const SkinPart& b, double reach, SkinPlace& out) noexcept {
  const Vec3 w = a.chord.middle - b.chord.middle;
  const double near = a.radius + b.radius + reach + a.chord.sag + b.chord.sag;
  double s, t;
  closest(w, a.chord.half, b.chord.half, s, t);
  if (!((w + s * a.chord.half - t * b.chord.half).squaredNorm() < near * near)) return false;

  Two at(a, b, a.xi(s), b.xi(t));
  double xi[2];
  for (int i = 0; i < 3 && newton(a, b, at, xi); ++i) {
    const Two next(a, b, xi[0], xi[1]);
    if (!(next.F < at.F)) break;
    at = next;
  }
  const double apart = std::sqrt(2.0 * at.F), gap = apart - a.radius - b.radius;
  if (!(gap < reach)) return false;
  const Vec3 n = normal(a, b, at, apart);
  if (leans(a, at.xi[0], n) || leans(b, at.xi[1], -n)) return false;
  out = {at.xi[0], at.xi[1], at.p_O - n * (a.radius + 0.5 * gap), n, gap};
  return true;
}

}  // namespace contactlib::element
