// The element `ball_joints`: arms that turn freely about points of a base; each has a spring and a damper. The joint
// forces give both sides of a joint the same acceleration. They are solved for all joints at once from all other loads,
// so this element stands after all others of its model.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "elements.hpp"
#include "math/elementary.hpp"
#include "math/rotation.hpp"
#include "step/motion.hpp"
#include "step/response/response.hpp"

namespace contactlib::element {

using math::matrix;
using model::Body, model::ElementDesign, model::Motion, model::the_world;
using step::integrates, step::mobility_of, step::rate_of;

namespace {

constexpr int max_arms = 8;

struct Arm {
  Vec3 p_BJ, p_AJ;  // m, the joint in the base and in the arm
  Mat3 R_BA;  // attitude of the arm with its spring at rest
  Vec3 p_AAcm;  // m, the arm's centre of mass, which is constant: an arm is a free body
};

struct Design : ElementDesign {
  std::vector<Arm> arms;
};

enum Parameter : int { stiffness, damping, stabilisation, parameter_count };
enum Output : int { bending, torsion, force, gap, output_count };

using System = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3 * max_arms, 3 * max_arms>;
using Column = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3 * max_arms, 1>;

Mat3 skew(const Vec3& a) noexcept {
  Mat3 S;
  S << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return S;
}

// The rotation vector of R, |angle| < pi.
Vec3 rotation_vector(const Mat3& R) noexcept {
  Eigen::Quaterniond q(R);
  if (q.w() < 0.0) q.coeffs() = -q.coeffs();
  const double sine = q.vec().norm();
  return (sine > 1e-9 ? 2.0 * math::atan2(sine, q.w()) / sine : 2.0) * q.vec();
}

// State of one body.
struct BodyMotion {
  Mat3 R;
  BodyState s;

  BodyMotion(const ElementNow& now, int k) noexcept : R(now.rotation(k)), s(now.body(k)) {}

  Vec3 velocity(const Vec3& p_W) const noexcept { return s.v_WB + s.w_WB.cross(p_W); }
};

// Also its acceleration and its response to forces, which is zero for a body that the core does not move.
struct Loaded : BodyMotion {
  BodyState rate{Vec3::Zero(), Quat::Zero(), Vec3::Zero(), Vec3::Zero()};
  Blocks inverse{Mat3::Zero(), Mat3::Zero(), Mat3::Zero()};
  Vec3 c_W = Vec3::Zero();  // m, from the origin to the centre of mass

  Loaded(const ElementNow& now, int k) noexcept : BodyMotion(now, k) {
    const std::int32_t i = now.element.bodies[k];
    if (i == the_world || !integrates(now.model, now.motion, i)) return;
    rate = rate_of(now.model, now.data, now.motion, i);
    inverse = mobility_of(now.model, now.data, i, R);
    c_W = R * now.data.plant[i].p_BBcm;
  }

  //   a = v' + w' x p + w x (w x p)
  Vec3 acceleration(const Vec3& p_W) const noexcept {
    return rate.v_WB + rate.w_WB.cross(p_W) + s.w_WB.cross(s.w_WB.cross(p_W));
  }

