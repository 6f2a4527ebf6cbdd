// J^T E J is summed without J. At one point of curvature, with n, mu, b and B as in BendingStrain, s = 1/n^p,
//   dk = sqrt(s) (r' x de - b x df - p (r' x b) (r'.df)/n),   de = dr'' - mu dr',  df = dr'
// so that, X over de twice, Y over de and df, Z over df twice:
//   X = s (n I - r' r'^T),  Y = s (1 - p) b r'^T,  Z = s (B I - b b^T + p (p - 2) (B/n) r' r'^T)
//   J^T k = s (n b over de + (1 - p) B r' over df)
// A curvature k0 at rest has no direction: its strain is |k| - k0 along k. Across k, E J^T J is multiplied by a =
// max(0, 1 - k0/|k|), as for the tension of a string; along k it is unchanged.
#include "stiffness.hpp"

namespace contactlib::element {

namespace {

constexpr double tiny = 1e-200;  // keeps 0/0 away where a cable is straight

struct Symmetric {
  Lanes xx, yy, zz, xy, xz, yz;
};

Symmetric outer(const Lanes3& a) noexcept { return {a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z}; }
Symmetric operator*(Lanes s, const Symmetric& a) noexcept {
  return {s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz};
}
Symmetric operator+(const Symmetric& a, const Symmetric& b) noexcept {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
Lanes3 operator*(const Symmetric& a, const Lanes3& v) noexcept {
  return {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
          a.xz * v.x + a.yz * v.y + a.zz * v.z};
}
Symmetric& add_identity(Symmetric& a, Lanes s) noexcept {
  a.xx += s, a.yy += s, a.zz += s;
  return a;
}

// a + a^T
Symmetric twice(const Lanes (&a)[3][3]) noexcept {
  return {a[0][0] + a[0][0], a[1][1] + a[1][1], a[2][2] + a[2][2],
          a[0][1] + a[1][0], a[0][2] + a[2][0], a[1][2] + a[2][1]};
}

// Of one point: forces over f and s, and the matrices over f twice, s twice, and s and f.
struct Axial {
  Symmetric ff;
  Lanes3 f;
};
struct Bending {
  Symmetric ss, ff;
  Lanes sf[3][3];
  Lanes3 f, s;
};

// The damping of bending: its share of the matrices times v' and l v''.
void follow(const CablePoint& point, const CableStrands& strands, Bending& out) noexcept {
  const Lanes3 v1 = combine(point.f, strands.rate), v2 = combine(point.s, strands.rate);
  const Lanes lag = all(strands.bending_lag);
  const auto& sf = out.sf;
  const Lanes3 s_of_f = {sf[0][0] * v1.x + sf[0][1] * v1.y + sf[0][2] * v1.z,
                         sf[1][0] * v1.x + sf[1][1] * v1.y + sf[1][2] * v1.z,
                         sf[2][0] * v1.x + sf[2][1] * v1.y + sf[2][2] * v1.z};
  const Lanes3 f_of_s = {sf[0][0] * v2.x + sf[1][0] * v2.y + sf[2][0] * v2.z,
                         sf[0][1] * v2.x + sf[1][1] * v2.y + sf[2][1] * v2.z,
                         sf[0][2] * v2.x + sf[1][2] * v2.y + sf[2][2] * v2.z};
  out.f = out.f + lag * (out.ff * v1 + f_of_s);
  out.s = out.s + lag * (out.ss * v2 + s_of_f);
}

template <StrainMeasure measure>
Axial axial(const CablePoint& point, const CableStrands& strands, Lanes& least) noexcept {
  const AxialStrain<measure> at(point, strands.shape);
  const Lanes w = all(point.weight), strain = at.strain - strands.rest_strain;
  const Lanes turning = w * strands.turning * positive(strain) / at.length;
  least = math::lesser(at.n, least);
  Axial out;
  // green: sigma I; engineering: sigma (I - g g^T)/|r'|
  const Lanes along =
      measure == StrainMeasure::green ? w * strands.axial_stiffness : w * strands.axial_stiffness - turning;
  out.ff = along * outer(at.g);
  add_identity(out.ff, turning);
  out.f = (w * strands.axial_pull * strain) * at.g;
  if (strands.axial_lag > 0.0) {
    const Lanes rate = dot(at.g, combine(point.f, strands.rate));
    out.f = out.f + (w * strands.axial_lag * strands.axial_stiffness * rate) * at.g;
  }
  return out;
}

template <StrainMeasure measure>
Bending bending(const CablePoint& point, const CableStrands& strands) noexcept {
  using Strain = BendingStrain<measure>;
  constexpr double p = Strain::p;
  const Strain at(point, strands.shape, strands.inverse_length);
  const Lanes w = all(point.weight) * at.scale, il = strands.inverse_length;
  Lanes share = all(1.0), across = all(1.0);
  if (strands.curved) {
    share = 1.0 - strands.rest_curvature / (at.curvature() + tiny);
    across = positive(share);
  }
  const Lanes k = w * strands.bending_stiffness, along = 1.0 - across;
  const Symmetric rr = outer(at.r1), bb = outer(at.b);
  const Lanes B_n = at.B / at.n;

  Symmetric X = (-(k * across)) * rr + (k * along * at.n / (at.B + tiny)) * bb;
  add_identity(X, k * across * at.n);
  Symmetric Z = (k * B_n * (p * (p - 2.0) * across + (1.0 - p) * (1.0 - p) * along)) * rr + (-(k * across)) * bb;
  add_identity(Z, k * across * at.B);
  const Lanes3 y = (k * (1.0 - p)) * at.b;
  const Lanes Y[3][3] = {{y.x * at.r1.x, y.x * at.r1.y, y.x * at.r1.z},
                         {y.y * at.r1.x, y.y * at.r1.y, y.y * at.r1.z},
                         {y.z * at.r1.x, y.z * at.r1.y, y.z * at.r1.z}};

  // from de and df to dr'' and dr'
  Bending out;
  const Lanes mu = at.mu;
  out.ss = (il * il) * X;
  out.ff = Z + (mu * mu) * X + (-mu) * twice(Y);
  const Lanes x[3][3] = {{X.xx, X.xy, X.xz}, {X.xy, X.yy, X.yz}, {X.xz, X.yz, X.zz}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out.sf[i][j] = il * (Y[i][j] - mu * x[i][j]);

  const Lanes pull = w * strands.bending_pull * share;
  const Lanes3 nb = (pull * at.n) * at.b;
  out.s = il * nb;
  out.f = ((1.0 - p) * pull * at.B) * at.r1 - mu * nb;
  if (strands.bending_lag > 0.0) follow(point, strands, out);
  return out;
}

// All points of an element, and their sums over the shape functions. The tables are known here, so that loops unroll.
template <const CablePoints& axials, const CablePoints& bendings>
struct Sums {
  Axial axial[axials.count];
  Bending bending[bendings.count];

  template <int i, int j>
  Symmetric symmetric() const noexcept {
    Symmetric sum = {};
#pragma GCC unroll 5
    for (int g = 0; g < axials.count; ++g) sum = sum + all(axials.point[g].ff[i][j]) * axial[g].ff;
#pragma GCC unroll 3
    for (int g = 0; g < bendings.count; ++g)
      sum = sum + all(bendings.point[g].ff[i][j]) * bending[g].ff + all(bendings.point[g].ss[i][j]) * bending[g].ss;
    return sum;
  }

  template <int i, int j>
  Square over() const noexcept {
    Symmetric a = symmetric<i, j>();
    if constexpr (i == j) {
#pragma GCC unroll 3
      for (int g = 0; g < bendings.count; ++g) a = a + all(bendings.point[g].sf[i][i]) * twice(bending[g].sf);
    }
    Square sum = {{{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}}};
    if constexpr (i != j) {
#pragma GCC unroll 3
      for (int r = 0; r < 3; ++r)
#pragma GCC unroll 3
        for (int c = 0; c < 3; ++c)
#pragma GCC unroll 3
          for (int g = 0; g < bendings.count; ++g)
            sum.m[r][c] += all(bendings.point[g].sf[i][j]) * bending[g].sf[r][c] +
                           all(bendings.point[g].sf[j][i]) * bending[g].sf[c][r];
    }
    return sum;
  }

  Lanes3 pull(int i) const noexcept {
    Lanes3 sum = {};
#pragma GCC unroll 5
    for (int g = 0; g < axials.count; ++g) sum = sum + all(axials.point[g].f[i]) * axial[g].f;
#pragma GCC unroll 3
    for (int g = 0; g < bendings.count; ++g)
      sum = sum + all(bendings.point[g].f[i]) * bending[g].f + all(bendings.point[g].s[i]) * bending[g].s;
    return sum;
  }
};

template <StrainMeasure measure, const CablePoints& axials, const CablePoints& bendings>
void sum(const CableStrands& strands, CableSums& out) noexcept {
  Sums<axials, bendings> sums;
  out.least = all(1.0);
  for (int g = 0; g < axials.count; ++g) sums.axial[g] = axial<measure>(axials.point[g], strands, out.least);
  for (int g = 0; g < bendings.count; ++g) sums.bending[g] = bending<measure>(bendings.point[g], strands);
  out.uu = sums.template over<0, 0>(), out.t0t0 = sums.template over<1, 1>(), out.t1t1 = sums.template over<2, 2>();
  out.ut0 = sums.template over<0, 1>(), out.ut1 = sums.template over<0, 2>(), out.t0t1 = sums.template over<1, 2>();
  for (int i = 0; i < shapes; ++i) out.pull[i] = sums.pull(i);
}

template <StrainMeasure measure>
void sum(CableQuadrature quadrature, const CableStrands& strands, CableSums& out) noexcept {
  if (quadrature == CableQuadrature::full)
    sum<measure, five_points, three_points>(strands, out);
  else
    sum<measure, three_points, two_points>(strands, out);
}

// v^T (d2phi/dq2) v is v'.v', and for engineering (v'.v' - (g.v')^2)/|r'|.
template <StrainMeasure measure>
void turns(const CablePoints& points, const CableStrands& strands, Lanes3 (&pull)[shapes]) noexcept {
  for (Lanes3& sum : pull) sum = Lanes3{};
  for (int i = 0; i < points.count; ++i) {
    const CablePoint& point = points.point[i];
    const AxialStrain<measure> at(point, strands.shape);
    const Lanes3 v1 = combine(point.f, strands.rate);
    Lanes turn = dot(v1, v1);
    if (measure == StrainMeasure::engineering) {
      const Lanes along = dot(at.g, v1);
      turn = (turn - along * along) / at.length;
    }
    const Lanes3 f = (all(point.weight) * strands.turning * turn) * at.g;
    for (int k = 0; k < shapes; ++k) pull[k] = pull[k] + all(point.f[k]) * f;
  }
}

}  // namespace

void sum_turns(StrainMeasure measure, CableQuadrature quadrature, const CableStrands& strands,
               Lanes3 (&pull)[shapes]) noexcept {
  if (measure == StrainMeasure::green)
    turns<StrainMeasure::green>(axial_points(quadrature), strands, pull);
  else
    turns<StrainMeasure::engineering>(axial_points(quadrature), strands, pull);
}

void sum_strains(StrainMeasure measure, CableQuadrature quadrature, const CableStrands& strands,
                 CableSums& out) noexcept {
  solve::four_at_once([&] {
    if (measure == StrainMeasure::green)
      sum<StrainMeasure::green>(quadrature, strands, out);
    else
      sum<StrainMeasure::engineering>(quadrature, strands, out);
  });
}

}  // namespace contactlib::element
