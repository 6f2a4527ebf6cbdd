#include "order.hpp"

#include "math/rotation.hpp"

namespace contactlib::step {

using math::matrix;
using model::Body, model::Coupling;
using state::Exchange, state::Order, state::OrderSums;

namespace {

constexpr double forgetting = 0.95;
constexpr double fewest = 4.0;        // changes, before the order is judged
constexpr double clear_rest = 2e-3;   // of the changes, not explained: less is no matter
constexpr double clear_ratio = 0.1;

void add(OrderSums& sums, double yy, double yu, double uu, double yv, double vv) noexcept {
  sums.yy = forgetting * sums.yy + yy;
  sums.yu = forgetting * sums.yu + yu;
  sums.uu = forgetting * sums.uu + uu;
  sums.yv = forgetting * sums.yv + yv;
  sums.vv = forgetting * sums.vv + vv;
}

double explained(double yu, double uu) noexcept { return uu > 0.0 ? yu * yu / uu : 0.0; }

}  // namespace

const Wrench& other_output(Data& data, std::size_t i) noexcept {
  const bool jacobi = data.globals().coupling == static_cast<double>(Coupling::jacobi);
  return jacobi ? data.outputs()[i] : data.interfaces()[i].held_before;
}

void add_changes(Data& data, std::size_t i, const Wrench& y, const Wrench& u, const Wrench& v) noexcept {
  const Body& body = data.plant[i];
  const Mat3 R = matrix(data.bodies()[i].q_WB);
  const Mat3 M = R * body.I_BBcm_inverse * R.transpose();
  Order& order = data.interfaces()[i].order;
  if (!(u.force.squaredNorm() + u.torque.squaredNorm() + v.force.squaredNorm() + v.torque.squaredNorm() > 0.0)) return;
  const double w = 1.0 / body.mass;
  add(order.force, w * y.force.squaredNorm(), w * y.force.dot(u.force), w * u.force.squaredNorm(),
      w * y.force.dot(v.force), w * v.force.squaredNorm());
  add(order.torque, y.torque.dot(M * y.torque), y.torque.dot(M * u.torque), u.torque.dot(M * u.torque),
      y.torque.dot(M * v.torque), v.torque.dot(M * v.torque));
  order.changes += 1.0;
}

void judge_order(const Model& model, Data& data) noexcept {
  double total = 0.0, by_expected = 0.0, by_other = 0.0, changes = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!model.bodies[i].interface()) continue;
    const Order& order = data.interfaces()[i].order;
    changes += order.changes;
    for (const OrderSums* sums : {&order.force, &order.torque}) {
      total += sums->yy;
      by_expected += explained(sums->yu, sums->uu);
      by_other += explained(sums->yv, sums->vv);
    }
  }
  Exchange& exchange = data.exchange();
  exchange.consistency = total > 0.0 ? by_expected / total : 1.0;
  const double rest = total - by_expected, other_rest = total - by_other;
  if (exchange.swapped != 0.0 || changes < fewest || !(rest > clear_rest * total) || !(other_rest < clear_ratio * rest))
    return;
  exchange.swapped = 1.0;
  exchange.swapped_time = data.globals().time;
}

}  // namespace contactlib::step
