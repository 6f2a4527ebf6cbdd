// Contacts of one ball with a mesh whose normals are similar share the force (docs/manifolds.md, "Ball at x", rule 3).
#pragma once

#include <cmath>
#include <limits>

#include "manifold.hpp"

namespace contactlib::geometry {

// Largest number of contacts that share; of more, those with different normals are kept.
inline constexpr int max_sharing = 32;

// Active-set solver of a linear complementarity problem: lambda >= 0 with w = d - c lambda <= 0 and lambda.w = 0, for a
// symmetric c with c_ii > 0. A pivot raises lambda_j of a violated row (w_j > 0) until w_j = 0. The rows of the active
// set (lambda_i > 0) keep w_i = 0; a row leaves the set where its lambda becomes 0. Every pivot lowers lambda.c.lambda
// / 2 - d.lambda, so the solver terminates.
template <class Matrix, class Vector>
class ActiveSetSolver {
 public:
  // c(i, j) and d(i) for 0 <= i, j < count.
  ActiveSetSolver(const Matrix& c, const Vector& d, int count) noexcept : c_(c), d_(d), count_(count) {}

  // Returns false if there is no solution (a pivot that lowers no violation), or if the active set exceeds max_sharing.
  bool solve(double tolerance) noexcept {
    for (int round = 0; round < 4 * count_ + 16; ++round) {
      const int j = worst(tolerance);
      if (j < 0) return true;
      if (!pivot(j)) return false;
    }
    return true;
  }

  int carrying() const noexcept { return active_count_; }
  int member(int k) const noexcept { return member_[k]; }
  double lambda(int k) const noexcept { return lambda_[k]; }

 private:
  double violation(int i) const noexcept {
    double w = d_(i);
    for (int k = 0; k < active_count_; ++k) w -= c_(i, member_[k]) * lambda_[k];
    return w;
  }

  bool carries(int i) const noexcept {
    for (int k = 0; k < active_count_; ++k)
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

  // Row k of the Cholesky factor of c over the active set, for row j:  root . row = c(member, j)
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

  // lambda_j increases by t, the others change by -t y:  c y = c(., j),  w_j decreases by t sigma
  bool pivot(int j) noexcept {
    if (active_count_ == max_sharing) return false;
    double w = violation(j), pushed = 0.0;
    while (true) {
      double* const z = root_[active_count_];
      row(j, active_count_, z);
      const double sigma = z[active_count_];
      double y[max_sharing];
      for (int a = active_count_ - 1; a >= 0; --a) {
        double sum = z[a];
        for (int b = a + 1; b < active_count_; ++b) sum -= root_[b][a] * y[b];
        y[a] = sum / root_[a][a];
      }
      double t = sigma > 1e-14 * c_(j, j) ? w / sigma : std::numeric_limits<double>::infinity();
      int relieved = -1;
      for (int a = 0; a < active_count_; ++a)
        if (y[a] > 0.0 && lambda_[a] < t * y[a]) t = lambda_[a] / y[a], relieved = a;
      if (!(t < std::numeric_limits<double>::infinity())) return false;
      for (int a = 0; a < active_count_; ++a) lambda_[a] -= t * y[a];
      pushed += t;
      w -= t * sigma;
      if (relieved < 0) {
        z[active_count_] = std::sqrt(sigma);
        member_[active_count_] = j;
        lambda_[active_count_++] = pushed;
        return true;
      }
      drop(relieved);
    }
  }

  void drop(int k) noexcept {
    --active_count_;
    for (int a = k; a < active_count_; ++a) {
      member_[a] = member_[a + 1];
      lambda_[a] = lambda_[a + 1];
      row(member_[a], a, root_[a]);
      root_[a][a] = std::sqrt(root_[a][a]);
    }
  }

  const Matrix& c_;
  const Vector& d_;
  int count_, active_count_ = 0;
  int member_[max_sharing];
  double lambda_[max_sharing];
  double root_[max_sharing + 1][max_sharing + 1];
};

// Load shares of contacts with depths > 0 and unit normals; count <= max_sharing. Where the rule leaves a choice (four
// walls of a pit), equal contacts get equal shares.
void load_share(const double* depths, const Vec3* normals, int count, double* shares) noexcept;

// Adds a contact with its load share.
void add(Manifold& out, const ManifoldPoint& point) noexcept;

// The point of B in contact.
inline Vec3 place_on_b(const ManifoldPoint& point) noexcept { return point.p_AC_W - 0.5 * point.depth * point.n_AB_W; }

// Collects contacts that share the load.
class Sharing {
 public:
  // Contacts whose points of B are closer than `apart` are merged into the deeper one.
  explicit Sharing(double apart) noexcept : apart2_(apart * apart) {}

  void add(const ManifoldPoint& point) noexcept;

  // Whether some contact is no further than `apart` from a point.
  bool has(const Vec3& p_AC_W, double apart) const noexcept;

  // Adds the contacts whose load share is not zero.
  void finish(Manifold& out) noexcept;

 private:
  void drop_one() noexcept;

  double apart2_;
  int count_ = 0;
  int feature_[max_sharing + 1];
  double depth_[max_sharing + 1];
  Vec3 n_AB_W_[max_sharing + 1], p_AC_W_[max_sharing + 1];
};

}  // namespace contactlib::geometry
