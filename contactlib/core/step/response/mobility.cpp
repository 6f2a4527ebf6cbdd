#include "mobility.hpp"

#include <algorithm>
#include <cmath>

namespace contactlib::step {

namespace {

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

constexpr double most = 5.0;         // eigenvalue of S, and of its inverse
constexpr double fading = 0.98;      // of D, per change
constexpr double gain = 0.5;         // part of e that a change explains
constexpr int halvings = 6;          // of the gain
constexpr double fresh_part = 1e-4;  // of the sum of u^2; a weaker change is not used
constexpr double forgetting = 0.9;   // forgetting factor of the sums, per change
constexpr double explained = 1e-4;   // e^2/y^2; the factors alone suffice
constexpr double one_direction = 0.95;  // of C:C/(tr C)^2, which is 1 if all changes have one direction
constexpr double clear_part = 0.5;   // D explains at least the other part of what the factors leave unexplained

// N of the scene's masses.
struct Scale {
  double sqrt_m;
  Mat3 C;

  explicit Scale(const Body& body) noexcept : sqrt_m(std::sqrt(body.mass)), C(body.I_BBcm.llt().matrixL()) {}

  // N^-1 x and N x, from world axes to body axes and back.
  Vec6 scaled(const Mat3& R, const Wrench& x_W) const noexcept {
    Vec6 x;
    x << R.transpose() * x_W.force / sqrt_m, C.triangularView<Eigen::Lower>().solve(R.transpose() * x_W.torque);
    return x;
  }
  Wrench unscaled(const Mat3& R, const Vec6& x) const noexcept {
    return {R * (sqrt_m * x.head<3>()), R * (C * x.tail<3>())};
  }
};

Mat6 unpacked(const double (&rows)[21]) noexcept {
  Mat6 A;
  for (int i = 0, k = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j, ++k) A(i, j) = A(j, i) = rows[k];
  return A;
}

void pack(const Mat6& A, double (&rows)[21]) noexcept {
  for (int i = 0, k = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j, ++k) rows[k] = A(i, j);
}

Vec6 diagonal(double force, double torque) noexcept {
  return (Vec6() << force, force, force, torque, torque, torque).finished();
}

// S
Mat6 scaled_response(const Response& response) noexcept {
  Mat6 S = unpacked(response.matrix.D);
  S.diagonal() += diagonal(response.force.value, response.torque.value);
  return S;
}

bool in_range(const Mat6& S) noexcept {
  const Mat6 one = Mat6::Identity();
  return (S - 1.0 / most * one).llt().info() == Eigen::Success && (most * one - S).llt().info() == Eigen::Success;
}

// Whether D acts from now on: changes have shown more than one direction, and D explains what the factors do not.
void judge(const Vec6& u, const Vec6& rest_of_factors, ResponseMatrix& matrix) noexcept {
  const Mat6 C = forgetting * unpacked(matrix.C) + u * u.transpose();
  pack(C, matrix.C);
  if (matrix.known == 0.0) return;
  matrix.rest_of_factors = forgetting * matrix.rest_of_factors + rest_of_factors.squaredNorm();
  matrix.rest = forgetting * matrix.rest + (rest_of_factors - unpacked(matrix.D) * u).squaredNorm();
  const double trace = C.trace();
  const bool several = C.squaredNorm() < one_direction * trace * trace;
  matrix.acts = several && matrix.rest <= clear_part * matrix.rest_of_factors ? 1.0 : 0.0;
}

// The next D.
void learn(const Vec6& u, const Vec6& y, const Vec6& factors, ResponseMatrix& matrix) noexcept {
  const Mat6 D = fading * unpacked(matrix.D), S0 = factors.asDiagonal();
  const Vec6 e = y - (S0 + D) * u;
  if (matrix.known == 0.0 && e.squaredNorm() <= explained * y.squaredNorm()) return;
  matrix.known = 1.0;
  const double uu = u.squaredNorm();
  const Mat6 change = (e * u.transpose() + u * e.transpose()) / uu - u.dot(e) / (uu * uu) * u * u.transpose();
  double part = gain;
  for (int k = 0; k < halvings; ++k, part *= 0.5)
    if (in_range(S0 + D + part * change)) return pack(D + part * change, matrix.D);
  pack(in_range(S0 + D) ? D : Mat6(Mat6::Zero()), matrix.D);
}

}  // namespace

bool sound_mobility(const Response& response) noexcept {
  const ResponseMatrix& matrix = response.matrix;
  for (const double flag : {matrix.known, matrix.acts})
    if (!(flag == 0.0 || flag == 1.0)) return false;
  if (!(matrix.rest >= 0.0 && matrix.rest_of_factors >= 0.0)) return false;
  return matrix.known == 0.0 ? matrix.acts == 0.0 : in_range(scaled_response(response));
}

Wrench times_mobility(const Body& body, const Response& response, const Mat3& R, const Wrench& wrench_W) noexcept {
  const Scale N(body);
  return N.unscaled(R, scaled_response(response) * N.scaled(R, wrench_W));
}

Wrench divided_by_mobility(const Body& body, const Response& response, const Mat3& R, const Wrench& rate_W) noexcept {
  const Scale N(body);
  return N.unscaled(R, scaled_response(response).llt().solve(N.scaled(R, rate_W)));
}

// N^-T S N^-1
Blocks mobility_of(const Body& body, const Response& response, const Mat3& R) noexcept {
  const Scale N(body);
  const Mat6 S = scaled_response(response);
  const Mat3 C_inverse = N.C.triangularView<Eigen::Lower>().solve(Mat3::Identity());
  const Mat3 P = R * C_inverse.transpose();
  return {R * S.topLeftCorner<3, 3>() * R.transpose() / body.mass,
          R * S.topRightCorner<3, 3>() * P.transpose() / N.sqrt_m, P * S.bottomRightCorner<3, 3>() * P.transpose()};
}

// N S^-1 N^T
Blocks apparent_mass_of(const Body& body, const Response& response, const Mat3& R) noexcept {
  const Scale N(body);
  const Mat6 T = scaled_response(response).llt().solve(Mat6::Identity());
  const Mat3 P = R * N.C;
  return {body.mass * R * T.topLeftCorner<3, 3>() * R.transpose(),
          N.sqrt_m * R * T.topRightCorner<3, 3>() * P.transpose(), P * T.bottomRightCorner<3, 3>() * P.transpose()};
}

void update_mobility(const Body& body, const Mat3& R, const Wrench& y_W, const Wrench& u_W, double floor,
                     const Response& before, Response& response) noexcept {
  ResponseMatrix& matrix = response.matrix;
  const Scale N(body);
  const Vec6 u = N.scaled(R, u_W), y = N.scaled(R, y_W);
  const double uu = u.squaredNorm();
  if (!(uu > floor && uu > fresh_part * unpacked(matrix.C).trace())) return;
  judge(u, y - diagonal(before.force.value, before.torque.value).cwiseProduct(u), matrix);
  learn(u, y, diagonal(response.force.value, response.torque.value), matrix);
}

}  // namespace contactlib::step
