#include "step.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "element/elements.hpp"
#include "geometry/pairs.hpp"
#include "motion.hpp"
#include "rotation.hpp"

namespace contactlib {

namespace {

void place_shapes(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) data.R_WB[i] = matrix(data.bodies()[i].q_WB);
  for (std::size_t i = 0; i < model.shapes.size(); ++i) {
    const Shape& shape = model.shapes[i];
    data.R_WS[i] = data.R_WB[shape.body] * shape.R_BS;
    data.placed[i].p_BS_W = data.R_WB[shape.body] * shape.p_BS;
  }
}

// what friction remembers of a contact: the bristle and the normal it stood on, turned with body B.
struct Recalled {
  const Memory* memory = nullptr;
  Vec3 n_W;
};

// the memory of a contact among those of its pair: the same feature, or for roaming ones the nearest normal; and never
// one whose surface faces the other way.
Recalled find(const Memory* first, const Memory* last, const ManifoldPoint& point, const Mat3& R_WB) noexcept {
  Recalled found;
  double nearest = 0.0;
  for (; first != last; ++first) {
    const bool same = point.feature >= roaming ? first->feature >= roaming : first->feature == point.feature;
    if (!same) continue;
    const Vec3 n_W = R_WB * first->n_B;
    const double cosine = n_W.dot(point.n_AB_W);
    if (cosine > nearest) nearest = cosine, found.memory = first, found.n_W = n_W;
  }
  return found;
}

// the bristle in the contact plane of now: by the smallest rotation from the plane of then, and about the normal by
// half of the spin of A against B.
Bristle recall(const Recalled& old, const Mat3& R_WB, const Vec3& n_W, double spin) noexcept {
  if (!old.memory) return {Vec3::Zero(), false};
  Vec3 z_W = carried(R_WB * old.memory->z_B, old.n_W, n_W);
  z_W += 0.5 * spin * n_W.cross(z_W);
  z_W -= z_W.dot(n_W) * n_W;
  return {z_W, old.memory->slipping != 0.0};
}

struct Touch {
  const Model& model;
  Data& data;
  double h;

