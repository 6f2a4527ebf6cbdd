#pragma once

#include "surface.hpp"

namespace contactlib {

// fills in nodes, order, size and middle from the faces. may throw std::bad_alloc.
void make_surface_tree(Surface& out);

// fills in bvh4_nodes from the nodes, the facets and who owns what. may throw std::bad_alloc.
void make_bvh4_nodes(Surface& out);

}  // namespace contactlib
