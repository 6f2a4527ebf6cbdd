#include "volumes.hpp"

#include <cmath>
#include <limits>

namespace contactlib::bounding {

const char* const volume_names[volume_kinds] = {"sphere", "aabb", "obb", "half_space"};

namespace {

Vec3 middle_of_b(const Volume& B, const Relative& X) noexcept { return X.p_AB_A + X.R_AB * B.p_BV; }

bool sphere_sphere(const Volume& A, const Volume& B, const Relative& X) noexcept {
  const double reach = A.half[0] + B.half[0];
  return (middle_of_b(B, X) - A.p_BV).squaredNorm() <= reach * reach;
}

// B's box, A's ball: the distance of the ball's middle, seen along the box's axes, to the box.
bool sphere_box(const Volume& A, const Volume& B, const Relative& X) noexcept {
  const Vec3 away_A = A.p_BV - middle_of_b(B, X);
  const Vec3 p = B.R_BV.transpose() * (X.R_AB.transpose() * away_A);
  const Vec3 out = (p.cwiseAbs() - B.half).cwiseMax(0.0);
  return out.squaredNorm() <= A.half[0] * A.half[0];
}

// Two boxes are separated along a face normal of either if the distance of their middles there exceeds both extents.
// The nine axes across two edges are left out: they separate few more pairs, and cost more than a kernel without a
// contact.
bool box_box(const Vec3& half_a, const Vec3& half_b, const Mat3& R, const Mat3& spread, const Vec3& p_A) noexcept {
  for (int i = 0; i < 3; ++i)
    if (std::abs(p_A[i]) > half_a[i] + spread.row(i).dot(half_b)) return false;
  for (int i = 0; i < 3; ++i)
    if (std::abs(p_A.dot(R.col(i))) > half_b[i] + spread.col(i).dot(half_a)) return false;
  return true;
}

bool aabb_aabb(const Volume& A, const Volume& B, const Relative& X) noexcept {
  return box_box(A.half, B.half, X.R_AB, X.spread, middle_of_b(B, X) - A.p_BV);
}

bool aabb_obb(const Volume& A, const Volume& B, const Relative& X) noexcept {
  const Mat3 R = X.R_AB * B.R_BV;
  return box_box(A.half, B.half, R, R.cwiseAbs(), middle_of_b(B, X) - A.p_BV);
}

bool obb_obb(const Volume& A, const Volume& B, const Relative& X) noexcept {
  const Mat3 R_VA = A.R_BV.transpose(), R = R_VA * X.R_AB * B.R_BV;
  return box_box(A.half, B.half, R, R.cwiseAbs(), R_VA * (middle_of_b(B, X) - A.p_BV));
}

// The lowest point of A below B's plane.
bool sphere_half_space(const Volume& A, const Volume& B, const Relative& X) noexcept {
  const Vec3 z_A = X.R_AB * B.R_BV.col(2);
  return z_A.dot(A.p_BV - middle_of_b(B, X)) <= A.half[0];
}

bool box_half_space(const Volume& A, const Volume& B, const Relative& X) noexcept {
  const Vec3 z_A = X.R_AB * B.R_BV.col(2);
  const double reach = (A.R_BV.transpose() * z_A).cwiseAbs().dot(A.half);
  return z_A.dot(A.p_BV - middle_of_b(B, X)) <= reach;
}

// clang-format off
constexpr VolumeTester table[volume_kinds][volume_kinds] = {
  //                 sphere         aabb        obb         half_space
  /* sphere     */ {sphere_sphere, sphere_box, sphere_box, sphere_half_space},
  /* aabb       */ {nullptr,       aabb_aabb,  aabb_obb,   box_half_space},
  /* obb        */ {nullptr,       nullptr,    obb_obb,    box_half_space},
  /* half_space */ {nullptr,       nullptr,    nullptr,    nullptr},
};
// clang-format on

// The same tests as distances: where a test compares two numbers, their difference is a lower bound.
double sphere_sphere_gap(const Volume& A, const Volume& B, const Relative& X) noexcept {
  return (middle_of_b(B, X) - A.p_BV).norm() - (A.half[0] + B.half[0]);
}

double sphere_box_gap(const Volume& A, const Volume& B, const Relative& X) noexcept {
  const Vec3 p = B.R_BV.transpose() * (X.R_AB.transpose() * (A.p_BV - middle_of_b(B, X)));
  return (p.cwiseAbs() - B.half).cwiseMax(0.0).norm() - A.half[0];
}

double box_box_gap(const Volume& A, const Volume& B, const Relative& X) noexcept {
  const Mat3 R_VA = A.R_BV.transpose(), R = R_VA * X.R_AB * B.R_BV, spread = R.cwiseAbs();
  const Vec3 p_A = R_VA * (middle_of_b(B, X) - A.p_BV);
  const Vec3 along_a = p_A.cwiseAbs() - A.half - spread * B.half;
  const Vec3 along_b = (R.transpose() * p_A).cwiseAbs() - B.half - spread.transpose() * A.half;
  return along_a.cwiseMax(along_b).maxCoeff();
}

double half_space_gap(const Volume& A, const Volume& B, const Relative& X) noexcept {
  const Vec3 z_A = X.R_AB * B.R_BV.col(2);
  const double reach = A.kind == VolumeKind::sphere ? A.half[0] : (A.R_BV.transpose() * z_A).cwiseAbs().dot(A.half);
  return z_A.dot(A.p_BV - middle_of_b(B, X)) - reach;
}

}  // namespace

double gap_of(const Volume& A, const Volume& B, const Relative& X_AB, const Relative& X_BA) noexcept {
  if (A.kind > B.kind) return gap_of(B, A, X_BA, X_AB);
  if (!volume_tester(A.kind, B.kind)) return std::numeric_limits<double>::infinity();
  if (B.kind == VolumeKind::half_space) return half_space_gap(A, B, X_AB);
  if (A.kind != VolumeKind::sphere) return box_box_gap(A, B, X_AB);
  return B.kind == VolumeKind::sphere ? sphere_sphere_gap(A, B, X_AB) : sphere_box_gap(A, B, X_AB);
}

VolumeTester volume_tester(VolumeKind a, VolumeKind b) noexcept {
  return table[static_cast<int>(a)][static_cast<int>(b)];
}

}  // namespace contactlib::bounding