  // kinematics of the touching points, then normal law, then friction.
  void make(std::uint32_t pair_index, const Bucket& bucket, const Vec3& r_AB_W, const ManifoldPoint& point,
            const Recalled& old, Contact& c) const noexcept {
    const Pair& pair = model.pairs[pair_index];
    const Law& law = model.laws[pair.law];
    const LawParameters& parameters = data.laws()[pair.law];
    const BodyState& A = data.bodies()[bucket.body_a];
    const BodyState& B = data.bodies()[bucket.body_b];
    const Vec3& n = point.n_AB_W;

    c.pair = static_cast<std::int32_t>(pair_index);
    c.feature = point.feature;
    c.shape_a = pair.shape_a;
    c.shape_b = pair.shape_b;
    c.body_a = bucket.body_a;
    c.body_b = bucket.body_b;
    c.reserved = 0;
    c.n_AB_W = n;
    c.depth = point.depth;
    c.p_AC_W = data.placed[pair.shape_a].p_BS_W + point.p_AC_W;
    c.p_BC_W = c.p_AC_W - r_AB_W;
    // v = v_B + w_B x p_BC - v_A - w_A x p_AC; differences first: orbital speeds cancel before anything is added
    c.v_AB_W = (B.v_WB - A.v_WB) + (B.w_WB.cross(c.p_BC_W) - A.w_WB.cross(c.p_AC_W));
    const double apart = c.v_AB_W.dot(n);
    c.depth_rate = -apart;

    const NormalForce normal = normal_laws[law.normal].force(c.depth, c.depth_rate, parameters.normal);
    Bristle bristle = recall(old, data.R_WB[bucket.body_b], n, h * (A.w_WB - B.w_WB).dot(n));
    const Sliding sliding{c.v_AB_W - apart * n, normal.force, h};
    const FrictionForce friction = friction_laws[law.friction].force(sliding, parameters.friction, bristle);
    c.normal_force = normal.force;
    c.f_B_W = normal.force * n + friction.f_t_W;
    c.stored_energy = normal.stored + friction.stored;
    c.slipping = bristle.slipping;
    c.z_W = bristle.z_W;
  }
};

constexpr double infinity = std::numeric_limits<double>::infinity();

// pairs of a bucket whose bounding balls meet, in order. no branch depends on the outcome.
std::size_t find_candidates(const Model& model, Data& data, const Bucket& bucket, const Vec3& r_AB_W) noexcept {
  const Pair* const pairs = model.pairs.data();
  const Placed* const placed = data.placed.data();
  std::uint32_t* const candidates = data.candidates.data();
  const double x = r_AB_W[0], y = r_AB_W[1], z = r_AB_W[2];
  std::size_t count = 0;
  for (std::size_t i = bucket.first; i < bucket.last; ++i) {
    const Placed& A = placed[pairs[i].shape_a];
    const Placed& B = placed[pairs[i].shape_b];
    const double dx = x + (B.p_BS_W[0] - A.p_BS_W[0]), dy = y + (B.p_BS_W[1] - A.p_BS_W[1]),
                 dz = z + (B.p_BS_W[2] - A.p_BS_W[2]), reach = A.bound + B.bound;
    candidates[count] = static_cast<std::uint32_t>(i);
    // the ball of a plane holds everything, however far
    count += (dx * dx + dy * dy + dz * dz < reach * reach) | (reach == infinity);
  }
  return count;
}

// one bucket after the other. `memory` moves on with the pairs.
void find_contacts(const Model& model, Data& data, double h) noexcept {
  const Touch touch{model, data, h};
  const BodyState* const bodies = data.bodies();
  const Memory* memory = data.memory();
  const Memory* const end = memory + static_cast<std::size_t>(data.globals().memory_count);
  data.count = 0;
  for (const Bucket& bucket : model.buckets) {
    const Kernel kernel = pair_row(bucket.row).kernel;
    // the bodies' difference first: far from the world's origin it costs no digits
    const Vec3 r_AB_W = bodies[bucket.body_b].r_WB - bodies[bucket.body_a].r_WB;
    const std::size_t candidates = find_candidates(model, data, bucket, r_AB_W);
    for (std::size_t k = 0; k < candidates; ++k) {
      const std::uint32_t index = data.candidates[k];
      const Pair& pair = model.pairs[index];
      const Vec3 p_AB_W = r_AB_W + (data.placed[pair.shape_b].p_BS_W - data.placed[pair.shape_a].p_BS_W);
      Manifold manifold;
      kernel(model.shapes[pair.shape_a], model.shapes[pair.shape_b],
             {data.R_WS[pair.shape_a], data.R_WS[pair.shape_b], p_AB_W}, manifold);
      if (manifold.count == 0) continue;
      while (memory != end && memory->pair < index) ++memory;
      const Memory* last = memory;
      while (last != end && last->pair == index) ++last;
      for (int i = 0; i < manifold.count; ++i) {
        const Recalled old = find(memory, last, manifold.points[i], data.R_WB[bucket.body_b]);
        touch.make(index, bucket, r_AB_W, manifold.points[i], old, data.contacts[data.count++]);
      }
    }
  }
}

// forces on both bodies at the same point, in contact order: momentum is kept and every run adds up alike.
void sum_wrenches(const Model& model, Data& data) noexcept {
  Wrench* wrenches = data.wrenches_W();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) wrenches[i] = {Vec3::Zero(), Vec3::Zero()};
  for (std::size_t i = 0; i < data.count; ++i) {
    const Contact& c = data.contacts[i];
    wrenches[c.body_a].force -= c.f_B_W;
    wrenches[c.body_a].torque -= c.p_AC_W.cross(c.f_B_W);
    wrenches[c.body_b].force += c.f_B_W;
    wrenches[c.body_b].torque += c.p_BC_W.cross(c.f_B_W);
  }
}

