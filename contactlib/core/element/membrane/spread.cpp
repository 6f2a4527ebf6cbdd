#include "spread.hpp"

#include <algorithm>
#include <cmath>

namespace contactlib::element {

namespace {

// relative to the largest pivot: smaller ones are directions in which no corner has a force
constexpr double rank = 1e-13;
constexpr double nothing = 1e-12;  // of the largest force

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

// A y with G y = b, for G symmetric and positive semidefinite and b in its range: elimination with diagonal pivoting.
Vec6 solved(Mat6 G, Vec6 b) noexcept {
  int order[6] = {0, 1, 2, 3, 4, 5}, count = 0;
  double first = 0.0;
  for (; count < 6; ++count) {
    int pivot = count;
    for (int i = count + 1; i < 6; ++i)
      if (G(i, i) > G(pivot, pivot)) pivot = i;
    if (count == 0) first = G(pivot, pivot);
    if (!(G(pivot, pivot) > rank * first)) break;
    G.row(count).swap(G.row(pivot)), G.col(count).swap(G.col(pivot));
    std::swap(b[count], b[pivot]), std::swap(order[count], order[pivot]);
    for (int i = count + 1; i < 6; ++i) {
      const double factor = G(i, count) / G(count, count);
      for (int j = count; j < 6; ++j) G(i, j) -= factor * G(count, j);
      b[i] -= factor * b[count];
    }
  }
  Vec6 y = Vec6::Zero();
  for (int i = count - 1; i >= 0; --i) {
    double rest = b[i];
    for (int j = i + 1; j < count; ++j) rest -= G(i, j) * y[order[j]];
    y[order[i]] = rest / G(i, i);
  }
  return y;
}

// The wrench that all corner forces together must balance, and the wrench of each: force, and torque about their middle
// in units of their extent.
struct Balance {
  const MembraneDesign& design;
  const MembraneScratch& scratch;
  Vec3 middle = Vec3::Zero();
  double extent = 0.0;
  Vec6 b;

  Balance(const MembraneDesign& d, const MembranePull& pull, const MembraneScratch& s) noexcept
      : design(d), scratch(s) {
    for (std::size_t i = 0; i < s.corner_force_count; ++i) middle += at(i) / static_cast<double>(s.corner_force_count);
    for (std::size_t i = 0; i < s.corner_force_count; ++i) extent = std::max(extent, (at(i) - middle).norm());
    extent = std::max(extent, 1e-6 * d.size);  // a single corner has none
    b << -pull.force, -(pull.torque - middle.cross(pull.force)) / extent;
  }

  const Vec3& at(std::size_t i) const noexcept { return design.hull.p_BV[scratch.corner_forces[i].corner]; }

  Vec6 column(std::size_t i) const noexcept {
    const Vec3& n = scratch.corner_forces[i].n_B;
    Vec6 w;
    w << n, (at(i) - middle).cross(n) / extent;
    return w;
  }
};

// Least squares:  F = W^T y,  W W^T y = b
void spread_evenly(const Balance& balance, MembraneScratch& scratch) noexcept {
  Mat6 gram = Mat6::Zero();
  for (std::size_t i = 0; i < scratch.corner_force_count; ++i) {
    const Vec6 w = balance.column(i);
    gram.noalias() += w * w.transpose();
  }
  const Vec6 y = solved(gram, balance.b);
  for (std::size_t i = 0; i < scratch.corner_force_count; ++i)
    scratch.corner_forces[i].force = balance.column(i).dot(y);
}

// min |W F - b| with F >= 0 by active sets (Lawson and Hanson 1974, chapter 23): at most six forces are not zero.
struct NonNegative {
  const Balance& balance;
  MembraneScratch& scratch;
  std::size_t chosen[6] = {};
  int count = 0;

  Vec6 residual(const Vec6& forces) const noexcept {
    Vec6 r = balance.b;
    for (int i = 0; i < count; ++i) r -= forces[i] * balance.column(chosen[i]);
    return r;
  }

  Vec6 present() const noexcept {
    Vec6 forces = Vec6::Zero();
    for (int i = 0; i < count; ++i) forces[i] = scratch.corner_forces[chosen[i]].force;
    return forces;
  }