  // acceleration of p due to a unit force at q, with r = p - c, s = q - c and A = 1/m, B = 0, C = I^-1 of a rigid body:
  //   A + B s x - r x (B^T + C s x)
  Mat3 mobility(const Vec3& p_W, const Vec3& q_W) const noexcept {
    const auto& [A, B, C] = inverse;
    const Mat3 r = skew(p_W - c_W), s = skew(q_W - c_W);
    return A + B * s - r * B.transpose() - r * C * s;
  }
};

// Torque of the spring and the damper on one arm, with their energies. Its components along and across the boom (the
// line from the joint to the arm's centre of mass) are outputs.
//   t = -k theta - c w,  stored k theta^2/2,  heat c w^2
Vec3 spring_torque(const ElementNow& now, const Arm& arm, const BodyMotion& base, const BodyMotion& held,
                   double& across, double& along_boom) noexcept {
  const double k = now.parameters[stiffness], c = now.parameters[damping];
  const Vec3 theta_W = base.R * rotation_vector(base.R.transpose() * held.R * arm.R_BA.transpose());
  const Vec3 w_W = held.s.w_WB - base.s.w_WB, t_W = -k * theta_W - c * w_W;
  const Vec3 along = held.R * (arm.p_AAcm - arm.p_AJ);
  const double length = along.norm(), torsion_W = length > 0.0 ? t_W.dot(along) / length : 0.0;
  now.energy.stored += 0.5 * k * theta_W.squaredNorm();
  now.energy.heat += c * w_W.squaredNorm();
  across = std::sqrt(std::max(0.0, t_W.squaredNorm() - torsion_W * torsion_W));
  along_boom = std::abs(torsion_W);
  return t_W;
}

// Joint forces f_i on the arms and -f_i on the base at the same points. A gap g closes with the rate s:
//   a_arm - a_base = -2 s g' - s^2 g
void add_joint_forces(const ElementNow& now, const Design& design) noexcept {
  const Loaded base(now, 0);
  const int n = static_cast<int>(design.arms.size());
  const double s = now.parameters[stabilisation];
  double* const forces = now.output(force);
  double* const gaps = now.output(gap);
  System K = System::Zero(3 * n, 3 * n);
  Column b(3 * n);
  Vec3 p_B[max_arms], q_B[max_arms],
      p_A[max_arms];  // joints from the base's origin, by base and by arm; from the arm
  for (int i = 0; i < n; ++i) {
    const Loaded arm(now, i + 1);
    p_B[i] = base.R * design.arms[i].p_BJ;
    p_A[i] = arm.R * design.arms[i].p_AJ;
    q_B[i] = arm.s.r_WB - base.s.r_WB + p_A[i];
    const Vec3 g = q_B[i] - p_B[i], g_dot = arm.velocity(p_A[i]) - base.velocity(p_B[i]);
    b.segment<3>(3 * i) = base.acceleration(p_B[i]) - arm.acceleration(p_A[i]) - 2.0 * s * g_dot - s * s * g;
    K.block<3, 3>(3 * i, 3 * i) = arm.mobility(p_A[i], p_A[i]);
    gaps[i] = g.norm();
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) K.block<3, 3>(3 * i, 3 * j) += base.mobility(p_B[i], q_B[j]);
  const Column f = K.partialPivLu().solve(b);
  for (int i = 0; i < n; ++i) {
    const Vec3 f_W = f.segment<3>(3 * i);
    now.add(i + 1, {f_W, p_A[i].cross(f_W)});
    now.add(0, {-f_W, -q_B[i].cross(f_W)});
    forces[i] = f_W.norm();
  }
}

bool shares_no_body(const Model& model, const Element& element) noexcept {
  for (const Element& other : model.elements)
    if (other.row == element.row)
      for (const std::int32_t body : element.bodies)
        if (body != the_world && std::count(other.bodies.begin(), other.bodies.end(), body) > 0) return false;
  return true;
}

bool may_be_joined(const Model& model, const std::vector<std::int32_t>& bodies) noexcept {
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (std::count(bodies.begin(), bodies.end(), bodies[k]) > 1) return false;
    const Motion motion = bodies[k] == the_world ? Motion::fixed : model.bodies[bodies[k]].motion;
    if (motion != Motion::free && !(k == 0 && motion == Motion::fixed)) return false;
  }
  return true;
}

bool read(ElementRecord& record, const Model& model, Element& out) {
  auto design = std::make_unique<Design>();
  if (out.ports < 1 || out.ports > max_arms || out.bodies.size() != 1u + out.ports) return false;
  if (!may_be_joined(model, out.bodies) || !shares_no_body(model, out)) return false;
  for (int i = 0; i < out.ports; ++i) {
    Arm arm;
    if (!record.numbers(arm.p_BJ.data(), 3) || !record.numbers(arm.p_AJ.data(), 3)) return false;
    Quat q_BA;
    if (!record.numbers(q_BA.data(), 4) || !(std::abs(q_BA.norm() - 1.0) < 1e-9)) return false;
    arm.R_BA = matrix(q_BA.normalized());
    arm.p_AAcm = model.bodies[out.bodies[i + 1]].p_BBcm;
    design->arms.push_back(arm);
  }
  out.design = std::move(design);
  return true;
}

Status step(const ElementNow& now) noexcept {
  const Design& design = static_cast<const Design&>(*now.element.design);
  const int n = static_cast<int>(design.arms.size());
  const BodyMotion base(now, 0);
  now.energy.stored = now.energy.heat = now.energy.supply = 0.0;
  for (int i = 0; i < n; ++i) {
    const Vec3 t_W = spring_torque(now, design.arms[i], base, BodyMotion(now, i + 1), now.output(bending)[i],
                                   now.output(torsion)[i]);
    now.add(i + 1, {Vec3::Zero(), t_W});
    now.add(0, {Vec3::Zero(), -t_W});
  }
  add_joint_forces(now, design);
  const bool finite = Eigen::Map<const Eigen::VectorXd>(now.outputs, output_count * n).allFinite();
  return {finite ? Code::ok : Code::not_finite};
}

// clang-format off
constexpr ElementVariable parameters[] = {
  {stiffness,     {"stiffness",     "N.m/rad",   0, false, "stiffness of each joint against rotation out of its rest attitude"}},
  {damping,       {"damping",       "N.m.s/rad", 0, false, "damping of each joint's rotation"}},
  {stabilisation, {"stabilisation", "1/s",       0, false, "rate at which the gap of a joint, left by rounding and steps, closes"}},
};
constexpr ElementVariable outputs[] = {
  {bending, {"bending", "N.m", 0, false, "joint torque across the boom (joint to the arm's centre of mass) at the end of the step"}, per_port},
  {torsion, {"torsion", "N.m", 0, false, "joint torque along the boom (joint to the arm's centre of mass) at the end of the step"}, per_port},
  {force,   {"force",   "N",   0, false, "magnitude of the joint force at the end of the step"}, per_port},
  {gap,     {"gap",     "m",   0, false, "distance between the joint's point in the base and its point in the arm at the end of the step"}, per_port},
};
// clang-format on

constexpr ElementRow row = [] {
  ElementRow row;
  row.name = "ball_joints";
  row.failure = "its motion, a parameter or a force is not finite";
  row.port = "joint";
  row.parameters = list(parameters, parameter_count);
  row.outputs = list(outputs, output_count);
  row.read = read;
  row.step = step;
  return row;
}();
const RegisteredElement registered(row);

}  // namespace

}  // namespace contactlib::element
