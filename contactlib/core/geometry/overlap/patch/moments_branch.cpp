// The moments of one branch of a patch's merge tree: thickness above its level L and, where a child rises over its own
// level L_c, only up to L_c. With h = L_c - L, and tau' the thickness above L_c,
//   int h^p = h^p A_c   replaces   int (tau' + h)^p = sum over q of (p over q) h^(p-q) M_q
// As A moves, h^p A_c changes by p h^(p-1) A_c times the change of L_c.
#include <algorithm>

#include "math/elementary.hpp"
#include "moments.hpp"
#include "peaks.hpp"

namespace contactlib::geometry {

namespace {

double binomial(int n, int k) noexcept {
  double out = 1.0;
  for (int i = 1; i <= k; ++i) out = out * (n - k + i) / i;
  return out;
}

// Moments of tau' + h from those of tau'.
void raise_powers(double h, AllMoments& all) noexcept {
  for (int p = max_power; p >= 1; --p)
    for (int q = 0; q < p; ++q) {
      const double a = binomial(p, q) * math::pow(h, p - q);
      all.U[p] += a * all.U[q];
      if (p < max_power) all.T[p] += a * all.T[q];
    }
}

// The same for positions, whose mean height between the surfaces is lower by h/2. M: M_0 and M_1 of tau'
void raise_spread(double h, const double* M, Spread& s) noexcept {
  for (int k = 0; k < 3; ++k) {
    s.X[1][k] += h * s.X[0][k];
    s.C[1][k] += h * s.C[0][k];
    s.flat_A[k] *= 1.0 + h * M[0] / M[1];
    s.flat_B[k] *= 1.0 + h * M[0] / M[1];
  }
  s.X[0][2] -= 0.5 * h * M[0];
  s.X[1][2] -= 0.5 * h * (M[1] + h * M[0]);
}

void take_off(const Spread& part, Spread& whole) noexcept {
  for (int k = 0; k < 3; ++k) {
    for (int p = 0; p < 2; ++p) {
      whole.X[p][k] -= part.X[p][k];
      whole.C[p][k] -= part.C[p][k];
    }
    whole.flat_A[k] -= part.flat_A[k];
    whole.flat_B[k] -= part.flat_B[k];
  }
}

// They are linear in the moments, where h stays.
void raise_powers(double h, AllChanges& all) noexcept {
  for (int p = max_power; p >= 1; --p)
    for (int q = 0; q < p; ++q) {
      const double a = binomial(p, q) * math::pow(h, p - q);
      all.move_U[p] += a * all.move_U[q];
      all.turn_U[p] += a * all.turn_U[q];
      if (p < max_power) all.move_T[p] += a * all.move_T[q];
    }
}

void take_off(const AllChanges& part, AllChanges& whole) noexcept {
  for (int p = 0; p <= max_power; ++p) {
    whole.move_U[p] -= part.move_U[p];
    whole.turn_U[p] -= part.turn_U[p];
    if (p < max_power) whole.move_T[p] -= part.move_T[p];
  }
}

void take_off(const AllMoments& part, AllMoments& whole) noexcept {
  for (int p = 0; p <= max_power; ++p) whole.U[p] -= part.U[p];
  for (int p = 0; p < max_power; ++p) whole.T[p] -= part.T[p];
}

}  // namespace

Moments PatchMoments::measure_above(const Branch& branch, double level, const Vec3& u, Spread& spread, AllMoments& all,
                                    AllChanges* changes) noexcept {
  const BranchPieces alone(branch, scratch_);
  raise(level, u);
  thickest_ -= level;
  Moments out;
  all = AllMoments();
  for (std::int32_t k = branch.first; k >= 0; k = scratch_.pieces[k].next) {
    const Vec3& n_B = B_.faces[scratch_.pieces[k].face].n;
    AllSums sums;
    add_piece(scratch_.pieces[k], u, out, {&spread, nullptr, nullptr, &sums, changes});
    for (int p = 0; p <= max_power; ++p) all.U[p] += sums.K[p] * n_B;
    for (int p = 0; p < max_power; ++p) all.T[p] += (sums.S[p] - sums.K[p] * spread.origin).cross(n_B);
  }
  raise(0.0, u);
  thickest_ += level;
  return out;
}

Moments PatchMoments::measure_branch(std::int32_t b, const Vec3& u, Spread* spread, HighMoments* high,
                                     AllChanges* changes) noexcept {
  const Branch& branch = scratch_.branches[b];
  const Spread clean{e1_, e2_, B_.corner(B_.faces[branch.origin], 0), {}, {}, {}, {}, Along()};
  Spread own = clean;
  AllMoments all, caps;
  Moments out = measure_above(branch, branch.level, u, own, all, changes);
  for (std::int32_t c = 0; c < b; ++c) {
    const Branch& child = scratch_.branches[c];
    if (child.parent != b) continue;
    Spread place = clean;
    AllMoments part;
    AllChanges part_changes;
    const double level = std::max(child.saddle, branch.level), h = level - branch.level;
    const Moments above = measure_above(child, level, u, place, part, changes ? &part_changes : nullptr);
    const double M[2] = {u.dot(part.U[0]), u.dot(part.U[1])};
    if (!(M[1] > 0.0)) continue;
    out.all[1] -= above.all[1] + h * above.all[0], out.all[0] -= above.all[0];
    raise_powers(h, part);
    raise_spread(h, M, place);
    take_off(part, all);
    take_off(place, own);
    if (changes) raise_powers(h, part_changes), take_off(part_changes, *changes);
    const Vec3 couple = (child.at - clean.origin).cross(child.gradient);
    double power = M[0];
    for (int p = 1; p <= max_power; ++p) {
      power *= h;
      caps.U[p] += power * child.gradient;
      if (p < max_power) caps.T[p] += power * couple;
    }
  }
  for (int p = 0; p < 3; ++p) out.U[p] = all.U[p];
  if (spread) *spread = own;
  for (int j = 0; high && j < 2; ++j)
    for (int k = 0; k < 3; ++k) {
      const int p = depth_powers[j] - 1 + k;
      high->of[j].U[k] = all.U[p] + caps.U[p];
      if (k < 2) high->of[j].T[k] = all.T[p] + caps.T[p];
    }
  return out;
}

}  // namespace contactlib::geometry
