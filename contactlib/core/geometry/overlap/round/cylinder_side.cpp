#include "cylinder_side.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "curved_region.hpp"
#include "geometry/overlap/surface_pieces.hpp"
#include "math/elementary.hpp"
#include "outline_side.hpp"
#include "side_lines.hpp"

namespace contactlib::geometry {

namespace {

constexpr double pi = 3.14159265358979323846, endless = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-12;  // of the size: a corner of the region lies on its borders
constexpr int few_faces = 8;  // of more, angles are found by bisection: the pairs and triples would be too many
constexpr int most_angles = 512;

// The side in a solid with few faces: all angles at which a cell begins or ends are known in closed form.
class SideInFaces {
 public:
  SideInFaces(const CylinderSide& side, const SideFace* faces, int count, SurfaceScratch& out) noexcept
      : side_(side), faces_(faces), count_(count), out_(out), tiny_(rounding * (side.r + side.h)) {}

  void add() noexcept {
    find_angles();
    if (angles_ == 0) return add_all_round();
    std::sort(at_, at_ + angles_);
    for (int k = 0; k < angles_; ++k) {
      const double from = at_[k], to = k + 1 < angles_ ? at_[k + 1] : at_[0] + 2.0 * pi;
      if (is_inside(0.5 * (from + to))) add_between(from, to);
    }
  }

 private:
  using Line = math::SinCos;

  double e(int f, const Line& a, double z) const noexcept { return faces_[f].at(a.cos, a.sin) + faces_[f].C * z; }

  // The part of a line of the side that is inside all faces.
  Span span_at(const Line& a) const noexcept {
    Span span{-side_.h, side_.h};
    for (int f = 0; f < count_; ++f) {
      const double at_middle = faces_[f].at(a.cos, a.sin), C = faces_[f].C;
      if (C > 0.0)
        span.from = std::max(span.from, -at_middle / C);
      else if (C < 0.0)
        span.to = std::min(span.to, -at_middle / C);
      else if (at_middle < 0.0)
        return {0.0, 0.0};
    }
    return span;
  }
  bool is_inside(double angle) const noexcept { return !span_at(math::sin_cos(angle)).empty(); }

  // Whether no face has less than `least` at this place.
  bool is_lowest(const Line& a, double z, double least) const noexcept {
    if (std::abs(z) > side_.h + tiny_ || least < -tiny_) return false;
    for (int f = 0; f < count_; ++f)
      if (e(f, a, z) < least - tiny_) return false;
    return true;
  }

  // Angles where A + B_1 cos a + B_2 sin a = 0 at which `is_corner` holds.
  template <class IsCorner>
  void add_angles(double A, double B_1, double B_2, const IsCorner& is_corner) noexcept {
    const double B = std::sqrt(B_1 * B_1 + B_2 * B_2);
    if (!(std::abs(A) < B)) return;
    const double middle = math::atan2(B_2, B_1), half = math::acos(-A / B);
    for (double angle : {middle - half, middle + half}) {
      if (angle < 0.0) angle += 2.0 * pi;
      if (angles_ < most_angles && is_corner(math::sin_cos(angle))) at_[angles_++] = angle;
    }
  }

  // Corners of the region, and of its cells.
  void find_angles() noexcept {
    const auto lies_within = [&](const Line& a, double z) { return is_lowest(a, z, 0.0); };
    for (int f = 0; f < count_; ++f) {
      const SideFace& F = faces_[f];
      for (const double z : {side_.h, -side_.h})
        add_angles(F.A + F.C * z, F.B_1, F.B_2, [&](const Line& a) { return lies_within(a, z); });
      for (int g = 0; g < f; ++g) {
        const SideFace& G = faces_[g];
        add_angles(G.C * F.A - F.C * G.A, G.C * F.B_1 - F.C * G.B_1, G.C * F.B_2 - F.C * G.B_2, [&](const Line& a) {
          const SideFace& steeper = std::abs(F.C) > std::abs(G.C) ? F : G;
          return steeper.C != 0.0 && lies_within(a, -steeper.at(a.cos, a.sin) / steeper.C);
        });
        add_cell_angles(f, g);
      }
    }
  }

  void add_cell_angles(int f, int g) noexcept {
    const SideFace &F = faces_[f], &G = faces_[g];
    const SideFace D{F.A - G.A, F.B_1 - G.B_1, F.B_2 - G.B_2, F.C - G.C, Vec3::Zero()};
    const auto is_border = [&](const Line& a, double z) { return is_lowest(a, z, e(f, a, z)); };
    for (const double z : {side_.h, -side_.h})
      add_angles(D.A + D.C * z, D.B_1, D.B_2, [&](const Line& a) { return is_border(a, z); });
    for (int k = 0; k < g; ++k) {
      const SideFace& K = faces_[k];
      const SideFace H{F.A - K.A, F.B_1 - K.B_1, F.B_2 - K.B_2, F.C - K.C, Vec3::Zero()};
      add_angles(H.C * D.A - D.C * H.A, H.C * D.B_1 - D.C * H.B_1, H.C * D.B_2 - D.C * H.B_2, [&](const Line& a) {
        const SideFace& steeper = std::abs(D.C) > std::abs(H.C) ? D : H;
        return steeper.C != 0.0 && is_border(a, -steeper.at(a.cos, a.sin) / steeper.C);
      });
    }
  }

  void outline_between(double from, double to) noexcept {
    if (!out_.outlines) return;
    const auto extent_at = [&](const Direction& a, double z) {
      double least = endless;
      for (int f = 0; f < count_; ++f) least = std::min(least, e(f, {a.sin, a.cos}, z));
      return least;
    };
    outline_side(side_, from, to, [&](const Direction& a) { return span_at({a.sin, a.cos}); }, extent_at, out_);
  }

