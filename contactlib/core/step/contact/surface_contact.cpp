#include "surface_contact.hpp"

#include <algorithm>
#include <cmath>

#include "eight_sums.hpp"
#include "math/rotation.hpp"
#include "surface_friction.hpp"
#include "surface_patches.hpp"

namespace contactlib::step {

using geometry::Reference, geometry::Shape, geometry::all_round, geometry::no_resultant;
using law::AdhesionForce, law::LawParameters, law::NormalForce, law::NormalInput, law::RollingTorque,
    law::adhesion_laws, law::friction_laws, law::no_law, law::normal_laws, law::rolling_laws;
using math::SmallestRotation, math::cross, math::dot, math::greater, math::lesser, math::in_all_lanes, math::in_lanes,
    math::lanes, math::load, math::store;
using model::BodyState, model::Law;

namespace {

// f(Phi) and the damping c of a normal law f(Phi) + c r
struct LawAtDepth {
  NormalForce spring;
  double damping;
};

// S and S' are those of the sharpness 2, for a law that needs a surface.
NormalInput input_at(const Law& row, const Reference& reference, double phi, double rate) noexcept {
  NormalInput in{phi, rate, {row.curve.data(), row.curve.size()}};
  if (!law::needs_surface(row.normal)) return in;
  in.extent2 = phi * phi * (reference.area + reference.line * std::sqrt(phi) + reference.ball * phi);
  in.extent2_slope = 2.0 * phi * geometry::area_at(reference, 2, phi);
  return in;
}

LawAtDepth law_at(const Law& row, const LawParameters& parameters, const Reference& reference, double phi) noexcept {
  const auto force = [&](double rate) {
    return normal_laws[row.normal].force(input_at(row, reference, phi, rate), parameters.normal);
  };
  const NormalForce spring = force(0.0);
  return {spring, force(1.0).force - spring.force};
}

// Phi' = int w e'. Sums of  w e',  w chi^2 e',  w chi^2,  w,  w x,  w n
enum : int { rate, faced_rate, facing, weight, weighted_x, pull_x = 7, closing_sums = 10 };
struct Closing {
  template <class Lanes>
  static void run(SurfacePoints* p, const Twist* V, EightSums<closing_sums>* out) noexcept {
    const Lanes3<Lanes> v = in_all_lanes<Lanes>(V->linear), turn = in_all_lanes<Lanes>(V->angular);
    for (std::size_t i = 0; i < p->count; i += lanes<Lanes>) {
      const Lanes3<Lanes> x = place<Lanes>(*p, i), n = normal<Lanes>(*p, i);
      const Lanes chi = load<Lanes>(&p->facing[i]), w = load<Lanes>(&p->weight[i]);
      const Lanes closes = -w * dot(n, v + cross(turn, x)), chi2 = chi * chi;
      add_to<Lanes>(*out, rate, i % 8, closes), add_to<Lanes>(*out, faced_rate, i % 8, Lanes(chi2 * closes));
      add_to<Lanes>(*out, facing, i % 8, Lanes(w * chi2));
      add_to<Lanes>(*out, weight, i % 8, w);
      add_to<Lanes>(*out, weighted_x, i % 8, w * x), add_to<Lanes>(*out, pull_x, i % 8, w * n);
    }
  }
};

// Sums with D = w chi^2 and s = n.N, N the direction of the resultant:  D s,  D s^2,  D s x,  D s^2 x
enum : int { sided, sided2, sided_x, sided2_x = 5, side_sums = 8 };
struct Sides {
  template <class Lanes>
  static void run(SurfacePoints* p, const Vec3* resultant, EightSums<side_sums>* out) noexcept {
    const Lanes3<Lanes> N = in_all_lanes<Lanes>(*resultant);
    for (std::size_t i = 0; i < p->count; i += lanes<Lanes>) {
      const Lanes3<Lanes> x = place<Lanes>(*p, i);
      const Lanes chi = load<Lanes>(&p->facing[i]), s = dot(normal<Lanes>(*p, i), N);
      const Lanes Ds = load<Lanes>(&p->weight[i]) * chi * chi * s, Ds2 = Ds * s;
      add_to<Lanes>(*out, sided, i % 8, Ds), add_to<Lanes>(*out, sided2, i % 8, Ds2);
      add_to<Lanes>(*out, sided_x, i % 8, Ds * x), add_to<Lanes>(*out, sided2_x, i % 8, Ds2 * x);
    }
  }
};

// The law over the points: forces, about the origin. The damping c r, r the mean closing speed, has the form of the spring,
// along n. That of rocking is a couple along N: with the rate u = -s N.(turn x x) at which a place closes by turning,
//   r_turn = u - a - b s,  a and b such that  sum D r_turn = sum D r_turn s = 0
// acts along s N. It resists neither a motion that changes Phi, which c r does, nor a translation: a round solid that
// slides is not braked. It dissipates  sum D r_turn^2.  A contact all round has no N; there all rates along n count.
struct Pressing {
  double spring, damping;  // N; N s/m
  double mean;             // m/s, r
  double rocking;          // p - 1
  bool all_round;
  Vec3 N;
  double a, b;  // m/s; a contact all round has a alone
};
// Of the variance of s: below it all places are on one side.
constexpr double one_sided = 1e-6;

Pressing pressing_of(SurfacePoints& points, const LawAtDepth& law, const Twist& V, int sharpness, double mean,
                     double faces, double faced_mean, const Vec3& pull, double weight) noexcept {
  const double size = pull.norm();
  Pressing out{law.spring.force, law.damping, mean, sharpness - 1.0, !(size > all_round * weight),
               Vec3::UnitZ(),    faced_mean,  0.0};
  if (out.all_round || law.damping == 0.0 || !(faces > 0.0)) return out;
  out.N = pull / size;
  EightSums<side_sums> sums;
  in_lanes<Sides>(points.count, &points, &out.N, &sums);
  const auto closes = [&](const Vec3& x) { return -out.N.dot(V.angular.cross(x)); };
  const double s = sums.total(sided) / faces, variance = sums.total(sided2) / faces - s * s;
  const double u = closes(sums.vector(sided_x)) / faces, su = closes(sums.vector(sided2_x)) / faces;
  if (variance > one_sided) out.b = (su - s * u) / variance;
  out.a = u - out.b * s;
  return out;
}

enum : int { force, couple = 3, middle = 6, total = 9, heat, pull_couple, pressing_sums = 14 };
// With `forces`, for a query, also stores the force on B at each point.
template <bool forces>
struct Loads {
  template <class Lanes>
  static void run(SurfacePoints* p, const Pressing* law, const Twist* V, EightSums<pressing_sums>* out,
                  SurfacePoints* at_points) noexcept {
    const Lanes none = {}, mean = law->mean - none, f = law->spring - none, c = law->damping - none;
    const Lanes3<Lanes> v = in_all_lanes<Lanes>(V->linear), turn = in_all_lanes<Lanes>(V->angular);
    const Lanes3<Lanes> N = in_all_lanes<Lanes>(law->N);
    const Lanes a = law->a - none, b = law->b - none;
    for (std::size_t i = 0; i < p->count; i += lanes<Lanes>) {
      const Lanes3<Lanes> x = place<Lanes>(*p, i), n = normal<Lanes>(*p, i), at = v + cross(turn, x);
      const Lanes s = dot(n, N);
      const Lanes3<Lanes> m = law->all_round ? n : s * N;
      const Lanes chi = load<Lanes>(&p->facing[i]), w = load<Lanes>(&p->weight[i]);
      const Lanes closes = none - dot(n, at), spring = w * f, of_chi = w * chi * chi * c;
      const Lanes rocks = law->all_round ? Lanes(closes - a) : Lanes(none - s * dot(N, cross(turn, x)) - a - b * s);
      const Lanes rocking = law->rocking * of_chi * rocks;
      const Lanes pressed = greater<Lanes>(none, Lanes(spring + w * c * mean + rocking));
      const Lanes along = lesser<Lanes>(pressed, greater<Lanes>(none - pressed, rocking));  // N, along m
      store(&p->load[i], pressed);
      const Lanes lost = (pressed - along - spring) * closes - along * dot(m, at);
      add_to<Lanes>(*out, heat, i % 8, lost);
      const Lanes3<Lanes> on_b = (pressed - along) * n + along * m;
      if constexpr (forces)
        store(&at_points->x[i], on_b.x), store(&at_points->y[i], on_b.y), store(&at_points->z[i], on_b.z);
      add_to<Lanes>(*out, force, i % 8, on_b), add_to<Lanes>(*out, couple, i % 8, cross(x, on_b));
      add_to<Lanes>(*out, middle, i % 8, pressed * x), add_to<Lanes>(*out, total, i % 8, pressed);
      add_to<Lanes>(*out, pull_couple, i % 8, cross(x, w * n));
    }
  }
};

// What the points add up to.
struct Pressed {
  Vec3 force, couple, pull, pull_couple, centre;
  double total, rate, heat, weight;
  Pressing law;
};

Pressed press(SurfacePoints& points, const LawAtDepth& law, const Twist& V, int sharpness) noexcept {
  EightSums<closing_sums> closing;
  in_lanes<Closing>(points.count, &points, &V, &closing);
  const double faces = closing.total(facing), faced_mean = faces > 0.0 ? closing.total(faced_rate) / faces : 0.0;
  const Vec3 pull = closing.vector(pull_x);
  const double w = closing.total(weight), mean = w > 0.0 ? closing.total(rate) / w : 0.0;
  const Pressing pressing = pressing_of(points, law, V, sharpness, mean, faces, faced_mean, pull, w);
  EightSums<pressing_sums> sums;
  in_lanes<Loads<false>>(points.count, &points, &pressing, &V, &sums, &points);
  const double all = sums.total(total);
  return {sums.vector(force),
          sums.vector(couple),
          pull,
          sums.vector(pull_couple),
          all > 0.0 ? Vec3(sums.vector(middle) / all) : Vec3(closing.vector(weighted_x) / w),
          all,
          closing.total(rate),
          law.damping != 0.0 ? std::max(0.0, sums.total(heat)) : 0.0,
          w,
          pressing};
}

// The points that rub, with their shares, from the centre of pressure: all loads rub alike if no surface faces the other
// one, as of the edge of a sheet.
void find_sliding(const SurfacePoints& all, const Vec3& centre, SurfacePoints& out) noexcept {
  std::size_t count = 0;
  double sum = 0.0;
  const bool faces = std::any_of(all.facing.begin(), all.facing.begin() + static_cast<std::ptrdiff_t>(all.count),
                                 [](double chi) { return chi > 0.0; });
  for (std::size_t i = 0; i < all.count; ++i) {
    const double share = faces ? all.load[i] * all.facing[i] : all.load[i];
    if (!(share > 0.0)) continue;
    out.x[count] = all.x[i] - centre[0], out.y[count] = all.y[i] - centre[1], out.z[count] = all.z[i] - centre[2];
    out.nx[count] = all.nx[i], out.ny[count] = all.ny[i], out.nz[count] = all.nz[i];
    out.share[count++] = share, sum += share;
  }
  for (std::size_t i = 0; i < count; ++i) out.share[i] /= sum;
  for (; count % 8 != 0; ++count)
    out.x[count] = out.y[count] = out.z[count] = out.nx[count] = out.ny[count] = out.nz[count] = out.share[count] = 0.0;
  out.count = count;
}

// Body and field axes of a contact.
struct Frames {
  Mat3 R_WF;
  Vec3 p_AF_W;  // m, from body A's origin to that of the field's axes

