// Regions: faces of a mesh that lie in one plane, joined by their edges.
#pragma once

#include "surface.hpp"

namespace contactlib::geometry {

// Fills Surface::regions, region_of_face and region_of_node, of a closed surface of triangles.
void find_regions(Surface& out);

}  // namespace contactlib::geometry
