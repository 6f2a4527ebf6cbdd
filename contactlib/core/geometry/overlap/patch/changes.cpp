// tau = (n.x - d)/(n.u) over a wall of A. With K_p = int tau^p dA, S_p = int tau^p x dA and the level L:
//   as A moves by c:   dU_p = -p n_B K_(p-1) (n.c)/(n.u),   dT_p = -p S_(p-1) x n_B (n.c)/(n.u)
//   as u turns by e:   dU_p = -p n_B (K_p + L K_(p-1)) (n.e)/(n.u)
// Where B's surface leaves A through a side, whose normal n does not point against u, the side moves along B:
//   dU_p = n_B int tau^p ds (n.c)/|n x n_B|
#include "changes.hpp"

namespace contactlib::geometry {

namespace {

constexpr double parallel = 1e-9;  // sine of the angle between a side of A and a triangle of B

}  // namespace

void PieceChanges::add_wall(const Vec3& n) noexcept {
  for (int p = 0; p <= max_power; ++p) wall_[p] += sums.K[p] * n;
  for (int p = 1; p < max_power; ++p)
    out_.move_T[p] -= p * (sums.S[p - 1] - sums.K[p - 1] * origin_).cross(n_B_) * n.transpose();
}

// With h_p the sum of all products of p of the two thicknesses, and h_p(i) with one of them counted twice:
//   int tau^p ds = l h_p/(p+1),   int x tau^p ds = l (sum of x_i h_p(i))/((p+1)(p+2))
void PieceChanges::add_side(const Vec3& n, const Vec3& p, const Vec3& q, double tau_p, double tau_q) noexcept {
  const double sine = n.cross(n_B_).norm();
  if (!(sine > parallel)) return;
  const Vec3 way = (q - p).norm() / sine * n, from = p - origin_, to = q - origin_;
  double one = 1.0, h = 1.0, twice[2] = {1.0, 1.0};
  for (int k = 1; k <= max_power; ++k) {
    one *= tau_p, h = one + tau_q * h;
    twice[0] = h + tau_p * twice[0], twice[1] = h + tau_q * twice[1];
    side_[k] += h / (k + 1) * way;
    if (k == max_power) break;
    out_.move_T[k] += 1.0 / ((k + 1) * (k + 2)) * (twice[0] * from + twice[1] * to).cross(n_B_) * way.transpose();
  }
}

void PieceChanges::finish(double level) noexcept {
  for (int p = 1; p <= max_power; ++p) {
    out_.move_U[p] += n_B_ * (side_[p] - p * wall_[p - 1]).transpose();
    out_.turn_U[p] -= n_B_ * (p * (wall_[p] + level * wall_[p - 1])).transpose();
  }
}

}  // namespace contactlib::geometry
