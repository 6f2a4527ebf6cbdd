// Contact persistence: assigns the contact states of the last step to the present contacts. A contact keeps its state
// while it slides over faces, edges and corners, whatever its feature id is.
#pragma once

#include "data.hpp"

namespace contactlib::state {

using geometry::shape_kinds;

// Names a pair of shapes by an integer below memory_keys, which a double represents exactly (model/reader/shapes.cpp
// checks this).
inline double memory_key(const Model& model, int row, std::int32_t shape_a, std::int32_t shape_b) noexcept {
  const double shapes = static_cast<double>(model.shapes.size());
  return (row * shapes + shape_a) * shapes + shape_b;
}
inline double memory_keys(const Model& model) noexcept {
  const double shapes = static_cast<double>(model.shapes.size());
  return shape_kinds * shape_kinds * shapes * shapes;
}

// Shapes and law of a contact state. A saved state may come from anywhere: law -1 if the shapes cannot touch.
struct Shapes {
  std::int32_t a = -1, b = -1, pair = -1, law = -1;
};
Shapes shapes_of(const Model& model, const Memory& memory) noexcept;

// The contact states of one pair of shapes: memory [first, last).
struct Recollection {
  std::size_t first, last;
};
Recollection recollect(const Data& data, double key) noexcept;
// For keys that mostly increase from call to call.
Recollection recollect_next(Data& data, double key) noexcept;

// Assigns to each of `count` contacts its state or null: that of the same feature or, for roaming features, of the
// nearest point; never one with an opposite normal, and never one twice. p_BC_W: from body B's origin to shape A's.
void claim(Data& data, const Recollection& old, const ManifoldPoint* points, std::size_t count, const Vec3& p_BA_W,
           const Mat3& R_WB, double reach, const Memory** out) noexcept;

// Stores the states of the present contacts, sorted by key.
void remember(const Model& model, Data& data) noexcept;

}  // namespace contactlib::state
