#include "capsule_flat.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/surface/boxes.hpp"
#include "math/elementary.hpp"

namespace contactlib::geometry {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double same = 1e-12;    // a plane's normal, and of the size: its distance
constexpr double level = 1e-9;    // sine: edges that bend less are inside a plane
constexpr double leaning = 0.3;   // sine of a line's slope, at most
constexpr double shallow = 0.5;   // of the radius
constexpr double ruling = 1.5;    // times the ends' part of the volume: a side has more

// The one plane that contains all triangles near a capsule.
class Ground {
 public:
  Ground(const Shape& A, const Surface& B, const Axes& A_to_B) noexcept
      : r_(A.size[0]), half_(0.5 * A.size[1]), B_(B), axis_(A_to_B.R.col(2)), middle_(A_to_B.p) {}

  // Returns false if there is a second plane or a border. The middle of the capsule's section must be over a triangle.
  bool find(const BoxNode& box, const Axes& A_to_B) noexcept {
    const Mat3 spread = A_to_B.R.cwiseAbs();
    const auto meets = [&](const BoxNode& node) noexcept {
      return flat_ && boxes_near(node, box, A_to_B, spread, 0.0);
    };
    for_each_facet(B_, meets, [&](const Facet& facet) noexcept { evaluate(facet); });
    return flat_ && over_;
  }

  const Vec3& n() const noexcept { return n_; }
  bool flat_all_ways() const noexcept { return all_ways_; }
  // +1, -1: the end of the axis that is lower; how high it is, and the other one
  double lower() const noexcept { return n_.dot(axis_) > 0.0 ? -1.0 : 1.0; }
  Vec3 end(double sign) const noexcept { return middle_ + sign * half_ * axis_; }
  double height(double sign) const noexcept { return n_.dot(end(sign)) - d_; }
  double sine() const noexcept { return std::abs(n_.dot(axis_)); }

 private:
  void evaluate(const Facet& facet) noexcept {
    if (!flat_) return;
    const double height = facet.n.dot(middle_ - facet.corner[0]);
    if (!(std::abs(height) < r_ + half_ * std::abs(facet.n.dot(axis_)))) return;
    if (!begun_) begin(facet);
    flat_ = (facet.n - n_).squaredNorm() <= same * same && std::abs(n_.dot(facet.corner[0]) - d_) <= same * B_.size &&
            closed(facet);
    all_ways_ = all_ways_ && B_.flats[facet.face].ways == 2;
    over_ = over_ || contains(facet);
  }

  void begin(const Facet& facet) noexcept {
    begun_ = true;
    n_ = facet.n, d_ = n_.dot(facet.corner[0]);
    foot_ = end(lower());
    foot_ -= height(lower()) * n_;
  }

  bool contains(const Facet& facet) const noexcept {
    for (int i = 0; i < 3; ++i)
      if ((facet.corner[i == 2 ? 0 : i + 1] - facet.corner[i]).cross(foot_ - facet.corner[i]).dot(n_) < 0.0)
        return false;
    return true;
  }

  // Whether no border of the plane is inside the capsule.
  bool closed(const Facet& facet) const noexcept {
    for (int i = 0; i < 3; ++i) {
      const Vec3 &p = facet.corner[i], side = facet.corner[i == 2 ? 0 : i + 1] - p;
      if (facet.edge[i] < 0 || (facet.level[i] > 0.0f && std::abs(facet.bend[i]) <= level * side.norm())) continue;
      if (near(p, side)) return false;
    }
    return true;
  }

  // Whether a side may be inside: its least distance from the axis is at most that from the axis line, or from the
  // ends.
  bool near(const Vec3& p, const Vec3& side) const noexcept {
    const Vec3 w = middle_ - p;
    const double ee = side.squaredNorm(), ae = axis_.dot(side), across = ee - ae * ae;
    double s = across > 1e-12 * ee ? (ae * w.dot(side) - ee * w.dot(axis_)) / across : 0.0;
    s = std::clamp(s, -half_, half_);
    const double t = std::clamp((w + s * axis_).dot(side) / ee, 0.0, 1.0);
    s = std::clamp((t * side - w).dot(axis_), -half_, half_);
    return (w + s * axis_ - t * side).squaredNorm() < 1.0001 * r_ * r_;
  }

