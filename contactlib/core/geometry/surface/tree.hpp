#pragma once

#include "surface.hpp"

namespace contactlib::geometry {

// Fills in nodes, order, size and middle from the faces. May throw std::bad_alloc.
void make_surface_tree(Surface& out);

// Fills in bvh4_nodes from the nodes, the facets and the owners of edges and vertices. May throw std::bad_alloc.
void make_bvh4_nodes(Surface& out);

}  // namespace contactlib::geometry
