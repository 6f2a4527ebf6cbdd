#include "scratch.hpp"

#include <algorithm>

namespace contactlib::element {

void SnareScratch::make(const SnareDesign& design, std::size_t body_count) {
  constexpr int drive_rows = 8;
  motion.bodies.resize(body_count);
  bodies.resize(body_count);
  wrenches.resize(body_count);
  motion_columns = static_cast<int>(6 * body_count + 2);
  obstacles = design.obstacles;
  for (std::size_t i = 0; i < obstacles.size(); ++i) obstacles[i].body = &bodies[design.obstacle_body[i]];
  cables.resize(design.cables.size());
  std::size_t nodes = 0;
  for (std::size_t k = 0; k < cables.size(); ++k) {
    const SnareCable& own = design.cables[k];
    SnareCableScratch& cable = cables[k];
    cable.step.make(own.cable);
    const std::size_t numbers = BlockCholesky::size * own.cable.nodes();
    cable.q.assign(numbers, 0.0);
    cable.v.assign(numbers, 0.0);
    cable.free.assign(numbers, 0.0);
    cable.change.assign(numbers, 0.0);
    cable.ends.assign(2 * four * numbers, 0.0);
    cable.tension.assign(own.cable.elements.size(), 0.0);
    starts.push_back({&own.cable, {cable.q.data(), cable.v.data()}, &cable.inputs, &cable.step});
    strands.push_back({&own.cable, cable.q.data(), own.skin, own.touches_itself});
    nodes = std::max(nodes, own.cable.nodes());
  }
  skin.make(strands.data(), strands.size(), obstacles.data(), obstacles.size());
  const std::size_t touch_count = static_cast<std::size_t>(design.touches), max_rows = drive_rows + 3 * touch_count;
  touches.resize(touch_count);
  axes.resize(3 * touch_count);
  contacts.resize(touch_count);
  found.rows.resize(touch_count);
  accepted.rows.resize(touch_count);
  responses.resize(touch_count);
  for (std::vector<double>* const column : {&b, &lo, &hi, &z}) column->assign(max_rows, 0.0);
  states.assign(max_rows, RowState::between);
  max_nodes = static_cast<int>(nodes);
  y.assign(2 * touch_count * nodes * BlockCholesky::size * four, 0.0);
  g.assign((max_rows + 6) * motion_columns, 0.0);
  G.assign((max_rows + four) * motion_columns, 0.0);
  A.assign(max_rows * max_rows + four, 0.0);
  S.assign(motion_columns * solve::in_fours(motion_columns), 0.0);
  dV.assign(solve::in_fours(motion_columns), 0.0);
  dV_free.assign(motion_columns, 0.0);
  pairs.assign(2 * motion_columns, 0.0);
  solver.make(static_cast<int>(max_rows), design.touches);
}

}  // namespace contactlib::element
