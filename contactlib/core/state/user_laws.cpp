#include "user_laws.hpp"

#include <algorithm>
#include <cmath>

#include "memory.hpp"

namespace contactlib::state {

namespace {

void put(double* column, std::size_t k, const Vec3& v) noexcept { std::copy_n(v.data(), 3, column + 3 * k); }

void put(double* column, std::size_t k, const Mat3& R) noexcept {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) column[9 * k + 3 * i + j] = R(i, j);
}

Vec3 take(const double* column, std::size_t k) noexcept { return Vec3(column + 3 * k); }

struct Laws {
  const Model& model;
  Data& data;
  std::int32_t law;

  std::size_t width() const noexcept { return model.laws[law].own_width(); }
  double* own(std::size_t contact) const noexcept { return data.own.data() + contact * model.own_width; }

  void gather(std::size_t i, std::size_t k) const noexcept {
    UserLaws& out = data.user_laws;
    const Contact& c = data.contacts[i];
    const Attachment& attachment = data.attachments[i];
    const BodyState &a = data.bodies()[c.body_a], &b = data.bodies()[c.body_b];
    const Mat3 &R_WA = data.R_WB[c.body_a], &R_WB = data.R_WB[c.body_b];
    out.contact[k] = static_cast<std::int32_t>(i);
    out.shape_a[k] = c.shape_a, out.shape_b[k] = c.shape_b;
    out.held[k] = c.phase != Phase::ended;
    out.depth[k] = c.depth, out.depth_rate[k] = c.depth_rate;
    out.age[k] = c.age, out.load_share[k] = c.load_share;
    put(out.point, k, Vec3(a.r_WB + c.p_AC_W));
    put(out.normal, k, c.n_AB_W);
    put(out.velocity, k, c.v_AB_W);
    put(out.spin, k, Vec3(b.w_WB - a.w_WB));
    put(out.stretch, k, Vec3((b.r_WB - a.r_WB) + (R_WB * attachment.p_B - R_WA * attachment.p_A)));
    put(out.R_WA, k, R_WA);
    put(out.R_WB, k, R_WB);
    std::copy_n(own(i), width(), out.memory + k * width());
  }

  // Reads the states after `establish`; returns false if they are not finite.
  bool keep_memory(std::size_t k) const noexcept {
    const double* const from = data.user_laws.memory + k * width();
    std::copy_n(from, width(), own(data.user_laws.contact[k]));
    return std::all_of(from, from + width(), [](double x) { return std::isfinite(x); });
  }

  bool scatter(std::size_t k) const noexcept {
    const UserLaws& in = data.user_laws;
    const std::size_t i = in.contact[k];
    Contact& c = data.contacts[i];
    Attachment& attachment = data.attachments[i];
    c.f_B_W = c.load_share * take(in.force, k);
    c.t_B_W = c.load_share * take(in.torque, k);
    c.normal_force = c.f_B_W.dot(c.n_AB_W);
    c.stored_energy = c.load_share * in.stored[k];
    c.heat = c.load_share * in.heat[k];
    if (in.held[k] && in.ends[k]) c.phase = Phase::ends;
    attachment.stored = in.stored[k];
    attachment.ended = c.phase >= Phase::ends ? 1.0 : 0.0;
    const bool remembers = keep_memory(k);
    return remembers && c.f_B_W.allFinite() && c.t_B_W.allFinite() && std::isfinite(in.stored[k]) &&
           std::isfinite(in.heat[k]);
  }

  // Fills rows for the chosen contacts; returns their number.
  template <class Chosen>
  std::size_t gather_all(const Chosen& chosen) const noexcept {
    std::size_t count = 0;
    for (std::size_t i = 0; i < data.count; ++i)
      if (data.contacts[i].law == law && chosen(data.contacts[i])) gather(i, count++);
    return count;
  }

  // Returns the status of the first row that is not `good`.
  template <class Good>
  Status ask(Ask what, std::size_t count, const Good& good) const noexcept {
    if (count == 0) return {};
    UserLaws& f = data.user_laws;
    if (const Status status = f.answer(f.caller, what, law, count); !status) return status;
    for (std::size_t k = 0; k < count; ++k)
      if (!good(k)) return {Code::model_failed, law, f.contact[k]};
    return {};
  }

  Status update() const noexcept {
    const auto begins = [](const Contact& c) { return c.phase == Phase::begins; };
    const auto any = [](const Contact&) { return true; };
    if (const Status status = ask(Ask::establish, gather_all(begins), [&](std::size_t k) { return keep_memory(k); });
        !status)
      return status;
    const std::size_t count = gather_all(any);
    std::fill_n(data.user_laws.torque, 3 * count, 0.0);
    std::fill_n(data.user_laws.stored, count, 0.0);
    std::fill_n(data.user_laws.heat, count, 0.0);
    std::fill_n(data.user_laws.ends, count, false);
    return ask(Ask::update, count, [&](std::size_t k) { return scatter(k); });
  }

  void gather_memory(const Memory& old, const Shapes& shapes, std::size_t k) const noexcept {
    UserLaws& out = data.user_laws;
    out.contact[k] = -1, out.shape_a[k] = shapes.a, out.shape_b[k] = shapes.b;
    out.age[k] = old.age, out.held[k] = true;
    std::copy_n(own_of(old), width(), out.memory + k * width());
  }

  Status terminate() const noexcept {
    std::size_t count = gather_all([](const Contact& c) { return c.phase == Phase::ends; });
    const auto remembered = static_cast<std::size_t>(data.globals().memory_count);
    for (std::size_t k = 0; k < remembered && count < data.contacts.size(); ++k) {
      const Memory& old = data.memory(k);
      if (data.claimed[k] || attachment_of(old).ended != 0.0) continue;
      const Shapes shapes = shapes_of(model, old);
      if (shapes.law == law) gather_memory(old, shapes, count++);
    }
    return ask(Ask::terminate, count, [](std::size_t) { return true; });
  }
};

}  // namespace

Status ask_models(const Model& model, Data& data, double h) noexcept {
  data.user_laws.h = h;
  for (std::size_t i = 0; i < model.laws.size(); ++i) {
    if (!model.laws[i].is_user_law()) continue;
    if (data.user_laws.answer == nullptr) return {Code::no_model, static_cast<std::int32_t>(i)};
    if (const Status status = Laws{model, data, static_cast<std::int32_t>(i)}.update(); !status) return status;
  }
  return {};
}

Status end_contacts(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.laws.size(); ++i) {
    if (!model.laws[i].is_user_law()) continue;
    if (const Status status = Laws{model, data, static_cast<std::int32_t>(i)}.terminate(); !status) return status;
  }
  return {};
}

}  // namespace contactlib::state
