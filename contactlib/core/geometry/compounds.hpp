// Boxes and polyhedra of a body that continue each other's faces, as floor plates or the parts of a decomposed solid do.
#pragma once

#include <vector>

#include "geometry/manifold/manifold.hpp"

namespace contactlib::geometry {

// Finds the compounds: shapes of one body and one material that touch along a wall, and beside it have a face in one
// plane. They have one contact, as if they were drawn as one solid. Sets Shape::compound, its reference_area and its inner
// faces. May throw std::bad_alloc.
void find_compounds(std::vector<Shape>& shapes);

// The first shape of the compound of shape i, or itself.
inline std::int32_t compound_of(const std::vector<Shape>& shapes, std::int32_t i) noexcept {
  return shapes[i].compound < 0 ? i : shapes[i].compound;
}

}  // namespace contactlib::geometry
