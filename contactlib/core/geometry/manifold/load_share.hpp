// contacts of one place with a mesh that push the same way share the force (docs/manifolds.md, "Ball at x" 3).
#pragma once

#include <cmath>
#include <limits>

#include "manifold.hpp"

namespace contactlib::geometry {

// contacts that share at most; of more, those that point different ways.
inline constexpr int most_sharing = 32;

// active-set solver of a linear complementarity problem: lambda >= 0 with w = d - c lambda <= 0 and lambda.w = 0, for a
// symmetric c with c_ii > 0. a pivot raises lambda_j of a violated place (w_j > 0) until w_j = 0; the places of the
// active set (lambda_i > 0) keep w_i = 0, and a place leaves the set where its lambda falls to 0. every pivot lowers
// lambda.c.lambda / 2 - d.lambda, so the solver ends.
template <class Matrix, class Vector>
class ActiveSetSolver {
 public:
  // c(i, j) and d(i) for 0 <= i, j < count.
  ActiveSetSolver(const Matrix& c, const Vector& d, int count) noexcept : c_(c), d_(d), count_(count) {}

  // false if there is no solution (a pivot that lowers no violation), or the active set outgrows most_sharing.
  bool solve(double tolerance) noexcept {
    for (int round = 0; round < 4 * count_ + 16; ++round) {
      const int j = worst(tolerance);
      if (j < 0) return true;
      if (!pivot(j)) return false;
    }
    return true;
  }

  int carrying() const noexcept { return carrying_; }
  int member(int k) const noexcept { return member_[k]; }
  double lambda(int k) const noexcept { return lambda_[k]; }

 private:
  double violation(int i) const noexcept {
    double w = d_(i);
    for (int k = 0; k < carrying_; ++k) w -= c_(i, member_[k]) * lambda_[k];
    return w;
  }

  bool carries(int i) const noexcept {
    for (int k = 0; k < carrying_; ++k)
      if (member_[k] == i) return true;
    return false;
  }

  int worst(double tolerance) const noexcept {
    int found = -1;
    for (int i = 0; i < count_; ++i) {
      const double w = violation(i);
      if (w > tolerance && !carries(i)) tolerance = w, found = i;
    }
    return found;
  }

  // row k of the cholesky factor of c among those that carry, for place j:  root . row = c(member, j)
  void row(int j, int k, double* out) const noexcept {
    for (int a = 0; a < k; ++a) {
      double sum = c_(member_[a], j);
      for (int b = 0; b < a; ++b) sum -= root_[a][b] * out[b];
      out[a] = sum / root_[a][a];
    }
    double left = c_(j, j);
    for (int a = 0; a < k; ++a) left -= out[a] * out[a];
    out[k] = left;
  }

  // lambda_j grows by t, the others change by -t y:  c y = c(., j),  w_j falls by t sigma
  bool pivot(int j) noexcept {
    if (carrying_ == most_sharing) return false;
    double w = violation(j), pushed = 0.0;
    while (true) {
      double* const z = root_[carrying_];
      row(j, carrying_, z);
      const double sigma = z[carrying_];
      double y[most_sharing];
      for (int a = carrying_ - 1; a >= 0; --a) {
        double sum = z[a];
        for (int b = a + 1; b < carrying_; ++b) sum -= root_[b][a] * y[b];
        y[a] = sum / root_[a][a];
      }
      double t = sigma > 1e-14 * c_(j, j) ? w / sigma : std::numeric_limits<double>::infinity();
      int relieved = -1;
      for (int a = 0; a < carrying_; ++a)
        if (y[a] > 0.0 && lambda_[a] < t * y[a]) t = lambda_[a] / y[a], relieved = a;
      if (!(t < std::numeric_limits<double>::infinity())) return false;
      for (int a = 0; a < carrying_; ++a) lambda_[a] -= t * y[a];
      pushed += t;
      w -= t * sigma;
      if (relieved < 0) {
        z[carrying_] = std::sqrt(sigma);
        member_[carrying_] = j;
        lambda_[carrying_++] = pushed;
        return true;
      }
      drop(relieved);
    }
  }

  void drop(int k) noexcept {
    --carrying_;
    for (int a = k; a < carrying_; ++a) {
      member_[a] = member_[a + 1];
      lambda_[a] = lambda_[a + 1];
      row(member_[a], a, root_[a]);
      root_[a][a] = std::sqrt(root_[a][a]);
    }
  }

  const Matrix& c_;
  const Vector& d_;
  int count_, carrying_ = 0;
  int member_[most_sharing];
  double lambda_[most_sharing];
  double root_[most_sharing + 1][most_sharing + 1];
};

// the shares of contacts with depths > 0 and unit normals; count <= most_sharing. where the rule leaves a choice
// (four walls of a pit), equals get equal shares.
void load_share(const double* depths, const Vec3* normals, int count, double* shares) noexcept;

// adds a contact with its share.
void add(Manifold& out, const ManifoldPoint& point) noexcept;

// where a contact touches B.
inline Vec3 place_on_b(const ManifoldPoint& point) noexcept { return point.p_AC_W - 0.5 * point.depth * point.n_AB_W; }

// collects contacts that share.
class Sharing {
 public:
  // contacts that touch B closer than `apart` to each other are one, the deeper.
  explicit Sharing(double apart) noexcept : apart2_(apart * apart) {}

  void add(const ManifoldPoint& point) noexcept;

  // some contact is no further than `apart` from a point.
  bool has(const Vec3& p_AC_W, double apart) const noexcept;

  // adds those whose share is not zero.
  void finish(Manifold& out) noexcept;

 private:
  void drop_one() noexcept;

  double apart2_;
  int count_ = 0;
  int feature_[most_sharing + 1];
  double depth_[most_sharing + 1];
  Vec3 n_AB_W_[most_sharing + 1], p_AC_W_[most_sharing + 1];
};

}  // namespace contactlib::geometry