Status check_wrenches(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Wrench& w = data.wrenches_W()[i];
    if (!w.force.allFinite() || !w.torque.allFinite()) return {Code::not_finite, static_cast<std::int32_t>(i)};
  }
  return {};
}

Status contacts_and_wrenches(const Model& model, Data& data, double h) noexcept {
  place_shapes(model, data);
  find_contacts(model, data, h);
  sum_wrenches(model, data);
  for (int i = 0; i < element_row_count; ++i)
    if (Status status = element_rows()[i].step(model, data, h); !status) return status;
  return check_wrenches(model, data);
}

void remember(Data& data) noexcept {
  Memory* memory = data.memory();
  for (std::size_t i = 0; i < data.count; ++i) {
    const Contact& c = data.contacts[i];
    const Mat3& R_WB = data.R_WB[c.body_b];
    memory[i] = {static_cast<double>(c.pair), static_cast<double>(c.feature), static_cast<double>(c.slipping),
                 R_WB.transpose() * c.z_W, R_WB.transpose() * c.n_AB_W};
  }
  data.globals().memory_count = static_cast<double>(data.count);
}

void keep_start(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    data.before[i] = data.bodies()[i];
    data.wrenches_before[i] = data.wrenches_W()[i];
  }
}

// what a sub-step takes from the bodies: minus the wrench times the mean velocity. semi-implicit euler applies the
// wrench of the start, and then this is the change of kinetic energy itself; otherwise the trapezoid rule.
void add_work(const Model& model, Data& data, double h, bool start_wrench) noexcept {
  double power = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyState &s0 = data.before[i], &s1 = data.bodies()[i];
    const Wrench &w0 = data.wrenches_before[i], &w1 = data.wrenches_W()[i];
    const double keep = start_wrench ? 1.0 : 0.5;
    power += (keep * w0.force + (1.0 - keep) * w1.force).dot(0.5 * (s0.v_WB + s1.v_WB));
    power += (keep * w0.torque + (1.0 - keep) * w1.torque).dot(0.5 * (s0.w_WB + s1.w_WB));
  }
  data.globals().work -= h * power;
}

void summarise(Data& data) noexcept {
  Globals& g = data.globals();
  double stored = 0.0, depth = 0.0;
  for (std::size_t i = 0; i < data.count; ++i) {
    stored += data.contacts[i].stored_energy;
    depth = std::max(depth, data.contacts[i].depth);
  }
  g.contact_count = static_cast<double>(data.count);
  g.max_depth = depth;
  g.energy_stored = stored;
  g.energy_dissipated = g.work - stored;
}

void write_outputs(const Model& model, Data& data, const Wrench* wrenches_W) noexcept {
  const bool body_axes = data.globals().resolve_in == static_cast<double>(Frame::body);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    data.outputs()[i] = wrenches_W[i];
    data.reports()[i] = data.bodies()[i];
    if (!body_axes) continue;
    const Mat3 R_BW = data.R_WB[i].transpose();
    data.outputs()[i] = {R_BW * wrenches_W[i].force, R_BW * wrenches_W[i].torque};
    data.reports()[i].w_WB = R_BW * data.bodies()[i].w_WB;
  }
}

bool finite(const BodyState& s) noexcept {
  return s.r_WB.allFinite() && s.q_WB.allFinite() && s.v_WB.allFinite() && s.w_WB.allFinite();
}

Status check_motion(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (!finite(data.bodies()[i])) return {Code::not_finite, static_cast<std::int32_t>(i)};
  return {};
}

Status check_given(const BodyState& s, std::size_t i) noexcept {
  const auto index = static_cast<std::int32_t>(i);
  if (!finite(s)) return {Code::not_finite, index};
  if (!(std::abs(s.q_WB.norm() - 1.0) <= 1e-3)) return {Code::bad_quaternion, index};
  return {};
}

