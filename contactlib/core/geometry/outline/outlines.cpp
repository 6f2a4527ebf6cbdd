#include "outlines.hpp"

#include <algorithm>

namespace contactlib::geometry {

namespace {

template <class Change>
void attempt(bool& failed, const Change& change) noexcept {
  if (failed) return;
  try {
    change();
  } catch (...) {
    failed = true;
  }
}

}  // namespace

void Outlines::begin() noexcept {
  attempt(failed, [&] {
    corners.resize(kept_corners_), parts.resize(kept_parts_), points.resize(kept_points_), of_piece.clear();
  });
}

void Outlines::add_part(std::uint32_t columns) noexcept {
  attempt(failed, [&] { parts.push_back({static_cast<std::uint32_t>(corners.size()), 0, columns}); });
}

void Outlines::add_corner(const Vec3& x, double e) noexcept {
  attempt(failed, [&] {
    corners.push_back({x, e});
    ++parts.back().count;
  });
}

void Outlines::add_point(const OutlinedPoint& point) noexcept {
  attempt(failed, [&] { points.push_back(point); });
}

void Outlines::add_point(double area, double extent) noexcept {
  if (parts.size() == kept_parts_) add_part();
  add_point({static_cast<std::uint32_t>(parts.size() - 1), 0.0, area, extent});
}

void Outlines::set_piece(std::size_t piece) noexcept {
  attempt(failed, [&] {
    of_piece.resize(std::max(of_piece.size(), piece + 1), none);
    of_piece[piece] = static_cast<std::uint32_t>(parts.size() - 1);
  });
}

void Outlines::move_piece(std::size_t from, std::size_t to) noexcept {
  if (!failed) of_piece[to] = of_piece[from];
}

void Outlines::keep(const Mat3& R, const Vec3& p, std::size_t count) noexcept {
  for (std::size_t i = kept_corners_; i < corners.size(); ++i) corners[i].x = R * corners[i].x + p;
  attempt(failed, [&] { points.resize(kept_points_ + count, {none, 0.0, 0.0, 0.0}); });
  kept_corners_ = corners.size(), kept_parts_ = parts.size(), kept_points_ = points.size();
}

// From the widest triangle with the first corner. A point that stands for a part may be a little beside it.
double Outlines::extent_at(const Outline& part, const Vec3& x) const noexcept {
  const OutlineCorner* const at = corners.data() + part.first;
  std::uint32_t widest = 2;
  double most = -1.0, deepest = 0.0;
  for (std::uint32_t i = 0; i < part.count; ++i) deepest = std::max(deepest, at[i].e);
  for (std::uint32_t i = 2; i < part.count; ++i) {
    const double size = (at[i - 1].x - at[0].x).cross(at[i].x - at[0].x).squaredNorm();
    if (size > most) most = size, widest = i;
  }
  if (!(most > 0.0)) return at[0].e;
  const Vec3 b = at[widest - 1].x - at[0].x, c = at[widest].x - at[0].x, n = b.cross(c), d = x - at[0].x;
  const double u = n.dot(d.cross(c)) / most, v = n.dot(b.cross(d)) / most;
  return std::clamp(at[0].e + u * (at[widest - 1].e - at[0].e) + v * (at[widest].e - at[0].e), 0.0, deepest);
}

}  // namespace contactlib::geometry
