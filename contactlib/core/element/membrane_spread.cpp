#include "membrane_spread.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace contactlib {

namespace {

constexpr double rank = 1e-12;     // of the largest pivot: directions in which no corner pushes
constexpr double nothing = 1e-12;  // of the largest force

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

// force and torque of a push of 1 N, the torque in units of the frame's size.
Vec6 column(const MembraneDesign& design, const FabricPush& push) noexcept {
  Vec6 w;
  w << push.n_B, design.hull.p_BV[push.corner].cross(push.n_B) / design.size;
  return w;
}

// all pushes together are the opposite of the fabric's pull on the body.
Vec6 target(const MembraneDesign& design, const MembranePull& pull) noexcept {
  Vec6 b;
  b << -pull.force, -pull.torque / design.size;
  return b;
}

// least sum of squares:  F = W^T (W W^T)^+ b
void spread_evenly(const MembraneDesign& design, const MembranePull& pull, MembraneScratch& scratch) noexcept {
  Mat6 gram = Mat6::Zero();
  for (std::size_t i = 0; i < scratch.push_count; ++i) {
    const Vec6 w = column(design, scratch.pushes[i]);
    gram += w * w.transpose();
  }
  Eigen::CompleteOrthogonalDecomposition<Mat6> solver;
  solver.setThreshold(rank);
  const Vec6 y = solver.compute(gram).solve(target(design, pull));
  for (std::size_t i = 0; i < scratch.push_count; ++i)
    scratch.pushes[i].force = column(design, scratch.pushes[i]).dot(y);
}

// min |W F - b| with F >= 0 by active sets (Lawson and Hanson 1974, chapter 23): at most six forces are not zero.
struct NonNegative {
  const MembraneDesign& design;
  MembraneScratch& scratch;
  const Vec6 b;
  std::int32_t chosen[6];
  int count = 0;

  using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
  using Forces = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1>;

  Vec6 residual() const noexcept {
    Vec6 r = b;
    for (int i = 0; i < count; ++i) {
      const FabricPush& push = scratch.pushes[chosen[i]];
      r -= push.force * column(design, push);
    }
    return r;
  }

  // the push that lessens what is left most; -1 if none does.
  std::int32_t wanted() const noexcept {
    const Vec6 r = residual();
    std::int32_t best = -1;
    double most = nothing * b.norm();
    for (std::size_t i = 0; i < scratch.push_count; ++i) {
      const double gain = column(design, scratch.pushes[i]).dot(r);
      if (!(gain > most) || std::count(chosen, chosen + count, static_cast<std::int32_t>(i)) > 0) continue;
      most = gain;
      best = static_cast<std::int32_t>(i);
    }
    return best;
  }

  Forces solved() const noexcept {
    Columns columns(6, count);
    for (int i = 0; i < count; ++i) columns.col(i) = column(design, scratch.pushes[chosen[i]]);
    return columns.colPivHouseholderQr().solve(b);
  }

  // towards the least squares of those chosen, as far as none turns negative; the one that stops it is dropped.
  void settle() noexcept {
    while (count > 0) {
      const Forces goal = solved();
      double way = 1.0;
      int stop = -1;
      for (int i = 0; i < count; ++i) {
        const double from = scratch.pushes[chosen[i]].force;
        if (goal[i] > 0.0 || !(from / (from - goal[i]) < way)) continue;
        way = from / (from - goal[i]);
        stop = i;
      }
      for (int i = 0; i < count; ++i) {
        double& force = scratch.pushes[chosen[i]].force;
        force += way * (goal[i] - force);
      }
      if (stop < 0) return;
      scratch.pushes[chosen[stop]].force = 0.0;
      chosen[stop] = chosen[--count];
    }
  }

  void run() noexcept {
    for (std::size_t i = 0; i < scratch.push_count; ++i) scratch.pushes[i].force = 0.0;
    for (std::size_t round = 0; round < 3 * scratch.push_count && count < 6; ++round) {
      const std::int32_t next = wanted();
      if (next < 0) return;
      chosen[count++] = next;
      settle();
    }
  }
};

}  // namespace

// F = a (fold before + fold after)
void collect_pushes(const MembraneDesign& design, double a, MembraneScratch& scratch) noexcept {
  const auto n = static_cast<std::int32_t>(design.p_CS.size());
  scratch.push_count = 0;
  for (std::size_t t = 0; t < scratch.triangles; ++t) {
    const FabricTriangle& triangle = scratch.fabric[t];
    for (int i = 0; i < 3; ++i)
      if (triangle.point[i] >= n)
        scratch.pushes[scratch.push_count++] = {triangle.point[i] - n, triangle.n_B,
                                                a * (triangle.fold[i] + triangle.fold[i == 0 ? 2 : i - 1])};
  }
}

std::int32_t spread_pushes(const MembraneDesign& design, const MembranePull& pull, MembraneScratch& scratch) noexcept {
  if (design.spread == Spread::pseudo_inverse) spread_evenly(design, pull, scratch);
  if (design.spread == Spread::complementarity) NonNegative{design, scratch, target(design, pull), {}}.run();
  double most = 0.0;
  for (std::size_t i = 0; i < scratch.push_count; ++i) most = std::max(most, std::abs(scratch.pushes[i].force));
  std::int32_t negative = 0;
  for (std::size_t i = 0; i < scratch.push_count; ++i) negative += scratch.pushes[i].force < -nothing * most;
  return negative;
}

// f = -mu F u_t / sqrt(u_t^2 + v_s^2),  u_t = u - (u.n) n,  heat = -f.u
MembranePull rub(const MembraneParameters& parameters, const MembraneSlip& slip, const MembraneDesign& design,
                 const MembraneScratch& scratch, double& heat) noexcept {
  MembranePull sum{Vec3::Zero(), Vec3::Zero()};
  heat = 0.0;
  for (std::size_t i = 0; i < scratch.push_count; ++i) {
    const FabricPush& push = scratch.pushes[i];
    const Vec3& x = design.hull.p_BV[push.corner];
    const Vec3 u = slip.v_B + slip.w_B.cross(x);
    const Vec3 u_t = u - u.dot(push.n_B) * push.n_B;
    const double squared = u_t.squaredNorm();
    const double scale = parameters.friction * std::max(push.force, 0.0) /
                         std::sqrt(squared + parameters.slip_speed * parameters.slip_speed);
    sum.force -= scale * u_t;
    sum.torque -= scale * x.cross(u_t);
    heat += scale * squared;
  }
  return sum;
}

}  // namespace contactlib
