// contact models: laws with a life cycle, for feet that hold on to walls.
#include "attaching.hpp"

#include <algorithm>
#include <cmath>

#include "normal.hpp"

namespace contactlib {

namespace {

// what is left when a contact has ended: f = max(0, k x + c x') for as long as the shapes overlap.
AttachmentForce support(const AttachmentState& g, double k, double c) noexcept {
  if (!g.touches) return {Vec3::Zero(), 0.0, 0.0, Vec3::Zero(), false};
  const double x = g.depth;
  const NormalForce push = pushing(k * x + c * g.depth_rate, k * x, g.depth_rate, 0.5 * k * x * x);
  return {push.force * g.m_W, push.stored, push.heat, Vec3::Zero(), false};
}

// what the anchor stored is lost.
AttachmentForce let_go(const AttachmentState& g, double k, double c) noexcept {
  AttachmentForce left = support(g, k, c);
  if (g.h > 0.0) left.heat += std::max(0.0, g.stored - left.stored) / g.h;
  left.ends = true;
  return left;
}

// the tangent of an angle of pull; from a right angle on every pull holds.
double steepest(double angle) noexcept { return angle < 1.5707 ? std::tan(angle) : 1e30; }

// a spring with damper that slips where it would push with more than `limit`.
struct Drag {
  Vec3 t_W;  // m, deflection after it
  Vec3 f_W;  // N
  double heat;
};

Drag drag(const Vec3& t, const Vec3& v, double k, double c, double limit, double h) noexcept {
  const double spring = k * t.norm();
  if (spring <= limit) {
    Vec3 w = k * t + c * v;
    const double size = w.norm();
    if (size > limit) w *= limit / size;
    return {t, -w, std::max(0.0, (w - k * t).dot(v))};
  }
  const Vec3 kept = limit / spring * t, w = k * kept;
  return {kept, -w, std::max(0.0, h > 0.0 ? w.dot(t - kept) / h : w.dot(v))};
}

// the normal part of a pad or claw, which holds a tension of at most `most`: f = k x + c x', also where x < 0.
struct Pressed {
  double force, heat;
  bool gives;
};

Pressed press(const AttachmentState& g, double k, double c, double most) noexcept {
  const double spring = k * g.depth, whole = spring + c * g.depth_rate;
  const double force = g.depth > 0.0 ? std::max(whole, -most) : whole;
  return {force, (force - spring) * g.depth_rate, force < -most};
}

AttachmentForce gripped(const AttachmentState& g, double k, const Vec3& t, const Drag& along,
                        const Pressed& across) noexcept {
  const double stored = 0.5 * k * (g.depth * g.depth + along.t_W.squaredNorm());
  const Vec3 slip = (t - along.t_W) + (g.q_W.dot(g.m_W) + g.depth) * g.m_W;
  return {along.f_W + across.force * g.m_W, stored, along.heat + across.heat, slip, false};
}

bool too_far(const AttachmentState& g, const Vec3& t, double separation) noexcept {
  return g.depth * g.depth + t.squaredNorm() > separation * separation;
}

}  // namespace

AttachmentForce no_grip(const AttachmentState&, const double*) noexcept {
  return {Vec3::Zero(), 0.0, 0.0, Vec3::Zero(), false};
}

// f = -k q - c v between the anchors, which is exact for any motion of both: nothing is summed up, so nothing drifts.
// it breaks where |f.x|, |f.y| or the tension -f.m exceeds its limit.
AttachmentForce spring(const AttachmentState& g, const double* parameters) noexcept {
  const double k = parameters[0], c = parameters[1];
  if (!g.held) return support(g, k, c);
  const Vec3 f = -k * g.q_W - c * g.v_W;
  const bool breaks = std::abs(f.dot(g.e_W)) > parameters[2] || std::abs(f.dot(g.m_W.cross(g.e_W))) > parameters[3] ||
                      -f.dot(g.m_W) > parameters[4] || g.q_W.norm() > parameters[5];
  if (breaks) return let_go(g, k, c);
  return {f, 0.5 * k * g.q_W.squaredNorm(), c * g.v_W.squaredNorm(), Vec3::Zero(), false};
}

// frictional adhesion (Autumn, Dittmore, Santos, Spenko & Cutkosky 2006): what a pad holds in tension is in proportion
// to the shear T along its direction,
//   F_N >= -tan(alpha) T,   T <= F_max
// so it lets go by itself when it is pulled at more than alpha or the shear is taken away. it slides at F_max, and
// where it is dragged any other way it rubs with mu N alone.
AttachmentForce gecko(const AttachmentState& g, const double* parameters) noexcept {
  const double k = parameters[0], c = parameters[1], mu = parameters[2];
  if (!g.held) return support(g, k, c);
  const Vec3 t = g.q_W - g.q_W.dot(g.m_W) * g.m_W, v_t = g.v_W - g.v_W.dot(g.m_W) * g.m_W;
  const double size = t.norm(), along = size > 0.0 ? std::max(0.0, t.dot(g.e_W)) / size : 0.0;
  const double pressing = std::max(0.0, k * g.depth + c * g.depth_rate);
  const Drag shear = drag(t, v_t, k, c, mu * pressing + along * parameters[3], g.h);
  const double T = std::max(0.0, -shear.f_W.dot(g.e_W));
  const Pressed normal = press(g, k, c, steepest(parameters[4]) * T + parameters[5]);
  if (normal.gives || too_far(g, t, parameters[6])) return let_go(g, k, c);
  return gripped(g, k, t, shear, normal);
}

// a claw that hooks behind an asperity when it is pulled along its direction, and holds a tension of tan(alpha) times
// that load, as far as the asperity's flank leans; it slides free the other way, and yields at a load limit.
AttachmentForce claw(const AttachmentState& g, const double* parameters) noexcept {
  const double k = parameters[0], c = parameters[1], mu = parameters[2];
  if (!g.held) return support(g, k, c);
  const Vec3 t = g.q_W - g.q_W.dot(g.m_W) * g.m_W, v_t = g.v_W - g.v_W.dot(g.m_W) * g.m_W;
  const double pull = t.dot(g.e_W), v_e = v_t.dot(g.e_W);
  const bool hooked = pull > 0.0;
  const double pressing = std::max(0.0, k * g.depth + c * g.depth_rate);
  const Vec3 hook = hooked ? Vec3(pull * g.e_W) : Vec3(Vec3::Zero()),
             v_hook = hooked ? Vec3(v_e * g.e_W) : Vec3(Vec3::Zero());
  Drag load = drag(t - hook, v_t - v_hook, k, c, mu * pressing, g.h);
  const double T = hooked ? std::max(0.0, k * pull + c * v_e) : 0.0;
  load.t_W += hook;
  load.f_W -= T * g.e_W;
  load.heat += hooked ? std::max(0.0, (T - k * pull) * v_e) : 0.0;
  const Pressed normal = press(g, k, c, steepest(parameters[4]) * T);
  const double tension = std::max(0.0, -normal.force);
  const bool yields = T * T + tension * tension > parameters[3] * parameters[3];
  if (normal.gives || yields || too_far(g, t, parameters[5])) return let_go(g, k, c);
  return gripped(g, k, t, load, normal);
}

}  // namespace contactlib
