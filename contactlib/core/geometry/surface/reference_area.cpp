#include "reference_area.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace contactlib::geometry {

namespace {

constexpr double cos_20 = 0.9396926207859084;
constexpr int tried = 8;     // bundles of directions with the largest areas
constexpr int rounds = 8;    // of the mean direction

struct Flat {
  Vec3 area_vector;  // m2, of faces near a direction, with their weights
  double area;       // m2
};

double area_of(const Surface& surface, const Face& face) noexcept {
  Vec3 twice = Vec3::Zero();
  const Vec3 p0 = surface.corner(face, 0);
  for (int i = 2; i < face.count; ++i) twice += (surface.corner(face, i - 1) - p0).cross(surface.corner(face, i) - p0);
  return 0.5 * twice.norm();
}

Flat near(const std::vector<FaceArea>& faces, const Vec3& n) noexcept {
  Flat flat{Vec3::Zero(), 0.0};
  for (const FaceArea& face : faces) {
    const double part = face.area * std::max(0.0, (face.n.dot(n) - cos_20) / (1.0 - cos_20));
    flat.area_vector += part * face.n, flat.area += part;
  }
  return flat;
}

}  // namespace

double reference_area(const Surface& surface) {
  std::vector<FaceArea> faces;
  faces.reserve(surface.faces.size());
  for (const Face& face : surface.faces) faces.push_back({face.n, area_of(surface, face)});
  return reference_area(faces);
}

double reference_area(const std::vector<FaceArea>& faces) {
  std::vector<Vec3> bundles(aims, Vec3::Zero());
  for (const FaceArea& face : faces) bundles[aim(face.n)] += face.area * face.n;
  std::sort(bundles.begin(), bundles.end(),
            [](const Vec3& a, const Vec3& b) { return a.squaredNorm() > b.squaredNorm(); });
  double most = 0.0;
  for (int i = 0; i < tried && bundles[i].squaredNorm() > 0.0; ++i) {
    Vec3 n = bundles[i].normalized();
    Flat flat = near(faces, n);
    for (int k = 0; k < rounds && flat.area_vector.squaredNorm() > 0.0; ++k) {
      const Vec3 next = flat.area_vector.normalized();
      const bool settled = next == n;
      n = next;
      if (settled) break;
      flat = near(faces, n);
    }
    most = std::max(most, flat.area);
  }
  return most;
}

double enclosed_volume(const Surface& surface) noexcept {
  if (!surface.closed) return 0.0;
  double volume = 0.0;
  for (const Face& face : surface.faces)
    for (int i = 2; i < face.count; ++i) {
      const Vec3 a = surface.corner(face, 0) - surface.middle, b = surface.corner(face, i - 1) - surface.middle,
                 c = surface.corner(face, i) - surface.middle;
      volume += a.dot(b.cross(c)) / 6.0;
    }
  return volume;
}

}  // namespace contactlib::geometry
