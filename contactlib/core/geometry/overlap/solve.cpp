// the normal of a patch: with delta = M_2/M_1, which grows with the depth, and d M_(p+1) = (p+1) U_p . dx,
//   G = grad delta = (2 U_1 M_1 - M_2 U_0)/M_1^2,   g = G.u
// points along the way out of the deepest place wherever the patch keeps its form as it grows. twice:
//   u <- l G/g + (1 - l) U_1/|U_1|,  normalised,  l = clamp(4 g - 1, 0, 1)
#include "solve.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "polygon.hpp"

namespace contactlib {

namespace {

constexpr int turns = 2;
constexpr double pierced = 0.2;  // of the patch's area: a shorter area vector tells of two sides

double blend_of(double g) noexcept { return std::clamp(4.0 * g - 1.0, 0.0, 1.0); }

}  // namespace

int OverlapSolver::parts_of(const Patch& patch, PatchPart* out) const noexcept {
  out[0] = {&patch, Vec3::Zero()};
  if (patch.area_vector.norm() > pierced * patch.area) return 1;
  Mat3 spread = Mat3::Zero();
  for (std::int32_t k = patch.first; k >= 0; k = scratch_.pieces[k].next) {
    const Vec3& n = B_.faces[scratch_.pieces[k].face].n;
    spread += scratch_.pieces[k].area.norm() * n * n.transpose();
  }
  Eigen::SelfAdjointEigenSolver<Mat3> eigen;
  eigen.computeDirect(spread);
  const Vec3 e = eigen.eigenvectors().col(2);
  out[0].side = e;
  out[1] = {&patch, -e};
  return 2;
}

bool OverlapSolver::solve(const PatchPart& part, PatchContact& out) noexcept {
  Vec3 u = Vec3::Zero();
  for (std::int32_t k = part.patch->first; k >= 0; k = scratch_.pieces[k].next)
    if (part.side.dot(B_.faces[scratch_.pieces[k].face].n) >= 0.0) u += scratch_.pieces[k].area;
  return solve_from(part, u, out);
}

bool OverlapSolver::solve_from(const PatchPart& part, Vec3 u, PatchContact& out) noexcept {
  for (int turn = 0; turn < turns; ++turn) {
    const double norm = u.norm();
    if (!(norm > 0.0)) return false;
    u /= norm;
    const Moments m = moments_.measure(*part.patch, part.side, u, nullptr);
    const double M1 = u.dot(m.U[1]), M2 = u.dot(m.U[2]), U1 = m.U[1].norm();
    if (!(M1 > 0.0) || !(U1 > 0.0)) return false;
    const Vec3 G = (2.0 * M1 * m.U[1] - M2 * m.U[0]) / (M1 * M1);
    const double g = G.dot(u), l = blend_of(g);
    const Vec3 next = (1.0 - l) / U1 * m.U[1];
    u = l > 0.0 ? Vec3(next + l / g * G) : next;
  }
  const double norm = u.norm();
  return norm > 0.0 && solve_along(part, u / norm, out);
}

bool OverlapSolver::solve_along(const PatchPart& part, const Vec3& u, PatchContact& out) noexcept {
  out.n = u;
  out.moments = moments_.measure(*part.patch, part.side, u, &out.spread);
  const Vec3* const U = out.moments.U;
  const double M1 = u.dot(U[1]), M2 = u.dot(U[2]);
  if (!(M1 > 0.0) || !(out.moments.depth > noise_)) return false;
  out.taper = (2.0 * M1 * M1 - M2 * u.dot(U[0])) / (M1 * M1);
  out.blend = blend_of(out.taper);
  return true;
}

void OverlapSolver::limit(const PatchPart& part, const PatchContact& contact, Springs& springs) const noexcept {
  if (springs.count == 1) return;
  double off[4][2], length[4], reach[4] = {0.0, 0.0, 0.0, 0.0};
  for (int i = 0; i < springs.count; ++i) {
    for (int k = 0; k < 2; ++k) off[i][k] = springs.x[i][k] - springs.middle[k];
    length[i] = std::hypot(off[i][0], off[i][1]);
    if (!(length[i] > 0.0)) return;
  }
  const Spread& s = contact.spread;
  for_each_corner(part, [&](const Vec3& v) noexcept {
    const double x = s.e1.dot(v - s.origin) - springs.middle[0], y = s.e2.dot(v - s.origin) - springs.middle[1];
    for (int i = 0; i < springs.count; ++i)
      reach[i] = std::max(reach[i], (off[i][0] * x + off[i][1] * y) / length[i]);
  });
  for (int i = 0; i < springs.count; ++i)
    if (reach[i] < length[i])
      for (int k = 0; k < 2; ++k) springs.x[i][k] = springs.middle[k] + reach[i] / length[i] * off[i][k];
}

}  // namespace contactlib