  Frames(const ContactBuilder& b, const Shape& A, const geometry::FieldFrame& frame) noexcept {
    const Mat3& R_WA = b.data.R_WB[A.body];
    const Mat3 R_WS = A.turned ? Mat3(R_WA * A.R_BS) : R_WA;
    R_WF = frame.is_of_a ? R_WS : Mat3(R_WS * frame.R_AF);
    p_AF_W = frame.is_of_a ? b.p_AS_W : Vec3(b.p_AS_W + R_WS * frame.p_AF_A);
  }
};

// The velocities of B against A in the field's axes, about their origin. The differences are taken first, so that orbital
// speeds cancel.
Twist twist_of(const ContactBuilder& b, const BodyState& A, const BodyState& B, const Frames& frames) noexcept {
  const Vec3 v_W = (B.v_WB - A.v_WB) + (B.w_WB.cross(frames.p_AF_W - b.r_AB_W) - A.w_WB.cross(frames.p_AF_W));
  return {frames.R_WF.transpose() * v_W, frames.R_WF.transpose() * (B.w_WB - A.w_WB)};
}

Twist about(const Twist& twist, const Vec3& x) noexcept {
  return {twist.linear + twist.angular.cross(x), twist.angular};
}

// The bristles before the step, in world axes, about the present centre of pressure. They follow half of the relative
// rotation of A and B, and the normal by the smallest rotation; in a contact all round only the former.
Twist recalled(const ContactBuilder& b, const Memory& old, const Contact& c) noexcept {
  const Mat3& R_WB = b.data.R_WB[c.body_b];
  const Vec3 w_AB_W = b.data.bodies()[c.body_b].w_WB - b.data.bodies()[c.body_a].w_WB;
  Twist bent{R_WB * old.z_B, R_WB * old.turn_B};
  Vec3 back = -0.5 * b.h * w_AB_W;
  // a normal that has turned round has no smallest rotation
  if (c.feature == 0 && old.feature == 0.0 && (R_WB * old.n_B).dot(c.n_AB_W) > 0.0) {
    const SmallestRotation to_n(R_WB * old.n_B, c.n_AB_W);
    bent = {to_n * bent.linear, to_n * bent.angular};
    back = back.dot(c.n_AB_W) * c.n_AB_W;
  }
  bent.linear += back.cross(bent.linear), bent.angular += back.cross(bent.angular);
  bent.linear += bent.angular.cross(c.p_BC_W - R_WB * old.p_BC);
  return bent;
}

SlidingPoints sliding_points(const ContactBuilder& b, const SurfacePoints& points, const Law& row, const Contact& c,
                             const Mat3& R_WF) noexcept {
  const law::Grain grain = friction_laws[row.friction].force.grain
                               ? friction_laws[row.friction].force.grain(b.data.laws()[b.law].friction)
                               : law::Grain{};
  const Shape& grained = b.model.grained(c.pair, b.model.shapes[b.shape_a], b.model.shapes[b.shape_b]);
  const Vec3 direction = R_WF.transpose() * (b.data.R_WB[grained.body] * (grained.R_BS * grain.direction));
  return {points, grain.across2, grain.along2 - grain.across2, direction};
}

SurfaceFriction apply_friction(const ContactBuilder& b, SurfaceScratch& scratch, const Memory* old,
                               const Frames& frames, const Pressed& pressed, const Twist& V, Contact& c) noexcept {
  const Law& row = b.model.laws[b.law];
  find_sliding(scratch.points, pressed.centre, scratch.sliding);
  const Twist bent_W = old ? recalled(b, *old, c) : Twist{Vec3::Zero(), Vec3::Zero()};
  const Mat3 R_FW = frames.R_WF.transpose();
  SurfaceBristles bristles{
      {R_FW * bent_W.linear, R_FW * bent_W.angular}, old ? old->stretch : 0.0, old && old->slipping != 0.0};
  Twist moved = about(V, pressed.centre);
  if (b.data.trial.verlet) {  // bodies moved at the mean of both velocities
    const Twist before = twist_of(b, b.data.before[c.body_a], b.data.before[c.body_b], frames);
    moved = (moved + about(before, pressed.centre)) * 0.5;
  }
  moved = moved * b.h;
  const SurfaceFriction found =
      rub(sliding_points(b, scratch.sliding, row, c, frames.R_WF), friction_laws[row.friction],
          b.data.laws()[b.law].friction, pressed.total, about(V, pressed.centre), moved, b.h, bristles);
  c.slipping = bristles.slipping;
  // only what is added is turned, so that bristles that hold are not rounded in each step
  c.z_W = bristles.kept * bent_W.linear + bristles.added * (frames.R_WF * moved.linear);
  c.turn_W = bristles.kept * bent_W.angular + bristles.added * (frames.R_WF * moved.angular);
  c.stretch = bristles.stretch;
  return found;
}

RollingTorque apply_rolling(const ContactBuilder& b, const Memory* old, double phi, double load, Contact& c) noexcept {
  const Law& row = b.model.laws[b.law];
  const Vec3 w_AB_W = b.data.bodies()[c.body_b].w_WB - b.data.bodies()[c.body_a].w_WB;
  if (old && (b.data.R_WB[c.body_b] * old->n_B).dot(c.n_AB_W) > 0.0) {
    const Mat3& R_WB = b.data.R_WB[c.body_b];
    const Vec3 s_W = SmallestRotation(R_WB * old->n_B, c.n_AB_W) * (R_WB * old->s_B);
    c.s_W = s_W - 0.5 * b.h * w_AB_W.dot(c.n_AB_W) * c.n_AB_W.cross(s_W);
  }
  return rolling_laws[row.rolling].force({w_AB_W, c.n_AB_W, load, phi}, b.h, b.data.laws()[b.law].rolling, c.s_W);
}

void begin(const ContactBuilder& b, const Memory* old, Contact& c) noexcept {
  c.pair = b.pair;
  c.shape_a = b.shape_a, c.shape_b = b.shape_b;
  c.body_a = b.model.shapes[b.shape_a].body, c.body_b = b.model.shapes[b.shape_b].body;
  c.slipping = 0;
  c.law = b.law;
  c.phase = old ? state::Phase::lasts : state::Phase::begins;
  c.apart = 0, c.surface = 1, c.reserved = 0;
  c.z_W = c.turn_W = c.s_W = Vec3::Zero();
  c.stretch = 0.0;
  c.age = old ? old->age + b.h : 0.0;
}

// Where the contact is: its line of action, seen as one point.
void place(const ContactBuilder& b, const Frames& frames, const SurfaceScratch& scratch, const Depth& depth,
           const Pressed& pressed, const Twist& V, Contact& c) noexcept {
  const double resultant = pressed.pull.norm();
  c.feature = resultant > all_round * pressed.weight ? 0 : 1;
  const SurfacePoints& p = scratch.points;
  const Vec3 n =
      resultant > no_resultant * pressed.weight ? Vec3(pressed.pull / resultant) : Vec3(p.nx[0], p.ny[0], p.nz[0]);
  c.n_AB_W = frames.R_WF * n;
  c.p_AC_W = frames.p_AF_W + frames.R_WF * pressed.centre;
  c.p_BC_W = c.p_AC_W - b.r_AB_W;
  c.depth = depth.deepest;
  c.depth_rate = pressed.rate;
  c.load_share = resultant * depth.phi / depth.deepest;
  c.v_AB_W = frames.R_WF * about(V, pressed.centre).linear;
  c.area = depth.area;
  c.reference_area = geometry::area_at(scratch.reference, scratch.sharpness, depth.phi);
}

// For a query.
void report(SurfaceScratch& scratch, const Depth& depth, const Frames& frames, const Pressed& pressed, const Twist& V,
            double adhesion, state::PatchQuery& query) noexcept {
  SurfacePoints& points = scratch.points;
  try {
    if (query.forces.x.size() < points.x.size()) query.forces.resize(points.x.size());
  } catch (...) {
    query.failed = true;
    return;
  }
  EightSums<pressing_sums> sums;
  SurfacePoints& forces = query.forces;
  in_lanes<Loads<true>>(points.count, &points, &pressed.law, &V, &sums, &forces);
  for (std::size_t i = 0; i < points.count; ++i) {
    const double pull = adhesion * points.weight[i];
    forces.x[i] -= pull * points.nx[i], forces.y[i] -= pull * points.ny[i], forces.z[i] -= pull * points.nz[i];
  }
  add_patches(scratch, depth, frames.R_WF, frames.p_AF_W, query);
}

}  // namespace

void build_surface_contact(const ContactBuilder& b, SurfaceScratch& scratch, const Depth& depth, const Memory* old,
                           Contact& c) noexcept {
  const Law& row = b.model.laws[b.law];
  const LawParameters& parameters = b.data.laws()[b.law];
  begin(b, old, c);
  const Frames frames(b, b.model.shapes[b.shape_a], scratch.frame);
  const Twist V = twist_of(b, b.data.bodies()[c.body_a], b.data.bodies()[c.body_b], frames);
  const LawAtDepth law = law_at(row, parameters, scratch.reference, depth.phi);
  expand(depth, scratch);
  const Pressed pressed = press(scratch.points, law, V, scratch.sharpness);
  place(b, frames, scratch, depth, pressed, V, c);
  AdhesionForce adhesion{0.0, 0.0};
  const NormalInput input = input_at(row, scratch.reference, depth.phi, pressed.rate);
  if (row.adhesion != no_law) adhesion = adhesion_laws[row.adhesion].force(input, parameters.adhesion);
  if (b.data.patch_query) report(scratch, depth, frames, pressed, V, adhesion.force, *b.data.patch_query);
  SurfaceFriction friction{{Vec3::Zero(), Vec3::Zero()}, 0.0, 0.0};
  if (row.friction != no_law) friction = apply_friction(b, scratch, old, frames, pressed, V, c);
  RollingTorque rolling{Vec3::Zero(), 0.0, 0.0};
  if (row.rolling != no_law) rolling = apply_rolling(b, old, depth.phi, pressed.total, c);
  const Vec3 force = pressed.force - adhesion.force * pressed.pull;
  const Vec3 couple = pressed.couple - adhesion.force * pressed.pull_couple - pressed.centre.cross(force);
  c.normal_force = pressed.total - adhesion.force;
  c.f_B_W = frames.R_WF * (force + friction.wrench.linear);
  c.t_B_W = frames.R_WF * (couple + friction.wrench.angular) + rolling.t_W;
  c.stored_energy = law.spring.stored + adhesion.stored + friction.stored + rolling.stored;
  c.heat = pressed.heat + friction.heat + rolling.heat;
}

}  // namespace contactlib::step