// more sub-steps than this in one call is a step_size given in the wrong unit, not a wish.
constexpr double most_steps = 1e7;

Status substeps(const Model& model, Data& data, double dt) noexcept {
  Globals& g = data.globals();
  bool free = false;
  for (const Body& body : model.bodies) free = free || body.motion == Motion::free;
  const double steps = std::max(1.0, std::ceil(dt / g.step_size * (1.0 - 1e-9)));
  if (steps > most_steps) return {Code::bad_argument, -1};
  const double h = dt / steps, start = g.time;
  const bool mean = g.wrench_output == static_cast<double>(WrenchOutput::mean);
  std::fill(data.mean.begin(), data.mean.end(), Wrench{Vec3::Zero(), Vec3::Zero()});

  if (free && g.fresh == 0.0) {  // the motion starts from the wrenches of the present states
    if (Status status = contacts_and_wrenches(model, data, 0.0); !status) return status;
  }
  const bool start_wrench = free && model.options.integrator == Integrator::semi_implicit_euler;
  for (double k = 0; k < steps; ++k) {
    keep_start(model, data);
    if (Status status = move_bodies(model, data, k * h, h, contacts_and_wrenches); !status) return status;
    if (Status status = check_motion(model, data); !status) return status;
    if (Status status = contacts_and_wrenches(model, data, h); !status) return status;
    remember(data);
    add_work(model, data, h, start_wrench);
    summarise(data);
    if (!mean) continue;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      data.mean[i].force += data.wrenches_W()[i].force / steps;
      data.mean[i].torque += data.wrenches_W()[i].torque / steps;
    }
  }
  write_outputs(model, data, mean ? data.mean.data() : data.wrenches_W());
  g.time = start + dt;
  g.fresh = 1.0;
  return {};
}

}  // namespace

Status accept_inputs(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].motion != Motion::external) continue;
    const Wrench& rates = data.input_rates()[i];
    if (Status status = check_given(data.inputs()[i], i); !status) return status;
    if (!rates.force.allFinite() || !rates.torque.allFinite()) return {Code::not_finite, static_cast<std::int32_t>(i)};
  }
  extrapolate(model, data, 0.0);
  data.globals().fresh = 0.0;
  return {};
}

Status set_states(const Model& model, Data& data, const BodyState* states) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (Status status = check_given(states[i], i); !status) return status;
  const bool body_axes = data.globals().resolve_in == static_cast<double>(Frame::body);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    BodyState& s = data.bodies()[i];
    data.inputs()[i] = s = states[i];
    data.input_rates()[i] = {Vec3::Zero(), Vec3::Zero()};
    s.q_WB.normalize();
    if (body_axes) s.w_WB = matrix(s.q_WB) * s.w_WB;
  }
  data.globals().fresh = 0.0;
  return {};
}

Status evaluate(const Model& model, Data& data) noexcept {
  const std::size_t used = data.used();
  std::memcpy(data.backup.data(), data.state.data(), used * sizeof(double));
  const Status status = contacts_and_wrenches(model, data, 0.0);
  if (!status) {
    std::memcpy(data.state.data(), data.backup.data(), used * sizeof(double));
    data.count = 0;
    return status;
  }
  summarise(data);
  write_outputs(model, data, data.wrenches_W());
  data.globals().fresh = 1.0;
  return {};
}

Status advance(const Model& model, Data& data, double dt) noexcept {
  if (!(std::isfinite(dt) && dt > 0.0)) return {Code::bad_argument, -1};
  const std::size_t used = data.used();
  std::memcpy(data.backup.data(), data.state.data(), used * sizeof(double));
  const Status status = substeps(model, data, dt);
  if (!status) {
    std::memcpy(data.state.data(), data.backup.data(), used * sizeof(double));
    data.count = 0;
  }
  return status;
}

}  // namespace contactlib