  // Activates the force that reduces the residual most. Returns false if none does.
  bool choose() noexcept {
    const Vec6 r = residual(present());
    double most = nothing * balance.b.norm();
    std::size_t best = scratch.corner_force_count;
    for (std::size_t i = 0; i < scratch.corner_force_count; ++i) {
      const double gain = balance.column(i).dot(r);
      if (!(gain > most) || std::find(chosen, chosen + count, i) != chosen + count) continue;
      most = gain;
      best = i;
    }
    if (best == scratch.corner_force_count) return false;
    chosen[count++] = best;
    return true;
  }

  // Least squares of the active forces: normal equations with one refinement.
  Vec6 least_squares() const noexcept {
    Mat6 gram = Mat6::Zero();
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j) gram(i, j) = balance.column(chosen[i]).dot(balance.column(chosen[j]));
    Vec6 forces = Vec6::Zero();
    for (int round = 0; round < 3; ++round) {
      const Vec6 r = residual(forces);
      Vec6 right = Vec6::Zero();
      for (int i = 0; i < count; ++i) right[i] = balance.column(chosen[i]).dot(r);
      forces += solved(gram, right);
    }
    return forces;
  }

  // Moves towards the least-squares solution until a force becomes zero; that force is deactivated.
  void accept() noexcept {
    while (count > 0) {
      const Vec6 from = present(), goal = least_squares();
      double fraction = 1.0;
      int stop = -1;
      for (int i = 0; i < count; ++i) {
        if (goal[i] > 0.0 || !(from[i] <= fraction * (from[i] - goal[i]))) continue;
        fraction = from[i] > 0.0 ? from[i] / (from[i] - goal[i]) : 0.0;
        stop = i;
      }
      for (int i = 0; i < count; ++i) scratch.corner_forces[chosen[i]].force = from[i] + fraction * (goal[i] - from[i]);
      if (stop < 0) return;
      scratch.corner_forces[chosen[stop]].force = 0.0;
      chosen[stop] = chosen[--count];
    }
  }

  void run() noexcept {
    for (std::size_t i = 0; i < scratch.corner_force_count; ++i) scratch.corner_forces[i].force = 0.0;
    for (std::size_t round = 0; round < 3 * scratch.corner_force_count && count < 6 && choose(); ++round) accept();
  }
};

}  // namespace

// F = a (fold before + fold after)
void collect_corner_forces(const MembraneDesign& design, double a, MembraneScratch& scratch) noexcept {
  const auto n = static_cast<std::int32_t>(design.p_CS.size());
  scratch.corner_force_count = 0;
  for (std::size_t t = 0; t < scratch.triangles; ++t) {
    const FabricTriangle& triangle = scratch.fabric[t];
    for (int i = 0; i < 3; ++i)
      if (triangle.point[i] >= n)
        scratch.corner_forces[scratch.corner_force_count++] = {
            triangle.point[i] - n, triangle.n_B, a * (triangle.fold[i] + triangle.fold[i == 0 ? 2 : i - 1])};
  }
}

std::int32_t spread_corner_forces(const MembraneDesign& design, double a, const MembranePull& pull,
                                  MembraneScratch& scratch) noexcept {
  if (design.spread == Spread::bisector && a >= 0.0) return 0;  // its forces have the sign of a
  if (design.spread == Spread::pseudo_inverse) spread_evenly(Balance(design, pull, scratch), scratch);
  if (design.spread == Spread::complementarity) NonNegative{Balance(design, pull, scratch), scratch}.run();
  double most = 0.0;
  for (std::size_t i = 0; i < scratch.corner_force_count; ++i)
    most = std::max(most, std::abs(scratch.corner_forces[i].force));
  std::int32_t negative = 0;
  for (std::size_t i = 0; i < scratch.corner_force_count; ++i)
    negative += scratch.corner_forces[i].force < -nothing * most;
  return negative;
}

// f = -mu F u_t / sqrt(u_t^2 + v_s^2),  u_t = u - (u.n) n,  heat = -f.u
MembranePull rub(const MembraneParameters& parameters, const MembraneSlip& slip, const MembraneDesign& design,
                 const MembraneScratch& scratch, double& heat) noexcept {
  MembranePull sum{Vec3::Zero(), Vec3::Zero()};
  heat = 0.0;
  for (std::size_t i = 0; i < scratch.corner_force_count; ++i) {
    const CornerForce& push = scratch.corner_forces[i];
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

}  // namespace contactlib::element
