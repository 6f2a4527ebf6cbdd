// With C_p the covariance of positions across the normal under the weight tau^p, the eigenvalues k of C_0^(-1/2) C_1
// C_0^(-1/2) are 1 along a direction in which the patch is flat, and at most k* = (1 + m)/(2 + m), m = 2/g - 2, where
// it tapers. So
//   r = smoothstep of (k - k*)/(1 - k*),  R = sum r q q^T over the eigenvectors q,  N = C_0^(1/2) R C_0^(1/2)
// and the springs are at c + sqrt(3) N^(1/2) s, s = (+-1, +-1), with the load share (1 + r_1)(1 + r_2)/4: the corners
// of a rectangle on a face, the ends of a line, one point on a ball.
#include "springs.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "math/elementary.hpp"
#include "phi_weight.hpp"
#include "symmetric2.hpp"

namespace contactlib::geometry {

namespace {

constexpr double threshold = 0.15;  // of r: below it a direction counts as tapered
constexpr double one_peak = 0.7, few_peaks = 0.2;  // g of a patch of one peak is more; how far gamma falls below that
constexpr double early = 0.1;  // of the depth: a level that is much lower than that has hardly begun to count
// Phi of a peak above its level, over the greatest thickness there: between the first two Phi is the depth;
// beyond, it gives way.
constexpr double near_top[2] = {0.5, 1.06}, give = 0.06;
constexpr double deepest_peak = 1.15;  // of its greatest thickness: no contact of a peak is deeper
constexpr double rounding = 1e-9;  // a flatness of less is none
constexpr double body_axes = 0.02;  // what A's axes weigh against the patch's own

// R where a body is flat, of which a tensor tells what part of the whole is: R <- P^(1/2) R P^(1/2)
void only_along(const double* flat, double whole, double* R) noexcept {
  const Eigen2 e = eigen_of(flat[0] / whole, flat[1] / whole, flat[2] / whole);
  double half[3], old[3] = {R[0], R[1], R[2]};
  compose(e, std::sqrt(std::clamp(e.l[0], 0.0, 1.0)), std::sqrt(std::clamp(e.l[1], 0.0, 1.0)), half);
  sandwich(half, old, R);
}

// The root of a unit complex number with the real part >= 0.
std::complex<double> root_of(const std::complex<double>& z) noexcept {
  const double c = std::sqrt(std::max(0.0, 0.5 * (1.0 + z.real())));
  return c > 1e-8 ? std::complex<double>(c, 0.5 * z.imag() / c) : std::complex<double>(0.0, 1.0);
}

// In plain operations: the product of the standard library calls the compiler's runtime, whose rounding may differ.
std::complex<double> squared(const std::complex<double>& z) noexcept {
  return {z.real() * z.real() - z.imag() * z.imag(), 2.0 * (z.real() * z.imag())};
}

// The direction of s = (1, 0). Rotated by 90 degrees it gives the same four points, so e^(4 i angle) counts: of the
// long axis of N if it has one, otherwise of A's axes as seen along n.
std::complex<double> spring_axes(const double* N, double flat, const Mat3& axes, const Spread& spread) noexcept {
  const double trace = N[0] + N[2];
  const std::complex<double> q(trace > 0.0 ? (N[0] - N[2]) / trace : 0.0, trace > 0.0 ? 2.0 * N[1] / trace : 0.0);
  std::complex<double> body = 0.0;
  for (int k = 0; k < 3; ++k) {
    const std::complex<double> a(axes.col(k).dot(spread.e1), axes.col(k).dot(spread.e2));
    body += squared(squared(a));
  }
  const std::complex<double> z = squared(q) + body_axes * flat * flat * body;
  const double norm = std::sqrt(std::norm(z));
  return norm > 1e-12 ? root_of(root_of(z / norm)) : std::complex<double>(1.0, 0.0);
}

}  // namespace

// A patch that grows without a change of form has M_(p+1)/M_p = D (p+1)/(p+1+m). From two powers, q and p, D follows
// without m:
//   eps = M_(q+1)/M_q,  delta = M_(p+1)/M_p,  g = (p + 1 - (q + 1) delta/eps)/(p - q),  Phi = delta/gamma
// with gamma(g) = g, but no less than about half (patches of many peaks). If A moves with v + w x x, M_p changes by -p
// (U_(p-1).v + T_(p-1).w).
bool find_smooth_depth(const HighMoments& m, const Vec3& u, SmoothDepth& out) noexcept {
  constexpr double q = depth_powers[0], p = depth_powers[1];
  const PowerMoments &low = m.of[0], &high = m.of[1];
  const double below = u.dot(low.U[1]), at = u.dot(high.U[1]);
  const double eps = u.dot(low.U[2]) / below, delta = u.dot(high.U[2]) / at;
  if (!(below > 0.0) || !(at > 0.0) || !(delta > 0.0) || !(eps > 0.0)) return false;
  const double g = (p + 1.0 - (q + 1.0) * delta / eps) / (p - q);
  const double under = std::max(0.0, one_peak - g), fall = math::exp(-under / few_peaks);
  const double gamma = g + under - few_peaks * (1.0 - fall), dgamma = under > 0.0 ? fall : 1.0;
  const double by_g = -delta * dgamma / (gamma * gamma) * (q + 1.0) / ((p - q) * eps);
  const double by_delta = (1.0 / gamma - by_g) / at, by_eps = by_g * delta / eps / below;
  const auto sum = [&](const Vec3* of_high, const Vec3* of_low) noexcept -> Vec3 {
    return by_delta * ((p + 1.0) * of_high[1] - p * delta * of_high[0]) +
           by_eps * ((q + 1.0) * of_low[1] - q * eps * of_low[0]);
  };
  out = {delta / gamma, sum(high.U, low.U), sum(high.T, low.T)};
  return out.force.squaredNorm() > 0.0;
}

namespace {

// 0 where a patch faces n so little that its moments tell no place.
double trust_in(const PatchContact& patch) noexcept {
  return smoothstep((patch.facing - hardly_faces[0]) / (hardly_faces[1] - hardly_faces[0]));
}

const Vec3& axis_of(const Spread& s, const Vec3& n, int k) noexcept { return k == 0 ? s.e1 : k == 1 ? s.e2 : n; }

// The coordinate x along axis k, but within the patch where it is little known.
double within_patch(const PatchContact& patch, int k, double x) noexcept {
  if (!(patch.facing < faces)) return x;
  const double middle = axis_of(patch.spread, patch.n, k).dot(patch.middle), trust = trust_in(patch);
  if (!(trust > 0.0)) return middle;
  return std::clamp(trust * x + (1.0 - trust) * middle, middle - patch.reach, middle + patch.reach);
}

// The position of the greatest depth along an axis of the spread:  c = (2 X_1 M_1 - M_2 X_0)/(M_1^2 g); of many peaks
// the mean.
double peak_along(const PatchContact& patch, int k) noexcept {
  const Spread& s = patch.spread;
  const double M1 = patch.n.dot(patch.moments.U[1]), M2 = patch.n.dot(patch.moments.U[2]), l = patch.blend;
  const double peak = l > 0.0 ? (2.0 * s.X[1][k] * M1 - M2 * s.X[0][k]) / (M1 * M1 * patch.taper) : 0.0;
  return within_patch(patch, k, l * peak + (1.0 - l) * s.X[1][k] / M1);
}

// h(x) and its derivative: x between two values, and no further than `give` beyond them.
struct Limited {
  double value, slope;
};

Limited limited(double x) noexcept {
  if (x >= near_top[0] && x <= near_top[1]) return {x, 1.0};
  const double from = near_top[x > near_top[1]], y = x - from, part = y / give, root = std::sqrt(1.0 + part * part);
  return {from + y / root, 1.0 / (root * root * root)};
}

// From the potential k D^2/2, D the greatest thickness: of a branch along the common direction, else along the normal.
// There D may be that of a whole area, of which rounding would choose one point: the place is that of the moments.
SingleContact top_contact(const PatchContact& patch) noexcept {
  const Decrease& d = patch.top_decrease;
  const double slope = d.force.norm();
  Vec3 place = d.force.cross(d.couple) / (slope * slope);
  if (!patch.is_branch) place = thickest_contact(patch).place + peak_along(patch, 2) * patch.n;
  return {patch.top / slope, d.force / slope, slope * slope, place};
}

// Where Phi is of no use
SingleContact plain_contact(const PatchContact& patch) noexcept {
  return patch.top > 0.0 ? top_contact(patch) : thickest_contact(patch);
}

// With Phi' the depth of the thickness above the level L:
//   Phi = L + Phi',   grad Phi = grad Phi' + (1 - u.grad Phi') grad L
// The last term enters as L rises from 0, where two patches have just joined.
void add_level(const PatchContact& patch, SmoothDepth& peak) noexcept {
  if (!(patch.level > 0.0)) return;
  const double rest = (1.0 - patch.n.dot(peak.force)) * patch.level / (patch.level + early * peak.depth);
  peak.depth += patch.level;
  peak.force += rest * patch.level_decrease.force;
  peak.couple += rest * patch.level_decrease.couple;
}

// Keeps Phi near D, with x = (Phi - L)/(D - L):
//   Psi = L + (D - L) h(x),   grad Psi = h' grad Phi + (h - x h') grad D + (1 - h - h' + x h') grad L
// Returns h'.
double limit_to_top(const PatchContact& patch, SmoothDepth& peak) noexcept {
  const double room = patch.top - patch.level, x = (peak.depth - patch.level) / room;
  const Limited h = limited(x);
  const double to_top = h.value - x * h.slope, to_level = patch.level > 0.0 ? 1.0 - h.slope - to_top : 0.0;
  const Decrease &top = patch.top_decrease, &level = patch.level_decrease;
  peak.depth = patch.level + room * h.value;
  peak.force = h.slope * peak.force + to_top * top.force + to_level * level.force;
  peak.couple = h.slope * peak.couple + to_top * top.couple + to_level * level.couple;
  return h.slope;
}

// Where the gradient of a peak is short, as its level changes, the contact would be deeper than the thickness: it has more of
// the load share instead, with the same force.
SingleContact bounded(const PatchContact& patch, SingleContact contact) noexcept {
  const double most = deepest_peak * patch.top;
  if (!patch.is_branch || !(contact.depth > most)) return contact;
  contact.load_share *= contact.depth / most, contact.depth = most;
  return contact;
}

// `more` is what else Phi falls by.
SingleContact contact_of(const PatchContact& patch, const Decrease& more) noexcept {
  SmoothDepth peak;
  if (!find_smooth_depth(patch.high, patch.n, peak)) return plain_contact(patch);
  const double weight = weight_of(peak, patch);
  add_level(patch, peak);
  if (!(weight > 0.0)) return plain_contact(patch);
  const double follows = patch.is_branch ? limit_to_top(patch, peak) : 1.0;
  peak.force += follows * more.force, peak.couple += follows * more.couple;
  const double slope = peak.force.norm();
  SingleContact smooth{peak.depth / slope, peak.force / slope, slope * slope,
                       peak.force.cross(peak.couple) / (slope * slope)};
  for (int k = 0; k < 2 && patch.facing < faces; ++k) {
    const Vec3& e = axis_of(patch.spread, patch.n, k);
    smooth.place += (within_patch(patch, k, e.dot(smooth.place)) - e.dot(smooth.place)) * e;
  }
  return bounded(patch, weight == 1.0 ? smooth : mixed(patch, weight, smooth, plain_contact(patch)));
}

}  // namespace

bool is_smooth(const PatchContact& patch) noexcept {
  SmoothDepth peak;
  return find_smooth_depth(patch.high, patch.n, peak) && weight_of(peak, patch) == 1.0;
}

SingleContact smooth_contact(const PatchContact& patch) noexcept { return contact_of(patch, Decrease()); }

SingleContact turning_contact(const PatchContact& patch) noexcept {
  return patch.turning.force == Vec3::Zero() ? patch.single : contact_of(patch, patch.turning);
}

SingleContact thickest_contact(const PatchContact& patch) noexcept {
  const Spread& s = patch.spread;
  const Vec3& n = patch.n;
  return {patch.moments.depth, n, 1.0, peak_along(patch, 0) * s.e1 + peak_along(patch, 1) * s.e2};
}

double flatness(double k, double least, double all) noexcept {
  return smoothstep(((k - least) / (1.0 - least) - threshold) / (all - threshold));
}

double taper_of(double g) noexcept {
  const double m = 2.0 / std::clamp(g, 0.5, 1.0) - 2.0;
  return (1.0 + m) / (2.0 + m);
}

namespace {

// Mean position across the normal and the covariance about it (xx, xy, yy), under the weights tau^0 and tau^1.
struct Scatter {
  double mean[2][3], C[2][3];
};

Scatter scatter_of(const Spread& s, const double (&M)[2]) noexcept {
  Scatter out;
  for (int p = 0; p < 2; ++p)
    for (int k = 0; k < 3; ++k) out.mean[p][k] = s.X[p][k] / M[p];
  for (int p = 0; p < 2; ++p)
    for (int k = 0; k < 3; ++k) out.C[p][k] = s.C[p][k] / M[p] - out.mean[p][k / 2] * out.mean[p][(k + 1) / 2];
  return out;
}

// By the ratio of the eigenvalues of C_0: across a patch that is so narrow its form is a rounding error, and where parts
// that face away from u take away from the others it may have no width at all.
double width_counts(double ratio) noexcept {
  constexpr double none = 1e-8, all = 1e-6;
  return smoothstep((ratio - none) / (all - none));
}

// R of the patch, from C_1 and the inverse root of C_0.
void flatness_matrix(const PatchContact& patch, const double* inverse, const double* C1, double M1,
                     double* R) noexcept {
  double K[3];
  sandwich(inverse, C1, K);
  const Eigen2 k = eigen_of(K[0], K[1], K[2]);
  const double least = taper_of(patch.taper);
  compose(k, flatness(k.l[0], least, 1.0), flatness(k.l[1], least, 1.0), R);
  only_along(patch.spread.flat_A, M1, R);
  only_along(patch.spread.flat_B, M1, R);
}

// Two springs along the long axis of N, or four with axes of direction a, about their middle. The slope b of tau makes
// their depths differ.
void place_about_middle(const double* N, const std::complex<double>& a, const double* b, Springs& out) noexcept {
  const Eigen2 n = eigen_of(N[0], N[1], N[2]);
  double half[3];
  compose(n, std::sqrt(std::max(0.0, n.l[0])), std::sqrt(std::max(0.0, n.l[1])), half);
  for (int i = 0; i < out.count; ++i) {
    const double p = i & 1 ? -1.0 : 1.0, q = i & 2 ? -1.0 : 1.0;
    double o[2];
    if (out.count == 4) {
      const double v[2] = {p * a.real() - q * a.imag(), p * a.imag() + q * a.real()};
      times(half, v, o);
    } else {
      const double length = std::sqrt(std::max(0.0, n.l[0]));
      o[0] = p * length * n.c, o[1] = p * length * n.s;
    }
    for (int j = 0; j < 2; ++j) out.x[i][j] = std::sqrt(3.0) * o[j];
    out.depth[i] = b[0] * out.x[i][0] + b[1] * out.x[i][1];
  }
}

// The depths differ by the slope b of tau: with the mean D where r begins to rise from 0, so that the force is that of
// one contact; of wholly flat patches, r = 1, with the greatest D. No spring is deeper than D: one that bears more than
// its depth tells has more of the load share.
//   f = D + b.x - r max(b.x),   depth = D + r (b.x - max(b.x)),   part = f/depth, at most 2
// On entry the depths are b.x. Positions become those in the spread.
void move_to_middle(double D, double r, Springs& out) noexcept {
  const double most = r * *std::max_element(out.depth, out.depth + out.count);
  for (int i = 0; i < out.count; ++i) {
    const double f = std::max(0.0, D + out.depth[i] - most);
    const double depth = std::max(D + r * out.depth[i] - most, 0.5 * f);
    out.part[i] = f > 0.0 ? f / depth : 1.0, out.depth[i] = f > 0.0 ? depth : 0.0;
    for (int j = 0; j < 2; ++j) out.x[i][j] += out.middle[j];
  }
}

}  // namespace

Springs springs_of(const PatchContact& patch, const Mat3& axes) noexcept {
  const Spread& s = patch.spread;
  const double M[2] = {patch.n.dot(patch.moments.U[0]), patch.n.dot(patch.moments.U[1])};
  const SingleContact& single = patch.single;
  const Scatter scatter = scatter_of(s, M);
  const auto& mean = scatter.mean;
  const double c[3] = {s.e1.dot(single.place), s.e2.dot(single.place), peak_along(patch, 2)};
  Springs out{
      1, single.load_share, 1.0, single.n, {{c[0], c[1]}}, {c[0], c[1]}, {single.depth}, {c[2], c[2], c[2], c[2]}};
  if (s.along.there) {
    lay_along(patch, out);
    return out;
  }
  const Eigen2 e0 = eigen_of(scatter.C[0][0], scatter.C[0][1], scatter.C[0][2]);
  if (!(e0.l[0] > 0.0) || !(M[0] > 0.0)) return out;
  const double low = std::max(0.0, e0.l[1]), wide = patch.is_line ? 0.0 : width_counts(low / e0.l[0]);
  double root[3], inverse[3], R[3], N[3];
  compose(e0, std::sqrt(e0.l[0]), patch.is_line ? 0.0 : std::sqrt(low), root);
  compose(e0, 1.0 / std::sqrt(e0.l[0]), wide > 0.0 ? wide / std::sqrt(low) : 0.0, inverse);
  flatness_matrix(patch, inverse, scatter.C[1], M[1], R);
  const Eigen2 flat = eigen_of(R[0], R[1], R[2]);
  double r[2] = {flat.l[0] > rounding ? flat.l[0] : 0.0, flat.l[1] > rounding ? flat.l[1] : 0.0};
  if (patch.facing < faces)
    for (double& flatness : r) flatness *= trust_in(patch);
  if (!(r[0] > 0.0)) return out;
  const double D = single.depth + r[0] * (patch.moments.depth - single.depth);
  const double whole = out.load_share + r[0] * (1.0 - out.load_share);
  sandwich(root, R, N);
  // along flat directions the middle is that of the area
  const double off[2] = {mean[0][0] - c[0], mean[0][1] - c[1]};
  double y[2], z[2], w[2], b[2];
  times(inverse, off, y);
  times(R, y, z);
  times(root, z, w);
  for (int k = 0; k < 2; ++k) out.middle[k] = within_patch(patch, k, c[k] + w[k]);
  // the slope of tau: C_0 b = (M_1/M_0)(mean_1 - mean_0)
  const double lean[2] = {M[1] / M[0] * (mean[1][0] - mean[0][0]), M[1] / M[0] * (mean[1][1] - mean[0][1])};
  times(inverse, lean, y);
  times(inverse, y, b);
  const bool four = r[1] > 0.0;
  out.count = four ? 4 : 2;
  out.multiplicity = (1.0 + r[0]) * (1.0 + r[1]);
  out.load_share = whole * out.multiplicity / out.count;
  place_about_middle(N, spring_axes(N, r[1], axes, s), b, out);
  move_to_middle(D, r[0], out);
  return out;
}

Vec3 place_of(const PatchContact& patch, const Springs& springs, int i) noexcept {
  const Spread& s = patch.spread;
  return s.origin + springs.x[i][0] * s.e1 + springs.x[i][1] * s.e2 + springs.height[i] * springs.n +
         patch.n.dot(patch.single.place) * patch.n;
}

}  // namespace contactlib::geometry
