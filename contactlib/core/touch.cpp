#include "touch.hpp"

#include "rotation.hpp"

namespace contactlib {

namespace {

// a remembered vector in the contact plane of now: by the smallest rotation from the plane of then, and about the
// normal by half of the spin of A against B.
Vec3 recall(const Vec3& z_B, const Memory& old, const Mat3& R_WB, const Vec3& n_W, double spin) noexcept {
  Vec3 z_W = carried(R_WB * z_B, R_WB * old.n_B, n_W);
  z_W += 0.5 * spin * n_W.cross(z_W);
  return z_W - z_W.dot(n_W) * n_W;
}

}  // namespace

void Touch::make(const ManifoldPoint& point, const Memory* old, Contact& c) const noexcept {
  const Law& row = model.laws[law];
  const LawParameters& parameters = data.laws()[law];
  const Shape &A = model.shapes[shape_a], &B = model.shapes[shape_b];
  const BodyState &a = data.bodies()[A.body], &b = data.bodies()[B.body];
  const Vec3& n = point.n_AB_W;

  c.pair = pair;
  c.feature = point.feature;
  c.shape_a = shape_a;
  c.shape_b = shape_b;
  c.body_a = A.body;
  c.body_b = B.body;
  c.law = law;
  c.n_AB_W = n;
  c.depth = point.depth;
  c.share = point.share;
  c.p_AC_W = p_AS_W + point.p_AC_W;
  c.p_BC_W = c.p_AC_W - r_AB_W;
  // v = v_B + w_B x p_BC - v_A - w_A x p_AC; differences first: orbital speeds cancel before anything is added
  c.v_AB_W = (b.v_WB - a.v_WB) + (b.w_WB.cross(c.p_BC_W) - a.w_WB.cross(c.p_AC_W));
  const double apart = c.v_AB_W.dot(n);
  c.depth_rate = -apart;

  const Vec3 w_AB_W = b.w_WB - a.w_WB;
  const double spin = -h * w_AB_W.dot(n);
  const Mat3& R_WB = data.R_WB[B.body];
  Bristle bristle{old ? recall(old->z_B, *old, R_WB, n, spin) : Vec3(Vec3::Zero()), old && old->slipping != 0.0};

  Vec3 s_W = Vec3::Zero();
  if (old) {  // a rotation vector, tangential and normal part alike
    s_W = carried(R_WB * old->s_B, R_WB * old->n_B, n);
    s_W += 0.5 * spin * n.cross(s_W);
  }

  const Pressing pressing{c.depth, c.depth_rate, {row.curve.data(), row.curve.size()}};
  const NormalForce normal = normal_laws[row.normal].force(pressing, parameters.normal);
  AdhesionForce adhesion{0.0, 0.0};
  if (row.adhesion != no_law) adhesion = adhesion_laws[row.adhesion].force(pressing, parameters.adhesion);
  const Shape& grained = model.grained(model.pairs[pair], A, B);
  const Sliding sliding{c.v_AB_W - apart * n, n, normal.force, &data.R_WB[grained.body], &grained.R_BS};
  const FrictionForce friction = friction_laws[row.friction].force(sliding, h, parameters.friction, bristle);
  RollingTorque rolling{Vec3::Zero(), 0.0, 0.0};
  if (row.rolling != no_law)
    rolling = rolling_laws[row.rolling].force({w_AB_W, n, normal.force}, h, parameters.rolling, s_W);
  c.normal_force = point.share * (normal.force - adhesion.force);
  c.f_B_W = c.normal_force * n + point.share * friction.f_t_W;
  c.t_B_W = point.share * rolling.t_W;
  c.stored_energy = point.share * (normal.stored + adhesion.stored + friction.stored + rolling.stored);
  c.heat = point.share * (normal.heat + friction.heat + rolling.heat);
  c.slipping = bristle.slipping;
  c.z_W = bristle.z_W;
  c.s_W = s_W;
}

}  // namespace contactlib
