// friction memory: which contact of now is which of then. a contact keeps its memory while it slides over faces, edges
// and corners, whatever its number on the shape is.
#pragma once

#include "data.hpp"

namespace contactlib {

// names a pair of shapes by a whole number below memory_keys, which a double holds exactly (model/reader/shapes.cpp
// sees to it).
inline double memory_key(const Model& model, int row, std::int32_t shape_a, std::int32_t shape_b) noexcept {
  const double shapes = static_cast<double>(model.shapes.size());
  return (row * shapes + shape_a) * shapes + shape_b;
}
inline double memory_keys(const Model& model) noexcept {
  const double shapes = static_cast<double>(model.shapes.size());
  return shape_kinds * shape_kinds * shapes * shapes;
}

// which shapes and law a memory is of. a saved state may come from anywhere: law -1 where they cannot touch.
struct Shapes {
  std::int32_t a = -1, b = -1, pair = -1, law = -1;
};
Shapes shapes_of(const Model& model, const Memory& memory) noexcept;

// the remembered contacts of one pair of shapes: memory [first, last).
struct Recollection {
  std::size_t first, last;
};
Recollection recollect(const Data& data, double key) noexcept;

// gives each of `count` contacts its memory, or null: the same feature or, for roaming ones, the nearest place; never
// one whose surface faces the other way, never one twice. p_BC_W: from body B's origin to shape A's.
void claim(Data& data, const Recollection& old, const ManifoldPoint* points, std::size_t count, const Vec3& p_BA_W,
           const Mat3& R_WB, double reach, const Memory** out) noexcept;

// writes down the present contacts, sorted by key.
void remember(const Model& model, Data& data) noexcept;

}  // namespace contactlib
