// Narrow phase: candidates -> manifolds and surface contacts, in the pools of Data.
#pragma once

#include "geometry/pairs.hpp"
#include "state/data.hpp"

namespace contactlib::step {

using bounding::Candidate;
using geometry::Shape, geometry::pair_row_index;
using model::Model;
using state::Data;

// The candidates are divided into as many chunks as there are pools. collide() evaluates one chunk and writes only into
// its own pool, so that chunks may run in parallel. The pools are then read in order, so that their number changes no
// result.
void collide(const Model& model, Data& data, std::size_t chunk, std::size_t count) noexcept;
void collide_serially(const Model& model, Data& data, std::size_t count) noexcept;

// Candidates of one row of the pair table that go through its loop of pairs together, at most. More would not stay in the
// first cache.
inline constexpr std::size_t most_together = 32;

// The difference is taken first: far from the world's origin no digits are lost.
inline Vec3 between(const Data& data, std::int32_t body_a, std::int32_t body_b) noexcept {
  return data.bodies()[body_b].r_WB - data.bodies()[body_a].r_WB;
}

// Most shapes have the axes of their bodies, which saves a product.
inline Mat3 axes(const Mat3& R_WB, const Shape& shape) noexcept {
  return shape.turned ? Mat3(R_WB * shape.R_BS) : R_WB;
}

inline int row_of(const Model& model, const Candidate& c) noexcept {
  return pair_row_index(model.shapes[c.shape_a].kind, model.shapes[c.shape_b].kind);
}

inline bool is_joined(const Model& model, const Candidate& c) noexcept {
  return model.shapes[c.shape_a].compound >= 0 || model.shapes[c.shape_b].compound >= 0;
}

}  // namespace contactlib::step