  const double r_, half_;
  const Surface& B_;
  const Vec3 axis_, middle_;
  Vec3 n_ = Vec3::Zero(), foot_ = Vec3::Zero();
  double d_ = 0.0;
  bool begun_ = false, flat_ = true, over_ = false, all_ways_ = true;
};

// Whether the patch over the side certainly exceeds that over the ends. A segment of a circle of height D has an area
// of at least 1.1 D sqrt(2 r D); for D from D0 to D1 along L the mean of D^1.5 is at least 0.4 D0^1.5 plus that of the
// mean. The ends together have at most a ball's cap.
bool side_rules(double r, double D0, double D1, double length) noexcept {
  const double mean = 0.5 * (D0 + D1), least = std::max(0.4 * D0 * std::sqrt(D0), mean * std::sqrt(mean));
  return 1.1 * std::sqrt(2.0 * r) * least * length > ruling * pi * r * D0 * D0;
}

// The cap of a ball, whose lowest point is D deep in the plane and whose centre is h above it:
//   M_p = int tau^p 2 pi rho drho = 2 pi (D^(p+2)/(p+2) + h D^(p+1)/(p+1))
double cap_moment(int p, double D, double h) noexcept {
  return 2.0 * pi * math::pow(D, p + 1) * (D / (p + 2) + h / (p + 1));
}

PatchContact cap(const Vec3& n, const Vec3& foot, double D, double h) noexcept {
  PatchContact out;
  double M[3];
  for (int p = 0; p < 3; ++p) M[p] = cap_moment(p, D, h), out.moments.U[p] = M[p] * n;
  out.moments.depth = D, out.moments.deepest = foot;
  out.n = n;
  out.spread = Spread{Vec3::Zero(), Vec3::Zero(), foot, {}, {}, {}, {}, Along()};
  axes_across(n, out.spread.e1, out.spread.e2);
  for (int p = 0; p < 2; ++p) out.spread.X[p][2] = -0.5 * M[p + 1];
  for (int j = 0; j < 2; ++j)
    for (int k = 0; k < 3; ++k) out.high.of[j].U[k] = cap_moment(depth_powers[j] - 1 + k, D, h) * n;
  out.taper = 2.0 - M[2] * M[0] / (M[1] * M[1]);
  out.blend = blend_of(out.taper);
  out.single = smooth_contact(out);
  return out;
}

}  // namespace

bool capsule_on_flat(const Shape& A, const Surface& B, const Axes& A_to_B, const BoxNode& box, double noise,
                     Emitter& emitter) noexcept {
  const double r = A.size[0], length = A.size[1];
  Ground ground(A, B, A_to_B);
  if (!ground.find(box, A_to_B)) return false;
  const Vec3& n = ground.n();
  const double sign = ground.lower(), h = ground.height(sign), D = r - h, sine = ground.sine();
  if (!(h > 0.0) || !(D > noise)) return false;
  const double D1 = r - ground.height(-sign);
  if (D <= r - r * std::sqrt(std::max(0.0, 1.0 - sine * sine))) {
    const PatchContact contact = cap(n, ground.end(sign) - h * n, D, h);
    const Springs spring = springs_of(contact, A_to_B.R);
    emitter.emit(contact.spread.origin + spring.height[0] * n, contact.single.n, contact.single.depth,
                 contact.single.load_share);
    return true;
  }
  const double shared = D1 > 0.0 ? length : D / sine;
  if (!ground.flat_all_ways() || sine > leaning || D > shallow * r || !side_rules(r, D, std::max(0.0, D1), shared))
    return false;
  for (const double end : {1.0, -1.0}) {
    const double depth = end == sign ? D : D1;
    if (depth > same * D) emitter.emit(ground.end(end) - (r - 0.5 * depth) * n, n, depth, 1.0);
  }
  return true;
}

}  // namespace contactlib::geometry
