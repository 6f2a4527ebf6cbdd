// The fabric of a membrane for a picture: what viewers draw. The forces use no number of it.
#pragma once

#include "element/elements.hpp"

namespace contactlib::element {

// Vertices in m, world axes: the suspension points where the winches hold them, then the corners of the caught body.
// Three numbers of vertices for each triangle; in a plane there are none. Where the body does not press on the fabric,
// the fabric is flat: a fan between the suspension points.
struct MembraneDrawing {
  std::vector<Vec3> vertices;
  std::vector<std::int32_t> triangles;
};

// False, without a change, if the element is no membrane. May throw std::bad_alloc.
bool draw_membrane(const Model& model, const Data& data, std::size_t element, MembraneDrawing& out);

}  // namespace contactlib::element
