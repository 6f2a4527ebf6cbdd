// How the moments of one piece change as A moves and as u turns.
#pragma once

#include "moments.hpp"

namespace contactlib::geometry {

class PieceChanges {
 public:
  PieceChanges(const Vec3& n_B, const Vec3& u, const Vec3& origin, const std::vector<Wall>& walls,
               AllChanges& out) noexcept
      : n_B_(n_B), u_(u), origin_(origin), walls_(walls), out_(out) {
    for (int p = 0; p <= max_power; ++p) wall_[p] = side_[p] = Vec3::Zero();
  }

  AllSums sums;  // over the part of the piece that lies over one wall

  // Adds that part and clears its sums. n: the wall's normal over n.u; thickness(x): m
  template <class Thickness>
  void add(const Vec3& n, const Polygon& part, const Thickness& thickness) noexcept {
    add_wall(n);
    sums = AllSums();
    for (int i = 0; i < part.count; ++i) {
      const int k = i + 1 == part.count ? 0 : i + 1, side = along_wall - part.tag[i];
      if (side < 0 || walls_[side].n.dot(u_) < -upright) continue;
      add_side(walls_[side].n, part.v[i], part.v[k], thickness(part.v[i]), thickness(part.v[k]));
    }
  }

  // level: m, of the branch
  void finish(double level) noexcept;

 private:
  static constexpr double upright = 1e-9;  // n.u of a side; below that the thickness at it is 0

  void add_wall(const Vec3& n) noexcept;
  void add_side(const Vec3& n, const Vec3& p, const Vec3& q, double tau_p, double tau_q) noexcept;

  const Vec3 &n_B_, &u_;
  const Vec3 origin_;
  const std::vector<Wall>& walls_;
  AllChanges& out_;
  Vec3 wall_[max_power + 1], side_[max_power + 1];
};

}  // namespace contactlib::geometry
