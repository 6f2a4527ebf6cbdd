// The contact models: stateful contacts of a foot with a wall, which attach, hold across a gap, and detach. A model is
// a function, an enum of its parameters, and its row in the table below.
#include <algorithm>
#include <cmath>

#include "math/elementary.hpp"
#include "normal.hpp"

namespace contactlib::law {

namespace {

// The force after a detachment: f = max(0, k x + c x') for as long as the shapes overlap.
AttachmentForce support(const AttachmentState& g, double k, double c) noexcept {
  if (!g.touches) return {Vec3::Zero(), 0.0, 0.0, Vec3::Zero(), false};
  const double x = g.depth;
  const NormalForce push = pushing(k * x + c * g.depth_rate, k * x, g.depth_rate, 0.5 * k * x * x);
  return {push.force * g.m_W, push.stored, push.heat, Vec3::Zero(), false};
}

// Detachment dissipates the energy that the attachment stored.
AttachmentForce detach(const AttachmentState& g, double k, double c) noexcept {
  AttachmentForce left = support(g, k, c);
  if (g.h > 0.0) left.heat += std::max(0.0, g.stored - left.stored) / g.h;
  left.ends = true;
  return left;
}

// The tangent of an angle; from a right angle on, every pull holds.
double tangent(double angle) noexcept { return angle < 1.5707 ? math::tan(angle) : 1e30; }

// A spring with a damper that slips where its force would exceed `limit`.
struct Drag {
  Vec3 t_W;  // m, deflection after slipping
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

// The normal force of a pad or a claw that holds a tension of at most `limit`: f = k x + c x', also where x < 0.
struct NormalPart {
  double force, heat;
  bool detaches;
};

NormalPart normal_part(const AttachmentState& g, double k, double c, double limit) noexcept {
  const double spring = k * g.depth, whole = spring + c * g.depth_rate;
  const double force = g.depth > 0.0 ? std::max(whole, -limit) : whole;
  return {force, (force - spring) * g.depth_rate, force < -limit};
}

AttachmentForce attached(const AttachmentState& g, double k, const Vec3& t, const Drag& along,
                         const NormalPart& across) noexcept {
  const double stored = 0.5 * k * (g.depth * g.depth + along.t_W.squaredNorm());
  const Vec3 slip = (t - along.t_W) + (g.q_W.dot(g.m_W) + g.depth) * g.m_W;
  return {along.f_W + across.force * g.m_W, stored, along.heat + across.heat, slip, false};
}

bool too_far(const AttachmentState& g, const Vec3& t, double separation) noexcept {
  return g.depth * g.depth + t.squaredNorm() > separation * separation;
}

AttachmentForce none(const AttachmentState&, const double*) noexcept {
  return {Vec3::Zero(), 0.0, 0.0, Vec3::Zero(), false};
}

// f = -k q - c v between the attachment points. The force follows from the present positions alone, so nothing drifts.
// The attachment breaks where |f.x|, |f.y| or the tension -f.m exceeds its limit.
struct Spring {
  enum : int { stiffness, damping, x_limit, y_limit, z_limit, separation, direction, count = direction + 3 };
};
AttachmentForce spring(const AttachmentState& g, const double* p) noexcept {
  const double k = p[Spring::stiffness], c = p[Spring::damping];
  if (!g.is_attached) return support(g, k, c);
  const Vec3 f = -k * g.q_W - c * g.v_W;
  const bool breaks = std::abs(f.dot(g.e_W)) > p[Spring::x_limit] ||
                      std::abs(f.dot(g.m_W.cross(g.e_W))) > p[Spring::y_limit] || -f.dot(g.m_W) > p[Spring::z_limit] ||
                      g.q_W.norm() > p[Spring::separation];
  if (breaks) return detach(g, k, c);
  return {f, 0.5 * k * g.q_W.squaredNorm(), c * g.v_W.squaredNorm(), Vec3::Zero(), false};
}

// Frictional adhesion (Autumn, Dittmore, Santos, Spenko and Cutkosky 2006): the tension that a pad holds is
// proportional to the shear T along its direction,
//   F_N >= -tan(alpha) T,   T <= F_max
// The pad detaches when the pull exceeds the angle alpha or the shear ends. It slides at F_max. In all other directions
// it has the friction mu N alone.
struct Gecko {
  enum : int {
    stiffness,
    damping,
    mu,
    shear_limit,
    detachment_angle,
    pull_off,
    separation,
    direction,
    count = direction + 3
  };
};
AttachmentForce gecko(const AttachmentState& g, const double* p) noexcept {
  const double k = p[Gecko::stiffness], c = p[Gecko::damping], mu = p[Gecko::mu];
  if (!g.is_attached) return support(g, k, c);
  const Vec3 t = g.q_W - g.q_W.dot(g.m_W) * g.m_W, v_t = g.v_W - g.v_W.dot(g.m_W) * g.m_W;
  const double size = t.norm(), along = size > 0.0 ? std::max(0.0, t.dot(g.e_W)) / size : 0.0;
  const double pressing = std::max(0.0, k * g.depth + c * g.depth_rate);
  const Drag shear = drag(t, v_t, k, c, mu * pressing + along * p[Gecko::shear_limit], g.h);
  const double T = std::max(0.0, -shear.f_W.dot(g.e_W));
  const NormalPart normal = normal_part(g, k, c, tangent(p[Gecko::detachment_angle]) * T + p[Gecko::pull_off]);
  if (normal.detaches || too_far(g, t, p[Gecko::separation])) return detach(g, k, c);
  return attached(g, k, t, shear, normal);
}

// A claw hooks behind an asperity when it is pulled along its direction. It then holds a tension of tan(alpha) times
// that load, where alpha is the slope of the asperity. It slides in the opposite direction, and yields at a load limit.
struct Claw {
  enum : int { stiffness, damping, mu, load_limit, pull_out_angle, separation, direction, count = direction + 3 };
};
AttachmentForce claw(const AttachmentState& g, const double* p) noexcept {
  const double k = p[Claw::stiffness], c = p[Claw::damping], mu = p[Claw::mu];
  if (!g.is_attached) return support(g, k, c);
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
  const NormalPart normal = normal_part(g, k, c, tangent(p[Claw::pull_out_angle]) * T);
  const double tension = std::max(0.0, -normal.force);
  const bool yields = T * T + tension * tension > p[Claw::load_limit] * p[Claw::load_limit];
  if (normal.detaches || yields || too_far(g, t, p[Claw::separation])) return detach(g, k, c);
  return attached(g, k, t, load, normal);
}

constexpr double never = 1e30;

}  // namespace

// clang-format off
constexpr ModelRow contact_models[] = {
  {"none",   {none, false},  0, {}},
  {"spring", {spring, true}, Spring::count, {
    {Spring::stiffness,       "stiffness",    "N/m",   0, true,  "stiffness k of the attachment in every direction"},
    {Spring::damping,         "damping",      "N.s/m", 0, false, "damping c of the attachment in every direction", 0},
    {Spring::x_limit,         "x_limit",      "N",     0, false, "force along the direction x that breaks the attachment", never},
    {Spring::y_limit,         "y_limit",      "N",     0, false, "force across the direction x in the contact plane that breaks the attachment", never},
    {Spring::z_limit,         "z_limit",      "N",     0, false, "tension that breaks the attachment", never},
    {Spring::separation,      "separation",   "m",     0, true,  "distance of the attachment points that breaks the attachment", never},
    {Spring::direction,       "direction[1]", "1", unbounded, false, "direction x in the axes of the foot's shape, component x", 1},
    {Spring::direction + 1,   "direction[2]", "1", unbounded, false, "direction x in the axes of the foot's shape, component y", 0},
    {Spring::direction + 2,   "direction[3]", "1", unbounded, false, "direction x in the axes of the foot's shape, component z", 0}}},
  {"gecko",  {gecko, false}, Gecko::count, {
    {Gecko::stiffness,        "stiffness",    "N/m",   0, true,  "stiffness k of the pad in every direction"},
    {Gecko::damping,          "damping",      "N.s/m", 0, false, "damping c of the pad in every direction", 0},
    {Gecko::mu,               "mu",           "1",     0, false, "friction coefficient of the pad under pressure", 0},
    {Gecko::shear_limit,      "shear_limit",  "N",     0, false, "force along the pad's direction at which the pad slides"},
    {Gecko::detachment_angle, "detachment_angle", "rad", 0, false, "angle of the pull to the wall above which the pad detaches"},
    {Gecko::pull_off,         "pull_off",     "N",     0, false, "tension that the pad holds without shear", 0},
    {Gecko::separation,       "separation",   "m",     0, true,  "distance of the attachment points that ends the contact", never},
    {Gecko::direction,        "direction[1]", "1", unbounded, false, "direction of the pad's adhesion in the axes of the foot's shape, component x", 1},
    {Gecko::direction + 1,    "direction[2]", "1", unbounded, false, "direction of the pad's adhesion in the axes of the foot's shape, component y", 0},
    {Gecko::direction + 2,    "direction[3]", "1", unbounded, false, "direction of the pad's adhesion in the axes of the foot's shape, component z", 0}}},
  {"claw",   {claw, false},  Claw::count, {
    {Claw::stiffness,         "stiffness",    "N/m",   0, true,  "stiffness k of the claw in every direction"},
    {Claw::damping,           "damping",      "N.s/m", 0, false, "damping c of the claw in every direction", 0},
    {Claw::mu,                "mu",           "1",     0, false, "friction coefficient of the unhooked claw", 0},
    {Claw::load_limit,        "load_limit",   "N",     0, false, "load at which the claw or the asperity yields", never},
    {Claw::pull_out_angle,    "pull_out_angle", "rad", 0, false, "angle of the pull to the wall above which the claw unhooks"},
    {Claw::separation,        "separation",   "m",     0, true,  "distance of the attachment points that ends the contact", never},
    {Claw::direction,         "direction[1]", "1", unbounded, false, "direction of the claw's hook in the axes of the foot's shape, component x", 1},
    {Claw::direction + 1,     "direction[2]", "1", unbounded, false, "direction of the claw's hook in the axes of the foot's shape, component y", 0},
    {Claw::direction + 2,     "direction[3]", "1", unbounded, false, "direction of the claw's hook in the axes of the foot's shape, component z", 0}}},
};
// clang-format on
const int contact_model_count = sizeof contact_models / sizeof contact_models[0];
static_assert(matches_enums(contact_models));

}  // namespace contactlib::law
