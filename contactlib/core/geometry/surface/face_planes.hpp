// Coordinates in the faces of a surface.
#pragma once

#include "surface.hpp"

namespace contactlib::geometry {

// Fills Surface::planes and Surface::loop_uv, unless all faces are triangles.
void find_face_planes(Surface& out);

}  // namespace contactlib::geometry