  void add_between(double from, double to) noexcept {
    outline_between(from, to);
    for_each_angle(from, to, side_.r, chord_rule(out_.sharpness),
                   [&](double angle, double width) noexcept { add_line(math::sin_cos(angle), width); });
  }

  // Of a periodic function, equal weights are the most exact rule.
  void add_all_round() noexcept {
    const int count = 2 * out_.sharpness + 8;
    if (!is_inside(0.0)) return;
    outline_between(0.0, 2.0 * pi);
    for (int k = 0; k < count; ++k) add_line(math::sin_cos(2.0 * pi * k / count), 2.0 * pi * side_.r / count);
  }

  // Strips of a line, cell by cell.
  void add_line(const Line& a, double width) noexcept {
    const Span span = span_at(a);
    if (span.empty()) return;
    const Vec3 radial = side_.radial(a.cos, a.sin), foot = side_.centre + side_.r * radial;
    int f = 0;
    for (int g = 1; g < count_; ++g) {
      const double lower = e(f, a, span.from) - e(g, a, span.from);
      if (lower > 0.0 || (lower == 0.0 && faces_[g].C < faces_[f].C)) f = g;
    }
    for (double z = span.from; z < span.to;) {
      double end = span.to;
      int next = f;
      for (int g = 0; g < count_; ++g) {
        const double slope = faces_[f].C - faces_[g].C;
        if (!(slope > 0.0)) continue;
        const double crossing = (faces_[g].at(a.cos, a.sin) - faces_[f].at(a.cos, a.sin)) / slope;
        if (crossing < end && (crossing > z || (crossing == z && g != f))) end = std::max(z, crossing), next = g;
      }
      if (end > z)
        add_strip(foot + z * side_.axis, foot + end * side_.axis, e(f, a, z), e(f, a, end), width, radial, faces_[f].n,
                  out_);
      if (next == f) return;
      f = next, z = end;
    }
  }

  const CylinderSide& side_;
  const SideFace* const faces_;
  const int count_;
  SurfaceScratch& out_;
  const double tiny_;
  double at_[most_angles];
  int angles_ = 0;
};

// Lines of the side in a solid with many faces; the zones are the faces that are nearest.
struct FaceLines {
  static constexpr int most_parts = 64;
  const SideFace* faces;
  int count;

  double e(int f, const SideLine& line, double z) const noexcept {
    return faces[f].at(line.around.cos, line.around.sin) + faces[f].C * z;
  }

  double extent_at(const SideLine& line, double z) const noexcept { return e(lowest(line, z), line, z); }

  // The lowest face at z, as it goes on beyond z.
  int lowest(const SideLine& line, double z) const noexcept {
    int f = 0;
    for (int g = 1; g < count; ++g) {
      const double lower = e(f, line, z) - e(g, line, z);
      if (lower > 0.0 || (lower == 0.0 && faces[g].C < faces[f].C)) f = g;
    }
    return f;
  }

  // Where another face becomes the lowest after z, and which; `to` if none does.
  double next_after(const SideLine& line, int f, double z, double to, int& next) const noexcept {
    double end = to;
    next = f;
    for (int g = 0; g < count; ++g) {
      const double slope = faces[f].C - faces[g].C;
      if (!(slope > 0.0)) continue;
      const double crossing = z + (e(g, line, z) - e(f, line, z)) / slope;
      if (crossing < end) end = std::max(z, crossing), next = g;
    }
    return end;
  }

  // e is concave along a line.
  int parts_of(const SideLine& line, LinePart* parts) const noexcept {
    int kept = 0, next;
    double z = -line.half;
    for (int f = lowest(line, z); z < line.half; f = next) {
      const double end = next_after(line, f, z, line.half, next);
      const double at_z = e(f, line, z), at_end = e(f, line, end), C = faces[f].C;
      const double from = at_z > 0.0 ? z : (C > 0.0 ? z - at_z / C : end),
                   to = at_end > 0.0 ? end : (C < 0.0 ? z - at_z / C : z);
      if (from < to && kept < most_parts) parts[kept++] = {from, to, f};
      if (next == f) break;
      z = end;
    }
    return kept;
  }

  double greatest(const SideLine& line) const noexcept {
    int next;
    double z = -line.half;
    for (int f = lowest(line, z);; f = next) {
      const double end = next_after(line, f, z, line.half, next);
      if (!(faces[f].C > 0.0)) return e(f, line, z);
      if (next == f) return e(f, line, end);
      z = end;
    }
  }

  void add(const SideLine& line, const LinePart& part, double width, SurfaceScratch& out) const noexcept {
    add_strip(line.foot + part.from * line.axis, line.foot + part.to * line.axis, e(part.zone, line, part.from),
              e(part.zone, line, part.to), width, line.radial, faces[part.zone].n, out);
  }
};

}  // namespace

void add_side(const CylinderSide& side, int count, SurfaceScratch& out) noexcept {
  SideFace* const faces = out.side_faces.data();
  double bound = endless;
  for (int f = 0; f < count; ++f)
    bound = std::min(bound, faces[f].A + faces[f].reach() + std::abs(faces[f].C) * side.h);
  if (!(bound > 0.0)) return;
  int kept = 0;
  for (int f = 0; f < count; ++f)
    if (faces[f].A - faces[f].reach() - std::abs(faces[f].C) * side.h <= bound) faces[kept++] = faces[f];
  if (kept <= few_faces) return SideInFaces(side, faces, kept, out).add();
  const FaceLines field{faces, kept};
  SideLines<FaceLines>(field, side, out).add();
}

}  // namespace contactlib::geometry
